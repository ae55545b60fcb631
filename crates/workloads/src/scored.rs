//! Failures, scores and output of tools, as workloads share them. Each workload chooses its call and its figures.

use crate::measure::context::WorkloadContext;
use crate::measure::report::StepReport;
use machine::available_kib;
use process::child::failure;
use process::tools::{InstalledProgram, ToolKind, version_numbers};
use record::{Failure, FailureKind, Missing, Score, Scores, StepMeasurement};
use serde_json::Value;
use std::fmt::Display;
use std::time::Duration;

/// Maximum length of a program's output in the Record; scores are read from the whole output.
const OUTPUT_CHARS: usize = 4000;

/// Failure of a step that cannot start.
pub(super) fn not_started(why: impl Display) -> Failure {
    failure(FailureKind::NotStarted, why.to_string(), "")
}

/// Failure for output without its figures; `why` is a sentence without its stop.
pub(super) fn garbled(why: impl Display, output: &str) -> Failure {
    failure(FailureKind::Garbled, format!("{why}."), output)
}

/// Failure for a wrong result.
pub(super) fn wrong_answer(why: String) -> Failure {
    failure(FailureKind::WrongAnswer, why, "")
}

/// Why a step cannot run with the available memory; `needs` is subject and verb: "Geekbench needs".
pub(super) fn too_little_memory(context: &WorkloadContext, needs: &str, need_kib: u64) -> Option<Missing> {
    let available = available_kib(context.root).ok()?;
    (available < need_kib).then(|| {
        let why = format!("{needs} {} MiB, only {} MiB are available", need_kib >> 10, available >> 10);
        Missing::unsupported("/proc/meminfo", why)
    })
}

/// The tool, or the failure with the reason why it is missing.
pub(super) fn tool(context: &WorkloadContext, kind: &'static ToolKind) -> Result<InstalledProgram, Failure> {
    context.tools.find(kind).map_err(not_started)
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
        return Err(garbled("It printed nothing", ""));
    }
    let scores = parse(output).map_err(|why| garbled(why, output))?;
    let output = if scores.output.is_empty() { shortened(output) } else { scores.output.clone() };
    Ok(StepMeasurement::Scores(Scores { output, ..scores }))
}

/// A score where higher is better.
pub(super) fn higher(name: &str, value: f64, unit: &str) -> Score {
    Score { name: name.to_owned(), value, unit: unit.to_owned(), higher_is_better: true }
}

/// The number after a label: `8868.11` of `  events per second:  8868.11`. Tools run in the `C` locale, so a decimal
/// comma is an unknown format.
pub(super) fn number_behind(text: &str, label: &str) -> Option<f64> {
    let rest = text.lines().find_map(|line| line.trim_start().strip_prefix(label))?;
    let word = rest.trim_start_matches([' ', ':', '\t']);
    positive(word.split_whitespace().next()?)
}

/// The first number of a version, for tools whose scores change with it; 0 if unknown.
pub(super) fn major(version: &str) -> u32 {
    version_numbers(version).first().copied().unwrap_or(0)
}

/// A finite number above 0; a score of 0 means that no work was done.
pub(super) fn positive(word: &str) -> Option<f64> {
    let value: f64 = word.parse().ok()?;
    (value.is_finite() && value > 0.0).then_some(value)
}

/// The first JSON object of an output; messages may precede it.
pub(super) fn json(output: &str) -> Option<Value> {
    let start = output.find('{')?;
    serde_json::Deserializer::from_str(&output[start..]).into_iter().next()?.ok()
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
