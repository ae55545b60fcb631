//! Time and first sign of throttling of a load.

use crate::Facts;
use crate::stats::median;
use crate::view::{self, channels, counter_steps, gauge};
use record::{ChannelId, CpuChannel, Scope, Series, Window};

/// First sign that a load was throttled.
#[derive(Debug, Clone, PartialEq)]
pub struct Throttle {
    /// Milliseconds since the start of the load: halfway between the last sample without and the first
    /// with the sign.
    pub after_ms: i64,
    /// Evidence, in words.
    pub sign: &'static str,
}

/// Fall of a clock or score in percent that counts as throttling.
const LOWER_PERCENT: f64 = 3.0;
/// Number of consecutive intervals below, because measured clocks and scores of single intervals scatter.
const LOWER_INTERVALS: usize = 3;
/// A measured series is compared with its own first intervals.
const FIRST_INTERVALS: usize = 2;
/// Multiple of the scatter of a series that a fall must exceed.
const SCATTER: f64 = 4.0;

/// Earliest sign within the window of the load; the measured series counts only without other signs.
pub(super) fn first(facts: &Facts<'_>, window: Window, series: &Series) -> Option<Throttle> {
    let told = reported(facts, window);
    told.or_else(|| measured(series))
}

fn reported(facts: &Facts<'_>, window: Window) -> Option<Throttle> {
    let mut signs: Vec<(i64, &'static str)> = Vec::new();
    let limits = facts.limits_lowered().iter();
    signs.extend(limits.map(|limit| (limit.first_ms, "the kernel lowered the clock limit")));
    let cooling = facts.raised_cooling().iter();
    signs.extend(cooling.map(|device| (device.first_ms, "a CPU cooling device became active")));
    for channel in
        [Scope::Core, Scope::Package].into_iter().flat_map(|scope| channels(facts, move |id| is_count_of(id, scope)))
    {
        let steps = counter_steps(facts, channel, window);
        let first = steps.iter().find(|step| step.value > 0);
        signs.extend(first.map(|step| (step.at_ms, "the CPU counted a thermal throttle event")));
    }
    let firmware = view::firmware_clock_channel(facts).into_iter();
    for channel in channels(facts, ChannelId::is_policy_claim).chain(firmware) {
        let readings = gauge(facts, channel, window);
        let top = readings.iter().map(|reading| reading.value).max().unwrap_or(0) as f64;
        let is_low = |value: i64| (value as f64) < top * (1.0 - LOWER_PERCENT / 100.0);
        // A governor starts low: a fall counts after the top only.
        let pairs = readings.windows(2).skip_while(|pair| is_low(pair[0].value));
        let mut falls = pairs.filter(|pair| is_low(pair[0].value) && is_low(pair[1].value));
        signs.extend(falls.next().map(|pair| (pair[0].at_ms, "the reported clock dropped")));
    }
    let inside = signs.into_iter().filter(|(at, _)| window.contains(*at));
    let (at_ms, sign) = inside.min_by_key(|(at, _)| *at)?;
    let before = facts.samples.at_ms.iter().rev().find(|at| **at < at_ms);
    let before = before.copied().unwrap_or(at_ms).max(window.start_ms);
    Some(Throttle { after_ms: i64::midpoint(before, at_ms) - window.start_ms, sign })
}

/// True for counters of throttling of a core or package.
fn is_count_of(id: &ChannelId, scope: Scope) -> bool {
    matches!(id, ChannelId::Cpu(_, CpuChannel::Throttles(of)) if *of == scope)
}

/// A fall that only measuring shows: firmware may throttle behind the kernel's back.
fn measured(series: &Series) -> Option<Throttle> {
    let clocks = series.clocks.iter();
    let columns = clocks.map(|clock| clock.khz.iter().map(|khz| f64::from(*khz)).collect());
    let mut columns: Vec<(Vec<f64>, &'static str)> =
        columns.map(|column| (column, "the measured clock dropped")).collect();
    let direction = |value: &f64| if series.higher_is_better { *value } else { 1.0 / value };
    let scores = series.values.iter().map(direction).collect();
    columns.push((scores, "the score dropped"));
    let found = columns.into_iter().filter_map(|(values, sign)| {
        let index = fall(&values)?;
        let at = |index: usize| series.at_ms.get(index).copied();
        let before = index.checked_sub(1).and_then(at).unwrap_or(0);
        Some(Throttle { after_ms: i64::midpoint(before, at(index)?), sign })
    });
    found.min_by_key(|throttle| throttle.after_ms)
}

/// First of several consecutive values clearly below the first ones, if later ones are as well: heat persists while a
/// load runs, other tasks do not.
fn fall(values: &[f64]) -> Option<usize> {
    let top = median(values.get(..FIRST_INTERVALS)?)?;
    let steps: Vec<f64> = values.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    let scatter = SCATTER * median(&steps)?;
    let low = top - (top * LOWER_PERCENT / 100.0).max(scatter);
    let rows = values.windows(LOWER_INTERVALS);
    rows.enumerate()
        .find(|(_, row)| row.iter().all(|value| *value < low))
        .map(|(index, _)| index)
        .filter(|index| median(&values[*index..]).is_some_and(|rest| rest < low))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lasting_drop_is_throttling() {
        for (values, expected) in [
            (&[100.0, 100.5, 99.8, 100.1, 90.0, 89.9, 90.2, 90.1][..], Some(4)),
            (&[100.0, 100.5, 99.8, 90.0, 100.1, 100.0, 99.9], None),
            (&[100.0, 92.0, 104.0, 95.0, 106.0, 93.0, 99.0, 101.0], None),
            (&[100.0, 100.4, 90.0, 90.1, 90.0, 99.9, 100.2, 100.0, 100.1], None),
            (&[100.0], None),
            (&[], None),
        ] {
            assert_eq!(fall(values), expected, "{values:?}");
        }
    }
}
