//! Prints the time to redact 1 MiB of each word and line of some files, repeated; the slowest ten.
//!
//!     cargo run --release -p sbc-bench-logs --example redact_cost FILE...
#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "an example reads files, takes times and prints")]

use std::collections::BTreeSet;
use std::time::Instant;

const TEXT_BYTES: usize = 1 << 20;
/// Beginnings of names, which redaction looks for. A text of nothing else makes it look everywhere.
const SHAPES: [&str; 23] = [
    "LABEL=x\n",
    "ip=",
    "/dev/",
    "user ",
    "user\n",
    "acct=\n",
    ":\n",
    "\n",
    "host=x\n",
    "SN ",
    "@",
    "//x/",
    "\\\\",
    "git@x:",
    "x@y.z\n",
    "devid 1 ",
    "C:\\Users\\x\\",
    "$GPGGA,",
    "-----BEGIN A-----\n",
    "SHA256:",
    "root@x:~# ",
    "wlan0: ",
    "password: ",
];

fn main() -> std::io::Result<()> {
    let mut words: BTreeSet<String> = SHAPES.map(str::to_owned).into();
    for file in std::env::args().skip(1) {
        let text = String::from_utf8_lossy(&std::fs::read(file)?).into_owned();
        words.extend(text.split_whitespace().map(str::to_owned));
        words.extend(text.lines().map(|line| format!("{line}\n")));
    }
    let cost = |word: String| {
        let text = word.repeat(TEXT_BYTES / word.len());
        let start = Instant::now();
        std::hint::black_box(logs::redact::redact(text.as_bytes()));
        (start.elapsed().as_millis(), word)
    };
    let mut costs: Vec<(u128, String)> = words.into_iter().map(cost).collect();
    costs.sort_by(|a, b| b.cmp(a));
    println!("{} words", costs.len());
    for (milliseconds, word) in costs.iter().take(10) {
        println!("{milliseconds} ms  {word:?}");
    }
    Ok(())
}
