//! What is to be said of a Record: the word over it and over each score, the causes of what was lost, what each of
//! them cost, and all findings behind that. Data only; `diagnosis` makes it.
//!
//! Everything that shows, compares or judges results takes this and asks no rule.

mod cause;
mod causes;
mod ledger;
mod tenths;

pub use cause::Cause;
pub use causes::CauseRow;
pub use ledger::{Basis, Expected, Ledger, Method, Part, Points, WholePercents};
pub use tenths::{Tenths, rounded_to_sum};

use crate::view::ScoreKey;
use crate::{Finding, Severity, Span, Verdict};
use record::Arrange;
use serde::Serialize;
use std::cmp::Reverse;

/// What is to be said of a Record.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The word over the main scores.
    pub verdict: Verdict,
    /// The word over each score.
    pub scores: Vec<ScoreVerdict>,
    /// Causes of what was lost, the one that explains others first.
    pub diagnoses: Vec<Diagnosis>,
    /// What each score lost, split over the diagnoses.
    pub ledgers: Vec<Ledger>,
    /// Findings that belong to no diagnosis and are worth a line; indices in `findings`.
    pub notes: Vec<usize>,
    /// Findings that answer what the run was made for; indices in `findings`.
    pub answers: Vec<usize>,
    /// All findings.
    pub findings: Vec<Finding>,
}

impl Explanation {
    /// Diagnoses, the most harmful first, else in the order in which one explains the others.
    pub fn worst_first(&self) -> Vec<&Diagnosis> {
        let mut diagnoses: Vec<&Diagnosis> = self.diagnoses.iter().collect();
        diagnoses.arrange_by_key(|diagnosis| (!self.is_of_main(diagnosis), Reverse(diagnosis.severity)));
        diagnoses
    }

    /// True if a diagnosis holds for a score that the run was made for.
    pub fn is_of_main(&self, diagnosis: &Diagnosis) -> bool {
        let mut main = self.scores.iter().filter(|score| score.is_main);
        self.scores.is_empty() || main.any(|score| diagnosis.holds_for.contains(&score.score))
    }

    /// What a diagnosis took of a score.
    pub fn taken(&self, diagnosis: &Diagnosis, score: &ScoreKey) -> Taken {
        if !diagnosis.holds_for.contains(score) {
            return Taken::Nothing;
        }
        let ledgers = self.ledgers.iter().filter(|ledger| ledger.score == *score);
        let mut parts = ledgers.flat_map(|ledger| &ledger.parts);
        let own = parts.find(|part| self.diagnoses.get(part.diagnosis) == Some(diagnosis));
        own.map_or(Taken::Unknown, |part| Taken::Points { points: part.points.percent, factor: part.factor })
    }

    /// True if a finding belongs to a diagnosis of a score that the run was made for.
    pub fn harms_main(&self, is_wanted: impl Fn(&Finding) -> bool) -> bool {
        let of_main = self.diagnoses.iter().filter(|diagnosis| self.is_of_main(diagnosis));
        of_main.flat_map(Diagnosis::members).any(|index| is_wanted(&self.findings[index]))
    }

    /// Every finding in the order in which it is told, and whether it names a cause: diagnoses with all that belongs
    /// to each, then answers and notes.
    pub fn in_order(&self) -> Vec<(&Finding, bool)> {
        let of_diagnoses = self.worst_first().into_iter().flat_map(|diagnosis| {
            diagnosis.members().map(move |index| (&self.findings[index], index == diagnosis.root))
        });
        let others = self.answers.iter().chain(&self.notes).map(|index| (&self.findings[*index], false));
        of_diagnoses.chain(others).collect()
    }
}

impl Diagnosis {
    /// All findings that belong to it, its root first.
    pub fn members(&self) -> impl Iterator<Item = usize> {
        let parts = [&self.evidence, &self.consequences, &self.contradicts];
        std::iter::once(self.root).chain(parts.into_iter().flatten().copied())
    }
}

/// What a diagnosis took of a score, by its ledger: nothing else says so.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Taken {
    /// Nothing: it does not hold for the score.
    Nothing,
    /// So much of what was expected; and what it left of the score, 0 to 1.
    Points {
        /// Of what was expected.
        points: Tenths,
        /// What it left of the score, 0 to 1.
        factor: f64,
    },
    /// It holds for the score, and no ledger says how much it took.
    Unknown,
}

/// The word over one score.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoreVerdict {
    /// Which score.
    pub score: ScoreKey,
    /// True if the run was made for it.
    pub is_main: bool,
    /// The word.
    pub verdict: Verdict,
    /// Indices in `Explanation::diagnoses`.
    pub because: Vec<usize>,
}

/// One root cause with its evidence and its consequences.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnosis {
    /// What it is.
    pub cause: Cause,
    /// How much it harms what it holds for.
    pub severity: Severity,
    /// How sure it is, in percent.
    pub confidence_percent: u8,
    /// The finding that names it; an index in `Explanation::findings`, as all below.
    pub root: usize,
    /// Findings that show the same.
    pub evidence: Vec<usize>,
    /// Findings that follow from it.
    pub consequences: Vec<usize>,
    /// Findings that speak against it.
    pub contradicts: Vec<usize>,
    /// Causes that would explain the same.
    pub also_possible: Vec<Cause>,
    /// The scores that it holds for.
    pub holds_for: Vec<ScoreKey>,
    /// When its root was so, if that is known.
    pub span: Option<Span>,
}
