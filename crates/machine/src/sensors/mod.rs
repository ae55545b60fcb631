//! The table of sensors: what the sampler can watch, one file for each kind.
//!
//! A sensor looks once at a [`Root`] and names its [`Probe`]s: files to keep open, the channels
//! each gives, how often a read is worth its cost, and the pure function that turns the bytes into
//! integers. Nothing here reads a value; the [sampler](crate::Sampler) does.
//!
//! To add one: write `sensors/x.rs` with a `pub(super) const SENSOR`, and add a line to
//! [`SENSORS`]. Its channels are made of their ids ([`Channel::of`]); what no other code asks for by name has an id of
//! its own ([`record::ChannelId::own`]) and says its unit and kind.

mod adc;
mod cgroup;
mod cooling;
mod cpu_throttle;
mod cpufreq;
mod cycles;
mod devfreq;
mod hwmon;
mod idle;
mod loadavg;
mod measured;
mod meminfo;
mod own;
pub(crate) mod parse;
mod power_supply;
mod pressure;
mod rapl;
mod raspberry;
mod residency;
mod scale;
mod stat;
mod therm_status;
mod thermal;
mod trips;
mod vmstat;
mod zram;

pub use measured::probe as measured_threads;
pub use parse::known;
pub use scale::Scale;

use crate::Root;
use crate::vcio::Question;
use record::Channel;

/// Stands for a missing value in a row of integers.
pub const NONE: i64 = i64::MIN;

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
    pub beat: Beat,
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
pub enum Beat {
    /// At every tick.
    EveryTick,
    /// At the first tick that comes about so many milliseconds after the last read: for sources
    /// that cost much, or counters that lose nothing when read seldom.
    AtMostEveryMs(u32),
    /// As the owner of the sampler does: for totals and amounts of the whole machine that are dear to read
    /// and lose nothing but their moment. A run has short steps; who looks once a second has time.
    Seldom,
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

/// Every sensor, in order of id.
pub const SENSORS: &[Sensor] = &[
    adc::SENSOR,
    cgroup::SENSOR,
    cooling::SENSOR,
    cpu_throttle::SENSOR,
    cpufreq::SENSOR,
    residency::SENSOR,
    cycles::SENSOR,
    devfreq::SENSOR,
    hwmon::SENSOR,
    idle::SENSOR,
    loadavg::SENSOR,
    meminfo::SENSOR,
    power_supply::SENSOR,
    pressure::SENSOR,
    rapl::SENSOR,
    raspberry::SENSOR,
    own::SENSOR,
    stat::SENSOR,
    therm_status::SENSOR,
    thermal::SENSOR,
    trips::SENSOR,
    vmstat::SENSOR,
    zram::SENSOR,
];

impl Probe {
    /// A file that gives one channel and is read at every tick.
    fn file(path: String, parser: Parser, channel: Channel) -> Self {
        Self::file_of_many(path, parser, vec![channel])
    }

    /// A file that gives several channels and is read at every tick.
    fn file_of_many(path: String, parser: Parser, mut channels: Vec<Channel>) -> Self {
        for channel in &mut channels {
            channel.source.clone_from(&path);
        }
        Self {
            path,
            channels,
            beat: Beat::EveryTick,
            read: Read::File(parser),
            wraps_after: None,
            scale: Scale::One,
            apart: false,
        }
    }

    /// The same, read at most every so many milliseconds.
    fn at_most_every_ms(mut self, ms: u32) -> Self {
        self.beat = Beat::AtMostEveryMs(ms);
        self
    }

    /// The same, read as seldom as the owner of the sampler can bear.
    fn seldom(mut self) -> Self {
        self.beat = Beat::Seldom;
        self
    }

    /// The same, read by a thread of its own.
    fn apart(mut self) -> Self {
        self.apart = true;
        self
    }

    /// The same in another scale.
    fn scaled(mut self, scale: Scale) -> Self {
        self.scale = scale;
        self
    }
}

/// The same channel with a name in the words of the kernel or the board.
fn labelled(mut channel: Channel, label: impl Into<String>) -> Channel {
    channel.label = label.into();
    channel
}

/// Entries of a directory that begin with `prefix`, and are followed by a number only.
fn numbered(root: &Root, directory: &str, prefix: &str) -> Vec<(String, u32)> {
    let names = root.list(directory).unwrap_or_default();
    let numbered = names.into_iter().filter_map(|name| {
        let number = name.strip_prefix(prefix)?.parse().ok()?;
        Some((name, number))
    });
    numbered.collect()
}

/// True if the directory has an entry of that name. It may still be unreadable: then the channel
/// is there, and its gap says why.
fn has(root: &Root, directory: &str, name: &str) -> bool {
    let names = root.list(directory).unwrap_or_default();
    names.iter().any(|known| known == name)
}

#[cfg(test)]
pub(crate) mod check {
    //! What the tests of all sensors share.

    use super::*;

    /// Runs a parser on a text, with room for `count` values.
    pub(crate) fn parsed(parser: Parser, text: &str, count: usize) -> Vec<i64> {
        let mut values = vec![NONE; count];
        parser(text.as_bytes(), &mut values);
        values
    }

    /// What a sensor finds on a board: `id label value` of each channel, read once.
    pub(crate) fn found(sensor: &Sensor, board: &str) -> Vec<String> {
        let root = Root::from_board(board).unwrap();
        let mut lines = Vec::new();
        for probe in (sensor.discover)(&root) {
            let Read::File(parser) = probe.read else {
                continue;
            };
            let text = root.read(&probe.path).unwrap_or_default();
            let mut values = parsed(parser, &text, probe.channels.len());
            probe.scale.clone().apply(&mut values);
            for (channel, value) in probe.channels.iter().zip(values) {
                let value = if value == NONE { "-".to_owned() } else { value.to_string() };
                let id = channel.id.to_string();
                let line = [id.as_str(), channel.label.as_str(), value.as_str()];
                lines.push(line.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join(" "));
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order_and_complete() {
        for sensor in SENSORS {
            let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(sensor.id.chars().all(kebab), "{}", sensor.id);
            assert!(sensor.about.ends_with('.'), "{}", sensor.id);
            assert!(sensor.kernel_doc.starts_with("https://"), "{}", sensor.id);
        }
        assert!(SENSORS.is_sorted_by(|a, b| a.id < b.id));
    }

    #[test]
    fn channels_of_the_running_system_are_unique_and_have_a_source() {
        let root = Root::system();
        let probes = SENSORS.iter().flat_map(|sensor| (sensor.discover)(&root));
        let channels: Vec<Channel> = probes.flat_map(|probe| probe.channels).collect();
        let mut ids: Vec<String> = channels.iter().map(|c| c.id.to_string()).collect();
        ids.sort_unstable();
        assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
        assert!(channels.iter().all(|channel| !channel.source.is_empty()));
    }

    #[test]
    fn a_machine_without_sensors_has_only_the_sampler_itself() {
        let root = Root::from_board("").unwrap();
        for sensor in SENSORS {
            let found = (sensor.discover)(&root);
            assert_eq!(found.is_empty(), sensor.id != "sampler", "{}", sensor.id);
        }
    }
}
