//! Temperature of the SoC before the first workload.

use super::heat::temperatures;
use super::samples::{is_log, whole_run};
use crate::Facts;
use crate::stats::median;
use record::{Window, WorkloadId};

/// Temperature of the SoC before the first workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Idle {
    /// Temperature.
    pub millicelsius: i64,
    /// True if it was read before the first workload; false for the first reading of all, during the first workload of
    /// a log.
    pub is_before_load: bool,
}

/// The median of the SoC's temperature before the first workload, or its first reading during that workload. `None`
/// without a sensor, and if all readings are from later: a machine after a load is not idle.
pub(crate) fn idle(facts: &Facts<'_>) -> Option<Idle> {
    let channel = facts.soc_temperature()?;
    let loads = facts.steps.iter().filter(|step| step.workload != WorkloadId::Wait && step.window.elapsed_ms() > 0);
    let first_load = loads.map(|step| step.window).min_by_key(|window| window.start_ms);
    let before = first_load.map(|load| Window { end_ms: load.start_ms, ..whole_run() });
    let before = before.map_or_else(Vec::new, |window| temperatures(facts, channel, window));
    let values: Vec<f64> = before.iter().map(|reading| reading.value as f64).collect();
    match median(&values) {
        Some(millicelsius) => Some(Idle { millicelsius: millicelsius.round() as i64, is_before_load: true }),
        None => {
            let first = *temperatures(facts, channel, whole_run()).first()?;
            // A log without times of its steps does not tell when its readings were taken.
            let is_early = first_load.map_or(!is_log(facts), |load| first.at_ms <= load.end_ms);
            is_early.then_some(Idle { millicelsius: first.value, is_before_load: false })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{compression, gauge_channel, own_run, with_step};
    use record::{ChannelId, Unit, Variant};

    #[test]
    fn idle_is_what_was_read_before_the_first_load() {
        for (start_s, end_s, expected) in
            [(1.2, 10.0, Some((41_000, true))), (-0.5, 10.0, Some((40_000, false))), (-9.5, -0.5, None)]
        {
            let window = (start_s, end_s);
            let record = with_step(own_run(), WorkloadId::SevenZip, Variant::MULTI, &[], window, compression(1));
            let temperatures = [40_000, 41_000, 42_000, 70_000, 80_000];
            let record = gauge_channel(record, ChannelId::Soc, Unit::Millicelsius, &temperatures);
            assert_eq!(
                idle(&Facts::of(&record)).map(|idle| (idle.millicelsius, idle.is_before_load)),
                expected,
                "{start_s}"
            );
        }
        assert_eq!(idle(&Facts::of(&own_run())), None);
    }
}
