//! Every composed log and every real one of a corpus, blanked: it explains the same as the whole one.

#![allow(clippy::disallowed_methods, clippy::print_stderr)]

mod files;

use explain::{Finding, logs, rules};

/// Findings without the words that may have been blanked in them.
fn found(text: &str) -> Vec<Finding> {
    rules::check(&logs::read(text))
}

#[test]
fn redacted_log_has_same_findings() {
    let mut blanked = 0;
    // All of them take minutes in a debug build.
    for (name, text) in files::texts(&files::folders()).into_iter().step_by(2) {
        let redacted = explain::redact::redact(text.as_bytes());
        blanked += redacted.counts.len();
        let out = String::from_utf8(redacted.bytes).unwrap();
        assert_eq!(out.lines().count(), text.lines().count(), "{name}");
        assert_eq!(found(&out), found(&text), "{name}");
        let again = explain::redact::redact(out.as_bytes());
        assert_eq!(found(&String::from_utf8(again.bytes).unwrap()), found(&text), "{name} twice");
    }
    assert!(blanked > 0, "logs of eight years have something to blank");
}
