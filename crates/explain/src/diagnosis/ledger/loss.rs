//! Loss of a score by one cause, as a factor, before it is apportioned.

use facts::Elasticity;
use facts::{EvidenceSource, Method};

/// Remaining fraction of a score after one cause, with its evidence.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Loss {
    /// Most likely fraction.
    pub factor: f64,
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
    /// Whether only an upper bound of the loss is known.
    pub at_most: bool,
    pub method: Method,
    pub by: Vec<EvidenceSource>,
}

/// Difference between repetitions of the same work, as a fraction.
const REPEATABLE: f64 = 0.01;
/// Smallest remaining fraction.
const FACTOR_MIN: f64 = 0.02;

impl Loss {
    /// Remaining fraction of a score at this fraction of the clock.
    pub(super) fn of_clock(kept: f64, elasticity: Elasticity, at_most: bool, by: Vec<EvidenceSource>) -> Self {
        let kept = kept.clamp(FACTOR_MIN, 1.0);
        let [factor, low, high] =
            [elasticity.value, elasticity.high, elasticity.low].map(|exponent| kept.powf(exponent));
        let at_most = at_most || elasticity.low <= 0.0;
        Self { factor, low, high: if at_most { 1.0 } else { high }, at_most, method: Method::Clocks, by }
    }

    /// Remaining fraction with the uncertainty of repeated scores.
    pub(super) fn of_share(kept: f64, method: Method, by: EvidenceSource) -> Self {
        let factor = kept.clamp(FACTOR_MIN, 1.0);
        let (low, high) = ((factor - REPEATABLE).max(FACTOR_MIN), (factor + REPEATABLE).min(1.0));
        Self { factor, low, high, at_most: false, method, by: vec![by] }
    }

    /// Combines two losses that follow each other.
    pub(super) fn and(mut self, other: Self) -> Self {
        let larger = if other.factor < self.factor { other.method } else { self.method };
        self.by.extend(other.by);
        Self {
            factor: (self.factor * other.factor).max(FACTOR_MIN),
            low: (self.low * other.low).max(FACTOR_MIN),
            high: self.high * other.high,
            at_most: self.at_most || other.at_most,
            method: larger,
            by: self.by,
        }
    }

    /// Selects the larger of two measurements of one loss.
    pub(super) fn or(self, other: Self) -> Self {
        if other.factor < self.factor { other } else { self }
    }
}
