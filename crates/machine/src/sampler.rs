//! The sampler reads the files of all sensors periodically at minimum cost.
//!
//! Discovery happens once and opens every file once. After that a tick is `pread` into one buffer and integer parsing
//! into one row: no allocation, no formatting. Expensive sources are read at longer intervals; sources that sleep or
//! may hang are read by separate threads, and a tick uses their latest values. [`Sampler::tick`] does one tick;
//! [`SamplerThread`] runs ticks in the background. Other crates interpret the values.

mod block;
mod borrowed_source;
mod clock_offsets;
mod failure;
mod gaps;
mod idle_affinity;
mod latest_values;
mod measured_threads;
mod options;
mod pace;
mod reader;
mod row;
mod schedule;
mod slot;
mod slow_reader_pool;
mod thread;
mod thread_affinity;
mod tick;
mod watchdog;

pub use failure::Failure;
pub use idle_affinity::IdleCpuAffinity;
pub use latest_values::LatestValues;
pub use options::Options;
pub use thread::SamplerThread;
pub use thread_affinity::raise_priority;

use crate::sensors::{ELECTRIC_MS, HWMON, NONE, SENSORS, SampleInterval};
use crate::timeline::Timeline;
use crate::{Root, sensors};
use borrowed_source::ReadBuffer;
use clock_offsets::ClockOffsets;
use gaps::{GAPS_MAX, GapNote, GapTracker, note};
use pace::Pace;
use record::soc_temperature::{self, SocTemperature};
use record::{AllCpus, Channel, ChannelId, CpuChannel, CpuTime, Event, Reading, SamplerCost};
use slot::SourceSlot;
use slow_reader_pool::SlowReaderPool;
use std::time::Duration;
use thread_affinity::ThreadAffinity;
use tick::{BUFFER_BYTES, BUFFER_BYTES_PER_CPU, Tick};

/// Minimum interval; shorter ones would mostly measure the sampler.
const INTERVAL_MIN: Duration = Duration::from_millis(20);
/// Interval of [`SampleInterval::Rarely`] where nobody needs these values more often.
const LEISURELY_MS: u32 = 6000;
/// Delay from which a sample counts as late: half of a tick at 100 Hz, and more than a busy machine with a fair
/// scheduler needs to wake a thread.
const LATE_NS: u64 = 5_000_000;

/// Reads all discovered sources into one row of integers per tick.
#[derive(Debug)]
pub struct Sampler {
    options: Options,
    slots: Vec<SourceSlot>,
    slow_readers: SlowReaderPool,
    affinity: ThreadAffinity,
    /// Number of lines of `/proc/stat` with channels: CPUs and the total.
    cpus: usize,
    /// False for board files, whose reads are immediate and whose tests are exact.
    uses_slow_readers: bool,
    channels: Vec<Channel>,
    gap_trackers: Vec<GapTracker>,
    read_buffer: ReadBuffer,
    row: Vec<i64>,
    latest: Vec<i64>,
    at_ms: i64,
    first_ns: Option<u64>,
    /// Time of the next tick.
    due_ns: u64,
    delay_us: i64,
    clock_offsets: Option<ClockOffsets>,
    gaps: Vec<GapNote>,
    pace: Pace,
    /// Cost of the sampler's own thread; `sources` stays empty.
    cost: SamplerCost,
    slow_readers_accounted_ns: u64,
    /// A source read by another thread has exceeded its patience.
    is_silent: bool,
    /// Number of the last read.
    read_number: u64,
}

impl Sampler {
    /// Discovers all sensors and opens their files, without sampling.
    pub fn new(root: &Root, options: &Options) -> Self {
        let mut options = options.clone();
        options.interval = options.interval.max(INTERVAL_MIN);
        let probes = sensors::discover(SENSORS.iter(), root);
        let measured = options.measures.then(sensors::measured_threads);
        let mut slots = Vec::new();
        let mut channels: Vec<Channel> = Vec::new();
        for mut probe in probes.chain(measured) {
            let is_electric = probe.interval == SampleInterval::AtMostEveryMs(ELECTRIC_MS);
            if options.follows_power && is_electric && probe.path.starts_with(HWMON) {
                probe.interval = SampleInterval::EveryTick;
            }
            if options.is_leisurely && probe.interval == SampleInterval::Rarely {
                probe.interval = SampleInterval::AtMostEveryMs(LEISURELY_MS);
            }
            slots.push(SourceSlot::new(root, &probe, channels.len()));
            channels.extend(probe.channels);
        }
        for latest_values in &options.external_values {
            slots.push(SourceSlot::shared(latest_values, channels.len()));
            channels.extend_from_slice(latest_values.channels());
        }
        let is_idle = |id: &ChannelId| match id {
            ChannelId::AllCpus(AllCpus::Time(time)) => *time == CpuTime::Idle,
            ChannelId::Cpu(_, CpuChannel::Time(time)) => *time == CpuTime::Idle,
            _ => false,
        };
        let cpus = channels.iter().filter(|channel| is_idle(&channel.id));
        let cpus = cpus.count();
        let affinity = ThreadAffinity::default();
        affinity.move_to(&options.cpus);
        Self {
            slow_readers: SlowReaderPool::new(affinity.clone()),
            affinity,
            uses_slow_readers: !root.is_board(),
            due_ns: 0,
            delay_us: 0,
            clock_offsets: None,
            gap_trackers: vec![GapTracker::default(); channels.len()],
            read_buffer: ReadBuffer::new(channels.len(), cpus),
            row: vec![NONE; channels.len()],
            latest: vec![NONE; channels.len()],
            at_ms: 0,
            first_ns: None,
            gaps: Vec::with_capacity(GAPS_MAX),
            pace: Pace::new(&options),
            cost: SamplerCost::default(),
            slow_readers_accounted_ns: 0,
            is_silent: false,
            read_number: 0,
            cpus,
            slots,
            channels,
            options,
        }
    }

    /// Channels in the order of a row, without values.
    pub fn channels(&self) -> &[Channel] {
        &self.channels
    }

    /// Index of a channel in a row.
    pub fn position(&self, id: &ChannelId) -> Option<usize> {
        self.channels.iter().position(|channel| channel.id == *id)
    }

    /// First event of a stream of samples.
    pub fn channels_event(&self) -> Event {
        Event::Channels { interval_ms: self.options.interval.as_millis() as u64, channels: self.channels.clone() }
    }

    /// Current choice of the channel for the SoC temperature, with its reason.
    ///
    /// # Errors
    /// The machine has no such sensor.
    pub fn temperature(&self) -> Reading<SocTemperature> {
        soc_temperature::choose(&self.channels, |index| sensors::known(self.latest[index]), |_| None)
    }

    /// Reads all due sources. Does not allocate, except to reopen sources that disappeared and to move a slow source to
    /// another thread. All ticks of a sampler use one timeline.
    pub fn tick(&mut self, timeline: &Timeline) {
        let tick = self.begin(timeline, timeline.now_ns());
        let cpu_begin_ns = tick.cpu_ns();
        self.sample(&tick);
        self.account(self.cost.cpu_ns + tick.cpu_ns().saturating_sub(cpu_begin_ns));
    }

    /// Starts a tick: computes its delay and the time of the next one.
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

    /// Last tick, which reads slow sources once more to include their latest counts. Sources of every tick are skipped,
    /// because hardly any time has passed.
    fn last_tick(&self, timeline: &Timeline) -> Tick {
        Tick { now_ns: timeline.now_ns(), interval_ns: self.pace.interval_ns(), fake: timeline.is_fake(), last: true }
    }

    /// Records suspends and steps of the system time since the last tick.
    fn watch_clocks(&mut self) {
        let now = ClockOffsets::now();
        let before = self.clock_offsets.replace(now).unwrap_or(now);
        for jump in now.jumps_since(before).into_iter().flatten() {
            self.note_own(jump);
        }
    }

    /// Records a gap of all channels for a channel of the sampler itself.
    fn note_own(&mut self, what: Failure) {
        if let Some(channel) = self.position(&ChannelId::ALL_CHANNELS_GAP) {
            note(&mut self.gaps, channel, self.at_ms, what);
        }
    }

    /// Accounts the total CPU time of this thread, and slows down or notes it if a tick is too expensive.
    fn account(&mut self, cpu_ns_total: u64) {
        let cpu_before_ns = self.cost.cpu_ns + self.slow_readers_accounted_ns;
        self.cost.cpu_ns = cpu_ns_total;
        self.slow_readers_accounted_ns = self.slow_readers.cpu_ns();
        let cpu_used_ns = self.cpu_ns_total().saturating_sub(cpu_before_ns);
        self.cost.ticks += 1;
        if let Some(note) = self.pace.after_tick(cpu_used_ns) {
            self.cost.slowdowns += u32::from(matches!(note, Failure::SlowedDown(_)));
            self.note_own(note);
        }
    }

    /// CPU time of the sampler including the threads for slow sources, in nanoseconds.
    fn cpu_ns_total(&self) -> u64 {
        self.cost.cpu_ns + self.slow_readers_accounted_ns
    }

    /// Time of the next tick in nanoseconds on the timeline. Ticks are on a grid, so that their cost does not extend
    /// the interval.
    pub fn due_ns(&self) -> u64 {
        self.due_ns
    }

    /// Time of the last tick, in milliseconds since the start of the timeline.
    pub fn at_ms(&self) -> i64 {
        self.at_ms
    }

    /// Values of the last tick; [`NONE`] for channels that were not due or not readable.
    pub fn row(&self) -> &[i64] {
        &self.row
    }

    /// Latest value of each channel, including those with longer intervals; [`NONE`] if the last read failed.
    pub fn latest(&self) -> &[i64] {
        &self.latest
    }

    /// Time until the next tick: the requested interval, or longer if that would be too expensive.
    pub fn interval(&self) -> Duration {
        Duration::from_nanos(self.pace.interval_ns())
    }

    /// Cost so far, without single sources.
    pub fn cost(&self) -> SamplerCost {
        SamplerCost { cpu_ns: self.cpu_ns_total(), ..self.cost.clone() }
    }

    /// Channels that stopped reporting since the last call, with reasons.
    pub fn take_gaps(&mut self) -> Vec<Event> {
        let gaps: Vec<GapNote> = self.gaps.drain(..).collect();
        gaps.iter().map(|gap| gap.event(&self.channels)).collect()
    }
}

/// Next time on the grid of the interval. Missed times are skipped.
fn next_due_ns(due_ns: u64, now_ns: u64, interval_ns: u64) -> u64 {
    let missed = now_ns.saturating_sub(due_ns) / interval_ns;
    due_ns + (missed + 1) * interval_ns
}

#[cfg(test)]
mod tests;
