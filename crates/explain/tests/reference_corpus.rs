//! Judges the reference data by composed logs, which were given usual scores, and by the logs of the corpus that
//! it was made from: ranges that most boards leave are wrong. `files` says where they are.

#![allow(clippy::disallowed_methods, clippy::print_stderr)]

mod files;

use explain::reference::{self, Row};
use explain::{Finding, rules};

/// The largest share of real logs whose scores may lie outside their range.
const OUTSIDE_MAX: f64 = 0.05;

#[test]
fn few_boards_leave_the_ranges_made_of_them() {
    for folder in files::folders() {
        let texts = files::texts(&[folder]);
        let outside = texts.iter().filter(|(name, text)| is_outside(name, text));
        let (outside, all) = (outside.count(), texts.len());
        eprintln!("{outside} of {all} logs");
        let share = outside as f64 / all as f64;
        assert!(share <= OUTSIDE_MAX, "{outside} of {all} logs");
    }
}

/// The rows that composed logs would have in `data/reference.tsv`: neither figures nor verdicts change unseen.
#[test]
fn composed_logs_give_their_rows() {
    let texts = files::texts(&[files::composed()]);
    let rows = texts.iter().map(|(name, text)| {
        let record = explain::logs::read(text);
        Row::of(&record, &rules::check(&record), name)
    });
    let rows: Vec<Row> = rows.collect();
    let written = reference::write(&rows);
    expect_test::expect_file!["composed/truth/reference.tsv"].assert_eq(&written);
    let again = reference::parse(&written).unwrap();
    assert_eq!(reference::write(&again), written);
}

fn is_outside(name: &str, text: &str) -> bool {
    let found = rules::check(&explain::logs::read(text));
    let is_ours = |finding: &&Finding| matches!(finding.rule.as_str(), "score-high" | "score-low");
    let found: Vec<String> = found
        .iter()
        .filter(is_ours)
        .map(Finding::sentence)
        .collect();
    if !found.is_empty() {
        eprintln!("{name}: {}", found.join(" "));
    }
    !found.is_empty()
}
