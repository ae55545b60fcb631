//! Scores of repeated steps and series over time.

use super::phases::step_name;
use crate::stats::median;
use record::{Compression, Outcome, Record, Step, StepMeasurement};

/// Every finished run of 7-zip (or the built-in workload like it), with its index.
pub fn compressions(record: &Record) -> impl Iterator<Item = (usize, &Step, &Compression)> {
    record.steps.iter().enumerate().filter_map(|(index, step)| {
        if let Outcome::Done(StepMeasurement::Compression(done)) = &step.outcome {
            Some((index, step, done))
        } else {
            None
        }
    })
}

/// Index and total rating of the runs on all CPUs, in order. Extensive runs also load each cluster; only runs with the
/// most threads count.
pub(crate) fn multi_totals(record: &Record) -> Vec<(usize, f64)> {
    let is_multi = |step: &Step| step.variant.is_multi_of_any_kind();
    let multi = || compressions(record).filter(move |(_, step, _)| is_multi(step));
    let threads_max = multi().map(|(_, step, _)| step.threads).max();
    multi()
        .filter(|(_, step, _)| Some(step.threads) == threads_max)
        .map(|(index, _, done)| (index, f64::from(done.total_mips)))
        .collect()
}

/// Fall of the last value below the first, in percent of the first; negative if above.
pub fn fall_percent(values: &[f64]) -> Option<f64> {
    let (first, last) = (values.first()?, values.last()?);
    (values.len() > 1 && *first > 0.0).then(|| 100.0 * (first - last) / first)
}

/// Distance between the largest and the smallest value in percent of the largest.
pub fn spread_percent(values: &[f64]) -> Option<f64> {
    let max = values.iter().copied().reduce(f64::max)?;
    let min = values.iter().copied().reduce(f64::min)?;
    (max > 0.0).then(|| 100.0 * (max - min) / max)
}

/// Trend of a series from its beginning to its end.
#[derive(Debug, Clone, PartialEq)]
pub struct SeriesTrend {
    /// Index in `Record::steps`.
    pub step: usize,
    /// Name of the workload, for people.
    pub name: String,
    /// Unit of the values.
    pub unit: String,
    /// Median of the first quarter.
    pub early: f64,
    /// Median of the last quarter.
    pub late: f64,
    /// Loss in percent; negative if it improved.
    pub loss_percent: f64,
}

/// Trends of all series with at least four values after the first, which a miner reports while its threads start.
pub(crate) fn series_trends(record: &Record) -> Vec<SeriesTrend> {
    let trend = |(step_index, step): (usize, &Step)| {
        // The total of all CPUs has less noise. Steps at a set clock take seconds and are checked by their repetition.
        if step.workload.is_within_another() || step.set_clock.is_some() {
            return None;
        }
        let Outcome::Done(StepMeasurement::Series(series)) = &step.outcome else {
            return None;
        };
        let settled = series.values.get(1..).filter(|values| values.len() >= 4)?;
        let quarter = settled.len().div_ceil(4);
        let early = median(&settled[..quarter])?;
        let late = median(&settled[settled.len() - quarter..])?;
        let (better, worse) = if series.higher_is_better { (early, late) } else { (late, early) };
        (early > 0.0 && late > 0.0).then(|| SeriesTrend {
            step: step_index,
            name: step_name(step),
            unit: series.unit.clone(),
            early,
            late,
            loss_percent: 100.0 * (better - worse) / better,
        })
    };
    record.steps.iter().enumerate().filter_map(trend).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{compression, own_run, series, with_step};
    use record::{Variant, WorkloadId};

    #[test]
    fn only_runs_on_all_cpus_are_compared() {
        let mut record = own_run();
        for (cpus, mips) in [(&[][..], 8000), (&[], 7600), (&[], 7200), (&[0, 1], 3000)] {
            record = with_step(record, WorkloadId::SevenZip, Variant::MULTI, cpus, (0.0, 1.0), compression(mips));
        }
        let totals: Vec<f64> = multi_totals(&record).iter().map(|total| total.1).collect();
        assert_eq!(totals, [8000.0, 7600.0, 7200.0]);
        assert_eq!(fall_percent(&totals), Some(10.0));
        assert_eq!(spread_percent(&totals), Some(10.0));
    }

    #[test]
    fn first_value_of_a_series_is_left_out() {
        let values = [1.0, 10.0, 10.0, 9.0, 9.0, 8.0, 8.0];
        let record = with_step(own_run(), WorkloadId::Cpuminer, Variant::ONLY, &[], (0.0, 300.0), series(&values));
        let trend = &series_trends(&record)[0];
        assert_eq!((trend.early, trend.late), (10.0, 8.0));
        assert_eq!(trend.loss_percent, 20.0);
    }
}
