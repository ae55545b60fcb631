//! Samples of one channel within a window: values of gauges, and differences of counters.

use record::{Channel, ChannelId, ChannelKind, Mode, Record, Source, State, Total, Window};

/// One value with its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// Index of the row in `Record::samples`.
    pub row: usize,
    /// When.
    pub at_ms: i64,
    /// The value in the unit of the channel.
    pub value: i64,
}

/// True if the Record was read from a text log.
pub fn is_log(record: &Record) -> bool {
    matches!(record.source, Source::Log(_))
}

/// True if a log lacks its first lines, which name the version. The oldest logs have none and begin with the
/// distribution; so do reviews of a few versions.
pub fn is_without_head(record: &Record) -> bool {
    let is_review = record.run.mode == Mode::Review;
    let is_nameless = is_log(record) && record.source.version().is_empty();
    is_nameless && !is_review && record.machine.distribution.known().is_none()
}

/// Version of the bash program of a log as numbers, `[0, 9, 72]`; `None` for own runs. The oldest logs have no version
/// and give zeros.
pub fn log_version(record: &Record) -> Option<[u32; 3]> {
    let Source::Log(log) = &record.source else {
        return None;
    };
    let mut parts = log.version.split('.').map(|part| part.parse().unwrap_or(0));
    Some(std::array::from_fn(|_| parts.next().unwrap_or(0)))
}

/// A window that holds every sample and every step.
pub fn whole_run() -> Window {
    Window { start_ms: i64::MIN, end_ms: i64::MAX, ..Window::default() }
}

/// Channels whose id matches, in order.
pub fn channels<'a>(
    record: &'a Record,
    is_wanted: impl Fn(&ChannelId) -> bool + 'a,
) -> impl Iterator<Item = &'a Channel> + 'a {
    let channels = record.samples.channels.iter();
    channels.filter(move |channel| is_wanted(&channel.id))
}

/// The known values of a channel within a window, both ends included.
pub fn gauge(record: &Record, channel: &Channel, window: Window) -> Vec<Reading> {
    let times = record.samples.at_ms.iter().zip(&channel.values).enumerate();
    times
        .filter(|(_, (at_ms, _))| window.contains(**at_ms))
        .filter_map(|(row, (at_ms, value))| value.map(|value| Reading { row, at_ms: *at_ms, value }))
        .collect()
}

/// Differences of a counter between samples within a window, each at the time of the later sample. Leaves out negative
/// differences and those across a resumption, where the counter restarted.
pub fn counter_steps(record: &Record, channel: &Channel, window: Window) -> Vec<Reading> {
    let readings = gauge(record, channel, window);
    let pairs = readings.windows(2).filter_map(|pair| {
        let growth = pair[1].value - pair[0].value;
        let is_one_part = !spans_a_death(record, pair[0].at_ms, pair[1].at_ms);
        (growth >= 0 && is_one_part).then_some(Reading { value: growth, ..pair[1] })
    });
    pairs.collect()
}

/// True if the run died between these moments, and went on.
pub fn spans_a_death(record: &Record, from_ms: i64, to_ms: i64) -> bool {
    let mut parts = record.run.resumed.iter();
    parts.any(|part| from_ms < part.at_ms && part.at_ms <= to_ms)
}

/// States of the machine in the last part of a run that was resumed; all of them in any other.
pub fn states_of_last_part(record: &Record) -> &[State] {
    let from_ms = record.run.resumed.last().map_or(i64::MIN, |part| part.at_ms);
    let before = |state: &State| state.at_ms < from_ms;
    &record.states[record.states.partition_point(before)..]
}

/// Growth of a counter over a window; `None` with fewer than two samples.
pub fn counter_total(record: &Record, channel: &Channel, window: Window) -> Option<i64> {
    debug_assert_eq!(channel.kind, ChannelKind::Counter);
    let steps = counter_steps(record, channel, window);
    (!steps.is_empty()).then(|| steps.iter().map(|step| step.value).total())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{counter, own_run, resumed_run, window};
    use record::{SwapChannel, Unit};

    const SWAPPED_IN: ChannelId = ChannelId::Swap(SwapChannel::In);

    #[test]
    fn counters_are_summed_over_a_window() {
        let record = counter(own_run(), SWAPPED_IN, Unit::Pages, &[5, 5, 9, 2, 4]);
        let channel = record.samples.channel(&SWAPPED_IN).unwrap();
        // The fall from 9 to 2 is a counter that restarted.
        assert_eq!(counter_total(&record, channel, whole_run()), Some(6));
        assert_eq!(counter_total(&record, channel, window(0.0, 0.5)), Some(0));
        assert_eq!(counter_total(&record, channel, window(0.0, 0.4)), None);
        // The difference between two boots does not count.
        let mut resumed = resumed_run();
        resumed.run.resumed[0].at_ms = 1_000;
        let resumed = counter(resumed, SWAPPED_IN, Unit::Pages, &[5, 5, 9, 12, 14]);
        let channel = resumed.samples.channel(&SWAPPED_IN).unwrap();
        assert_eq!(counter_total(&resumed, channel, whole_run()), Some(5));
    }
}
