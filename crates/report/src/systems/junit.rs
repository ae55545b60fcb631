//! Report: steps as test cases of JUnit XML, in the form that Jenkins, GitLab and others read
//! (<https://github.com/testmoapp/junitxml>). A degraded result passes with its reasons; an invalid one fails.

use super::scores::{Test, TestOutcome, scores, tests, utc};
use explain::Narrative;
use facts::plain::markup;
use facts::{Explanation, Facts};
use record::Record;
use rules::Report;
use std::fmt::Write;

pub(super) const REPORT: Report = Report {
    id: "junit",
    about: "Steps and the verdict as test cases, main figures as properties, in JUnit XML.",
    for_programs: true,
    ..Report::of(render)
};

fn render(facts: &Facts<'_>, explained: &Explanation) -> String {
    junit(facts, explained, &[])
}

/// Test case that is not a step.
pub struct Case {
    /// Name.
    pub name: String,
    /// Whether it passed; `None` if the data are insufficient.
    pub has_passed: Option<bool>,
    /// Reason in one sentence.
    pub why: String,
}

/// The report, with further test cases after the verdict.
pub fn junit(facts: &Facts<'_>, explained: &Explanation, cases: &[Case]) -> String {
    let tests = tests(facts);
    let count = |outcome| tests.iter().filter(|test| test.outcome == outcome).count();
    let further = |has_passed| cases.iter().filter(|case| case.has_passed == has_passed).count();
    let is_invalid = TestOutcome::of(explained.verdict) == TestOutcome::Failed;
    let counts = format!(
        "tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\"",
        tests.len() + 1 + cases.len(),
        count(TestOutcome::Failed) + usize::from(is_invalid) + further(Some(false)),
        count(TestOutcome::Skipped) + further(None),
    );
    let elapsed = time(facts.run.elapsed_ms.and_then(|ms| i64::try_from(ms).ok()));
    let board = markup(facts::machine_name(&facts.machine).map_or("", String::as_str));
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(text, "<testsuites name=\"sbc-bench\" {counts}{elapsed}>");
    let _ = writeln!(text, "  <testsuite name=\"sbc-bench\" {counts}{elapsed}{}>", timestamp(facts));
    text.push_str("    <properties>\n");
    property(&mut text, "board", &board);
    for score in scores(facts, explained) {
        property(&mut text, &score.name, &markup(&format!("{} {}", score.figure.value, score.figure.unit)));
    }
    text.push_str("    </properties>\n");
    for test in &tests {
        case(&mut text, test);
    }
    verdict(&mut text, &Narrative::of(facts, explained), is_invalid);
    cases.iter().for_each(|case| further_case(&mut text, case));
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}

fn property(text: &mut String, name: &str, value: &str) {
    let _ = writeln!(text, "      <property name=\"{name}\" value=\"{value}\"/>");
}

fn case(text: &mut String, test: &Test<'_>) {
    let why = markup(&test.why);
    let elapsed = time(Some(test.step.window.elapsed_ms()));
    let _ = write!(text, "    <testcase classname=\"sbc-bench\" name=\"{}\"{elapsed}", test.name);
    let _ = match test.outcome {
        TestOutcome::Passed => writeln!(text, "/>"),
        TestOutcome::Failed => writeln!(text, "><failure message=\"{why}\">{why}</failure></testcase>"),
        TestOutcome::Skipped => writeln!(text, "><skipped message=\"{why}\"/></testcase>"),
    };
}

fn further_case(text: &mut String, case: &Case) {
    let (name, why) = (markup(&case.name), markup(&case.why));
    let _ = write!(text, "    <testcase classname=\"sbc-bench\" name=\"{name}\">");
    let _ = match case.has_passed {
        Some(true) => write!(text, "<system-out>{why}</system-out>"),
        Some(false) => write!(text, "<failure message=\"{why}\">{why}</failure>"),
        None => write!(text, "<skipped message=\"{why}\"/>"),
    };
    text.push_str("</testcase>\n");
}

fn verdict(text: &mut String, told: &Narrative, is_invalid: bool) {
    let word = markup(&told.verdict);
    let causes: Vec<String> = told.causes.iter().map(|cause| markup(&cause.text())).collect();
    text.push_str("    <testcase classname=\"sbc-bench\" name=\"verdict\">");
    let _ = if is_invalid {
        write!(text, "<failure message=\"{word}\">{}</failure>", causes.join("\n"))
    } else {
        write!(text, "<system-out>{word}\n{}</system-out>", causes.join("\n"))
    };
    text.push_str("</testcase>\n");
}

/// Attribute with the start of the run, if known: UTC without a zone, as the format requires.
fn timestamp(record: &Record) -> String {
    let time = utc(record, 0, "%Y-%m-%dT%H:%M:%S");
    time.map_or_else(String::new, |time| format!(" timestamp=\"{time}\""))
}

/// Attribute with a duration, if known. Steps of logs without monitoring have none.
fn time(elapsed_ms: Option<i64>) -> String {
    let known = elapsed_ms.filter(|ms| *ms > 0);
    known.map_or_else(String::new, |ms| format!(" time=\"{:.3}\"", ms as f64 / 1000.0))
}
