//! What the background sampler saw: columns of integers over one axis of time.

use crate::{ChannelId, Missing};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Everything sampled, column by column.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Samples {
    /// Interval that was asked for, in milliseconds; twice as long for each fold.
    pub interval_ms: u64,
    /// So many times the rows of a recording were folded, as they have more values than fit into memory. Each time,
    /// two of four rows are left: with the values of counters then, and the least and greatest of each gauge.
    #[serde(default, skip_serializing_if = "is_never")]
    pub folds: u32,
    /// Moments of the samples since the start of the run, in milliseconds. In logs they are made
    /// from the time of day of each row.
    #[serde(deserialize_with = "crate::moments::many")]
    pub at_ms: Vec<i64>,
    /// Line of each row in a log; empty in own runs.
    #[serde(default)]
    pub lines: Vec<u32>,
    /// The columns.
    pub channels: Vec<Channel>,
    /// What the sampling itself cost.
    #[serde(default)]
    pub cost: SamplerCost,
}

/// For [`Samples::folds`].
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_never(folds: &u32) -> bool {
    *folds == 0
}

impl Samples {
    /// The channel with this id.
    pub fn channel(&self, id: &ChannelId) -> Option<&Channel> {
        self.channels.iter().find(|channel| channel.id == *id)
    }

    /// The time from one row to the next in milliseconds: what was asked for, and where nobody tells that, as in logs,
    /// what most rows are apart. 0 without rows.
    pub fn usual_interval_ms(&self) -> u64 {
        if self.interval_ms > 0 {
            return self.interval_ms;
        }
        let mut apart: Vec<i64> = self.at_ms.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).collect();
        apart.sort_unstable();
        apart.get(apart.len() / 2).map_or(0, |ms| (*ms).max(0) as u64)
    }
}

/// Begins of the kinds of cooling devices that take clock or time from CPUs, as the kernel registers them:
/// `cpufreq_cooling.c`, `processor_thermal.c`, `cpuidle_cooling.c`, `intel_powerclamp.c`.
const CPU_COOLING: [&str; 7] =
    ["cpufreq", "thermal-cpu", "processor", "idle", "powerclamp", "cpu-", "intel_powerclamp"];

/// One column: a quantity of one thing over time.
///
/// Ids are dotted paths, thing first: `cpu.user`, `cpu3.idle`, `policy4.claimed`, `load.1min`,
/// `memory.available`, `swap.in`, `psi.cpu.some`, `thermal_zone0.temp`, `cooling_device0.state`,
/// `policy0.residency.1800000`, `cpu0.throttle.core`, `rpi.throttled`, `sampler.cpu`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Channel {
    /// Dotted path, unique.
    pub id: ChannelId,
    /// Name in the words of the kernel or the board: type of the thermal zone, label of hwmon.
    #[serde(default)]
    pub label: String,
    /// Unit of the values.
    pub unit: Unit,
    /// Whether the value stands for itself or counts up.
    pub kind: ChannelKind,
    /// File or device it is read from.
    pub source: String,
    /// One value per moment; none where the channel was not read or failed.
    pub values: Vec<Option<i64>>,
    /// Why values are missing, at most a few.
    #[serde(default)]
    pub gaps: Vec<Gap>,
}

impl Channel {
    /// A channel without values, name and source: those come with what it is read from.
    pub fn new(id: ChannelId, unit: Unit, kind: ChannelKind) -> Self {
        Self { id, label: String::new(), unit, kind, source: String::new(), values: Vec::new(), gaps: Vec::new() }
    }

    /// The same, with the unit and the kind that follow from the id. An id that says neither, which is one of its
    /// sensor's own, is taken for a plain number that stands for itself; where it is not, there is [`Channel::new`].
    pub fn of(id: ChannelId) -> Self {
        let unit = id.unit().unwrap_or(Unit::Count);
        let kind = id.kind().unwrap_or(ChannelKind::Gauge);
        Self::new(id, unit, kind)
    }

    /// True if its values are a temperature that is measured: a trip point (`thermal_zone0.trip1`)
    /// is one that is set.
    pub fn is_temperature(&self) -> bool {
        self.unit == Unit::Millicelsius && !self.id.is_set()
    }

    /// True for the state of a cooling device that takes clock or time from CPUs; fans and other chips do not.
    pub fn cools_cpus(&self) -> bool {
        let device = self.label.to_lowercase();
        let is_of_cpus = CPU_COOLING.iter().any(|kind| device.starts_with(kind));
        matches!(self.id, ChannelId::Cooling(_)) && is_of_cpus
    }

    /// True if its values are power that flows: a limit (`rapl0.limit.long_term`) is one that is
    /// set.
    pub fn is_power(&self) -> bool {
        let is_watts = matches!(self.unit, Unit::Milliwatts | Unit::Microwatts);
        is_watts && !self.id.is_set()
    }
}

/// A stretch without values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Gap {
    /// First moment without a value.
    #[serde(deserialize_with = "crate::moments::one")]
    pub at_ms: i64,
    /// Why.
    pub missing: Missing,
}

/// A mark added by a user or a program: `sbc-bench mark "fan off"`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mark {
    /// When, since the start of the run.
    #[serde(deserialize_with = "crate::moments::one")]
    pub at_ms: i64,
    /// The note.
    pub text: String,
}

/// Whether a value stands for itself or counts up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChannelKind {
    /// The value stands for itself.
    Gauge,
    /// The value counts up; only differences mean something.
    Counter,
}

/// Units of channels. Values are integers as the kernel gives them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A plain number.
    Count,
    /// Hundredths of a plain number, such as the load average.
    Hundredths,
    /// Whole percent (logs).
    Percent,
    /// Ticks of `USER_HZ`, 10 ms.
    Ticks,
    /// Nanoseconds.
    Nanoseconds,
    /// Microseconds.
    Microseconds,
    /// Milliseconds.
    Milliseconds,
    /// Kilohertz.
    Kilohertz,
    /// Hertz.
    Hertz,
    /// Thousandths of a degree Celsius.
    Millicelsius,
    /// Millivolts.
    Millivolts,
    /// Microvolts.
    Microvolts,
    /// Milliamperes.
    Milliamperes,
    /// Milliwatts.
    Milliwatts,
    /// Microwatts.
    Microwatts,
    /// Microjoules.
    Microjoules,
    /// KiB.
    Kibibytes,
    /// Pages of memory.
    Pages,
    /// A set of bits.
    Bits,
    /// A unit of a newer program.
    #[serde(untagged)]
    #[schemars(skip)]
    Other(Box<str>),
}

/// What the sampling cost.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SamplerCost {
    /// CPU time of the sampling thread, and of those that read slow sources for it, in nanoseconds.
    pub cpu_ns: u64,
    /// Number of samples taken.
    pub ticks: u64,
    /// Times it woke up.
    pub wakeups: u64,
    /// Wall time over which it ran, in nanoseconds.
    pub elapsed_ns: u64,
    /// Largest delay of a sample behind its time, in microseconds.
    pub delay_us_max: u64,
    /// Times it slowed itself down to stay within its budget.
    pub slowdowns: u32,
    /// Samples that came more than 5 ms after their time.
    #[serde(default)]
    pub late_ticks: u64,
    /// What each source cost.
    #[serde(default)]
    pub sources: Vec<SourceCost>,
}

/// What reading one source cost.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceCost {
    /// The file, device or meter.
    pub source: String,
    /// How often it was read.
    pub reads: u64,
    /// Wall time of all reads with parsing, in nanoseconds.
    pub read_ns: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_tell_the_interval_that_nobody_asked_for() {
        let of = |interval_ms, at_ms: &[i64]| {
            Samples { interval_ms, at_ms: at_ms.to_vec(), ..Samples::default() }.usual_interval_ms()
        };
        assert_eq!(of(500, &[0, 900, 1800]), 500);
        assert_eq!(of(0, &[0, 60_000, 121_000, 181_000, 900_000]), 60_000 + 1000);
        assert_eq!((of(0, &[]), of(0, &[7]), of(0, &[i64::MAX, i64::MIN, i64::MAX])), (0, 0, i64::MAX as u64));
    }

    #[test]
    fn a_unit_of_a_newer_program_is_kept() {
        for json in ["\"kilohertz\"", "\"lumens\"", "\"\""] {
            let unit: Unit = serde_json::from_str(json).unwrap();
            assert_eq!(matches!(unit, Unit::Other(_)), json != "\"kilohertz\"");
            assert_eq!(serde_json::to_string(&unit).unwrap(), json);
        }
    }
}
