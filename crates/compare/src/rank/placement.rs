//! Place of a figure among those of other results.

use super::peers::OtherValues;
use super::range::{self, Extremes, Range, is_estimated_from_few};
use facts::figures::Figure;
use facts::stats::median;
use serde::Serialize;

/// Place among others.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Placement {
    /// Place from 1, the best first; equal values share it. For an estimate, the best place that its interval allows.
    pub rank: usize,
    /// The worst place that the interval of an estimate allows.
    pub rank_worst: usize,
    /// Number of results including this one.
    pub of: usize,
    /// Number of others estimated from another version of the program.
    pub estimated: usize,
    /// Median of the others.
    pub median: f64,
    /// Range for gaps; `None` for fewer than [`OTHERS_MIN`] others.
    #[serde(skip_serializing_if = "is_estimated_from_few")]
    pub range: Option<Range>,
    /// Lowest and highest of the others, if too few for a range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extremes: Option<Extremes>,
    /// Difference from the median in percent; negative if lower.
    pub change_percent: f64,
    /// Improvement over the median in percent; negative if worse.
    pub gain_percent: f64,
}

/// Place of a figure among values times `factor`; `None` without others.
pub(super) fn placement(figure: &Figure, others: &OtherValues<'_>, factor: f64) -> Option<Placement> {
    let values = others.times(factor);
    let median = median(&values)?;
    let place = |own: f64| {
        let is_better = |other: &&f64| if figure.higher_is_better { **other > own } else { **other < own };
        1 + values.iter().filter(is_better).count()
    };
    let places = match &figure.estimate {
        None => [place(figure.value); 2],
        Some(estimate) => [place(estimate.low), place(estimate.high)],
    };
    Some(Placement {
        rank: places[0].min(places[1]),
        rank_worst: places[0].max(places[1]),
        of: 1 + values.len(),
        estimated: others.estimated,
        median,
        range: range::range(&figure.key, &others.times(1.0)).map(|range| range.times(factor)),
        extremes: Extremes::of(others, factor),
        change_percent: figure.change_from(median).percent()?,
        gain_percent: figure.gain_percent(median)?,
    })
}
