//! The sampler: reads every sensor's files again and again, as cheaply as can be.
//!
//! Discovery happens once and opens every file once. After that a tick is `pread` into one buffer
//! and integer parsing into one row: no allocation, no formatting, no lock. Sources that cost much
//! are read on a slower beat. [`Sampler::tick`] does one tick when its owner wants it;
//! [`SamplerThread`] does them in the background. What the values mean is not decided here.

mod block;
mod pace;
mod slot;
mod thread;

pub use thread::SamplerThread;

use crate::sensors::{NONE, SENSORS, temperature_channel};
use crate::timeline::{Timeline, monotonic_ns, thread_cpu_ns};
use crate::{Root, sensors};
use block::{GAPS_MAX, GapNote};
use pace::Pace;
use record::{Channel, Event, Gap, SamplerCost};
use slot::{Failure, Slot};
use std::time::Duration;

/// Room for the answer of one file: every file but `/proc/stat` of machines with many CPUs fits.
const BUFFER_BYTES: usize = 16 << 10;
/// A line of `/proc/stat` is at most so long (ten numbers of 20 digits would be 210).
const BUFFER_BYTES_PER_CPU: usize = 160;
/// A channel tells so often that it fell silent; a sensor that comes and goes at every tick would
/// otherwise fill the Record with its reasons.
const GAPS_PER_CHANNEL_MAX: u8 = 8;
/// Shorter intervals would mostly measure the sampler.
const INTERVAL_MIN: Duration = Duration::from_millis(20);

/// How to sample.
#[derive(Debug, Clone)]
pub struct Options {
    /// Time between two samples; at least 20 ms.
    pub interval: Duration,
    /// Share of one core that the sampler may use, in millionths; it slows down to stay below.
    pub budget_ppm: u32,
    /// CPUs on which the background thread may run; empty: wherever its owner may.
    pub cpus: Vec<u32>,
    /// Samples that are kept until the owner fetches them. Fewer are kept if they would need more
    /// than about a megabyte.
    pub rows: usize,
}

impl Default for Options {
    /// Twice a second, at most 0.2 % of one core, 5 minutes kept.
    fn default() -> Self {
        Self {
            interval: Duration::from_millis(500),
            budget_ppm: 2000,
            cpus: Vec::new(),
            rows: 600,
        }
    }
}

/// Reads everything it found, one row of integers per tick.
#[derive(Debug)]
pub struct Sampler {
    root: Root,
    options: Options,
    slots: Vec<Slot>,
    channels: Vec<Channel>,
    silences: Vec<Silence>,
    buffer: Vec<u8>,
    row: Vec<i64>,
    latest: Vec<i64>,
    at_ms: i64,
    first_ns: Option<u64>,
    gaps: Vec<GapNote>,
    pace: Pace,
    cost: SamplerCost,
}

/// What reading one source cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceCost<'a> {
    /// The file or device.
    pub path: &'a str,
    /// How often it was read.
    pub reads: u64,
    /// Wall time of all reads with parsing, in nanoseconds.
    pub read_ns: u64,
}

/// Whether a channel is silent, and how often that was told.
#[derive(Debug, Clone, Default)]
struct Silence {
    silent: bool,
    told: u8,
}

impl Silence {
    /// True if the channel falls silent now and this is worth telling.
    fn begins(&mut self, missing: bool) -> bool {
        let begins = missing && !self.silent;
        self.silent = missing;
        let tell = begins && self.told < GAPS_PER_CHANNEL_MAX;
        self.told += u8::from(tell);
        tell
    }
}

/// CPU time and wall time of a read; nothing at all on a fake timeline, where no time passes.
fn cpu_ns(timeline: &Timeline) -> u64 {
    if timeline.is_fake() {
        0
    } else {
        thread_cpu_ns()
    }
}

fn wall_ns(timeline: &Timeline) -> u64 {
    if timeline.is_fake() {
        0
    } else {
        monotonic_ns()
    }
}

impl Sampler {
    /// Looks for every sensor and opens every file. Nothing is sampled yet.
    pub fn new(root: &Root, options: &Options) -> Self {
        let mut options = options.clone();
        options.interval = options.interval.max(INTERVAL_MIN);
        let probes = SENSORS.iter().flat_map(|sensor| (sensor.discover)(root));
        let mut slots = Vec::new();
        let mut channels: Vec<Channel> = Vec::new();
        for probe in probes {
            slots.push(Slot::new(root, &probe, channels.len()));
            channels.extend(probe.channels);
        }
        let cpus = channels
            .iter()
            .filter(|channel| channel.id.ends_with(".idle"))
            .count();
        Self {
            root: root.clone(),
            silences: vec![Silence::default(); channels.len()],
            buffer: vec![0; BUFFER_BYTES + cpus * BUFFER_BYTES_PER_CPU],
            row: vec![NONE; channels.len()],
            latest: vec![NONE; channels.len()],
            at_ms: 0,
            first_ns: None,
            gaps: Vec::with_capacity(GAPS_MAX),
            pace: Pace::new(options.interval, options.budget_ppm),
            cost: SamplerCost::default(),
            slots,
            channels,
            options,
        }
    }

    /// The channels, in the order of a row, without values.
    pub fn channels(&self) -> &[Channel] {
        &self.channels
    }

    /// Place of a channel in a row.
    pub fn position(&self, id: &str) -> Option<usize> {
        self.channels.iter().position(|channel| channel.id == id)
    }

    /// The event that begins a stream of samples.
    pub fn channels_event(&self) -> Event {
        Event::Channels {
            interval_ms: self.options.interval.as_millis() as u64,
            channels: self.channels.clone(),
        }
    }

    /// The channel that holds the SoC's temperature as far as can be told by now, and why this one.
    pub fn temperature(&self) -> Option<sensors::TemperatureChoice> {
        temperature_channel(&self.channels, |index| sensors::known(self.latest[index]))
    }

    /// Reads everything that is due. Allocates nothing, except to open again what had vanished.
    /// All ticks of a sampler belong to one timeline.
    pub fn tick(&mut self, timeline: &Timeline) {
        let cpu_begin_ns = cpu_ns(timeline);
        self.sample(timeline, timeline.now_ns());
        let cpu_used_ns = cpu_ns(timeline).saturating_sub(cpu_begin_ns);
        self.account(self.cost.cpu_ns + cpu_used_ns);
    }

    /// Reads everything that is due at `now_ns`.
    fn sample(&mut self, timeline: &Timeline, now_ns: u64) {
        self.at_ms = (now_ns / 1_000_000) as i64;
        self.row.fill(NONE);
        let own_cpu_ns = self.cost.cpu_ns as i64;
        let mut read_begin_ns = wall_ns(timeline);
        for slot in &mut self.slots {
            if !slot.is_due(now_ns, self.pace.interval_ns()) {
                continue;
            }
            let columns = slot.columns();
            let values = &mut self.row[columns.clone()];
            let outcome = slot.read(&self.root, own_cpu_ns, &mut self.buffer, values);
            self.latest[columns.clone()].copy_from_slice(values);
            let read_end_ns = wall_ns(timeline);
            slot.plan_next(now_ns, read_end_ns - read_begin_ns, outcome);
            read_begin_ns = read_end_ns;
            let failure = outcome.err().unwrap_or(Failure::NotNamed);
            for index in columns {
                let silence = &mut self.silences[index];
                if silence.begins(self.row[index] == NONE) && self.gaps.len() < GAPS_MAX {
                    self.gaps.push(GapNote {
                        channel: index,
                        at_ms: self.at_ms,
                        failure,
                    });
                }
            }
        }
        self.cost.elapsed_ns = now_ns.saturating_sub(*self.first_ns.get_or_insert(now_ns));
    }

    /// Takes note of the CPU time used in all, and slows down if a tick costs too much.
    fn account(&mut self, cpu_ns_total: u64) {
        let cpu_used_ns = cpu_ns_total.saturating_sub(self.cost.cpu_ns);
        self.cost.cpu_ns = cpu_ns_total;
        self.cost.ticks += 1;
        self.cost.slowdowns += u32::from(self.pace.after_tick(cpu_used_ns));
    }

    /// Moment of the last tick, in milliseconds since the start of the timeline.
    pub fn at_ms(&self) -> i64 {
        self.at_ms
    }

    /// What the last tick read, [`NONE`] where a channel was not due or gave nothing.
    pub fn row(&self) -> &[i64] {
        &self.row
    }

    /// The latest value of each channel, also of those that are read on a slower beat; [`NONE`]
    /// where the last read gave nothing.
    pub fn latest(&self) -> &[i64] {
        &self.latest
    }

    /// Time until the next tick: as asked for, or longer if that would cost too much.
    pub fn interval(&self) -> Duration {
        Duration::from_nanos(self.pace.interval_ns())
    }

    /// What the sampling cost so far.
    pub fn cost(&self) -> &SamplerCost {
        &self.cost
    }

    /// What each source cost so far: to see which are dear on this machine.
    pub fn source_costs(&self) -> impl Iterator<Item = SourceCost<'_>> {
        self.slots.iter().map(Slot::cost)
    }

    /// Channels that fell silent since the last call, and why.
    pub fn take_gaps(&mut self) -> Vec<Event> {
        let gaps: Vec<GapNote> = self.gaps.drain(..).collect();
        gaps.iter().map(|gap| gap.event(&self.channels)).collect()
    }
}

/// The event of a gap.
fn gap_event(channel: &str, at_ms: i64, missing: record::Missing) -> Event {
    Event::Gap {
        channel: channel.to_owned(),
        gap: Gap { at_ms, missing },
    }
}

#[cfg(test)]
mod tests;
