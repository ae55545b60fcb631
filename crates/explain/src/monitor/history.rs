//! Recent history of a monitor: the latest values, and the rows of the last minutes for plots. Its memory is limited.

use super::{Watch, time_of_day, tracks};
use record::soc_temperature::SocTemperature;
use record::{Event, Fact, Mark, Reading, Record};
use std::collections::VecDeque;

/// Maximum number of rows: ten minutes at one per second.
const ROWS_MAX: usize = 600;
/// Maximum number of values, 16 bytes each: a server with hundreds of CPUs has thousands of channels.
const VALUES_MAX: usize = 240_000;
/// Minimum number of rows, with any number of channels.
const ROWS_MIN: usize = 60;
/// Maximum number of marks.
const MARKS_MAX: usize = 50;

/// Latest values and last rows.
#[derive(Debug, Clone)]
pub struct MonitorHistory {
    watch: Watch,
    rows: VecDeque<(i64, Vec<Option<i64>>)>,
    marks: VecDeque<Mark>,
    rows_max: usize,
}

/// State of a monitor at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Moment {
    /// Time of day of the last row, where the machine is; none before the first row.
    pub time: Option<String>,
    /// Use of all CPUs, clocks, temperatures and power: names and values with units.
    pub values: Vec<(String, String)>,
    /// Reasons of throttling; `None` if no source on this machine reports it.
    pub throttled: Option<Vec<String>>,
    /// Machine, channels and the last rows.
    pub record: Record,
}

impl MonitorHistory {
    /// Starts at the state of a watch, without its rows.
    pub fn new(watch: Watch) -> Self {
        let channels = watch.channels().len().max(1);
        let rows_max = (VALUES_MAX / channels).clamp(ROWS_MIN, ROWS_MAX);
        Self { watch, rows: VecDeque::new(), marks: VecDeque::new(), rows_max }
    }

    /// Adds the latest row of another watch.
    pub fn follow(&mut self, other: &Watch) {
        self.watch.follow(other);
        let mut row = if self.rows.len() >= self.rows_max {
            self.rows.pop_front().map(|(_, row)| row).unwrap_or_default()
        } else {
            Vec::with_capacity(other.read().len())
        };
        row.clear();
        row.extend_from_slice(other.read());
        self.rows.push_back((other.at_ms(), row));
        for event in other.happened() {
            if let Event::Mark { mark } = event {
                self.marks.truncate(MARKS_MAX - 1);
                self.marks.push_front(mark.clone());
            }
        }
    }

    /// The latest values.
    pub fn watch(&self) -> &Watch {
        &self.watch
    }

    /// Current state; `temperature` is the choice of the SoC sensor.
    pub fn moment(&self, temperature: Reading<SocTemperature>) -> Moment {
        let watch = &self.watch;
        let place = temperature.as_ref().ok().and_then(|choice| choice.place(watch.channels()));
        let value = |track: &super::Track| (track.label.clone(), track.text(track.value(watch)));
        let last = self.rows.back();
        let is_reported = watch.observable().into_iter().any(facts::throttle::Reason::is_of_speed);
        let reasons = watch.throttled().iter().map(|throttle| throttle.reason.words().to_owned());
        let reasons: Vec<String> = reasons.collect();
        Moment {
            time: last.map(|(at_ms, _)| time_of_day(watch.record(), *at_ms)),
            values: tracks(watch, place).iter().map(value).collect(),
            throttled: (is_reported || !reasons.is_empty()).then_some(reasons),
            record: self.record(temperature.into()),
        }
    }

    fn record(&self, soc_temperature: Fact<SocTemperature>) -> Record {
        let mut record = self.watch.record().clone();
        record.samples.at_ms = self.rows.iter().map(|(at_ms, _)| *at_ms).collect();
        for (place, channel) in record.samples.channels.iter_mut().enumerate() {
            channel.values = self.rows.iter().map(|(_, row)| row.get(place).copied().flatten()).collect();
        }
        let from_ms = record.samples.at_ms.first().copied().unwrap_or_default();
        record.marks = self.marks.iter().rev().filter(|mark| mark.at_ms >= from_ms).cloned().collect();
        record.soc_temperature = soc_temperature;
        record
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{gauge_channel, own_run};
    use record::{ChannelId, Missing, Unit};

    fn course(rows: i64) -> MonitorHistory {
        let record = gauge_channel(own_run(), ChannelId::claimed(0), Unit::Kilohertz, &[]);
        let mut watch = Watch::new(record);
        let mut course = MonitorHistory::new(watch.clone());
        for row in 0..rows {
            watch.row(row * 1000, [Some(600_000 + row)]);
            if row % 100 == 0 {
                watch.event(Event::Mark { mark: Mark { at_ms: row * 1000, text: format!("at {row}") } });
            }
            course.follow(&watch);
            watch.discard_events();
        }
        course
    }

    #[test]
    fn last_rows_are_kept() {
        let course = course(1000);
        let moment = course.moment(Err(Missing::absent("/sys/class/thermal")));
        let samples = &moment.record.samples;
        assert_eq!((samples.at_ms.len(), samples.at_ms[0], samples.at_ms[599]), (600, 400_000, 999_000));
        assert_eq!(samples.channels[0].values[599], Some(600_999));
        let marks: Vec<&str> = moment.record.marks.iter().map(|mark| mark.text.as_str()).collect();
        assert_eq!(marks, ["at 400", "at 500", "at 600", "at 700", "at 800", "at 900"]);
        assert_eq!(moment.values, [("clock 0-3 Cortex-A53".to_owned(), "601 MHz".to_owned())]);
        assert_eq!(moment.throttled, None);
        assert_eq!(course.watch().happened(), []);
    }

    #[test]
    fn nothing_yet_is_empty() {
        let moment = course(0).moment(Err(Missing::absent("/sys/class/thermal")));
        assert_eq!((moment.time, moment.record.samples.at_ms.len()), (None, 0));
        assert_eq!(moment.values[0].1, "-");
    }
}
