//! Files that people pass in place of a log: one sentence says what to pass instead. `cargo xtask accuracy` reads copies
//! of logs in every form.

use std::process::Command;
use testkit::Scratch;

const LOG: &str = include_str!("../../logs/src/fixtures/0.9.72-standard.txt");

/// Errors of the program for a file with these bytes.
fn errors(scratch: &Scratch, bytes: &[u8]) -> String {
    std::fs::write(scratch.join("x"), bytes).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_sbc-bench"));
    let output = command.args(["results", "x"]).current_dir(scratch).output().unwrap();
    assert!(!output.status.success(), "{output:?}");
    String::from_utf8(output.stderr).unwrap().trim().to_owned()
}

#[test]
fn files_without_figures_are_told_what_to_pass() {
    let scratch = Scratch::new("pasted");
    let misread = LOG.replace("10", "1O").replace("20", "2O");
    for (bytes, expected) in [
        (&b"BZh91AY&SY"[..], "x is packed by bzip2; unpack it with bunzip2."),
        (b"7z\xbc\xaf\x27\x1c\0\x04", "x is a 7z archive; unpack it with 7z x."),
        (b"\x89PNG\r\n\x1a\n", "x is a picture; pass the text that it shows."),
        (b"%PDF-1.7\n", "x is a PDF document; save it as plain text."),
        (b"{\\rtf1\\ansi sbc-bench v0.9.72}", "x is a rich text document; save it as plain text."),
        (b"", "x is empty."),
        (b" \n", "x is empty."),
        (b"7-Zip 23.01 (x64)\n\nTot: 1 2 3\n", "x is output of 7-Zip without its log; pass the whole log, or measure"),
        (
            b"The 'numbers' are in 1000s of bytes per second processed.\n",
            "x is output of openssl speed without its log; ",
        ),
        (b"[    0.000000] Booting Linux on physical CPU 0x0\n", "x is kernel messages; "),
        (b"MemTotal: 1 kB\nMemFree: 1 kB\n", "x is /proc/meminfo; use sbc-bench inspect identify on that machine."),
        (b"processor\t: 0\nBogoMIPS\t: 48.00\nCPU part\t: 0xd08\n", "x is /proc/cpuinfo and contains no results; use "),
        (b"<!DOCTYPE html><html><body>404</body></html>", "x is a web page without a log; pass the raw text"),
        (b"{\"a\":1}", "x is JSON but not an sbc-bench result file: missing field `schema`"),
        (
            LOG.replace('\n', " ").as_bytes(),
            "x is an sbc-bench log that has lost its line ends; pass the original file.",
        ),
        (misread.as_bytes(), "x is an sbc-bench log with letters in its numbers, such as "),
        (
            b"Hello all,\nplease find attached\n",
            "x contains no results; it is neither an sbc-bench log nor a result file.",
        ),
    ] {
        let told = errors(&scratch, bytes);
        assert!(told.starts_with(&format!("sbc-bench: {expected}")) && told.lines().count() == 1, "{told}");
    }
}
