//! The sampler: reads every sensor's files again and again, as cheaply as can be.
//!
//! Discovery happens once and opens every file once. After that a tick is `pread` into one buffer
//! and integer parsing into one row: no allocation, no formatting. Sources that cost much are read
//! on a slower beat; those that sleep or may hang are read by threads of their own, and a tick takes
//! the latest values. [`Sampler::tick`] does one tick when its owner wants it; [`SamplerThread`]
//! does them in the background. What the values mean is not decided here.

mod aside;
mod block;
mod failure;
mod feed;
mod gaps;
mod jumps;
mod lanes;
mod lent;
mod options;
mod pace;
mod plan;
mod reader;
mod row;
mod shared;
mod slot;
mod thread;
mod threads;
mod tick;
mod turns;
mod watchers;

pub use aside::IdleCpuAffinity;
pub use failure::Failure;
pub use feed::LatestValues;
pub use options::Options;
pub use shared::raise_priority;
pub use thread::SamplerThread;
pub use tick::SourceCost;

use crate::sensors::{NONE, SENSORS};
use crate::timeline::Timeline;
use crate::{Root, sensors};
use gaps::{GAPS_MAX, GapNote, GapTracker, note};
use jumps::ClockOffsets;
use lanes::SlowReaderPool;
use lent::SourceHandle;
use pace::Pace;
use record::soc_temperature::{self, SocTemperature};
use record::{AllCpus, Channel, ChannelId, CpuTime, Event, OfCpu, Reading, SamplerCost};
use slot::SourceSlot;
use std::time::Duration;
use tick::{BUFFER_BYTES, BUFFER_BYTES_PER_CPU, Tick};
use watchers::ThreadAffinity;

/// Shorter intervals would mostly measure the sampler.
const INTERVAL_MIN: Duration = Duration::from_millis(20);
/// A sample that comes later than this is counted as late: half of a tick at 100 Hz, and more than
/// a busy machine with a fair scheduler needs to wake a thread.
const LATE_NS: u64 = 5_000_000;

/// Reads everything it found, one row of integers per tick.
#[derive(Debug)]
pub struct Sampler {
    options: Options,
    slots: Vec<SourceSlot>,
    lanes: SlowReaderPool,
    watchers: ThreadAffinity,
    /// Number of lines of `/proc/stat` with channels: those of CPUs, and that of all together.
    cpus: usize,
    /// False for boards in a file: they answer at once, and their tests are exact.
    uses_lanes: bool,
    channels: Vec<Channel>,
    silences: Vec<GapTracker>,
    hands: SourceHandle,
    row: Vec<i64>,
    latest: Vec<i64>,
    at_ms: i64,
    first_ns: Option<u64>,
    /// When the next tick is to be.
    due_ns: u64,
    delay_us: i64,
    distances: Option<ClockOffsets>,
    gaps: Vec<GapNote>,
    pace: Pace,
    /// Of the sampler's own thread; the sources stay empty.
    cost: SamplerCost,
    lanes_accounted_ns: u64,
    /// A source that another thread reads has not been heard of for too long.
    is_silent: bool,
    /// Number of the last read that was lent.
    read_number: u64,
}

impl Sampler {
    /// Looks for every sensor and opens every file. Nothing is sampled yet.
    pub fn new(root: &Root, options: &Options) -> Self {
        let mut options = options.clone();
        options.interval = options.interval.max(INTERVAL_MIN);
        let probes = SENSORS.iter().flat_map(|sensor| (sensor.discover)(root));
        let measured = options.measures.then(sensors::measured_threads);
        let mut slots = Vec::new();
        let mut channels: Vec<Channel> = Vec::new();
        for mut probe in probes.chain(measured) {
            probe.beat = probe.beat.with(&options);
            slots.push(SourceSlot::new(root, &probe, channels.len()));
            channels.extend(probe.channels);
        }
        for feed in &options.feeds {
            slots.push(SourceSlot::fed(feed, channels.len()));
            channels.extend_from_slice(feed.channels());
        }
        let is_idle = |id: &ChannelId| match id {
            ChannelId::AllCpus(AllCpus::Time(time)) => *time == CpuTime::Idle,
            ChannelId::Cpu(_, OfCpu::Time(time)) => *time == CpuTime::Idle,
            _ => false,
        };
        let cpus = channels.iter().filter(|channel| is_idle(&channel.id));
        let cpus = cpus.count();
        let watchers = ThreadAffinity::default();
        watchers.move_to(&options.cpus);
        Self {
            lanes: SlowReaderPool::new(watchers.clone()),
            watchers,
            uses_lanes: !root.is_board(),
            due_ns: 0,
            delay_us: 0,
            distances: None,
            silences: vec![GapTracker::default(); channels.len()],
            hands: SourceHandle::new(channels.len(), cpus),
            row: vec![NONE; channels.len()],
            latest: vec![NONE; channels.len()],
            at_ms: 0,
            first_ns: None,
            gaps: Vec::with_capacity(GAPS_MAX),
            pace: Pace::new(options.interval, options.budget_ppm),
            cost: SamplerCost::default(),
            lanes_accounted_ns: 0,
            is_silent: false,
            read_number: 0,
            cpus,
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
    pub fn position(&self, id: &ChannelId) -> Option<usize> {
        self.channels.iter().position(|channel| channel.id == *id)
    }

    /// The event that begins a stream of samples.
    pub fn channels_event(&self) -> Event {
        Event::Channels { interval_ms: self.options.interval.as_millis() as u64, channels: self.channels.clone() }
    }

    /// The channel that holds the SoC's temperature as far as can be told by now, and why this one.
    ///
    /// # Errors
    /// The machine has no such sensor.
    pub fn temperature(&self) -> Reading<SocTemperature> {
        soc_temperature::choose(&self.channels, |index| sensors::known(self.latest[index]), |_| None)
    }

    /// Reads everything that is due. Allocates nothing, except to open again what had vanished and
    /// to hand a slow source to another thread. All ticks of a sampler belong to one timeline.
    pub fn tick(&mut self, timeline: &Timeline) {
        let tick = self.begin(timeline, timeline.now_ns());
        let cpu_begin_ns = tick.cpu_ns();
        self.sample(&tick);
        self.account(self.cost.cpu_ns + tick.cpu_ns().saturating_sub(cpu_begin_ns));
    }

    /// Begins a tick: how late it is, and when the next one is to be.
    fn begin(&mut self, timeline: &Timeline, now_ns: u64) -> Tick {
        let due_ns = if self.first_ns.is_none() { now_ns } else { self.due_ns };
        let late_ns = now_ns.saturating_sub(due_ns);
        self.delay_us = (late_ns / 1000) as i64;
        self.cost.delay_us_max = self.cost.delay_us_max.max(late_ns / 1000);
        self.cost.late_ticks += u64::from(late_ns > LATE_NS);
        let interval_ns = self.pace.interval_ns();
        self.due_ns = next_due_ns(due_ns, now_ns, interval_ns);
        Tick { now_ns, interval_ns, fake: timeline.is_fake(), last: false }
    }

    /// The tick that reads once more slow sources: its counters have counted since. What is read at
    /// every tick is left out, as hardly any time has passed for it.
    fn last_tick(&self, timeline: &Timeline) -> Tick {
        Tick { now_ns: timeline.now_ns(), interval_ns: self.pace.interval_ns(), fake: timeline.is_fake(), last: true }
    }

    /// Notes if the machine slept or its time of day was set since the last tick.
    fn watch_clocks(&mut self) {
        let now = ClockOffsets::now();
        let before = self.distances.replace(now).unwrap_or(now);
        for jump in now.jumps_since(before).into_iter().flatten() {
            self.note_own(jump);
        }
    }

    /// Notes what belongs to no channel more than to the one of the sampler itself.
    fn note_own(&mut self, what: Failure) {
        if let Some(channel) = self.position(&ChannelId::ALL_CHANNELS_GAP) {
            note(&mut self.gaps, channel, self.at_ms, what);
        }
    }

    /// Takes note of the CPU time that this thread used in all, and slows down if a tick costs too
    /// much.
    fn account(&mut self, cpu_ns_total: u64) {
        let cpu_before_ns = self.cost.cpu_ns + self.lanes_accounted_ns;
        self.cost.cpu_ns = cpu_ns_total;
        self.lanes_accounted_ns = self.lanes.cpu_ns();
        let cpu_used_ns = self.cpu_ns_total().saturating_sub(cpu_before_ns);
        self.cost.ticks += 1;
        if self.pace.after_tick(cpu_used_ns) {
            self.cost.slowdowns += 1;
            let interval_ms = self.pace.interval_ns() / 1_000_000;
            self.note_own(Failure::SlowedDown(interval_ms));
        }
    }

    /// CPU time of the sampler with the threads for slow sources.
    fn cpu_ns_total(&self) -> u64 {
        self.cost.cpu_ns + self.lanes_accounted_ns
    }

    /// When the next tick is to be, in nanoseconds on the timeline: moments on a grid, so that the
    /// cost of a tick does not make the interval longer.
    pub fn due_ns(&self) -> u64 {
        self.due_ns
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

    /// What the sampling cost so far, without the single sources.
    pub fn cost(&self) -> SamplerCost {
        let cost = &self.cost;
        SamplerCost {
            cpu_ns: self.cpu_ns_total(),
            ticks: cost.ticks,
            wakeups: cost.wakeups,
            elapsed_ns: cost.elapsed_ns,
            delay_us_max: cost.delay_us_max,
            slowdowns: cost.slowdowns,
            late_ticks: cost.late_ticks,
            sources: Vec::new(),
        }
    }

    /// Number of samples taken.
    pub fn ticks(&self) -> u64 {
        self.cost.ticks
    }

    /// The event that tells what the sampling cost so far, source by source.
    pub fn cost_event(&self) -> Event {
        let cost = self.cost();
        let sources = self.source_costs().map(|cost| cost.into()).collect();
        Event::SamplerCost { cost: SamplerCost { sources, ..cost } }
    }

    /// What each source cost so far: to see which are expensive on this machine.
    pub fn source_costs(&self) -> impl Iterator<Item = SourceCost<'_>> {
        self.slots.iter().map(SourceSlot::cost)
    }

    /// True if channels stopped delivering values since gaps were taken.
    pub fn has_gaps(&self) -> bool {
        !self.gaps.is_empty()
    }

    /// Channels that stopped delivering values since the last call, and why.
    pub fn take_gaps(&mut self) -> Vec<Event> {
        let gaps: Vec<GapNote> = self.gaps.drain(..).collect();
        gaps.iter().map(|gap| gap.event(&self.channels)).collect()
    }
}

/// The next moment on the grid of the interval. Moments that have gone by are left out instead of
/// being made up for.
fn next_due_ns(due_ns: u64, now_ns: u64, interval_ns: u64) -> u64 {
    let missed = now_ns.saturating_sub(due_ns) / interval_ns;
    due_ns + (missed + 1) * interval_ns
}

#[cfg(test)]
mod tests;
