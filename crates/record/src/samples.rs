//! Data of the background sampler: columns of integers over one time axis.

use crate::{BoardInput, ChannelId, Missing, RaspberryPiChannel};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// All samples, by column.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Samples {
    /// Requested interval in milliseconds, doubled by each fold.
    pub interval_ms: u64,
    /// Number of times that the rows of a recording were folded because they exceeded the memory limit. Each fold
    /// replaces four rows by two: with the values of counters at those times, and minimum and maximum of each gauge.
    #[serde(default, skip_serializing_if = "is_never")]
    pub folds: u32,
    /// Times of the samples since the start of the run, in milliseconds. In logs they are derived from the time of day
    /// of each row.
    #[serde(deserialize_with = "crate::moments::many")]
    pub at_ms: Vec<i64>,
    /// Line of each row in a log; empty in own runs.
    #[serde(default)]
    pub lines: Vec<u32>,
    /// The columns.
    pub channels: Vec<Channel>,
    /// Overhead of sampling.
    #[serde(default)]
    pub cost: SamplerCost,
}

/// Serialization condition of [`Samples::folds`].
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_never(folds: &u32) -> bool {
    *folds == 0
}

impl Samples {
    /// The channel with this id.
    pub fn channel(&self, id: &ChannelId) -> Option<&Channel> {
        self.channels.iter().find(|channel| channel.id == *id)
    }

    /// Distance between rows in milliseconds: the requested interval, or the most common distance if that is unknown,
    /// as in logs. 0 without rows.
    pub fn usual_interval_ms(&self) -> u64 {
        if self.interval_ms > 0 {
            return self.interval_ms;
        }
        let mut apart: Vec<i64> = self.at_ms.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).collect();
        apart.sort_unstable();
        apart.get(apart.len() / 2).map_or(0, |ms| (*ms).max(0) as u64)
    }
}

/// Prefixes of cooling device types that affect CPUs, as registered by the kernel: `cpufreq_cooling.c`,
/// `processor_thermal.c`, `cpuidle_cooling.c`, `intel_powerclamp.c`.
const CPU_COOLING: [&str; 7] =
    ["cpufreq", "thermal-cpu", "processor", "idle", "powerclamp", "cpu-", "intel_powerclamp"];

/// Column of samples: one quantity over time.
///
/// Ids are dotted paths, device first: `cpu.user`, `cpu3.idle`, `policy4.claimed`, `load.1min`, `memory.available`,
/// `swap.in`, `psi.cpu.some`, `thermal_zone0.temp`, `cooling_device0.state`, `policy0.residency.1800000`,
/// `cpu0.throttle.core`, `rpi.throttled`, `sampler.cpu`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Channel {
    /// Unique dotted path.
    pub id: ChannelId,
    /// Name from the kernel or the board: type of the thermal zone, label of hwmon.
    #[serde(default)]
    pub label: String,
    /// Unit of the values.
    pub unit: Unit,
    /// Gauge or counter.
    pub kind: ChannelKind,
    /// File or device.
    pub source: String,
    /// One value per time; `None` if the channel was not read or the read failed.
    pub values: Vec<Option<i64>>,
    /// Reasons of missing values, at most a few.
    #[serde(default)]
    pub gaps: Vec<Gap>,
}

impl Channel {
    /// Channel without values, label and source, which come from its sensor.
    pub fn new(id: ChannelId, unit: Unit, kind: ChannelKind) -> Self {
        Self { id, label: String::new(), unit, kind, source: String::new(), values: Vec::new(), gaps: Vec::new() }
    }

    /// Name for people: its label, or words for columns of logs and values of a Raspberry Pi, or its id.
    pub fn name(&self) -> Cow<'_, str> {
        use ChannelId::{LogMeter, RaspberryPi};
        match &self.id {
            _ if !self.label.is_empty() => Cow::Borrowed(&self.label),
            LogMeter(_) => "power meter".into(),
            RaspberryPi(RaspberryPiChannel::CoreVoltage | RaspberryPiChannel::LogCoreVoltage) => "core voltage".into(),
            RaspberryPi(RaspberryPiChannel::PmicPower | RaspberryPiChannel::LogPmicPower) => "PMIC".into(),
            ChannelId::BoardInput(BoardInput::Log) => "input voltage".into(),
            id => id.to_string().into(),
        }
    }

    /// Channel with unit and kind derived from the id. Ids private to a sensor have neither and become a gauge of plain
    /// numbers; use [`Channel::new`] for others.
    pub fn of(id: ChannelId) -> Self {
        let unit = id.unit().unwrap_or(Unit::Count);
        let kind = id.kind().unwrap_or(ChannelKind::Gauge);
        Self::new(id, unit, kind)
    }

    /// True for measured temperatures; trip points (`thermal_zone0.trip1`) are settings.
    pub fn is_temperature(&self) -> bool {
        self.unit == Unit::Millicelsius && !self.id.is_set()
    }

    /// True for the state of a cooling device that reduces clock or time of CPUs; false for fans and other devices.
    pub fn cools_cpus(&self) -> bool {
        let device = self.label.to_lowercase();
        let is_of_cpus = CPU_COOLING.iter().any(|kind| device.starts_with(kind));
        matches!(self.id, ChannelId::Cooling(_)) && is_of_cpus
    }

    /// True for measured power; limits (`rapl0.limit.long_term`) are settings.
    pub fn is_power(&self) -> bool {
        let is_watts = matches!(self.unit, Unit::Milliwatts | Unit::Microwatts);
        is_watts && !self.id.is_set()
    }
}

/// Period without values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Gap {
    /// First time without a value.
    #[serde(deserialize_with = "crate::moments::one")]
    pub at_ms: i64,
    /// Reason.
    pub missing: Missing,
}

/// Mark added by a user or a program: `sbc-bench monitor mark "fan off"`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Mark {
    /// Time since the start of the run.
    #[serde(deserialize_with = "crate::moments::one")]
    pub at_ms: i64,
    /// Text.
    pub text: String,
}

/// Kind of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ChannelKind {
    /// Current value.
    Gauge,
    /// Ascending total; only differences are meaningful.
    Counter,
}

/// Units of channels. Values are integers in the kernel's units.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Plain number.
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
    /// Bit set.
    Bits,
    /// Unit of a newer program.
    #[serde(untagged)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    Other(Box<str>),
}

/// Overhead of the sampler.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SamplerCost {
    /// CPU time of the sampling thread and of the threads that read slow sources, in nanoseconds.
    pub cpu_ns: u64,
    /// Number of samples taken.
    pub ticks: u64,
    /// Number of wake-ups.
    pub wakeups: u64,
    /// Duration of sampling, in nanoseconds.
    pub elapsed_ns: u64,
    /// Maximum delay of a sample, in microseconds.
    pub delay_us_max: u64,
    /// Number of times the sampler reduced its rate to stay within its budget.
    pub slowdowns: u32,
    /// Samples that were more than 5 ms late.
    #[serde(default)]
    pub late_ticks: u64,
    /// Cost of each source.
    #[serde(default)]
    pub sources: Vec<SourceCost>,
}

/// Cost of reading one source.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SourceCost {
    /// File, device or meter.
    pub source: String,
    /// Number of reads.
    pub reads: u64,
    /// Wall time of all reads including parsing, in nanoseconds.
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
