//! The machine itself as a source: one sampler, one row whenever its time has come.

use super::Poll;
use explain::monitor::Watch;
use machine::sensors::{known, temperature_channel};
use machine::{Root, Sampler, SamplerOptions, Timeline};
use record::{Event, Fact, Mark, Record, Run, Source as Origin};
use std::time::Duration;

/// A clock that runs 500 ppm wrong takes half an hour to be off by so much; a clock that was set is
/// off at once.
const STEP_MS: i64 = 1_000;

/// Samples of this machine.
pub(super) struct Source {
    timeline: Timeline,
    sampler: Sampler,
    /// What is told at the beginning.
    begin: Option<Record>,
    due_ns: u64,
    /// UTC of the start, by the clock as it is now.
    started_utc_ms: i64,
}

impl Source {
    /// Looks for everything that can be sampled.
    pub(super) fn start(root: &Root, interval: Duration) -> Self {
        let timeline = Timeline::start();
        let options = SamplerOptions {
            interval,
            ..SamplerOptions::default()
        };
        let sampler = Sampler::new(root, &options);
        let mut record = Record::new(origin(), run(&timeline));
        record.machine = machine::identify(root);
        record.samples.channels = sampler.channels().to_vec();
        record.samples.interval_ms = interval.as_millis() as u64;
        Self {
            begin: Some(record),
            sampler,
            due_ns: timeline.now_ns(),
            started_utc_ms: timeline.start_utc_ms(),
            timeline,
        }
    }

    /// Follows the clock of the day: a board without one starts in 1970 and learns the time later.
    fn follow_time(&mut self, watch: &mut Watch) {
        let started_utc_ms = self.timeline.utc_ms() - self.timeline.now_ms();
        let step_ms = started_utc_ms - self.started_utc_ms;
        if step_ms.abs() >= STEP_MS {
            let seconds = step_ms as f64 / 1000.0;
            let text = format!("the time of day went {seconds:+.1} s: set, or the machine slept");
            watch.event(Event::Mark {
                mark: Mark {
                    at_ms: self.timeline.now_ms(),
                    text,
                },
            });
            self.started_utc_ms = started_utc_ms;
        }
        watch.set_time(started_utc_ms, utc_offset_minutes(self.timeline.utc_ms()));
    }
}

impl super::Source for Source {
    fn poll(&mut self, watch: &mut Watch) -> anyhow::Result<Poll> {
        if let Some(record) = self.begin.take() {
            return Ok(Poll::Begin(Watch::new(record, 2)));
        }
        let now_ns = self.timeline.now_ns();
        if now_ns < self.due_ns {
            return Ok(Poll::Wait(Duration::from_nanos(self.due_ns - now_ns)));
        }
        self.follow_time(watch);
        self.sampler.tick(&self.timeline);
        let values = self.sampler.row().iter().map(|value| known(*value));
        watch.row(self.sampler.at_ms(), values);
        for gap in self.sampler.take_gaps() {
            watch.event(gap);
        }
        watch.set_cost(self.sampler.cost());
        let interval_ns = (self.sampler.interval().as_nanos() as u64).max(1);
        // Moments that have gone by are left out instead of being made up for.
        let missed = self.timeline.now_ns().saturating_sub(self.due_ns) / interval_ns;
        self.due_ns += (missed + 1) * interval_ns;
        Ok(Poll::Row)
    }
}

/// The place of the channel that stands for the SoC's temperature, and why this one.
pub(super) fn temperature(watch: &Watch) -> Option<(usize, String)> {
    let choice = temperature_channel(watch.channels(), |place| watch.value(place))?;
    Some((choice.index, choice.why))
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
pub(super) fn utc_offset_minutes(utc_ms: i64) -> i32 {
    let at = jiff::Timestamp::from_millisecond(utc_ms).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    jiff::tz::TimeZone::system().to_offset(at).seconds() / 60
}
