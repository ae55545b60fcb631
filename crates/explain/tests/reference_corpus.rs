//! Judges the reference data by the logs it was made from: ranges that most boards leave are wrong. Composed logs
//! show what a log becomes in it; which of them leave a range stands in `composed/truth/findings.tsv`.

#![allow(clippy::disallowed_methods, clippy::print_stderr)]

use crate::files;
use compare::reference::{self, Row};
use facts::Facts;
use facts::Finding;

/// Maximum fraction of real logs with scores outside their range.
const OUTSIDE_MAX: f64 = 0.05;

#[test]
fn reference_ranges_cover_boards() {
    let corpus = testkit::found!(files::corpus());
    let texts = files::texts(&[corpus.join("open/results")]);
    let outside = texts.iter().filter(|(name, text)| is_outside(name, text));
    let (outside, all) = (outside.count(), texts.len());
    eprintln!("{outside} of {all} logs");
    assert!(outside as f64 / all as f64 <= OUTSIDE_MAX, "{outside} of {all} logs");
}

fn is_outside(name: &str, text: &str) -> bool {
    let found = rules::check(&Facts::of(&logs::read(text)));
    let is_ours = |finding: &&Finding| matches!(finding.rule.as_str(), "score-high" | "score-low");
    let found: Vec<String> = found.iter().filter(is_ours).map(Finding::sentence).collect();
    if !found.is_empty() {
        eprintln!("{name}: {}", found.join(" "));
    }
    !found.is_empty()
}

/// The rows that composed logs would have in `data/reference.tsv`: neither figures nor verdicts change unseen.
#[test]
fn composed_logs_give_their_rows() {
    let texts = files::texts(&[files::composed()]);
    let rows = texts.iter().map(|(name, text)| {
        let record = logs::read(text);
        let explained = explain::explain(&record);
        Row::of(&explained.facts, &explained.assessment, name)
    });
    let rows: Vec<Row> = rows.collect();
    let written = reference::write(&rows);
    expect_test::expect_file!["composed/truth/reference.tsv"].assert_eq(&written);
    let again = reference::parse(&written).unwrap();
    assert_eq!(reference::write(&again), written);
}
