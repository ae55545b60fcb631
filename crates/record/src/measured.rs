//! Measurements of workloads. All repetitions are kept, and means are not stored.

use crate::tagged::tagged;
use crate::{BandwidthCurve, Fact, LoadedLatency};
use serde::{Deserialize, Serialize};

tagged! { "kind", "StepMeasurement",
/// Measurement of one step.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum StepMeasurement {
    /// Clocks.
    Clock(Clocks),
    /// Memory bandwidth.
    Bandwidth(Bandwidth),
    /// Memory latency.
    Latency(Latency),
    /// Memory bandwidth of several CPUs at once.
    BandwidthCurve(BandwidthCurve),
    /// Memory latency under load.
    LoadedLatency(LoadedLatency),
    /// Throughput of a cipher.
    Cipher(Cipher),
    /// Latency between CPUs.
    CoreToCore(CoreToCore),
    /// 7-zip's benchmark, or one with the same method.
    Compression(Compression),
    /// A score repeated over time, such as kH/s of a miner.
    Series(Series),
    /// Scores of another program: its time, or numbers from its output.
    Scores(Scores),
    /// Wait for a temperature or an idle machine.
    Wait(Wait),
}
}

/// A wait for a state of the machine.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Wait {
    /// Target temperature, if any.
    #[serde(default)]
    pub target_millicelsius: Option<i64>,
    /// Temperature at the start.
    pub start_millicelsius: Fact<i64>,
    /// Temperature at the end.
    pub end_millicelsius: Fact<i64>,
    /// Reason why the target was not reached.
    #[serde(default)]
    pub not_reached: Option<String>,
}

/// Scores of one run of a program.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Scores {
    /// Scores; the first one represents the program.
    pub rows: Vec<Score>,
    /// Output of the program; the middle of a long output is omitted.
    #[serde(default)]
    pub output: String,
    /// Note for readers of the scores, for example that they are measured in caches.
    #[serde(default)]
    pub detail: String,
    /// Links to results, as printed by the program.
    #[serde(default)]
    pub links: Vec<String>,
}

/// Score of a program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Score {
    /// Name; empty if it is the only score.
    pub name: String,
    /// Value.
    pub value: f64,
    /// Unit; empty if unknown.
    pub unit: String,
    /// True if a higher value is better.
    pub higher_is_better: bool,
}

/// Clock readings of one pass.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Clocks {
    /// Readings, in measured order.
    pub points: Vec<ClockPoint>,
}

/// Measured clock of a CPU.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClockPoint {
    /// Measured CPU; 0 if a log does not name it.
    pub cpu: u32,
    /// True if a log does not name the measured CPU.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_cpu_unnamed: bool,
    /// Requested OPP, if any.
    pub opp_khz: Option<u32>,
    /// Clock reported by the kernel during the measurement.
    pub claimed_khz: Fact<u32>,
    /// Three readings, also in logs, largest first, in kHz.
    pub readings_khz: Vec<u32>,
    /// Value printed in a log.
    #[serde(default)]
    pub printed_mhz: Option<u32>,
    /// Windows of the readings; `None` in logs.
    #[serde(default)]
    pub windows: Option<ClockWindows>,
    /// Clock reported by the hardware (`cpuinfo_cur_freq`, root only): on some boards the actual clock, on others the
    /// requested one.
    #[serde(default)]
    pub hardware_khz: Fact<u32>,
    /// Clock at the same time by a second method: cycle counter of the CPU divided by time on the CPU. The best valid
    /// value of `counters`.
    pub counter_khz: Fact<u32>,
    /// All second methods, with their clock or the reason why it is missing.
    #[serde(default)]
    pub counters: Vec<CounterClock>,
    /// Clock reported by the firmware of a Raspberry Pi.
    #[serde(default)]
    pub firmware_khz: Option<u32>,
    /// Core voltages in a log, in microvolts.
    #[serde(default)]
    pub core_microvolts: Vec<u32>,
    /// True if all CPUs were measured at the same time.
    #[serde(default)]
    pub all_cpus_at_once: bool,
    /// Line in a log.
    #[serde(default)]
    pub line: Option<u32>,
}

/// Clock by a method other than the chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CounterClock {
    /// Counter: `perf armv8_cortex_a76`, `IA32_APERF`, `cpuinfo_avg_freq`.
    pub name: String,
    /// Clock in kHz.
    pub khz: Fact<u32>,
}

/// Windows of a clock reading.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClockWindows {
    /// Number of windows.
    pub count: u32,
    /// Highest rate that at least three windows support within 0.1 %, in kHz: the clock of the CPU without
    /// interruptions.
    pub best_khz: u32,
    /// All work divided by wall time, in kHz: the usable clock of a program. Lower than `best_khz` if time is stolen,
    /// or the thread is preempted or throttled by a quota.
    pub sustained_khz: u32,
    /// Share of windows within 0.5 % of the best, in thousandths.
    pub agreeing_permille: u32,
    /// Share of the time of all windows in which the thread was preempted by other threads, in thousandths. The rest of
    /// the difference between `best_khz` and `sustained_khz` went to interrupts or a hypervisor.
    #[serde(default)]
    pub preempted_permille: Option<u32>,
    /// Cycles of a multiplication, by a second chain: a whole number on real CPUs.
    #[serde(default)]
    pub multiply_ratio: Option<f64>,
    /// Cycles of a floating-point multiplication, by a third chain.
    #[serde(default)]
    pub float_ratio: Option<f64>,
    /// False if no three windows of a reading supported one rate within 0.1 %.
    #[serde(default)]
    pub supported: Option<bool>,
    /// Time to reach full clock after idling, in microseconds.
    #[serde(default)]
    pub ramp_us: Option<u32>,
    /// Duration of each reading after pre-heating, in microseconds.
    #[serde(default)]
    pub readings_us: Vec<u32>,
}

/// Memory bandwidth of one or several CPUs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Bandwidth {
    /// Size of the buffer in bytes.
    pub buffer_bytes: u64,
    /// True if every result was verified.
    pub verified: bool,
    /// One row per routine.
    pub rows: Vec<BandwidthRow>,
}

/// Bandwidth of one routine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BandwidthRow {
    /// Name of the routine, for example `copy-avx2`, or of the row in a log (`libc memcpy copy`).
    pub routine: String,
    /// Operation.
    pub operation: MemoryOperation,
    /// Every repetition in bytes per second (bytes copied, filled or read).
    pub bytes_per_s: Vec<u64>,
    /// Relative standard deviation in percent as printed in a log.
    #[serde(default)]
    pub printed_deviation_percent: Option<f64>,
    /// Line in a log.
    #[serde(default)]
    pub line: Option<u32>,
}

/// Operation of a memory routine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum MemoryOperation {
    /// Reads one buffer and writes another.
    Copy,
    /// Writes a buffer.
    Fill,
    /// Reads a buffer.
    Read,
    /// Another operation in a log.
    Other,
}

impl MemoryOperation {
    /// Name: `copy`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Copy => "copy",
            Self::Fill => "fill",
            Self::Read => "read",
            Self::Other => "other",
        }
    }
}

/// Memory latency by size of the buffer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Latency {
    /// Names of the columns: `random`, or those of a log (`1x32`, `2xPTR` ...).
    pub columns: Vec<String>,
    /// One row per size.
    pub rows: Vec<LatencyRow>,
    /// Page size of the buffer: `huge pages`, `4 KiB pages`, or why it is unknown.
    #[serde(default)]
    pub pages: String,
    /// Clock of the CPU, measured immediately before: nanoseconds times this are cycles.
    #[serde(default)]
    pub clock_khz: Fact<u32>,
}

/// Latencies for one size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LatencyRow {
    /// Size of the buffer in bytes.
    pub size_bytes: u64,
    /// Nanoseconds per access for each column, the best of its repetitions.
    pub ns: Vec<Option<f64>>,
    /// Difference between the two lowest rounds in percent of the lower one, for the column with the largest
    /// difference; `None` with a single round, and in logs.
    #[serde(default)]
    pub rounds_apart_percent: Option<f64>,
    /// Line in a log.
    #[serde(default)]
    pub line: Option<u32>,
}

/// Throughput of a cipher by block size.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cipher {
    /// Algorithm, for example `aes-256-cbc`.
    pub algorithm: String,
    /// `(block size in bytes, bytes per second)`, ascending.
    pub rows: Vec<(u32, u64)>,
}

/// Run of 7-zip's benchmark (`7z b`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Compression {
    /// Compression by dictionary size.
    pub compressing: Vec<DictionaryRow>,
    /// Decompression by dictionary size.
    pub decompressing: Vec<DictionaryRow>,
    /// Mean rating of compression in MIPS, as printed (`Avr:`).
    pub compressing_mips: u32,
    /// Mean rating of decompression in MIPS, as printed (`Avr:`).
    pub decompressing_mips: u32,
    /// Total rating in MIPS, as printed (`Tot:`).
    pub total_mips: u32,
    /// CPU use in percent of one core, as printed (`Tot:`).
    pub usage_percent: u32,
    /// Memory of the machine in MB, as detected by 7-zip.
    #[serde(default)]
    pub ram_size_mb: Option<u32>,
    /// Memory required by the benchmark in MB.
    #[serde(default)]
    pub ram_usage_mb: Option<u32>,
    /// Number of threads printed by 7-zip.
    #[serde(default)]
    pub benchmark_threads: Option<u32>,
    /// Clock estimates printed by 7-zip, in MHz.
    #[serde(default)]
    pub cpu_freq_mhz: Vec<u32>,
}

impl Compression {
    /// Rating of each row in MIPS, computed like 7-zip's total: the mean of both directions.
    pub fn rows_mips(&self) -> Vec<f64> {
        let rows = self.compressing.iter().zip(&self.decompressing);
        rows.map(|(one, other)| f64::midpoint(one.rating_mips.into(), other.rating_mips.into())).collect()
    }
}

/// Results for one dictionary size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DictionaryRow {
    /// Binary logarithm of the dictionary size: 22 is 4 MiB.
    pub dictionary_log2: u32,
    /// Speed in KiB per second.
    pub kib_per_s: u64,
    /// CPU use in percent of one core.
    pub usage_percent: u32,
    /// Rating per 100 % use in MIPS.
    pub rating_per_usage_mips: u32,
    /// Rating in MIPS.
    pub rating_mips: u32,
}

/// Core-to-core latency.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CoreToCore {
    /// Measured CPUs, ascending.
    pub cpus: Vec<u32>,
    /// Number of online CPUs; larger than the length of `cpus` if only some were measured.
    pub cpus_online: u32,
    /// All pairs, each once.
    pub pairs: Vec<CorePair>,
}

/// Latency between two CPUs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CorePair {
    /// The lower CPU.
    pub a: u32,
    /// The higher CPU.
    pub b: u32,
    /// Nanoseconds one way (half a round trip), one value per batch of round trips; empty if one of the CPUs could not
    /// be used.
    pub ns: Vec<f64>,
}

/// A score repeated over time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Series {
    /// Unit, for example `kH/s`.
    pub unit: String,
    /// True if a higher value is better.
    pub higher_is_better: bool,
    /// Details of the workload, for example the network of stockfish.
    #[serde(default)]
    pub detail: String,
    /// Milliseconds since the start of the step, same length as `values`; empty if unknown.
    #[serde(deserialize_with = "crate::moments::many", default)]
    pub at_ms: Vec<i64>,
    /// Values in order of time.
    pub values: Vec<f64>,
    /// Clocks measured at the same times, by CPU.
    #[serde(default)]
    pub clocks: Vec<ClockSeries>,
    /// Reason of an early end.
    #[serde(default)]
    pub ended_early: Option<String>,
}

impl Series {
    /// Counted values: all except the first of several, which is measured while threads are still starting.
    pub fn settled(&self) -> &[f64] {
        match self.values.as_slice() {
            [_, settled @ ..] if !settled.is_empty() => settled,
            all => all,
        }
    }
}

/// Clock of a CPU, measured repeatedly under load.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClockSeries {
    /// The CPU.
    pub cpu: u32,
    /// Clock in kHz at each time of the series.
    pub khz: Vec<u32>,
}
