//! `--fail-if`: limits of figures against a baseline of one's own results.

use super::known::baseline_results;
use compare::{Limit, LimitAnswer, LimitOutcome, Side};
use console::read::NamedRecord;
use facts::Explained;
use std::path::{Path, PathBuf};

/// Limits and their baseline.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct LimitFlags {
    /// Fail (exit 1) where the noise of both leaves no doubt, for example 'sevenzip-multi < baseline - 5 %'
    ///
    /// The name is that of a main figure, without its method: the words of `compare --format csv`, joined by `-`. Where noise
    /// may hide it, the answer is "not enough to tell", which does not fail.
    #[arg(long, value_name = "LIMIT", requires = "baseline")]
    fail_if: Vec<Limit>,
    /// Results that --fail-if compares with: a log, a result file, or a directory of them, whose median counts
    #[arg(long, value_name = "FILE|DIR", requires = "fail_if")]
    baseline: Option<PathBuf>,
}

impl LimitFlags {
    /// Answers to all limits; none without limits.
    ///
    /// # Errors
    /// The baseline cannot be read or has no results, or no figure has the name of a limit.
    pub(super) fn answers(&self, file: &Path, result: &Explained<'_>) -> anyhow::Result<Vec<LimitAnswer>> {
        let Some(baseline) = &self.baseline else { return Ok(Vec::new()) };
        let results: Vec<(String, Explained<'_>)> = baseline_results(baseline, file)?
            .into_iter()
            .map(|NamedRecord { name, record }| (name, explain::explain(record)))
            .collect();
        anyhow::ensure!(!results.is_empty(), "--baseline {} has no results besides FILE.", baseline.display());
        let sides: Vec<Side<'_>> =
            results.iter().map(|(name, explained)| Side { name: name.clone(), explained }).collect();
        let answers = self.fail_if.iter().map(|limit| limit.answer(result, &sides).map_err(anyhow::Error::msg));
        answers.collect()
    }
}

/// A sentence for each answer, as a report ends with.
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

/// The same as a list in Markdown.
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

/// True if one of them fails.
pub(super) fn is_failure(answers: &[LimitAnswer]) -> bool {
    answers.iter().any(|answer| answer.outcome == LimitOutcome::Broken)
}
