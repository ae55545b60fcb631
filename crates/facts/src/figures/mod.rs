//! Figures: comparable numbers of a Record.
//!
//! A figure is a value with name, unit, direction, and everything that decides whether two figures are comparable.
//! Reports, reference data, comparisons and trends all use these figures, so they agree.

mod core;
pub mod equivalent;
mod gather;
mod key;
pub mod main;
mod steps;
mod title;

pub use self::core::{Core, core_name};
pub use self::key::FigureKey;
pub use self::steps::best_row;
pub use self::title::titles_among;

use crate::Facts;
use crate::change::Change;
use equivalent::Estimate;
use serde::Serialize;

/// One comparable number of a Record.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// Workload, method, form and name: `sevenzip@16 multi`, `openssl@3 aes-256-cbc 16384`, `memory-latency@0 ramlat
    /// 16M`. Only figures with equal keys are comparable.
    pub key: FigureKey,
    /// Core of the measurement; `None` for all CPUs together.
    pub core: Option<Core>,
    /// The number.
    pub value: f64,
    /// Its unit.
    pub unit: String,
    /// True if a higher value is better.
    pub higher_is_better: bool,
    /// Relative standard deviation of at least two repetitions in percent.
    pub spread_percent: Option<f64>,
    /// Number of repetitions.
    pub repetitions: usize,
    /// Reason why it is not comparable, if so.
    pub not_comparable: Option<String>,
    /// True for the figures that stand for a workload in tables; the others are details.
    pub is_main: bool,
    /// Index in `Record::steps` of the first repetition.
    pub step: usize,
    /// Estimation, if the figure was not measured by the method of its key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Estimate>,
}

impl Figure {
    /// Difference from another value of the same figure.
    pub fn change_from(&self, other: f64) -> Change {
        Change { from: other, to: self.value, higher_is_better: self.higher_is_better }
    }

    /// Uncertainty of a difference in percent if one value is an estimate. Errors of equal estimations cancel.
    pub fn estimate_percent(&self, other: &Self) -> f64 {
        let from = |figure: &Self| figure.estimate.as_ref().map(|estimate| (estimate.from.clone(), estimate.ratio));
        if from(self) == from(other) {
            return 0.0;
        }
        let off = |figure: &Self| {
            let estimate = figure.estimate.as_ref()?;
            Some(100.0 * (estimate.high / figure.value).max(figure.value / estimate.low) - 100.0)
        };
        [self, other].into_iter().filter_map(off).fold(0.0, f64::max)
    }

    /// Gain over another value in percent of the other; negative if worse. `None` if the other is not a valid divisor.
    pub fn gain_percent(&self, other: f64) -> Option<f64> {
        self.change_from(other).gain_percent()
    }
}

/// Every figure of a Record, in the order of steps. Empty for an emulated CPU.
pub(crate) fn figures(facts: &Facts<'_>) -> Vec<Figure> {
    if facts.machine.emulated_by().is_some() {
        return Vec::new();
    }
    let mut gathered = gather::FigureSet::default();
    steps::clocks(facts, &mut gathered);
    for (index, step) in facts.steps.iter().enumerate() {
        steps::figures(facts, index, step, &mut gathered);
    }
    steps::thermal(facts, &mut gathered);
    steps::power(facts, &mut gathered);
    let mut figures = gathered.finish();
    // A workload at several clocks has no single figure.
    figures.iter_mut().filter(|figure| facts.steps[figure.step].set_clock.is_some()).for_each(|f| f.is_main = false);
    figures
}

#[cfg(test)]
mod tests;
