//! Report: the summary of a job in GitHub Actions, Markdown for the file that `GITHUB_STEP_SUMMARY` names
//! (<https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands#adding-a-job-summary>): the
//! verdict as an alert, main figures, neighbours and causes, then all figures, and steps that did not pass. GitLab uses JUnit and OpenMetrics instead.

use super::scores::{TestOutcome, scores, tests};
use crate::markdown::board;
use compare::neighbours;
use compare::reference::Reference;
use explain::Narrative;
use facts::number::number;
use facts::plain::markdown;
use facts::sheet::Sheet;
use facts::{Explanation, Facts, Verdict};
use record::Record;
use rules::Report;
use std::fmt::Write;

pub(super) const REPORT: Report = Report {
    id: "github-summary",
    about: "Verdict, main figures and steps that did not pass in Markdown for GITHUB_STEP_SUMMARY.",
    for_programs: true,
    ..Report::lines(|facts, explained, known, _| render(facts, explained, known))
};

/// Maximum number of listed steps: GitHub limits summaries to 1 MiB.
const STEPS_MAX: usize = 200;

fn render(facts: &Facts<'_>, explained: &Explanation, known: &Reference) -> String {
    let alert = match explained.verdict {
        Verdict::Valid => "NOTE",
        Verdict::Unproven | Verdict::Degraded => "WARNING",
        Verdict::Invalid => "CAUTION",
    };
    let board = board(&facts.machine);
    let told = Narrative::of(facts, explained);
    let mut text = format!("### sbc-bench: {board}\n\n> [!{alert}]\n> {}\n", markdown(&told.verdict));
    for loss in &told.ledgers {
        let _ = writeln!(text, ">\n> {}", markdown(loss));
    }
    let main = main_figures(facts);
    // As in data for other systems, an invalid result has no figures.
    if explained.verdict != Verdict::Invalid && !main.is_empty() {
        let _ = write!(text, "\n{}", main.markdown());
    }
    if let Some(neighbours) = neighbours(facts, explained, known) {
        let _ = writeln!(text, "\n{}", markdown(&neighbours.sentence()));
    }
    for cause in &told.causes {
        let _ = writeln!(text, "\n- {}", markdown(&cause.text()));
    }
    let mut figures = Sheet::new([("Figure", false), ("Value", true), ("Unit", false)]);
    for score in scores(facts, explained) {
        figures.row([score.name, number(score.figure.value, &score.figure.unit), score.figure.unit.clone()]);
    }
    if !figures.is_empty() {
        let _ = write!(text, "\n<details><summary>All figures</summary>\n\n{}\n</details>\n", figures.markdown());
    }
    text.push_str(&steps(facts));
    text
}

/// Main figures in words.
fn main_figures(facts: &Facts<'_>) -> Sheet {
    let mut sheet = Sheet::new([("Figure", false), ("Value", true)]);
    for (name, value) in facts::figures::main::headlines(facts) {
        sheet.row([name.to_owned(), value]);
    }
    sheet
}

/// Number of passed steps, and a row for each that did not pass.
fn steps(record: &Record) -> String {
    let tests = tests(record);
    let passed = tests.iter().filter(|test| test.outcome == TestOutcome::Passed).count();
    let mut text = format!("\n{passed} of {} steps passed.\n", tests.len());
    let mut sheet = Sheet::new([("Step", false), ("Ended", false), ("Why", false)]);
    for test in tests.iter().filter(|test| test.outcome != TestOutcome::Passed).take(STEPS_MAX) {
        sheet.row([test.name.as_str(), test.outcome.word(), test.why.as_str()]);
    }
    if !sheet.is_empty() {
        let _ = write!(text, "\n{}", sheet.markdown());
    }
    text
}
