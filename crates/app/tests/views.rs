//! Each view of a Record is computed at most once, from the explanation to the last report of a run.

#![allow(clippy::disallowed_methods, clippy::print_stderr, reason = "reads files; prints the count with --nocapture")]

use crate::files;
use compare::reference::Reference;
use compare::{Side, compare, rank};
use explain::Document;
use explain::results::Entry;
use record::Record;
use std::path::Path;

/// Everything that the program makes of one Record.
fn use_all(record: &Record) {
    let explained = explain::explain(record);
    for report in report::REPORTS.iter() {
        report.is_of(&explained.facts);
        report.text(&explained, Reference::builtin);
    }
    Document::saved(&explained.facts, &explained.assessment);
    Entry::of(&explained, "a.json");
    page::page(&explained, Reference::builtin());
    page::drawings(&explained, Reference::builtin());
    rank(&explained, Reference::builtin());
    compare(&["a", "b"].map(|name| Side { name: name.to_owned(), explained: &explained }));
    explain::monitor::sparklines(&explained.facts, 80);
}

#[test]
fn views_are_computed_once_for_a_record() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../explain/tests");
    let own: Record = serde_json::from_str(include_str!("../../explain/tests/own/two-policies.json")).unwrap();
    let logs = files::texts(&[tests.join("composed"), tests.join("made")]).into_iter();
    let records = std::iter::once(("two-policies.json".to_owned(), own));
    let (mut computed, mut again) = (0, Vec::new());
    for (name, record) in records.chain(logs.map(|(name, text)| (name, logs::read(&text)))) {
        facts::count::take();
        use_all(&record);
        let views = facts::count::take();
        computed += views.len();
        again.extend(
            views.into_iter().filter(|(_, count)| *count > 1).map(|((_, view), count)| (name.clone(), view, count)),
        );
    }
    eprintln!("views computed: {computed}; more than once for one Record: {}", again.len());
    assert!(computed > 100, "{computed}");
    assert_eq!(again, []);
}
