//! What is to be said of a Record: the word over it and over each score, the causes of what was lost, what each of
//! them cost, and all findings behind that. Data only; `diagnosis` makes it.
//!
//! Everything that shows, compares or judges results takes this and asks no rule.

mod cause;
mod ledger;

pub use cause::Cause;
pub use ledger::{Expected, Ledger, Part, Points};

use crate::view::ScoreKey;
use crate::{Finding, Severity, Verdict};
use serde::Serialize;

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
}
