//! Definition of a sensor: discovery, sources, and reading of the sources.

use super::scale::Scale;
use crate::Root;
use crate::vcio::Question;
use record::Channel;
use record::table::Table;

/// Descriptions of sensors.
const KINDS: Table = Table::of(include_str!("../../../../data/sensor_kinds.tsv"));

/// Writes one integer for each channel of a probe, or leaves [`NONE`] for missing values. The slice is pre-filled with
/// [`NONE`]. Must not allocate.
pub type Parser = fn(&[u8], &mut [i64]);

/// Kind of source.
#[derive(Debug)]
pub struct Sensor {
    /// Name in kebab-case, as in `data/sensor_kinds.tsv`.
    pub id: &'static str,
    /// Discovers its sources; empty if the machine has none.
    pub discover: fn(&Root) -> Vec<Probe>,
}

/// Source that is read periodically: a file or a device.
#[derive(Debug, Clone)]
pub struct Probe {
    /// File or device.
    pub path: String,
    /// Channels without values; one integer per channel and read.
    pub channels: Vec<Channel>,
    /// Read interval.
    pub interval: SampleInterval,
    /// Read method.
    pub read: ReadMethod,
    /// Largest value of a counter with a single channel that wraps to 0 after it.
    pub wraps_after: Option<i64>,
    /// Conversion to the unit of the channels.
    pub scale: Scale,
    /// True if a read sleeps or may hang (I2C, drives, batteries): a separate thread reads it, and ticks use the latest
    /// value.
    pub is_blocking: bool,
}

/// Read interval of a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleInterval {
    /// At every tick.
    EveryTick,
    /// At the first tick after about this many milliseconds: for expensive sources, and for counters that lose nothing
    /// at long intervals.
    AtMostEveryMs(u32),
    /// Depends on the reader: for expensive totals of the whole machine that lose only time resolution.
    Rarely,
}

/// Read method of a probe.
#[derive(Debug, Clone, Copy)]
pub enum ReadMethod {
    /// Reads the file from its beginning and parses it.
    File(Parser),
    /// A query to the firmware of a Raspberry Pi.
    Firmware(Question),
    /// CPU register by its number: eight bytes of `/dev/cpu/N/msr`.
    Register(u32),
    /// Cycles of a CPU, from its own counter.
    Cycles(u32),
    /// Current and voltage of every rail of a Raspberry Pi 5, in the order of the channels.
    PmicRails,
    /// CPU time and waiting time of the measured threads.
    MeasuredThreads,
    /// CPU time of the sampler itself, in nanoseconds.
    OwnCpuTime,
    /// Delay of this sample, in microseconds.
    OwnDelay,
}

impl Sensor {
    pub(super) const fn new(id: &'static str, discover: fn(&Root) -> Vec<Probe>) -> Self {
        Self { id, discover }
    }

    /// Description in one sentence.
    pub fn about(&self) -> &'static str {
        let row = KINDS.rows().find(|row| row.get("sensor") == self.id);
        row.map_or("", |row| row.get("about"))
    }
}

impl Probe {
    /// File with one channel, read at every tick.
    pub(super) fn file(path: String, parser: Parser, channel: Channel) -> Self {
        Self::file_of_many(path, parser, vec![channel])
    }

    /// File with several channels, read at every tick.
    pub(super) fn file_of_many(path: String, parser: Parser, mut channels: Vec<Channel>) -> Self {
        for channel in &mut channels {
            channel.source.clone_from(&path);
        }
        Self {
            path,
            channels,
            interval: SampleInterval::EveryTick,
            read: ReadMethod::File(parser),
            wraps_after: None,
            scale: Scale::One,
            is_blocking: false,
        }
    }

    /// Sets a minimum interval in milliseconds.
    pub(super) fn min_interval_ms(mut self, ms: u32) -> Self {
        self.interval = SampleInterval::AtMostEveryMs(ms);
        self
    }

    /// Sets the interval to [`SampleInterval::Rarely`].
    pub(super) fn rarely(mut self) -> Self {
        self.interval = SampleInterval::Rarely;
        self
    }

    /// Moves reads to a separate thread.
    pub(super) fn blocking(mut self) -> Self {
        self.is_blocking = true;
        self
    }

    /// Sets the conversion.
    pub(super) fn scaled(mut self, scale: Scale) -> Self {
        self.scale = scale;
        self
    }
}

/// Sets the label of a channel, a name from the kernel or the board.
pub(super) fn labelled(mut channel: Channel, label: impl Into<String>) -> Channel {
    channel.label = label.into();
    channel
}

/// Entries of a directory that consist of `prefix` and a number.
pub(super) fn numbered(root: &Root, directory: &str, prefix: &str) -> Vec<(String, u32)> {
    let names = root.list(directory).unwrap_or_default();
    let numbered = names.into_iter().filter_map(|name| {
        let number = name.strip_prefix(prefix)?.parse().ok()?;
        Some((name, number))
    });
    numbered.collect()
}

/// Identities of the core and the package of a CPU; empty numbers without a topology.
pub(super) fn core_and_package(root: &Root, cpu: u32) -> (String, String) {
    let topology =
        |file: &str| root.read_value(&format!("/sys/devices/system/cpu/cpu{cpu}/topology/{file}")).unwrap_or_default();
    let package = topology("physical_package_id");
    (format!("{package}/{}/{}", topology("die_id"), topology("core_id")), package)
}

/// True if the directory has this entry. If it is unreadable, the channel exists and its gap has the reason.
pub(super) fn has(root: &Root, directory: &str, name: &str) -> bool {
    let names = root.list(directory).unwrap_or_default();
    names.iter().any(|known| known == name)
}
