//! Assessment of a Record: verdict over the run and each score, causes of losses, loss by each cause, and all findings.
//! Data only; `diagnosis` creates it.
//!
//! Reports, comparisons and pages use it and call no rule.

mod cause;
mod effect;
mod elasticity;
mod ledger;
mod tenths;

pub use cause::Cause;
pub use effect::{Effect, Size};
pub use elasticity::{Elasticity, Limiter};
pub use ledger::{Basis, ExpectedScore, Ledger, Method, Part, Points, WholePercents};
pub use tenths::{Tenths, rounded_to_sum};

use crate::view::ScoreKey;
use crate::{Finding, Severity, Span, Verdict};
use record::StableSort;
use serde::Serialize;
use std::cmp::Reverse;

/// Assessment of a Record.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// Verdict over the main scores.
    pub verdict: Verdict,
    /// Verdict over each score.
    pub scores: Vec<ScoreVerdict>,
    /// Causes of losses; a cause that explains others comes first.
    pub diagnoses: Vec<Diagnosis>,
    /// Loss of each score, split over the diagnoses.
    pub ledgers: Vec<Ledger>,
    /// Findings outside of diagnoses that are reported; indices in `findings`.
    pub notes: Vec<usize>,
    /// Findings that answer the question of the run; indices in `findings`.
    pub answers: Vec<usize>,
    /// All findings.
    pub findings: Vec<Finding>,
    /// Figures lower than those of similar boards, if any.
    pub deficit: Option<Deficit>,
}

/// Main figures that are lower than those of similar boards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deficit {
    /// Figures, similar boards and likely causes, in one or two sentences.
    pub sentence: String,
    /// Name of the figure that the sentence begins with.
    pub figure: String,
    /// Its difference from similar boards in percent of theirs.
    pub change_percent: i64,
    /// The figures: step and cluster of each.
    pub figures: Vec<(usize, Option<usize>)>,
    /// Scores among them whose ledgers do not report the loss.
    pub scores: Vec<ScoreKey>,
    /// True if the causes differ from the diagnoses.
    pub is_news: bool,
    /// Most likely cause, if known.
    pub cause: Option<Cause>,
}

impl Deficit {
    /// True if it is a loss with a cause that no diagnosis reports: a board that runs at its highest clock loses nothing to
    /// overclocked ones.
    pub fn degrades(&self) -> bool {
        self.is_news && self.cause.is_some_and(|cause| cause != Cause::HighestOpp)
    }
}

impl Explanation {
    /// Diagnoses, the most severe first, then in causal order.
    pub fn worst_first(&self) -> Vec<&Diagnosis> {
        let mut diagnoses: Vec<&Diagnosis> = self.diagnoses.iter().collect();
        diagnoses.stable_sort_by_key(|diagnosis| (!self.is_of_main(diagnosis), Reverse(diagnosis.severity)));
        diagnoses
    }

    /// True if a diagnosis applies to a main score of the run.
    pub fn is_of_main(&self, diagnosis: &Diagnosis) -> bool {
        let mut main = self.scores.iter().filter(|score| score.is_main);
        self.scores.is_empty() || main.any(|score| diagnosis.holds_for.contains(&score.score))
    }

    /// True if a main score with the verdict of the run has it because of this diagnosis.
    pub fn explains_a_worst_score(&self, diagnosis: &Diagnosis) -> bool {
        let worst = self.scores.iter().filter(|score| score.is_main && score.verdict == self.verdict);
        worst.flat_map(|score| &score.because).any(|index| self.diagnoses.get(*index) == Some(diagnosis))
    }

    /// The ledger of a score.
    pub fn ledger(&self, score: &ScoreKey) -> Option<&Ledger> {
        self.ledgers.iter().find(|ledger| ledger.score == *score)
    }

    /// Loss of a score by a diagnosis.
    pub fn loss(&self, diagnosis: &Diagnosis, score: &ScoreKey) -> ScoreLoss {
        if !diagnosis.holds_for.contains(score) {
            return ScoreLoss::Nothing;
        }
        let mut parts = self.ledger(score).into_iter().flat_map(|ledger| &ledger.parts);
        let own = parts.find(|part| self.diagnoses.get(part.diagnosis) == Some(diagnosis));
        own.map_or(ScoreLoss::Unknown, |part| ScoreLoss::Points { points: part.points.percent, factor: part.factor })
    }

    /// True if a finding belongs to a diagnosis of a main score of the run.
    pub fn harms_main(&self, is_wanted: impl Fn(&Finding) -> bool) -> bool {
        let of_main = self.diagnoses.iter().filter(|diagnosis| self.is_of_main(diagnosis));
        of_main.flat_map(Diagnosis::members).any(|index| is_wanted(&self.findings[index]))
    }

    /// Every finding in the order of reports, and whether it names a cause: diagnoses with their evidence, then answers
    /// and notes.
    pub fn in_order(&self) -> Vec<(&Finding, bool)> {
        let of_diagnoses = self.worst_first().into_iter().flat_map(|diagnosis| {
            diagnosis.members().map(move |index| (&self.findings[index], index == diagnosis.root))
        });
        let others = self.answers.iter().chain(&self.notes).map(|index| (&self.findings[*index], false));
        of_diagnoses.chain(others).collect()
    }
}

impl Diagnosis {
    /// True if it costs no score a share that matters.
    pub fn is_minor(&self) -> bool {
        self.severity == Severity::Info
    }

    /// All findings of the diagnosis, the root first.
    pub fn members(&self) -> impl Iterator<Item = usize> {
        let parts = [&self.evidence, &self.consequences, &self.contradicts];
        std::iter::once(self.root).chain(parts.into_iter().flatten().copied())
    }
}

/// Loss of a score by a diagnosis according to the ledger, the only source of this figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ScoreLoss {
    /// No loss: the diagnosis does not apply to the score.
    Nothing,
    /// Known loss.
    Points {
        /// Loss relative to the expected value.
        points: Tenths,
        /// Remaining fraction of the score, 0 to 1.
        factor: f64,
    },
    /// The diagnosis applies to the score, but no ledger quantifies its loss.
    Unknown,
}

/// Verdict on one score.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoreVerdict {
    /// The score.
    pub score: ScoreKey,
    /// True for a main score of the run.
    pub is_main: bool,
    /// Verdict.
    pub verdict: Verdict,
    /// Indices in `Explanation::diagnoses`.
    pub because: Vec<usize>,
    /// Evidence that is missing for a verdict, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lacks: Option<&'static str>,
}

/// A root cause with its evidence and consequences.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnosis {
    /// The cause.
    pub cause: Cause,
    /// Severity for the scores to which it applies.
    pub severity: Severity,
    /// Confidence in percent.
    pub confidence_percent: u8,
    /// Finding that names the cause; an index in `Explanation::findings`, like all indices below.
    pub root: usize,
    /// Findings that support it.
    pub evidence: Vec<usize>,
    /// Consequences.
    pub consequences: Vec<usize>,
    /// Findings that contradict it.
    pub contradicts: Vec<usize>,
    /// Alternative causes.
    pub also_possible: Vec<Cause>,
    /// Scores to which it applies.
    pub holds_for: Vec<ScoreKey>,
    /// Time of the root finding, if known.
    pub span: Option<Span>,
}
