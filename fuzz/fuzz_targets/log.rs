//! Any text as a log: read, checked by every rule, written in every form, compared.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    explain::logs::looks_like_log(&text);
    sbc_bench_fuzz::explain_all(&explain::logs::read(&text));
});
