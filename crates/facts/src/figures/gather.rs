//! Combines repetitions of figures.

use super::{Core, Figure, FigureKey};
use crate::stats::{mean, median, relative_standard_deviation_percent};

/// Values above this are damaged or invented: no unit of a workload reaches it.
const VALUE_MAX: f64 = 1e15;

/// Combines repetitions into one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Combine {
    /// The best value: disturbances only make a run worse.
    Best,
    /// The mean, as published lists have always done for this workload.
    Mean,
    /// The middle value, of an even number the mean of both.
    Median,
}

/// A figure while its repetitions are collected.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub(super) key: FigureKey,
    pub(super) core: Option<Core>,
    pub(super) unit: String,
    pub(super) higher_is_better: bool,
    pub(super) combine: Combine,
    pub(super) is_main: bool,
    pub(super) not_comparable: Option<String>,
    pub(super) step: usize,
    /// Relative standard deviation that a log printed over repetitions it does not show.
    pub(super) printed_spread_percent: Option<f64>,
    pub(super) values: Vec<f64>,
}

/// Everything collected so far.
#[derive(Debug, Default)]
pub(super) struct FigureSet {
    parts: Vec<Part>,
}

impl FigureSet {
    /// Adds values to the figure that they repeat, or as a new one. Values that must not be compared stay separate.
    pub(super) fn add(&mut self, part: Part) {
        let cluster = |part: &Part| part.core.as_ref().map(|core| core.cluster);
        let same = |known: &&mut Part| {
            known.key == part.key && cluster(known) == cluster(&part) && known.not_comparable == part.not_comparable
        };
        match self.parts.iter_mut().find(same) {
            Some(known) => known.values.extend(part.values),
            None => self.parts.push(part),
        }
    }

    /// The figures. Drops those that are not positive or not measurable.
    pub(super) fn finish(self) -> Vec<Figure> {
        self.parts.into_iter().filter_map(figure).collect()
    }
}

fn figure(part: Part) -> Option<Figure> {
    let values = &part.values;
    let best = if part.higher_is_better { f64::max } else { f64::min };
    let value = match part.combine {
        Combine::Best => values.iter().copied().reduce(best),
        Combine::Mean => mean(values),
        Combine::Median => median(values),
    };
    let value = value.filter(|value| *value > 0.0 && *value < VALUE_MAX)?;
    let own_spread = relative_standard_deviation_percent(values);
    Some(Figure {
        key: part.key,
        core: part.core,
        value,
        unit: part.unit,
        higher_is_better: part.higher_is_better,
        spread_percent: own_spread.or(part.printed_spread_percent),
        repetitions: values.len(),
        not_comparable: part.not_comparable,
        is_main: part.is_main,
        step: part.step,
        estimate: None,
    })
}
