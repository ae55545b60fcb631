//! Energy of a step: the numbers, and the median of repetitions. How it is measured is in `power_series`.

use super::score::StepScore;
use crate::stats::median;

/// Energy of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepEnergy {
    /// Index in `Record::steps`.
    pub step: usize,
    /// Mean power in milliwatts.
    pub mean_mw: f64,
    /// Highest reading in milliwatts.
    pub peak_mw: f64,
    /// Lowest reading in milliwatts.
    pub least_mw: f64,
    /// Energy: the centre of its interval.
    pub joules: f64,
    /// Lower end of the interval.
    pub joules_low: f64,
    /// Upper end of the interval.
    pub joules_high: f64,
    /// Energy without what the idle machine draws in the same time; `None` if that is unknown, and of a state without load.
    pub joules_above_idle: Option<f64>,
    /// Power at the start and at the end in milliwatts, if it rose or fell steadily by more than `DRIFT_MIN`.
    pub drift_mw: Option<(f64, f64)>,
    /// True if from an energy counter, false if integrated from power.
    pub is_counted: bool,
    /// Readings of power behind it.
    pub readings: usize,
}

impl StepEnergy {
    /// Half the width of the interval in percent of the energy.
    pub fn percent(&self) -> f64 {
        50.0 * (self.joules_high - self.joules_low) / self.joules
    }

    /// Medians of repetitions, with the highest and the lowest reading of all; `None` without repetitions. Several have no
    /// drift: that of one of them is not that of the medians.
    pub fn median_of(repetitions: &[Self]) -> Option<Self> {
        let of = |value: &dyn Fn(&Self) -> f64| median(&repetitions.iter().map(value).collect::<Vec<_>>());
        let above_idle: Option<Vec<f64>> = repetitions.iter().map(|energy| energy.joules_above_idle).collect();
        Some(Self {
            mean_mw: of(&|energy| energy.mean_mw)?,
            peak_mw: repetitions.iter().map(|energy| energy.peak_mw).reduce(f64::max)?,
            least_mw: repetitions.iter().map(|energy| energy.least_mw).reduce(f64::min)?,
            joules: of(&|energy| energy.joules)?,
            joules_low: of(&|energy| energy.joules_low)?,
            joules_high: of(&|energy| energy.joules_high)?,
            joules_above_idle: above_idle.and_then(|known| median(&known)),
            drift_mw: if let [only] = repetitions { only.drift_mw } else { None },
            ..*repetitions.first()?
        })
    }

    /// `rising, 4.00 to 5.00 W`: why the mean is not that of a longer time; `None` for steady power.
    pub fn drift_words(&self) -> Option<String> {
        let (first, last) = self.drift_mw?;
        let verb = if last > first { "rising" } else { "falling" };
        Some(format!("{verb}, {:.2} to {:.2} W", first / 1000.0, last / 1000.0))
    }

    /// Work per energy, with its unit: MIPS per watt, MB per joule. None for scores that are not a rate of work.
    pub fn work(&self, score: &StepScore) -> Option<(f64, String)> {
        let per_joule = score.unit.strip_suffix("/s").map(|work| format!("{work}/J"));
        let unit = per_joule.unwrap_or_else(|| format!("{}/W", score.unit));
        let is_rate = score.higher_is_better && !score.unit.is_empty() && self.mean_mw > 0.0;
        is_rate.then(|| (1000.0 * score.value / self.mean_mw, unit))
    }
}
