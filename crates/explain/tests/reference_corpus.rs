//! Judges the reference data by the logs it was made from: ranges that most boards leave are wrong.
//!
//! The corpus is no part of this repository; `tests/corpus.rs` says where it is looked for.
//! Without it this test is skipped.

#![allow(clippy::disallowed_methods, clippy::print_stderr)]

mod files;

use explain::{Finding, rules};

/// The largest share of real logs whose scores may lie outside their range.
const OUTSIDE_MAX: f64 = 0.05;

#[test]
fn few_boards_leave_the_ranges_made_of_them() {
    let Some(corpus) = files::corpus() else {
        return testkit::was_skipped();
    };
    let texts = files::texts(&corpus);
    let mut outside = 0;
    for (name, text) in &texts {
        let found = rules::check(&explain::logs::read(text));
        let is_ours =
            |finding: &&Finding| matches!(finding.rule.as_str(), "score-high" | "score-low");
        let found: Vec<String> = found
            .iter()
            .filter(is_ours)
            .map(Finding::sentence)
            .collect();
        if !found.is_empty() {
            outside += 1;
            eprintln!("{name}: {}", found.join(" "));
        }
    }
    let share = f64::from(outside) / texts.len() as f64;
    eprintln!("{outside} of {} logs", texts.len());
    assert!(share <= OUTSIDE_MAX, "{outside} of {} logs", texts.len());
}
