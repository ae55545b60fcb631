//! The ledger of a score: what it should have been, what it was, and where the rest went.

use super::Cause;
use super::tenths::{Tenths, rounded_to_sum};
use crate::Witness;
use crate::view::ScoreKey;
use record::{Fact, Total};
use serde::Serialize;

/// What a score should have been, what it was, and where the rest went.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ledger {
    /// Which score.
    pub score: ScoreKey,
    /// Its unit, `MIPS`.
    pub unit: String,
    /// What was reached: the figure itself, the mean of its repetitions.
    pub reached: f64,
    /// How many repetitions stand behind it.
    pub repetitions: usize,
    /// What this machine should have reached, or why that is not known.
    pub expected: Fact<Expected>,
    /// What each cause took, the largest first; each diagnosis at most once. With `unexplained` the points add up
    /// exactly to what was lost.
    pub parts: Vec<Part>,
    /// What no cause explains.
    pub unexplained: Points,
}

/// What a machine should have reached, in the unit of the score.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Expected {
    /// The most likely value.
    pub value: f64,
    /// It was not less.
    pub low: f64,
    /// It was not more.
    pub high: f64,
    /// How it is known.
    pub basis: Basis,
}

/// How it is known what a machine should have reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Nothing was seen that lowered the score.
    AsReached,
    /// The best of the repetitions.
    BestRun,
    /// What was reached, with what each cause took added: clocks, CPU time, time waited.
    Parts,
    /// The best repetition on another board with the same CPU.
    SameCpu,
}

/// What one cause took of a score.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Part {
    /// Index in `Explanation::diagnoses`.
    pub diagnosis: usize,
    /// Its cause.
    pub cause: Cause,
    /// What is left of the score: factors of all parts multiply.
    pub factor: f64,
    /// What was lost.
    pub points: Points,
    /// How much of that was not there in the first repetition; none if all of it was, or that is not known.
    pub built_up: Option<Tenths>,
    /// How it was measured.
    pub method: Method,
    /// What showed it.
    #[serde(skip)]
    pub by: Vec<Witness>,
}

/// How the part of a cause was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The clocks while the score was measured, against those that all CPUs could hold.
    Clocks,
    /// The repetitions, against the best of them.
    Runs,
    /// The CPU time that others took.
    CpuTime,
    /// The time that was waited.
    Waiting,
    /// The number of CPUs.
    Cpus,
    /// The best repetition on another board with the same CPU.
    SameCpu,
}

/// A part of what was expected, in percent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Points {
    /// The most likely value.
    pub percent: Tenths,
    /// It was not less.
    pub low: Tenths,
    /// It was not more.
    pub high: Tenths,
    /// True if only the upper end is known.
    pub at_most: bool,
}

/// The points of a ledger in whole percent, as people read them; they add up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WholePercents {
    /// What was lost.
    pub lost: i64,
    /// Of each part, in the order of `Ledger::parts`; 0 is nothing to speak of.
    pub parts: Vec<i64>,
    /// What no cause explains.
    pub unexplained: i64,
}

impl Ledger {
    /// What was lost, of what was expected.
    pub fn lost(&self) -> Tenths {
        let parts = self.parts.iter().map(|part| part.points.percent.0);
        Tenths(parts.total::<i64>().saturating_add(self.unexplained.percent.0))
    }

    /// All points in whole percent: none is more than one off, and they add up.
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
