//! Ledger of a score: expected value, reached value, and the share of each cause in the loss.

use super::Cause;
use super::tenths::{Tenths, rounded_to_sum};
use crate::EvidenceSource;
use crate::view::ScoreKey;
use record::{Fact, Total};
use serde::Serialize;

/// Expected value of a score, reached value, and the share of each cause in the loss.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ledger {
    /// The score.
    pub score: ScoreKey,
    /// Unit, `MIPS`.
    pub unit: String,
    /// Reached value: the mean of the repetitions.
    pub reached: f64,
    /// Number of repetitions.
    pub repetitions: usize,
    /// Expected value of this machine, or the reason why it is unknown.
    pub expected: Fact<ExpectedScore>,
    /// Loss by each cause, the largest first; each diagnosis at most once. With `unexplained` the points add up exactly
    /// to the total loss.
    pub parts: Vec<Part>,
    /// Loss without a known cause.
    pub unexplained: Points,
    /// Diagnoses whose loss was measured and is less than a tenth of a percent.
    #[serde(skip)]
    pub negligible: Vec<usize>,
}

/// Expected value of a machine, in the unit of the score.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExpectedScore {
    /// The most likely value.
    pub value: f64,
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
    /// Basis of the expectation.
    pub basis: Basis,
}

/// Basis of an expected value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Reached value; no cause of a loss was found.
    AsReached,
    /// Best repetition.
    BestRun,
    /// Reached value plus the loss by each cause: clocks, CPU time, waiting time.
    Parts,
    /// Best repetition on another board with the same CPU.
    SameCpu,
}

/// Loss of a score by one cause.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Part {
    /// Index in `Explanation::diagnoses`.
    pub diagnosis: usize,
    /// Cause.
    pub cause: Cause,
    /// Remaining fraction of the score; the factors of all parts multiply.
    pub factor: f64,
    /// Loss.
    pub points: Points,
    /// Part of the loss that was absent in the first repetition; `None` if unknown or zero.
    pub built_up: Option<Tenths>,
    /// Method of measurement.
    pub method: Method,
    /// Sources of the evidence.
    #[serde(skip)]
    pub by: Vec<EvidenceSource>,
}

/// Method by which the loss by a cause was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Clocks during the measurement relative to the clocks that all CPUs can sustain.
    Clocks,
    /// Repetitions relative to the best one.
    Runs,
    /// CPU time of other tasks.
    CpuTime,
    /// Waiting time.
    Waiting,
    /// Number of CPUs.
    Cpus,
    /// Best repetition on another board with the same CPU.
    SameCpu,
}

/// Part of the expected value, in percent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Points {
    /// The most likely value.
    pub percent: Tenths,
    /// Lower bound.
    pub low: Tenths,
    /// Upper bound.
    pub high: Tenths,
    /// True if only the upper bound is known.
    pub at_most: bool,
}

/// Points of a ledger in whole percent with an exact sum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WholePercents {
    /// Loss.
    pub lost: i64,
    /// Each part, in the order of `Ledger::parts`; 0 is negligible.
    pub parts: Vec<i64>,
    /// Loss without a known cause.
    pub unexplained: i64,
}

impl Ledger {
    /// Total loss relative to the expected value.
    pub fn lost(&self) -> Tenths {
        let parts = self.parts.iter().map(|part| part.points.percent.0);
        Tenths(parts.total::<i64>().saturating_add(self.unexplained.percent.0))
    }

    /// True if the loss by a diagnosis is known.
    pub fn measures(&self, diagnosis: usize) -> bool {
        self.negligible.contains(&diagnosis) || self.parts.iter().any(|part| part.diagnosis == diagnosis)
    }

    /// All points in whole percent, each off by less than one, with an exact sum.
    pub fn whole_percents(&self) -> WholePercents {
        let points = self.parts.iter().map(|part| part.points).chain([self.unexplained]);
        let exact: Vec<f64> = points.map(|points| points.percent.as_percent()).collect();
        let mut parts = rounded_to_sum(&exact);
        let unexplained = parts.pop().unwrap_or(0);
        WholePercents { lost: parts.iter().total::<i64>().saturating_add(unexplained), parts, unexplained }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{compression, own_run, with_step};
    use record::{Variant, WorkloadId};

    #[test]
    fn whole_percents_add_up() {
        let record = with_step(own_run(), WorkloadId::SevenZip, Variant::MULTI, &[], (0.0, 10.0), compression(7000));
        let points = |tenths| Points { percent: Tenths(tenths), ..Points::default() };
        for (parts, unexplained, lost, whole) in
            [(&[204, 135][..], 4, 34, &[20, 14][..]), (&[15, 15], 15, 5, &[2, 2]), (&[4], 0, 0, &[0]), (&[], 0, 0, &[])]
        {
            let part = |tenths: &i64| Part {
                diagnosis: 0,
                cause: Cause::Heat,
                factor: 1.0,
                points: points(*tenths),
                built_up: None,
                method: Method::Clocks,
                by: Vec::new(),
            };
            let ledger = Ledger {
                negligible: Vec::new(),
                score: ScoreKey::of(&record.steps[0]),
                unit: "MIPS".into(),
                reached: 7000.0,
                repetitions: 1,
                expected: Fact::not_reached(),
                parts: parts.iter().map(part).collect(),
                unexplained: points(unexplained),
            };
            let told = ledger.whole_percents();
            assert_eq!((told.lost, &told.parts[..]), (lost, whole));
            assert_eq!(told.lost, told.parts.iter().total::<i64>() + told.unexplained);
        }
    }
}
