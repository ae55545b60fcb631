//! `--fail-if`: limits of figures against a baseline of the user's results.

use super::known::{Baseline, baseline, is_baseline};
use crate::args::limits::LimitFlags;
use compare::{Baselines, LimitAnswer, LimitOutcome, Side};
use console::read::NamedRecord;
use facts::Explained;
use std::path::Path;

/// Checks that the baseline exists, before the first measurement.
pub(super) fn check(limits: &LimitFlags) -> anyhow::Result<()> {
    let missing = limits.baseline.iter().find(|baseline| !is_baseline(baseline));
    missing.map_or(Ok(()), |missing| anyhow::bail!("--baseline {} does not exist.", missing.display()))
}

/// Answers to all limits; none without limits.
///
/// # Errors
/// The baseline cannot be read or has no results, or no figure has the name of a limit.
pub(super) fn answers(
    limits: &LimitFlags,
    file: Option<&Path>,
    result: &Explained<'_>,
) -> anyhow::Result<Vec<LimitAnswer>> {
    let Some(path) = &limits.baseline else { return Ok(Vec::new()) };
    let answers = |baselines: &Baselines<'_>| {
        let answers = limits.fail_if.iter().map(|limit| baselines.answer(limit).map_err(anyhow::Error::msg));
        answers.collect()
    };
    match baseline(path, file)? {
        Baseline::Rows(rows) => answers(&Baselines::of_rows(result, &rows)),
        Baseline::Results(results) => {
            anyhow::ensure!(!results.is_empty(), "--baseline {} has no results besides FILE.", path.display());
            let explained = |NamedRecord { name, record }| (name, explain::explain(record));
            let results: Vec<(String, Explained<'_>)> = results.into_iter().map(explained).collect();
            let sides = results.iter().map(|(name, explained)| Side { name: name.clone(), explained });
            answers(&Baselines::of_results(result, &sides.collect::<Vec<_>>()))
        }
    }
}

/// A line for each answer.
pub(super) fn sentences(answers: &[LimitAnswer]) -> String {
    let word = |outcome| match outcome {
        LimitOutcome::Kept => "kept",
        LimitOutcome::Unknown => "not decided",
        LimitOutcome::Broken => "broken",
    };
    let line =
        |answer: &LimitAnswer| format!("Limit {}: {}. {}\n", word(answer.outcome), answer.limit, answer.sentence);
    answers.iter().map(line).collect()
}

/// A list of the answers in Markdown.
pub(super) fn markdown(answers: &[LimitAnswer]) -> String {
    let lines = sentences(answers);
    lines.lines().map(|line| format!("\n- {}\n", facts::plain::markdown(line))).collect()
}

/// Test cases of the answers.
pub(super) fn cases(answers: &[LimitAnswer]) -> Vec<report::Case> {
    let case = |answer: &LimitAnswer| report::Case {
        name: answer.limit.clone(),
        has_passed: match answer.outcome {
            LimitOutcome::Kept => Some(true),
            LimitOutcome::Unknown => None,
            LimitOutcome::Broken => Some(false),
        },
        why: answer.sentence.clone(),
    };
    answers.iter().map(case).collect()
}

/// True if a limit is broken.
pub(super) fn is_failure(answers: &[LimitAnswer]) -> bool {
    answers.iter().any(|answer| answer.outcome == LimitOutcome::Broken)
}
