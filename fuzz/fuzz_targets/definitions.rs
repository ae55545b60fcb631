//! Any text as a file of definitions, and as the output of a program that is scored.

#![no_main]

use bench::ScoreRule;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    for definition in bench::parse_definitions(&text).unwrap_or_default() {
        let _ = definition.score.find(&text, 1.0);
    }
    let _ = ScoreRule::Json("a.0".into()).find(&text, 1.0);
    if let Ok(rule) = ScoreRule::regex(r"(\S+)$") {
        let _ = rule.find(&text, 1.0);
    }
});
