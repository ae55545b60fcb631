//! Statistics of repeated measurements, and when to stop repeating: pure functions of numbers.
//!
//! Here and not in `explain`, because measuring code must decide with the same figures that
//! reads will see. Nothing here knows what the numbers mean.
//!
//! What the interval promises. It is that of the sign test: two of the values themselves, regardless of
//! the distribution. Values need not be alike either: where the level drifts while it is measured, the
//! interval holds the median level of *that* time at least as often as it says (Hoeffding 1956, "On
//! the distribution of the number of successes in independent trials": unequal chances only narrow the
//! number of values below the median). It cannot know another hour; that is what [`Repeated::drifts`]
//! is for. Stopping as soon as an interval looks narrow makes it too narrow too often, so that
//! [`StoppingRule`] checks rarely and asks for more than it promises.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The middle value, or the mean of the two middle ones. None without values.
pub fn median(values: &[f64]) -> Option<f64> {
    let sorted = sorted(values);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[middle]),
        _ => Some((sorted[middle - 1] + sorted[middle]) / 2.0),
    }
}

/// The median of the distances from the median: a measure of spread that outliers do not move.
pub fn median_absolute_deviation(values: &[f64]) -> Option<f64> {
    let centre = median(values)?;
    let distances: Vec<f64> = values.iter().map(|value| (value - centre).abs()).collect();
    median(&distances)
}

/// A confidence interval of the median.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MedianInterval {
    /// Lower end: one of the values.
    pub low: f64,
    /// Upper end: one of the values.
    pub high: f64,
    /// How often such an interval really holds the median, in percent: at least what was asked.
    pub coverage_percent: f64,
}

impl MedianInterval {
    /// Half of its width as a share of the median that it belongs to.
    pub fn half_width(&self, median: f64) -> f64 {
        (self.high - self.low) / 2.0 / median.abs().max(f64::MIN_POSITIVE)
    }
}

/// The exact interval of the sign test: the closest pair of order statistics that holds the
/// median at least `confidence_percent` of the time, for any distribution. None where there
/// are too few values for that (fewer than six for 95 %).
///
/// Run times are skewed (a run can be disturbed, never be faster than the machine), so intervals
/// that assume symmetry promise more than they hold.
pub fn median_interval(values: &[f64], confidence_percent: f64) -> Option<MedianInterval> {
    let sorted = sorted(values);
    let n = sorted.len();
    if n == 0 {
        return None;
    }
    // The median lies below the k-th smallest value if fewer than k values are below it, which
    // has the probability of fewer than k heads in n throws of a coin.
    // As logarithms, because two to the minus n is no number any more for long series.
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

/// Fewer values make no two groups.
const MODES_OF_MIN: usize = 8;
/// Each group holds at least this share of the values.
const MODE_SHARE_MIN: f64 = 0.2;
/// The gap between the groups is so many times as wide as the wider group.
const MODE_GAP: f64 = 2.0;
/// And at least this share of the median: less than that is of no interest.
const MODE_GAP_SHARE: f64 = 0.01;

/// The lower and the higher group, sorted, if the values fall into two with a wide gap between them: a
/// program that sometimes lands on another core, or on huge pages, has no single score.
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

/// True if the values rise or fall from the first half to the second: the exact sign test of Cox and
/// Stuart (1955) at 1 %, as far as the values can tell (fewer than 16 never can).
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

/// What repetitions of one thing came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Repeated {
    /// What was repeated, for example `16384 bytes`.
    pub name: String,
    /// Unit of all figures.
    pub unit: String,
    /// Number of repetitions.
    pub n: u32,
    /// The smallest value.
    pub min: f64,
    /// The largest value.
    pub max: f64,
    /// One group, or two if the values fall into two: those are never averaged. The larger first.
    pub groups: Vec<Group>,
    /// True if the values rose or fell over the time of measuring.
    pub drifts: bool,
    /// Why it was not repeated more often.
    pub ended: Ended,
}

/// Values that belong together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Group {
    /// Number of values.
    pub n: u32,
    /// Their median.
    pub median: f64,
    /// Its interval, at least 95 % also after stopping early; none for too few values.
    pub interval: Option<MedianInterval>,
    /// Median of the distances from the median.
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

    /// Half of the interval's width as a share of the median; none for too few values.
    pub fn half_width(&self) -> Option<f64> {
        let interval = self.interval?;
        Some(interval.half_width(self.median))
    }
}

impl Repeated {
    /// Puts the values of one thing together. None without values.
    pub fn of(name: &str, unit: &str, values: &[f64], ended: Ended) -> Option<Self> {
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

    /// The median of the larger group.
    pub fn figure(&self) -> f64 {
        self.groups.first().map_or(self.min, |group| group.median)
    }
}

/// One group or two, the larger first.
fn groups(values: &[f64]) -> Vec<Group> {
    let Some(two) = two_groups(values) else {
        return Group::of(values).into_iter().collect();
    };
    let mut groups: Vec<Group> = two.iter().filter_map(|group| Group::of(group)).collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.n));
    groups
}

/// Why something was not repeated more often.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// The median is known well enough.
    Narrow,
    /// It took too long.
    Time,
    /// It was repeated as often as is worth it, or as often as was asked for.
    Times,
    /// The run was interrupted.
    Interrupted,
}

/// What is asked of an interval, so that 95 % are left after stopping at the first narrow one.
const ASKED_PERCENT: f64 = 98.0;
/// The fewest values that have such an interval.
const TIMES_MIN: usize = 7;

/// When a repeated measurement is good enough: the median is known within a share of itself, or more
/// is not worth the time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StoppingRule {
    /// Half of the interval's width as a share of the median.
    pub half_width: f64,
    /// Never more repetitions than this.
    pub times_max: usize,
    /// Nor more time.
    pub time_max: Duration,
}

impl StoppingRule {
    /// Known within 1 %, or so many times, or so much time.
    pub const fn new(times_max: usize, time_max: Duration) -> Self {
        Self { half_width: 0.01, times_max, time_max }
    }

    /// Why to stop after these values; none to go on. An interval is looked at after 7, 10, 15, 22, 33
    /// ... values only.
    pub fn ended(&self, values: &[f64], elapsed: Duration) -> Option<Ended> {
        let is_narrow = |group: &Group| group.half_width().is_some_and(|h| h < self.half_width);
        if is_look(values.len()) && groups(values).iter().all(is_narrow) {
            Some(Ended::Narrow)
        } else if values.len() >= self.times_max {
            Some(Ended::Times)
        } else if elapsed >= self.time_max {
            Some(Ended::Time)
        } else {
            None
        }
    }
}

/// True for 7, and for half as many again.
fn is_look(n: usize) -> bool {
    let mut look = TIMES_MIN;
    while look < n {
        look = look * 3 / 2;
    }
    look == n
}

/// Ascending, without what is not a number.
fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
    sorted.sort_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests;
