//! State of a stream of samples: the latest value of each channel, throttling, and events since the row before. Memory
//! is bounded.

mod gaps;

pub use gaps::gaps;

use crate::throttle::{self, Reason, Throttle};
use record::soc_temperature::LoadCorrelation;
use record::{Channel, ChannelKind, Event, Record, Samples, Unit};

/// Age above which a value is outdated. The slowest sources are read twice a minute.
const STALE_MS: i64 = 120_000;

/// Length of the past in which causes of throttling are searched, in addition to the first row.
const PAST_MS: u64 = 10_000;
/// But not more rows than this.
const PAST_ROWS: std::ops::RangeInclusive<u64> = 4..=64;

/// The state of a stream.
#[derive(Debug, Clone)]
pub struct Watch {
    /// Without rows: each channel has its latest value.
    record: Record,
    latest: Vec<LatestReading>,
    read: Vec<Option<i64>>,
    at_ms: Option<i64>,
    rows: u64,
    happened: Vec<Event>,
    /// Channels that report throttling, with their first and latest rows.
    past: Record,
    /// Their places.
    telling: Vec<usize>,
    past_rows: usize,
    throttled: Vec<Throttle>,
    follows: LoadCorrelation,
}

/// Latest reading of a channel.
#[derive(Debug, Clone, Copy, Default)]
struct LatestReading {
    value: Option<i64>,
    at_ms: i64,
    /// Value and moment of the reading before.
    before: Option<(i64, i64)>,
    /// True if it ever had a value.
    was_known: bool,
}

impl Watch {
    /// Starts with the data before the first sample: machine and channels.
    pub fn new(mut record: Record) -> Self {
        record.samples.at_ms.clear();
        record.steps.clear();
        for channel in &mut record.samples.channels {
            channel.values.clear();
            channel.gaps.clear();
        }
        let channels = &record.samples.channels;
        let telling = |place: &usize| throttle::is_told_by(&channels[*place]);
        let telling: Vec<usize> = (0..channels.len()).filter(telling).collect();
        let mut past = Record::new(record.source.clone(), record.run.clone());
        past.samples.channels = telling.iter().map(|place| channels[*place].clone()).collect();
        let rows = PAST_MS / record.samples.interval_ms.max(1);
        Self {
            latest: vec![LatestReading::default(); channels.len()],
            read: vec![None; channels.len()],
            at_ms: None,
            rows: 0,
            happened: Vec::new(),
            past_rows: rows.clamp(*PAST_ROWS.start(), *PAST_ROWS.end()) as usize,
            throttled: Vec::new(),
            follows: LoadCorrelation::of(channels),
            telling,
            past,
            record,
        }
    }

    /// Takes the next row: readings of this moment, in the order of the channels.
    pub fn row(&mut self, at_ms: i64, values: impl IntoIterator<Item = Option<i64>>) {
        self.at_ms = Some(at_ms);
        self.rows += 1;
        let mut values = values.into_iter();
        for (read, latest) in self.read.iter_mut().zip(&mut self.latest) {
            *read = values.next().flatten();
            latest.take(at_ms, *read);
            latest.was_known |= latest.value.is_some();
        }
        let (latest, read) = (&self.latest, &self.read);
        self.follows.row(at_ms, |place| latest[place].growth(), |place| read[place]);
        let samples = &mut self.past.samples;
        let full = samples.at_ms.len() > self.past_rows;
        if full {
            samples.at_ms.remove(1);
        }
        samples.at_ms.push(at_ms);
        for (channel, place) in samples.channels.iter_mut().zip(&self.telling) {
            if full {
                channel.values.remove(1);
            }
            channel.values.push(self.read[*place]);
        }
        if !self.throttled.is_empty() || self.telling.iter().any(|place| self.has_changed(*place)) {
            self.throttled = throttle::now(&self.past, self.past.samples.at_ms.len() - 1);
        }
    }

    /// True if the last row differs from the one before. Throttling can only change if one of these channels does.
    fn has_changed(&self, place: usize) -> bool {
        let before = self.latest[place].before.map(|(value, _)| value);
        self.read[place].is_some() && self.read[place] != before
    }

    /// Takes note of what happens between rows.
    pub fn event(&mut self, event: Event) {
        match &event {
            Event::Gap { channel, .. } => {
                let channels = &self.record.samples.channels;
                if let Some(place) = channels.iter().position(|known| known.id == *channel) {
                    self.latest[place].value = None;
                }
            }
            Event::SamplerCost { cost } => self.record.samples.cost = cost.clone(),
            Event::SocTemperature { choice } => self.record.soc_temperature = choice.clone(),
            _ => {}
        }
        self.happened.push(event);
    }

    /// Takes the latest row of another watch of the same channels, with the events before it.
    pub fn follow(&mut self, other: &Self) {
        self.row(other.at_ms(), other.read.iter().copied());
        other.happened.iter().cloned().for_each(|event| self.event(event));
        self.discard_events();
        self.set_cost(other.record.samples.cost.clone());
        let run = &other.record.run;
        if let Some(started) = run.started.known() {
            self.set_time(*started, run.utc_offset_minutes);
        }
    }

    /// Discards events after they were read.
    pub fn discard_events(&mut self) {
        self.happened.clear();
    }

    /// Events since the previous row: gaps, marks, cost.
    pub fn happened(&self) -> &[Event] {
        &self.happened
    }

    /// Cost of sampling so far.
    pub fn set_cost(&mut self, cost: record::SamplerCost) {
        let sources = std::mem::take(&mut self.record.samples.cost.sources);
        self.record.samples.cost = record::SamplerCost { sources, ..cost };
    }

    /// The Record, without any row.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Current throttling, gravest reason first.
    pub fn throttled(&self) -> &[Throttle] {
        &self.throttled
    }

    /// Reasons that the channels with values could report.
    pub fn observable(&self) -> Vec<Reason> {
        let places = self.telling.iter().filter(|place| self.latest[**place].value.is_some());
        let speaking: Vec<&Channel> = places.map(|place| &self.record.samples.channels[*place]).collect();
        throttle::observable(&speaking)
    }

    /// The clock was set, or the time zone changed: rows show the time of day that is now true.
    pub fn set_time(&mut self, started_utc_ms: i64, utc_offset_minutes: i32) {
        self.record.run.started = record::Fact::Known(started_utc_ms);
        self.record.run.utc_offset_minutes = utc_offset_minutes;
    }

    /// Time of the last row in milliseconds since the start; 0 before the first one.
    pub fn at_ms(&self) -> i64 {
        self.at_ms.unwrap_or(0)
    }

    /// Rows so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Values of the last row, in the order of the channels.
    pub fn read(&self) -> &[Option<i64>] {
        &self.read
    }

    /// The channels.
    pub fn channels(&self) -> &[Channel] {
        &self.record.samples.channels
    }

    /// The latest value of a channel.
    pub fn value(&self, place: usize) -> Option<i64> {
        self.latest[place].value
    }

    /// True if a channel ever had a value.
    pub(super) fn was_known(&self, place: usize) -> bool {
        self.latest[place].was_known
    }

    /// Time from the latest reading of a channel to the last row.
    pub fn age_ms(&self, place: usize) -> i64 {
        self.at_ms().saturating_sub(self.latest[place].at_ms)
    }

    /// Growth of a counter between its last two readings; `None` if it restarted.
    pub fn growth(&self, place: usize) -> Option<i64> {
        self.latest[place].growth()
    }

    /// By how much a counter grows in a second, from its last two readings; a slow source is read
    /// less often than there are rows.
    pub fn growth_per_second(&self, place: usize) -> Option<f64> {
        let latest = &self.latest[place];
        let ms = latest.at_ms.saturating_sub(latest.before?.1);
        let growth = self.growth(place)?;
        (ms > 0).then(|| growth as f64 * 1000.0 / ms as f64)
    }

    /// Correlation of a temperature with the load, -1 to 1; `None` until enough has changed.
    pub fn follows_load(&self, place: usize) -> Option<f64> {
        self.follows.correlation(place)
    }

    /// Power in watts of a power or energy channel.
    pub fn watts(&self, place: usize) -> Option<f64> {
        let channel = &self.channels()[place];
        match (&channel.unit, channel.kind) {
            (Unit::Microjoules, ChannelKind::Counter) => self.growth_per_second(place).map(|growth| growth / 1e6),
            (Unit::Milliwatts, _) => self.value(place).map(|mw| mw as f64 / 1e3),
            (Unit::Microwatts, _) => self.value(place).map(|uw| uw as f64 / 1e6),
            _ => None,
        }
    }
}

impl LatestReading {
    fn growth(&self) -> Option<i64> {
        let growth = self.value?.checked_sub(self.before?.0)?;
        (growth >= 0).then_some(growth)
    }

    fn take(&mut self, at_ms: i64, value: Option<i64>) {
        match value {
            Some(_) => {
                self.before = self.value.map(|value| (value, self.at_ms));
                self.value = value;
                self.at_ms = at_ms;
            }
            None if at_ms.saturating_sub(self.at_ms) > STALE_MS => self.value = None,
            None => {}
        }
    }
}

/// Record before the first sample: no rows, no steps.
pub fn before_rows(record: &Record) -> Record {
    let head = |channel: &Channel| Channel {
        label: channel.label.clone(),
        source: channel.source.clone(),
        ..Channel::new(channel.id.clone(), channel.unit.clone(), channel.kind)
    };
    let samples = &record.samples;
    Record {
        schema: record.schema,
        gate: record.gate.clone(),
        machine: record.machine.clone(),
        states: record.states.clone(),
        settings: record.settings.clone(),
        unmet_settings: record.unmet_settings.clone(),
        samples: Samples {
            interval_ms: samples.usual_interval_ms(),
            folds: samples.folds,
            at_ms: Vec::new(),
            lines: samples.lines.clone(),
            channels: samples.channels.iter().map(head).collect(),
            cost: samples.cost.clone(),
        },
        soc_temperature: record.soc_temperature.clone(),
        marks: record.marks.clone(),
        kernel_messages: record.kernel_messages.clone(),
        surveys: record.surveys.clone(),
        probes: record.probes.clone(),
        unread: record.unread.clone(),
        ..Record::new(record.source.clone(), record.run.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{own_run, with_channel};
    use record::{ChannelId, Gap, MeterChannel, Missing};

    const CHANNEL: ChannelId = ChannelId::meter(MeterChannel::Power);

    /// A watch of one channel after these rows.
    fn watch(unit: Unit, kind: ChannelKind, rows: &[(i64, Option<i64>)]) -> Watch {
        let record = with_channel(own_run(), CHANNEL, unit, kind, &[]);
        let mut watch = Watch::new(record);
        rows.iter().for_each(|(at_ms, value)| watch.row(*at_ms, [*value]));
        watch
    }

    #[test]
    fn slow_channels_keep_their_value() {
        let rows = [(0, Some(1)), (500, None), (1000, None)];
        let watch = watch(Unit::Count, ChannelKind::Gauge, &rows);
        assert_eq!(watch.at_ms(), 1000);
        assert_eq!((watch.read(), watch.value(0)), (&[None][..], Some(1)));
    }

    #[test]
    fn silent_channel_has_no_value() {
        let rows = [(0, Some(1)), (1 + STALE_MS, None)];
        let stale = watch(Unit::Count, ChannelKind::Gauge, &rows);
        assert_eq!(stale.value(0), None);
        let mut gone = watch(Unit::Count, ChannelKind::Gauge, &rows[..1]);
        let gap = Gap { at_ms: 10, missing: Missing::absent("/sys/x") };
        gone.event(Event::Gap { channel: CHANNEL, gap });
        assert_eq!((gone.value(0), gone.happened().len()), (None, 1));
        gone.discard_events();
        assert_eq!(gone.happened(), []);
    }

    #[test]
    fn throttling_from_kept_history() {
        let limit = |rows: &[(i64, Option<i64>)]| {
            let kind = ChannelKind::Gauge;
            let id = ChannelId::limit_max(0);
            let record = with_channel(own_run(), id, Unit::Kilohertz, kind, &[]);
            let mut watch = Watch::new(record);
            rows.iter().for_each(|(at_ms, khz)| watch.row(*at_ms, [*khz]));
            let rows = watch.past.samples.at_ms.len();
            let reasons = watch.throttled().iter().map(|throttle| throttle.reason);
            (rows, reasons.collect::<Vec<_>>())
        };
        let steady: Vec<_> = (0..500).map(|row| (row * 500, Some(1_800_000))).collect();
        assert_eq!(limit(&steady), (21, vec![]));
        let mut lowered = steady;
        lowered[100..].iter_mut().for_each(|row| row.1 = Some(1_200_000));
        assert_eq!(limit(&lowered), (21, vec![throttle::Reason::LimitLowered]));
    }

    #[test]
    fn power_from_energy_or_power_channel() {
        let joules = [(0, Some(1_000_000)), (500, None), (2000, Some(7_000_000))];
        for (unit, kind, rows, expected) in [
            (Unit::Microjoules, ChannelKind::Counter, &joules[..], Some(3.0)),
            (Unit::Microjoules, ChannelKind::Counter, &joules[..1], None),
            (Unit::Microwatts, ChannelKind::Gauge, &joules[..1], Some(1.0)),
            (Unit::Milliwatts, ChannelKind::Gauge, &[(0, Some(2500))], Some(2.5)),
            (Unit::Millivolts, ChannelKind::Gauge, &[(0, Some(5100))], None),
        ] {
            assert_eq!(watch(unit.clone(), kind, rows).watts(0), expected, "{unit:?}");
        }
    }
}
