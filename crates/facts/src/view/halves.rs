//! Compression and decompression of 7-zip. They have different limits, and the columns of a run show which of them
//! changed, in CPU use or in work per CPU time.

use super::core_types;
use super::scores::spread_percent;
use crate::Facts;
use crate::stats::mean;
use record::{Compression, DictionaryRow, Outcome, StepMeasurement};

/// Columns of one run as means over its dictionaries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Halves {
    /// CPU use of compression, in percent of one CPU.
    pub compressing_use: f64,
    /// Work of compression for each CPU that it used, in MIPS.
    pub compressing_rate: f64,
    /// CPU use of decompression, in percent of one CPU.
    pub decompressing_use: f64,
    /// Work of decompression for each CPU that it used, in MIPS.
    pub decompressing_rate: f64,
}

impl Halves {
    /// Mean CPU use of both halves, in percent of one CPU.
    pub fn mean_use(&self) -> f64 {
        (self.compressing_use + self.decompressing_use) / 2.0
    }
}

/// Difference between the runs on all CPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Difference {
    /// Compression alone, as it used less of the CPUs.
    CompressionUse,
    /// Compression alone, at equal use of the CPUs.
    CompressionRate,
    /// Both, as they used less of the CPUs.
    Use,
    /// Both, at equal use of the CPUs.
    Rate,
    /// No columns, or several changes.
    Unknown,
}

/// Columns of runs of a quiet machine differ by less.
const DIFFERS_PERCENT_MIN: f64 = 3.0;

/// A change below this share of the largest one is ignored.
const MINOR_SHARE: f64 = 0.35;

/// Halves of every run on all CPUs; empty if rows are missing in one of them.
pub(crate) fn halves(facts: &Facts<'_>) -> Vec<Halves> {
    let runs = facts.multi_totals().iter().map(|(step, _)| match &facts.steps.get(*step)?.outcome {
        Outcome::Done(StepMeasurement::Compression(done)) => of_run(done),
        _ => None,
    });
    runs.collect::<Option<Vec<Halves>>>().unwrap_or_default()
}

fn of_run(done: &Compression) -> Option<Halves> {
    let column = |rows: &[DictionaryRow], value: fn(&DictionaryRow) -> u32| {
        mean(&rows.iter().map(|row| f64::from(value(row))).collect::<Vec<_>>())
    };
    let (usage, rate) = (|row: &DictionaryRow| row.usage_percent, |row: &DictionaryRow| row.rating_per_usage_mips);
    Some(Halves {
        compressing_use: column(&done.compressing, usage)?,
        compressing_rate: column(&done.compressing, rate)?,
        decompressing_use: column(&done.decompressing, usage)?,
        decompressing_rate: column(&done.decompressing, rate)?,
    })
}

/// Usual CPU use of decompression in percent of the usable CPUs: medians of published logs without slowdown, with one
/// known core type and with several. Threads on fast cores wait for those on slow ones.
const DECOMPRESSING_PERCENT: [f64; 2] = [98.9, 86.6];

/// Usual CPU use of the threads of 7-zip that decompress on all CPUs, in percent.
pub fn usual_decompressing_percent(facts: &Facts<'_>) -> f64 {
    let clusters = &facts.machine.clusters;
    let are_known = clusters.iter().all(|cluster| cluster.core_type.known().is_some());
    let is_uniform = clusters.len() == 1 || are_known && core_types(facts).len() == 1;
    DECOMPRESSING_PERCENT[usize::from(!is_uniform)]
}

/// A fall of the score from the first to the last run, taken apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fall {
    /// CPU use of both halves in the first and in the last run, in percent of one CPU.
    pub use_percent: [f64; 2],
    /// Part of the fall that is less CPU use and not less work for each second of it, 0 to 1.
    pub use_share: f64,
}

/// Smallest part of a fall that CPU use must have to be its reason.
const USE_SHARE_MIN: f64 = 0.5;

impl Fall {
    /// True if the threads had less CPU time, so that the fall is unrelated to clocks.
    pub fn is_of_use(&self) -> bool {
        self.use_share >= USE_SHARE_MIN
    }
}

/// Minimum fall that counts as evidence, as a factor.
const FALL_LOG_MIN: f64 = 0.005;

/// Fall from the first to the last run, if the columns show one.
pub fn fall(runs: &[Halves]) -> Option<Fall> {
    let (first, last) = (runs.first()?, runs.last()?);
    let both = |value: fn(&Halves) -> [f64; 2]| {
        let pairs = value(first).into_iter().zip(value(last));
        mean(&pairs.map(|(first, last)| (first / last).ln()).collect::<Vec<_>>())
    };
    let of_use = both(|run| [run.compressing_use, run.decompressing_use])?;
    let of_rate = both(|run| [run.compressing_rate, run.decompressing_rate])?;
    let all = of_use.max(0.0) + of_rate.max(0.0);
    let use_percent = [first, last].map(Halves::mean_use);
    (all >= FALL_LOG_MIN).then(|| Fall { use_percent, use_share: of_use.max(0.0) / all })
}

/// Difference between these runs.
pub fn differs(runs: &[Halves]) -> Difference {
    let spread = |value: fn(&Halves) -> f64| {
        let values: Vec<f64> = runs.iter().map(value).collect();
        spread_percent(&values).unwrap_or(0.0)
    };
    let columns: [fn(&Halves) -> f64; 4] = [
        |run| run.compressing_use,
        |run| run.compressing_rate,
        |run| run.decompressing_use,
        |run| run.decompressing_rate,
    ];
    let largest = columns.iter().map(|column| spread(*column)).fold(0.0, f64::max);
    let is_far = |value: fn(&Halves) -> f64| spread(value) >= DIFFERS_PERCENT_MIN.max(largest * MINOR_SHARE);
    let compressing = (is_far(|run| run.compressing_use), is_far(|run| run.compressing_rate));
    let decompressing = (is_far(|run| run.decompressing_use), is_far(|run| run.decompressing_rate));
    match (compressing, decompressing) {
        ((true, false), (false, false)) => Difference::CompressionUse,
        ((false, true), (false, false)) => Difference::CompressionRate,
        ((true, false), (true, false)) => Difference::Use,
        ((false, true), (false, true)) => Difference::Rate,
        _ => Difference::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_tell_which_half_changed_and_how() {
        let run = |compressing: (f64, f64), decompressing: (f64, f64)| Halves {
            compressing_use: compressing.0,
            compressing_rate: compressing.1,
            decompressing_use: decompressing.0,
            decompressing_rate: decompressing.1,
        };
        let usual = run((500.0, 1_600.0), (590.0, 1_360.0));
        for (other, expected) in [
            (run((410.0, 1_610.0), (590.0, 1_360.0)), Difference::CompressionUse),
            (run((500.0, 1_450.0), (590.0, 1_360.0)), Difference::CompressionRate),
            (run((410.0, 1_600.0), (480.0, 1_360.0)), Difference::Use),
            (run((500.0, 1_450.0), (590.0, 1_220.0)), Difference::Rate),
            (run((500.0, 1_600.0), (590.0, 1_360.0)), Difference::Unknown),
            (run((410.0, 1_450.0), (590.0, 1_360.0)), Difference::Unknown),
            (run((410.0, 1_540.0), (590.0, 1_360.0)), Difference::CompressionUse),
        ] {
            assert_eq!(differs(&[usual, other]), expected, "{other:?}");
        }
        assert_eq!(differs(&[]), Difference::Unknown);
    }
}
