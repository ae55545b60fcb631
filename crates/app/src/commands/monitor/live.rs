//! The machine itself as a source: one sampler, one row whenever its time has come.

use super::Poll;
use bench::meters::Meter;
use explain::monitor::Watch;
use machine::sensors::{known, temperature_channel};
use machine::{Aside, Root, Sampler, SamplerOptions, Timeline};
use record::{Channel, Fact, Record, Run, Source as Origin};
use std::time::Duration;

/// What each source costs is told after so many rows, and at the end.
const ROWS_PER_COST: u64 = 100;
/// What all of them cost is renewed after so many.
const ROWS_PER_TOTAL: u64 = 10;
/// A quarter of an hour.
const QUARTER_MS: i64 = 900_000;

/// Samples of this machine.
pub(super) struct Source {
    timeline: Timeline,
    zone: Zone,
    sampler: Sampler,
    /// What is told at the beginning.
    begin: Option<Record>,
    /// Where this thread runs, on the machine that it watches.
    aside: Option<Aside>,
    /// They poll as long as they live.
    _meters: Vec<Meter>,
}

impl Source {
    /// Looks for everything that can be sampled. Fails with a sentence about a meter that is none.
    pub(super) fn start(
        root: &Root,
        interval: Duration,
        meters: &[String],
    ) -> anyhow::Result<Self> {
        let options = SamplerOptions {
            interval,
            ..SamplerOptions::default()
        };
        let Begun {
            timeline,
            sampler,
            record,
            meters,
        } = begin(root, options, meters)?;
        machine::be_prompt();
        Ok(Self {
            aside: root.is_system().then(|| Aside::new(sampler.channels())),
            begin: Some(record),
            sampler,
            timeline,
            zone: Zone::default(),
            _meters: meters,
        })
    }
}

impl super::Source for Source {
    fn poll(&mut self, watch: &mut Watch) -> anyhow::Result<Poll> {
        if let Some(record) = self.begin.take() {
            return Ok(Poll::Begin(Box::new(Watch::new(record))));
        }
        let (now_ns, due_ns) = (self.timeline.now_ns(), self.sampler.due_ns());
        if now_ns < due_ns {
            return Ok(Poll::Wait(Duration::from_nanos(due_ns - now_ns)));
        }
        self.zone.follow(&self.timeline, watch);
        self.sampler.tick(&self.timeline);
        let values = self.sampler.row().iter().map(|value| known(*value));
        watch.row(self.sampler.at_ms(), values);
        if let Some(aside) = &mut self.aside {
            aside.look(self.sampler.latest(), self.sampler.at_ms());
        }
        if self.sampler.has_gaps() {
            for gap in self.sampler.take_gaps() {
                watch.event(gap);
            }
        }
        let ticks = self.sampler.ticks();
        if ticks.is_multiple_of(ROWS_PER_COST) {
            watch.event(self.sampler.cost_event());
        } else if ticks.is_multiple_of(ROWS_PER_TOTAL) {
            watch.set_cost(self.sampler.cost());
        }
        Ok(Poll::Row)
    }

    fn end(&mut self, watch: &mut Watch) {
        watch.event(self.sampler.cost_event());
    }
}

/// What every source of live samples begins with.
pub(super) struct Begun {
    pub(super) timeline: Timeline,
    pub(super) sampler: Sampler,
    /// What is known before the first sample.
    pub(super) record: Record,
    /// They poll as long as they live.
    pub(super) meters: Vec<Meter>,
}

/// Looks for everything that can be sampled, and polls the meters that the user named.
///
/// # Errors
/// A sentence about a meter that is none.
pub(super) fn begin(
    root: &Root,
    mut options: SamplerOptions,
    meters: &[String],
) -> anyhow::Result<Begun> {
    let timeline = Timeline::start();
    let meters = meters_of(meters)?;
    options.feeds = meters.iter().map(Meter::feed).collect();
    let sampler = Sampler::new(root, &options);
    let record = record(root, &timeline, sampler.channels(), options.interval);
    Ok(Begun {
        timeline,
        sampler,
        record,
        meters,
    })
}

/// Polls meters as long as what is returned lives. Fails with a sentence about a meter that is none.
fn meters_of(meters: &[String]) -> anyhow::Result<Vec<Meter>> {
    let mut trouble = None;
    let meters = bench::meters::start(meters, |sentence| trouble = Some(sentence));
    if let Some(sentence) = trouble {
        anyhow::bail!("{sentence}");
    }
    Ok(meters)
}

/// What is known before the first sample.
fn record(root: &Root, timeline: &Timeline, channels: &[Channel], interval: Duration) -> Record {
    let mut record = Record::new(origin(), run(timeline));
    record.machine = machine::identify(root);
    record.samples.channels = channels.to_vec();
    record.samples.interval_ms = interval.as_millis() as u64;
    record
}

/// The local time zone. Its table is looked at once per quarter of an hour: whatever summer time begins
/// or ends, it does so on one.
#[derive(Default)]
pub(super) struct Zone {
    quarter: Option<i64>,
    offset_minutes: i32,
}

impl Zone {
    /// Shows the time of day that is now true: a board without a clock starts in 1970 and learns it later.
    pub(super) fn follow(&mut self, timeline: &Timeline, watch: &mut Watch) {
        let utc_ms = timeline.utc_ms();
        let quarter = Some(utc_ms.div_euclid(QUARTER_MS));
        if self.quarter != quarter {
            self.offset_minutes = utc_offset_minutes(utc_ms);
            self.quarter = quarter;
        }
        watch.set_time(utc_ms - timeline.now_ms(), self.offset_minutes);
    }
}

/// The place of the channel that stands for the SoC's temperature, and why this one.
pub(super) fn temperature(watch: &Watch) -> Option<(usize, String)> {
    if let Some(choice) = temperature_channel(
        watch.channels(),
        |place| watch.value(place),
        |place| watch.follows_load(place),
    ) {
        return Some((choice.index, choice.why));
    }
    // A log has one temperature, and does not always tell of which sensor.
    let mut channels = watch.channels().iter();
    let place = channels.position(|channel| channel.id == "soc.temp")?;
    Some((place, "the one that the log has".to_owned()))
}

/// This program.
fn origin() -> Origin {
    Origin::Run {
        version: env!("CARGO_PKG_VERSION").into(),
        target: format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS),
    }
}

fn run(timeline: &Timeline) -> Run {
    Run {
        started: Fact::Known(timeline.start_utc_ms()),
        utc_offset_minutes: utc_offset_minutes(timeline.start_utc_ms()),
        mode: "monitor".into(),
        as_root: machine::is_root(),
        ..Run::default()
    }
}

/// Offset of the local time zone at a moment.
fn utc_offset_minutes(utc_ms: i64) -> i32 {
    let at = jiff::Timestamp::from_millisecond(utc_ms).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    jiff::tz::TimeZone::system().to_offset(at).seconds() / 60
}
