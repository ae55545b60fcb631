//! What the workloads measure. Every repetition is kept; nothing here is a mean.

use crate::{BandwidthCurve, Fact, LoadedLatency};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What one step measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Measured {
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
    /// 7-zip's benchmark, or one that counts like it.
    Compression(Compression),
    /// A score repeated over time, such as kH/s of a miner.
    Series(Series),
    /// What any other program is scored by: its time, or numbers taken from its output.
    Scores(Scores),
    /// Waiting until the machine is as cool, as warm or as idle as a test wants it.
    Wait(Wait),
}

/// A wait for a state of the machine.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Wait {
    /// The temperature that was waited for, if one was.
    #[serde(default)]
    pub target_millicelsius: Option<i64>,
    /// Temperature at the beginning.
    pub start_millicelsius: Fact<i64>,
    /// Temperature at the end.
    pub end_millicelsius: Fact<i64>,
    /// Why the target was not reached, if it was not.
    #[serde(default)]
    pub not_reached: Option<String>,
}

/// The scores of a program that was run once.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Scores {
    /// The scores, the one that stands for the program first.
    pub rows: Vec<Score>,
    /// What the program printed, bounded: beginning and end are kept.
    #[serde(default)]
    pub output: String,
    /// What to know when reading the scores, for example that they come from the caches.
    #[serde(default)]
    pub detail: String,
    /// Where the program says that its results can be seen.
    #[serde(default)]
    pub links: Vec<String>,
}

/// One score of a program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Score {
    /// What it is called; empty for a program's only score.
    pub name: String,
    /// The number.
    pub value: f64,
    /// Its unit; empty if the program does not tell.
    pub unit: String,
    /// True if a higher value is better.
    pub higher_is_better: bool,
}

/// Clock readings of one pass.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Clocks {
    /// The readings, in the order taken.
    pub points: Vec<ClockPoint>,
}

/// The clock of one CPU, measured.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClockPoint {
    /// CPU that was measured.
    pub cpu: u32,
    /// The OPP that was asked for, if one was.
    pub opp_khz: Option<u32>,
    /// What the kernel claimed while measuring.
    pub claimed_khz: Fact<u32>,
    /// Three readings (three in logs too), largest first, in kHz.
    pub readings_khz: Vec<u32>,
    /// The value printed in a log.
    #[serde(default)]
    pub printed_mhz: Option<u32>,
    /// How the readings came about; none in logs.
    #[serde(default)]
    pub windows: Option<ClockWindows>,
    /// What the hardware claimed (`cpuinfo_cur_freq`, root only): on some boards the clock itself, on
    /// others what was asked for.
    #[serde(default)]
    pub hardware_khz: Fact<u32>,
    /// Same moment, second method: cycles of the CPU's own counter over time on the CPU. The best of
    /// `counters` that counts.
    pub counter_khz: Fact<u32>,
    /// Every second method there is, with its figure or why it has none.
    #[serde(default)]
    pub counters: Vec<CounterClock>,
    /// Clock in the words of a Raspberry Pi's firmware.
    #[serde(default)]
    pub firmware_khz: Option<u32>,
    /// Core voltages printed with it, in microvolts.
    #[serde(default)]
    pub core_microvolts: Vec<u32>,
    /// True if all CPUs were measured at the same time.
    #[serde(default)]
    pub all_cpus_at_once: bool,
    /// Line in a log.
    #[serde(default)]
    pub line: Option<u32>,
}

/// A clock by another method than the chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CounterClock {
    /// What counted: `perf armv8_cortex_a76`, `IA32_APERF`, `cpuinfo_avg_freq`.
    pub name: String,
    /// The clock in kHz.
    pub khz: Fact<u32>,
}

/// The many short windows behind a clock reading.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClockWindows {
    /// Number of windows.
    pub count: u32,
    /// Highest rate that at least three windows support within 0.1 %, in kHz: the clock of
    /// the CPU while the measurement had it to itself.
    pub best_khz: u32,
    /// All work over all wall time, in kHz: the clock that a program gets the use of. Lower than
    /// `best_khz` when time is stolen, preempted or withheld by a quota.
    pub sustained_khz: u32,
    /// Share of windows within 0.5 % of the best, in thousandths.
    pub agreeing_permille: u32,
    /// Share of the time of all windows in which the thread was not on a CPU, because others had it,
    /// in thousandths. What else is missing between `best_khz` and `sustained_khz` went to interrupts,
    /// or a hypervisor took it.
    #[serde(default)]
    pub preempted_permille: Option<u32>,
    /// Rate of the second chain (multiplications) against the first: a whole number on real CPUs.
    #[serde(default)]
    pub multiply_ratio: Option<f64>,
    /// The same of a third chain, floating-point multiplications.
    #[serde(default)]
    pub float_ratio: Option<f64>,
    /// False if no three windows of a reading supported one rate within 0.1 %.
    #[serde(default)]
    pub supported: Option<bool>,
    /// Time to reach full clock after idling, in microseconds.
    #[serde(default)]
    pub ramp_us: Option<u32>,
    /// How long each reading took after pre-heating, in microseconds.
    #[serde(default)]
    pub readings_us: Vec<u32>,
}

/// Memory bandwidth of one CPU or of several.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Bandwidth {
    /// Size of the buffer in bytes.
    pub buffer_bytes: u64,
    /// True if every result was verified.
    pub verified: bool,
    /// One row per routine.
    pub rows: Vec<BandwidthRow>,
}

/// One routine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BandwidthRow {
    /// Name of the routine, for example `copy-avx2`, or the row of a log (`libc memcpy copy`).
    pub routine: String,
    /// What it does.
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

/// What a memory routine does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MemoryOperation {
    /// Reads one buffer and writes another.
    Copy,
    /// Writes a buffer.
    Fill,
    /// Reads a buffer.
    Read,
    /// Anything else in a log.
    Other,
}

impl MemoryOperation {
    /// Its name: `copy`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Copy => "copy",
            Self::Fill => "fill",
            Self::Read => "read",
            Self::Other => "other",
        }
    }
}

/// Memory latency by size of the buffer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Latency {
    /// Names of the columns: `random`, or those of a log (`1x32`, `2xPTR` ...).
    pub columns: Vec<String>,
    /// One row per size.
    pub rows: Vec<LatencyRow>,
    /// What backs the buffer: `huge pages`, `4 KiB pages`, or why not known.
    #[serde(default)]
    pub pages: String,
    /// Clock of the CPU, measured right before: nanoseconds times this are cycles.
    #[serde(default)]
    pub clock_khz: Fact<u32>,
}

/// Latencies at one size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LatencyRow {
    /// Size of the buffer in bytes.
    pub size_bytes: u64,
    /// Nanoseconds per access, one for each column; every column is the best of its repetitions.
    pub ns: Vec<Option<f64>>,
    /// How far apart the two least of several rounds are, in percent of the lesser, for the column where
    /// that is most; none where there was one round only, and in logs.
    #[serde(default)]
    pub rounds_apart_percent: Option<f64>,
    /// Line in a log.
    #[serde(default)]
    pub line: Option<u32>,
}

/// Throughput of a cipher by block size.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cipher {
    /// Algorithm, for example `aes-256-cbc`.
    pub algorithm: String,
    /// `(block size in bytes, bytes per second)`, ascending.
    pub rows: Vec<(u32, u64)>,
}

/// One run of 7-zip's benchmark (`7z b`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// Memory of the machine in MB, as 7-zip sees it.
    #[serde(default)]
    pub ram_size_mb: Option<u32>,
    /// Memory that the benchmark needs in MB.
    #[serde(default)]
    pub ram_usage_mb: Option<u32>,
    /// Number of threads as 7-zip printed it.
    #[serde(default)]
    pub benchmark_threads: Option<u32>,
    /// Clock estimates that 7-zip prints, in MHz.
    #[serde(default)]
    pub cpu_freq_mhz: Vec<u32>,
}

impl Compression {
    /// Rating of each row in MIPS as 7-zip makes its total: the mean of both directions.
    pub fn rows_mips(&self) -> Vec<f64> {
        let rows = self.compressing.iter().zip(&self.decompressing);
        rows.map(|(one, other)| f64::midpoint(one.rating_mips.into(), other.rating_mips.into())).collect()
    }
}

/// One dictionary size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

/// How long a cache line takes from one CPU to another.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CoreToCore {
    /// CPUs that were measured, ascending.
    pub cpus: Vec<u32>,
    /// Number of CPUs that were online; more than in `cpus` if only some were measured.
    pub cpus_online: u32,
    /// Every pair, once.
    pub pairs: Vec<CorePair>,
}

/// Latency between two CPUs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CorePair {
    /// The lower CPU.
    pub a: u32,
    /// The higher CPU.
    pub b: u32,
    /// Nanoseconds one way (half of there and back), one value for each batch of round trips; empty if
    /// one of the CPUs could not be used.
    pub ns: Vec<f64>,
}

/// A score repeated over time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Series {
    /// Unit, for example `kH/s`.
    pub unit: String,
    /// True if a higher value is better.
    pub higher_is_better: bool,
    /// What exactly ran, for example the network of stockfish.
    #[serde(default)]
    pub detail: String,
    /// Milliseconds since the start of the step (empty if not known), same length as `values`.
    #[serde(deserialize_with = "crate::moments::many", default)]
    pub at_ms: Vec<i64>,
    /// The values in the order in which they appeared.
    pub values: Vec<f64>,
    /// Clocks that were measured at the same moments, CPU by CPU.
    #[serde(default)]
    pub clocks: Vec<ClockSeries>,
    /// Why it ended before its time, if it did.
    #[serde(default)]
    pub ended_early: Option<String>,
}

/// The clock of one CPU, measured again and again under load.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClockSeries {
    /// The CPU.
    pub cpu: u32,
    /// Its clock in kHz at each of the moments of the series.
    pub khz: Vec<u32>,
}
