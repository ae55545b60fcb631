//! Range that nine of ten similar boards are within.

use super::peers::OtherValues;
use crate::reference::scatter;
use facts::figures::FigureKey;
use facts::number::number;
use facts::stats::median;
use record::{Total, WorkloadId};
use serde::Serialize;

/// Minimum number of other results for a usual value.
pub const OTHERS_MIN: usize = 3;
/// Minimum number of other results for a displayed range; of fewer, the lowest and the highest are shown.
pub(super) const RANGE_OTHERS_MIN: usize = 8;
/// Maximum distance of a value in deviations; larger ones are cut, so that one defective board does not hide the next.
const DEVIATIONS_MAX: f64 = 2.5;
/// Factor of the width of a range: boards of one SoC differ in clocks, memory and firmware, so tails are longer than those of a
/// normal distribution. 90 % of the figures of 303 logs are within the range of the others.
const TAILS: f64 = 1.4;
/// Weight of the usual value of a workload, in number of values.
const PRIOR_VALUES: f64 = 1.0;
/// Minimum number of other results of a board for a range.
const BOARD_RESULTS_MIN: usize = 2;
/// Ratio of the usual deviation between results of one board to that between boards with one SoC. In the reference data it is
/// 0.2 (memory, ciphers) to 0.6 (7-zip, clocks).
const BOARD_SPREAD: f64 = 0.5;
/// Student's t for 90 %, by degrees of freedom.
const STUDENT: [(usize, f64); 10] =
    [(1, 6.31), (2, 2.92), (3, 2.35), (4, 2.13), (5, 2.02), (6, 1.94), (8, 1.86), (12, 1.78), (20, 1.72), (60, 1.67)];

/// Range of similar boards.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Range {
    /// Number of other boards.
    pub others: usize,
    /// 5 % quantile.
    pub low: f64,
    /// Median.
    pub median: f64,
    /// 95 % quantile.
    pub high: f64,
}

impl Range {
    /// Distance of a value from the median in half ranges of its side; negative if lower.
    pub fn distance(&self, value: f64) -> f64 {
        let end = if value < self.median { self.low } else { self.high };
        let half = (end / self.median).ln().abs();
        (value / self.median).ln() / half
    }

    /// The range times `factor`.
    pub(super) fn times(self, factor: f64) -> Self {
        Self { low: self.low * factor, median: self.median * factor, high: self.high * factor, ..self }
    }
}

/// Lowest and highest of the others, with the names of their boards.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Extremes {
    /// Lowest value.
    pub low: f64,
    /// Board with the lowest value.
    pub low_board: String,
    /// Highest value.
    pub high: f64,
    /// Board with the highest value.
    pub high_board: String,
}

impl Extremes {
    /// Extremes of values times `factor`; `None` for enough values for a range.
    pub(super) fn of(others: &OtherValues<'_>, factor: f64) -> Option<Self> {
        if others.values.len() >= RANGE_OTHERS_MIN {
            return None;
        }
        let by_value = |a: &&(f64, Option<&str>), b: &&(f64, Option<&str>)| a.0.total_cmp(&b.0);
        let (low, high) = (others.values.iter().min_by(by_value)?, others.values.iter().max_by(by_value)?);
        let name = |board: Option<&str>| facts::plain(board.unwrap_or("a board without a name"));
        Some(Self { low: low.0 * factor, low_board: name(low.1), high: high.0 * factor, high_board: name(high.1) })
    }

    /// `8471 (A) to 17556 (B)`; one value for a single board.
    pub fn words(&self, unit: &str) -> String {
        let low = format!("{} ({})", number(self.low, unit), self.low_board);
        if self.low == self.high { low } else { format!("{low} to {} ({})", number(self.high, unit), self.high_board) }
    }
}

/// True for a range of too few others to be shown.
pub(super) fn is_estimated_from_few(range: &Option<Range>) -> bool {
    range.is_none_or(|range| range.others < RANGE_OTHERS_MIN)
}

/// Range of these values; `None` for fewer than [`OTHERS_MIN`].
pub(super) fn range(key: &FigureKey, values: &[f64]) -> Option<Range> {
    if values.len() < OTHERS_MIN {
        return None;
    }
    range_of(values, usual_spread(key))
}

/// Range of results of one board; `None` for a single one.
pub(super) fn range_of_board(key: &FigureKey, values: &[f64]) -> Option<Range> {
    if values.len() < BOARD_RESULTS_MIN { None } else { range_of(values, BOARD_SPREAD * usual_spread(key)) }
}

/// Range of values with this usual standard deviation of their logarithms.
fn range_of(values: &[f64], usual: f64) -> Option<Range> {
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let middle = median(&logs)?;
    let scale = scatter(&logs)?.max(usual);
    let squares: f64 = logs.iter().map(|log| (log - middle).abs().min(DEVIATIONS_MAX * scale).powi(2)).total();
    let others = values.len();
    let freedom = PRIOR_VALUES + others as f64 - 1.0;
    let spread = ((PRIOR_VALUES * usual * usual + squares) / freedom).sqrt();
    let half = TAILS * student(others) * spread * (1.0 + 1.0 / others as f64).sqrt();
    Some(Range { others, low: (middle - half).exp(), median: middle.exp(), high: (middle + half).exp() })
}

fn student(freedom: usize) -> f64 {
    let known = STUDENT.iter().rev().find(|(known, _)| *known <= freedom);
    known.map_or(STUDENT[0].1, |(_, t)| *t)
}

/// Usual standard deviation of logarithms between boards with one SoC, from the reference data.
fn usual_spread(key: &FigureKey) -> f64 {
    use WorkloadId::*;
    match key.workload().id() {
        Some(Clock | OpenSsl | Aes) => 0.02,
        Some(SevenZip | Lzma) => 0.035,
        Some(MemoryBandwidth | MemoryLibc) => 0.12,
        Some(Cpuminer) => 0.08,
        _ => 0.06,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_odd_board_widens_the_range_a_little() {
        let Ok(key) = "sevenzip@16 multi".parse();
        assert_eq!(range(&key, &[100.0, 101.0]), None);
        let even = range(&key, &[100.0, 101.0, 99.0, 100.0, 100.0]).unwrap();
        assert!(even.low > 85.0 && even.high < 117.0, "{even:?}");
        let odd = range(&key, &[100.0, 101.0, 99.0, 100.0, 20.0]).unwrap();
        assert!(odd.low > 75.0 && (odd.median - 100.0).abs() < 1.0, "{odd:?}");
        assert!(even.distance(even.low) < -0.999 && even.distance(even.high) > 0.999);
    }
}
