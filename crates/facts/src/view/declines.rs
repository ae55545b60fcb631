//! Results that fell from the beginning of a workload to its end, and the claimed clocks that did not see it.

use super::phases::step_name;
use super::samples::{channels, gauge};
use super::scores::fall_percent;
use crate::Facts;
use crate::stats::mean;
use record::{ChannelId, Record, Window};

/// A result that fell during its measurement.
#[derive(Debug, Clone, PartialEq)]
pub struct Decline {
    /// Name of the workload, for people.
    pub name: String,
    /// Indices in `Record::steps`.
    pub steps: Vec<usize>,
    /// From the beginning of the first to the end of the last.
    pub window: Window,
    /// Fall from the first to the last, in percent of the first.
    pub fall_percent: f64,
}

/// Repetitions on a quiet, cool board differ by less than 2 %.
const FALL_PERCENT_MIN: f64 = 3.0;
/// An advertised clock that changed by less does not explain a decline.
const MOVED_PERCENT_MIN: f64 = 1.0;
/// Rows that it needs.
const ROWS_MIN: usize = 3;

/// The runs of 7-zip on all CPUs and the series that fell, but for runs that had less CPU time.
pub(crate) fn declines(facts: &Facts<'_>) -> Vec<Decline> {
    let totals = facts.multi_totals();
    let scores: Vec<f64> = totals.iter().map(|(_, mips)| *mips).collect();
    let had_less_time = super::fall(facts.halves()).is_some_and(|fall| fall.is_of_use());
    let of_runs = fall_percent(&scores).filter(|_| !had_less_time).and_then(|fall| {
        let steps: Vec<usize> = totals.iter().map(|(step, _)| *step).collect();
        let (first, last) = (facts.steps.get(*steps.first()?)?, facts.steps.get(*steps.last()?)?);
        let window = Window { end_ms: last.window.end_ms, ..first.window };
        Some(Decline { name: step_name(first), steps, window, fall_percent: fall })
    });
    let of_series = facts.series_trends().iter().filter_map(|trend| {
        let window = facts.steps.get(trend.step)?.window;
        Some(Decline { name: trend.name.clone(), steps: vec![trend.step], window, fall_percent: trend.loss_percent })
    });
    of_runs.into_iter().chain(of_series).filter(|decline| decline.fall_percent >= FALL_PERCENT_MIN).collect()
}

/// True if the advertised clock of every policy was read.
pub fn claims_are_whole(record: &Record) -> bool {
    let is_read = |id: &ChannelId| record.samples.channel(id).is_some();
    let of_no_policy = |id: &ChannelId| id.is_any_claim() && !id.is_policy_claim();
    let mut policies = record.machine.policies.iter();
    channels(record, of_no_policy).next().is_some()
        || policies.all(|policy| is_read(&ChannelId::claimed(policy.policy)))
}

/// A claimed clock that stood still within a window, if all of them did.
pub fn unmoved_claim(facts: &Facts<'_>, window: Window) -> Option<ChannelId> {
    if !claims_are_whole(facts) {
        return None;
    }
    let doubted = facts.doubted_columns();
    let mut unmoved = None;
    for channel in channels(facts, ChannelId::is_any_claim) {
        let values: Vec<f64> = gauge(facts, channel, window).iter().map(|reading| reading.value as f64).collect();
        if values.len() < ROWS_MIN || doubted.iter().any(|column| column.channel == channel.id) {
            continue;
        }
        let top = values.iter().copied().reduce(f64::max)?;
        if 100.0 * (1.0 - mean(&values)? / top) >= MOVED_PERCENT_MIN {
            return None;
        }
        unmoved = unmoved.or(Some(channel.id.clone()));
    }
    unmoved
}
