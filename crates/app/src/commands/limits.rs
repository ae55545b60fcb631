//! `--fail-if`: limits of figures against a baseline of one's own results.

use super::known::{Baseline, baseline, is_baseline};
use compare::{Baselines, Limit, LimitAnswer, LimitOutcome, Side};
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
    /// Results that --fail-if compares with: a log, a result file, a directory of them, or the address of a hub, of which results
    /// of this board count; of several the median
    #[arg(long, value_name = "FILE|DIR|URL", requires = "fail_if")]
    baseline: Option<PathBuf>,
}

impl LimitFlags {
    /// True if limits were given.
    pub(super) fn is_given(&self) -> bool {
        self.baseline.is_some()
    }

    /// Looks for the baseline, before anything is measured.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        let missing = self.baseline.iter().find(|baseline| !is_baseline(baseline));
        missing.map_or(Ok(()), |missing| anyhow::bail!("--baseline {} does not exist.", missing.display()))
    }

    /// Answers to all limits; none without limits.
    ///
    /// # Errors
    /// The baseline cannot be read or has no results, or no figure has the name of a limit.
    pub(super) fn answers(&self, file: Option<&Path>, result: &Explained<'_>) -> anyhow::Result<Vec<LimitAnswer>> {
        let Some(path) = &self.baseline else { return Ok(Vec::new()) };
        let answers = |baselines: &Baselines<'_>| {
            let answers = self.fail_if.iter().map(|limit| baselines.answer(limit).map_err(anyhow::Error::msg));
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
