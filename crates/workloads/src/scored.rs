//! What loads share that are one call of an external tool and a few numbers in its output. Which call
//! and which numbers is each load's own business.

use crate::measure::context::WorkloadContext;
use crate::measure::report::StepReport;
use process::child::failure;
use process::tools::{InstalledProgram, ToolKind};
use record::{Failure, FailureKind, Missing, Score, Scores, StepMeasurement};
use std::time::Duration;

/// Maximum length of a program's output in the Record; scores are read from the whole output.
const OUTPUT_CHARS: usize = 4000;

/// The tool, or the failure that says why it is none.
pub(super) fn tool(context: &WorkloadContext, kind: &'static ToolKind) -> Result<InstalledProgram, Failure> {
    context.tools.find(kind).map_err(|missing: Missing| failure(FailureKind::NotStarted, missing.to_string(), ""))
}

/// Runs the tool once and reads its scores.
pub(super) fn scores(
    context: &WorkloadContext,
    report: &mut StepReport,
    found: &InstalledProgram,
    arguments: &[&str],
    time_limit: Duration,
    parse: impl Fn(&str) -> Result<Scores, String>,
) -> Result<StepMeasurement, Failure> {
    let output = context.program(report, found, arguments, time_limit)?;
    read(&output, parse)
}

/// Reads the scores of an output, which is kept with them.
pub(super) fn read(output: &str, parse: impl Fn(&str) -> Result<Scores, String>) -> Result<StepMeasurement, Failure> {
    if output.trim().is_empty() {
        let why = "It printed nothing.".into();
        return Err(failure(FailureKind::Garbled, why, ""));
    }
    let scores = parse(output).map_err(|why| failure(FailureKind::Garbled, format!("{why}."), output))?;
    let output = if scores.output.is_empty() { shortened(output) } else { scores.output.clone() };
    Ok(StepMeasurement::Scores(Scores { output, ..scores }))
}

/// One score, of which more is better.
pub(super) fn higher(name: &str, value: f64, unit: &str) -> Score {
    Score { name: name.to_owned(), value, unit: unit.to_owned(), higher_is_better: true }
}

/// The number behind the label: `8868.11` of `  events per second:  8868.11`. A decimal comma is no
/// number here, as every tool is started in the `C` locale: it is another build than the one known.
pub(super) fn number_behind(text: &str, label: &str) -> Option<f64> {
    let rest = text.lines().find_map(|line| line.trim_start().strip_prefix(label))?;
    let word = rest.trim_start_matches([' ', ':', '\t']);
    positive(word.split_whitespace().next()?)
}

/// A finite number above 0; a score of 0 says that nothing was done.
pub(super) fn positive(word: &str) -> Option<f64> {
    let value: f64 = word.parse().ok()?;
    (value.is_finite() && value > 0.0).then_some(value)
}

/// Beginning and end of a long text.
pub(super) fn shortened(text: &str) -> String {
    let count = text.chars().count();
    if count <= OUTPUT_CHARS {
        return text.to_owned();
    }
    let half = OUTPUT_CHARS / 2;
    let head: String = text.chars().take(half).collect();
    let tail: String = text.chars().skip(count - half).collect();
    format!("{head}\n[{} characters omitted]\n{tail}", count - 2 * half)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_numbers_count() {
        for (text, expected) in [
            ("a\n  rate:  12.5 /s\n", Some(12.5)),
            ("rate 12.5", Some(12.5)),
            ("rate: 12,5", None),
            ("rate: 0.00", None),
            ("rate: inf", None),
            ("rate:", None),
            ("other: 1", None),
        ] {
            assert_eq!(number_behind(text, "rate"), expected, "{text}");
        }
    }

    #[test]
    fn empty_output_has_no_score() {
        let why = read(" \n", |_| Ok(Scores::default())).unwrap_err();
        assert_eq!(why.kind, FailureKind::Garbled);
        assert!(why.message.contains("It printed nothing"));
    }

    #[test]
    fn long_output_keeps_both_ends() {
        let text = format!("first{}last", "x".repeat(10_000));
        let short = shortened(&text);
        assert!(short.starts_with("first") && short.ends_with("last"));
        assert!(short.contains("characters omitted") && short.len() < 5000);
    }
}
