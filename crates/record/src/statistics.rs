//! Statistics of repeated measurements, and the stopping rule: pure functions of numbers.
//!
//! The code is in this crate because measuring code must decide by the same figures that readers see. It does not
//! depend on the meaning of the numbers.
//!
//! The interval is that of the sign test: two of the values, for any distribution. The distribution may change: if the
//! level drifts during the measurement, the interval contains the median level of *that* time with at least the stated
//! probability (Hoeffding 1956, "On the distribution of the number of successes in independent trials": unequal chances
//! only narrow the number of values below the median). It does not predict other times, which is why
//! [`RepetitionStats::drifts`] exists. Stopping at the first narrow interval makes intervals too narrow too often, so
//! [`StoppingRule`] checks rarely and requires a higher confidence than it reports.

use crate::StableSort;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Median; the mean of the two middle values for an even number. `None` without values.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut values = numbers(values);
    let count = values.len();
    if count == 0 {
        return None;
    }
    let (low, upper, _) = values.select_nth_unstable_by(count / 2, f64::total_cmp);
    let lower = low.iter().filter(|_| count.is_multiple_of(2)).max_by(|a, b| a.total_cmp(b));
    Some(lower.map_or(*upper, |lower| (lower + *upper) / 2.0))
}

/// Median of the distances from the median: a measure of spread that is robust to outliers.
pub fn median_absolute_deviation(values: &[f64]) -> Option<f64> {
    let centre = median(values)?;
    let distances: Vec<f64> = values.iter().map(|value| (value - centre).abs()).collect();
    median(&distances)
}

/// Confidence interval of the median.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MedianInterval {
    /// Lower end: one of the values.
    pub low: f64,
    /// Upper end: one of the values.
    pub high: f64,
    /// Probability that such an interval contains the median, in percent: at least the requested one.
    pub coverage_percent: f64,
}

impl MedianInterval {
    /// Half of its width as a share of the median.
    pub fn half_width(&self, median: f64) -> f64 {
        (self.high - self.low) / 2.0 / median.abs().max(f64::MIN_POSITIVE)
    }
}

/// Exact interval of the sign test: the closest pair of order statistics that contains the median with a probability of
/// at least `confidence_percent`, for any distribution. `None` for too few values (fewer than six for 95 %).
///
/// Run times are skewed (a run can be disturbed, but never be faster than the machine), so intervals that assume
/// symmetry contain the median less often than stated.
pub fn median_interval(values: &[f64], confidence_percent: f64) -> Option<MedianInterval> {
    let sorted = sorted(values);
    let n = sorted.len();
    if n == 0 {
        return None;
    }
    // The median is below the k-th smallest value if fewer than k values are below it, which has the probability of
    // fewer than k heads in n tosses of a coin. In logarithms, because two to the minus n underflows for long series.
    let mut ln_probability = n as f64 * 0.5_f64.ln();
    let mut tail = 0.0;
    let mut best = None;
    for k in 1..=n.div_ceil(2) {
        tail += ln_probability.exp();
        let coverage_percent = 100.0 * (1.0 - 2.0 * tail);
        if coverage_percent < confidence_percent {
            break;
        }
        best = Some(MedianInterval { low: sorted[k - 1], high: sorted[n - k], coverage_percent });
        ln_probability += ((n - k + 1) as f64 / k as f64).ln();
    }
    best
}

/// Minimum number of values for two groups.
const MODES_OF_MIN: usize = 8;
/// Minimum share of the values in each group.
const MODE_SHARE_MIN: f64 = 0.2;
/// Minimum gap between the groups, as a multiple of the wider group.
const MODE_GAP: f64 = 2.0;
/// Minimum gap as a share of the median; smaller gaps are irrelevant.
const MODE_GAP_SHARE: f64 = 0.01;

/// Lower and higher group, sorted, if the values are bimodal with a wide gap: a program that sometimes runs on another
/// core, or with huge pages, has no single score.
pub fn two_groups(values: &[f64]) -> Option<[Vec<f64>; 2]> {
    let sorted = sorted(values);
    if sorted.len() < MODES_OF_MIN {
        return None;
    }
    let least = (MODE_SHARE_MIN * sorted.len() as f64).ceil() as usize;
    let cut = (least..=sorted.len() - least).max_by(|a, b| {
        let gap = |at: usize| sorted[at] - sorted[at - 1];
        gap(*a).total_cmp(&gap(*b))
    })?;
    let (low, high) = sorted.split_at(cut);
    let width = |group: &[f64]| group[group.len() - 1] - group[0];
    let gap = high[0] - low[low.len() - 1];
    let is_wide = gap > MODE_GAP * width(low).max(width(high)) && gap > MODE_GAP_SHARE * median(&sorted)?.abs();
    is_wide.then(|| [low.to_vec(), high.to_vec()])
}

/// True if the values rise or fall from the first half to the second: the exact sign test of Cox and Stuart (1955) at 1
/// %. Always false for fewer than 16 values.
pub fn drifts(values: &[f64]) -> bool {
    let half = values.len() / 2;
    let later = &values[values.len() - half..];
    let signs = values[..half].iter().zip(later).map(|(a, b)| b - a);
    let (mut up, mut down) = (0u32, 0u32);
    for sign in signs {
        up += u32::from(sign > 0.0);
        down += u32::from(sign < 0.0);
    }
    let (n, few) = (up + down, up.min(down));
    let mut probability = 0.5_f64.powi(n as i32);
    let mut tail = 0.0;
    for k in 0..=few {
        tail += probability;
        probability *= f64::from(n - k) / f64::from(k + 1);
    }
    n > 0 && 2.0 * tail < 0.01
}

/// Statistics of repetitions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RepetitionStats {
    /// Repeated item, for example `16384 bytes`.
    pub name: String,
    /// Unit of all figures.
    pub unit: String,
    /// Number of repetitions.
    pub n: u32,
    /// The smallest value.
    pub min: f64,
    /// The largest value.
    pub max: f64,
    /// One group, or two if the values are bimodal; these are never averaged. The larger one first.
    pub groups: Vec<Group>,
    /// True if the values rose or fell during the measurement.
    pub drifts: bool,
    /// Reason for stopping.
    pub ended: StopReason,
}

/// Group of similar values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Group {
    /// Number of values.
    pub n: u32,
    /// Their median.
    pub median: f64,
    /// Interval of at least 95 %, also after early stopping; `None` for too few values.
    pub interval: Option<MedianInterval>,
    /// Median absolute deviation.
    pub mad: f64,
}

impl Group {
    fn of(values: &[f64]) -> Option<Self> {
        Some(Self {
            n: values.len() as u32,
            median: median(values)?,
            interval: median_interval(values, ASKED_PERCENT),
            mad: median_absolute_deviation(values)?,
        })
    }

    /// Half of the interval's width as a share of the median; `None` for too few values.
    pub fn half_width(&self) -> Option<f64> {
        let interval = self.interval?;
        Some(interval.half_width(self.median))
    }
}

impl RepetitionStats {
    /// Summarizes values. `None` without values.
    pub fn of(name: &str, unit: &str, values: &[f64], ended: StopReason) -> Option<Self> {
        let sorted = sorted(values);
        Some(Self {
            name: name.to_owned(),
            unit: unit.to_owned(),
            n: sorted.len() as u32,
            min: *sorted.first()?,
            max: *sorted.last()?,
            groups: groups(values),
            drifts: drifts(values),
            ended,
        })
    }

    /// Median of the larger group.
    pub fn figure(&self) -> f64 {
        self.groups.first().map_or(self.min, |group| group.median)
    }
}

/// One or two groups, the larger one first.
fn groups(values: &[f64]) -> Vec<Group> {
    let Some(two) = two_groups(values) else { return Group::of(values).into_iter().collect() };
    let mut groups: Vec<Group> = two.iter().filter_map(|group| Group::of(group)).collect();
    groups.stable_sort_by_key(|group| std::cmp::Reverse(group.n));
    groups
}

/// Reason why repetitions ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The median is known precisely enough.
    Narrow,
    /// The time limit was reached.
    Time,
    /// The maximum or requested number of repetitions was reached.
    Times,
    /// The run was interrupted.
    Interrupted,
}

/// Required confidence, so that 95 % remain after stopping at the first narrow interval.
const ASKED_PERCENT: f64 = 98.0;
/// Minimum number of values for such an interval.
const TIMES_MIN: usize = 7;

/// Stopping rule of repeated measurements: the median is known within a share of itself, or a limit is reached.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StoppingRule {
    /// Maximum half width of the interval as a share of the median.
    pub half_width: f64,
    /// Maximum number of repetitions.
    pub times_max: usize,
    /// Maximum time.
    pub time_max: Duration,
}

impl StoppingRule {
    /// Stops within 1 %, or at a limit.
    pub const fn new(times_max: usize, time_max: Duration) -> Self {
        Self { half_width: 0.01, times_max, time_max }
    }

    /// Reason to stop after these values; `None` to continue. Intervals are checked only after 7, 10, 15, 22, 33 ...
    /// values.
    pub fn ended(&self, values: &[f64], elapsed: Duration) -> Option<StopReason> {
        let is_narrow = |group: &Group| group.half_width().is_some_and(|h| h < self.half_width);
        if is_look(values.len()) && groups(values).iter().all(is_narrow) {
            Some(StopReason::Narrow)
        } else if values.len() >= self.times_max {
            Some(StopReason::Times)
        } else if elapsed >= self.time_max {
            Some(StopReason::Time)
        } else {
            None
        }
    }
}

/// True for 7, and for each following 1.5-fold number.
fn is_look(n: usize) -> bool {
    let mut look = TIMES_MIN;
    while look < n {
        look = look * 3 / 2;
    }
    look == n
}

/// Sorts ascending, without NaN.
fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = numbers(values);
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

fn numbers(values: &[f64]) -> Vec<f64> {
    values.iter().copied().filter(|value| !value.is_nan()).collect()
}

#[cfg(test)]
mod tests;
