//! Report: steps and main figures as the signals that LAVA reads from a board's console, the same that its shell
//! command `lava-test-case` prints (<https://docs.lavasoftware.org/lava/writing-tests.html>).

use super::scores::{TestOutcome, scores, tests};
use facts::{Explanation, Facts};
use rules::Report;
use std::fmt::Write;

pub(super) const REPORT: Report = Report {
    id: "lava",
    about: "Steps and main figures as signals of LAVA test cases.",
    for_programs: true,
    ..Report::of(render)
};

fn render(facts: &Facts<'_>, explained: &Explanation) -> String {
    let mut text = String::new();
    for test in tests(facts) {
        signal(&mut text, &test.name, test.outcome.word(), "");
    }
    for score in scores(facts, explained) {
        // A unit ends at the first blank.
        let unit = score.figure.unit.split_whitespace().collect::<Vec<_>>().join("_");
        let measured = format!(" UNITS={unit} MEASUREMENT={}", score.figure.value);
        signal(&mut text, &format!("score_{}", score.name), TestOutcome::Passed.word(), &measured);
    }
    let outcome = TestOutcome::of(explained.verdict);
    signal(&mut text, &format!("verdict_{}", explained.verdict), outcome.word(), "");
    text
}

fn signal(text: &mut String, name: &str, result: &str, measured: &str) {
    let _ = writeln!(text, "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID={name} RESULT={result}{measured}>");
}
