//! What a sensor is: where it looks, what it names to be read, and how that is read.

use super::scale::Scale;
use crate::Root;
use crate::vcio::Question;
use record::Channel;

/// Writes one integer for each channel of a probe, or leaves [`NONE`] where the bytes have no
/// value. The slice comes filled with [`NONE`]. Must not allocate.
pub type Parser = fn(&[u8], &mut [i64]);

/// One kind of thing that can be watched.
#[derive(Debug)]
pub struct Sensor {
    /// Name in kebab-case.
    pub id: &'static str,
    /// What it shows, in one sentence.
    pub about: &'static str,
    /// Where its files are documented.
    pub kernel_doc: &'static str,
    /// Looks for it and names what to read; empty if the machine has no such thing.
    pub discover: fn(&Root) -> Vec<Probe>,
}

/// One thing that is read again and again: a file or a device.
#[derive(Debug, Clone)]
pub struct Probe {
    /// The file or device.
    pub path: String,
    /// What it gives, without values; one integer per channel and read.
    pub channels: Vec<Channel>,
    /// How often it is read.
    pub beat: SampleInterval,
    /// How it is read.
    pub read: Read,
    /// For a counter of one channel that starts again at 0 after this value: the largest value.
    pub wraps_after: Option<i64>,
    /// What turns the numbers of the file into the unit of the channels.
    pub scale: Scale,
    /// True if a read sleeps or may hang (I2C, drives, batteries): then a thread of its own reads
    /// it, and a tick takes the latest value.
    pub apart: bool,
}

/// How often a probe is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleInterval {
    /// At every tick.
    EveryTick,
    /// At the first tick that comes about so many milliseconds after the last read: for sources
    /// that cost much, or counters that lose nothing when read rarely.
    AtMostEveryMs(u32),
    /// As the owner of the sampler does: for totals and amounts of the whole machine that are expensive to read
    /// and lose nothing but their moment. A run has short steps; who looks once a second has time.
    Rarely,
}

/// How a probe is read.
#[derive(Debug, Clone, Copy)]
pub enum Read {
    /// The file from its beginning, then the parser.
    File(Parser),
    /// One question to the firmware of a Raspberry Pi.
    Firmware(Question),
    /// One register of a CPU, by its number: eight bytes of `/dev/cpu/N/msr`.
    Register(u32),
    /// Cycles of a CPU, by its own counter.
    Cycles(u32),
    /// Current and voltage of every rail of a Raspberry Pi 5, in the order of the channels.
    PmicRails,
    /// Time on a CPU and time of waiting for one, of the threads that are measured.
    MeasuredThreads,
    /// CPU time of the sampler itself, in nanoseconds.
    OwnCpuTime,
    /// How late this sample is, in microseconds.
    OwnDelay,
}

impl Probe {
    /// A file that gives one channel and is read at every tick.
    pub(super) fn file(path: String, parser: Parser, channel: Channel) -> Self {
        Self::file_of_many(path, parser, vec![channel])
    }

    /// A file that gives several channels and is read at every tick.
    pub(super) fn file_of_many(path: String, parser: Parser, mut channels: Vec<Channel>) -> Self {
        for channel in &mut channels {
            channel.source.clone_from(&path);
        }
        Self {
            path,
            channels,
            beat: SampleInterval::EveryTick,
            read: Read::File(parser),
            wraps_after: None,
            scale: Scale::One,
            apart: false,
        }
    }

    /// The same, read at most every so many milliseconds.
    pub(super) fn min_interval_ms(mut self, ms: u32) -> Self {
        self.beat = SampleInterval::AtMostEveryMs(ms);
        self
    }

    /// The same, read at the slowest interval of the sampler's owner.
    pub(super) fn rarely(mut self) -> Self {
        self.beat = SampleInterval::Rarely;
        self
    }

    /// The same, read by a thread of its own.
    pub(super) fn apart(mut self) -> Self {
        self.apart = true;
        self
    }

    /// The same in another scale.
    pub(super) fn scaled(mut self, scale: Scale) -> Self {
        self.scale = scale;
        self
    }
}

/// The same channel with a name in the words of the kernel or the board.
pub(super) fn labelled(mut channel: Channel, label: impl Into<String>) -> Channel {
    channel.label = label.into();
    channel
}

/// Entries of a directory that begin with `prefix`, and are followed by a number only.
pub(super) fn numbered(root: &Root, directory: &str, prefix: &str) -> Vec<(String, u32)> {
    let names = root.list(directory).unwrap_or_default();
    let numbered = names.into_iter().filter_map(|name| {
        let number = name.strip_prefix(prefix)?.parse().ok()?;
        Some((name, number))
    });
    numbered.collect()
}

/// True if the directory has an entry of that name. It may still be unreadable: then the channel
/// is there, and its gap says why.
pub(super) fn has(root: &Root, directory: &str, name: &str) -> bool {
    let names = root.list(directory).unwrap_or_default();
    names.iter().any(|known| known == name)
}
