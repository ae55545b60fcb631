//! Any target under libFuzzer: `SBC_BENCH_FUZZ=kmsg cargo +nightly fuzz run --features libfuzzer any fuzz/seeds/kmsg`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sbc_bench_fuzz::{Target, targets};
use std::sync::LazyLock;

static TARGET: LazyLock<Target> = LazyLock::new(|| {
    let name = std::env::var("SBC_BENCH_FUZZ").unwrap_or_default();
    let found = targets().into_iter().find(|target| target.name == name);
    found.expect("SBC_BENCH_FUZZ names no target")
});

fuzz_target!(|data: &[u8]| TARGET.run(data));
