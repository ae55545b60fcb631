//! The ledger of a score: what it should have been, what it was, and where the rest went.

use crate::view::ScoreKey;
use serde::Serialize;

/// What a score should have been, what it was, and where the rest went.
#[derive(Debug, Clone, PartialEq)]
pub struct Ledger {
    /// Which score.
    pub score: ScoreKey,
    /// Its unit, `MIPS`.
    pub unit: String,
    /// What was reached.
    pub reached: f64,
    /// What this machine should have reached.
    pub expected: Expected,
    /// What each cause took. With `unexplained` the points add up to what was lost.
    pub parts: Vec<Part>,
    /// What no cause explains.
    pub unexplained: Points,
}

/// What a machine should have reached.
#[derive(Debug, Clone, PartialEq)]
pub struct Expected {
    /// The most likely value.
    pub value: f64,
    /// It was not less.
    pub low: f64,
    /// It was not more.
    pub high: f64,
}

/// What one cause took of a score.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Index in `Explanation::diagnoses`.
    pub diagnosis: usize,
    /// What is left of the score: factors of all parts multiply.
    pub factor: f64,
    /// What was lost.
    pub points: Points,
    /// How much of that was not there in the first repetition.
    pub built_up: Option<Points>,
}

/// A part of what was expected, in percent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Points {
    /// The most likely value.
    pub percent: f64,
    /// It was not less.
    pub low: f64,
    /// It was not more.
    pub high: f64,
    /// True if only the upper end is known.
    pub at_most: bool,
}
