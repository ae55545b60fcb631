//! When and how a run ran: mode, options, gate, states, settings, kernel messages, end.

use crate::{Asked, DiedIn, Fact, Mode, Resumed, StageBegun};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When, how and with which options it ran, and how it ended.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// UTC of the start in milliseconds since 1970; every `*_ms` counts from this moment.
    pub started: Fact<i64>,
    /// Offset of the local time zone from UTC in minutes, for reports in local time.
    #[serde(default)]
    pub utc_offset_minutes: i32,
    /// Boot id of the kernel (`/proc/sys/kernel/random/boot_id`), empty in logs.
    #[serde(default)]
    pub boot_id: String,
    /// Time since boot at the start, in milliseconds.
    #[serde(default)]
    pub uptime_ms: Fact<u64>,
    /// Load averages over 1, 5 and 15 minutes at the start, times 100.
    #[serde(default)]
    pub load_hundredths: Fact<[u32; 3]>,
    /// What kind of run: `standard`, `extensive`, `review`, `command`, `graph`, `gb`, `pts` ...
    pub mode: Mode,
    /// Options that change what is measured, as on the command line or in the environment (`MaxKHz=1416000`). All words
    /// of the command are in `asked`.
    #[serde(default)]
    pub options: Vec<String>,
    /// The two sides of a run that asks whether something makes a difference, in the words given: the
    /// steps with variant `a` ran the first, those with `b` the second.
    #[serde(default)]
    pub sides: Vec<String>,
    /// True if the run had the right to change settings.
    #[serde(default)]
    pub as_root: bool,
    /// How it ended.
    pub end: End,
    /// Length of the whole run, if it ended.
    #[serde(default)]
    pub elapsed_ms: Option<u64>,
    /// Where it died, and what was found afterwards; none for runs that ended.
    #[serde(default)]
    pub died_in: Option<DiedIn>,
    /// What was typed to start it, where it can be resumed.
    #[serde(default)]
    pub asked: Option<Asked>,
    /// Its stages as far as they have begun.
    #[serde(default)]
    pub stages: Vec<StageBegun>,
    /// Every time it died and went on, in order. `boot_id` is that of the last part.
    #[serde(default)]
    pub resumed: Vec<Resumed>,
    /// Parts of the stream on disk that could not be read when this Record was made of it.
    #[serde(default)]
    pub unreadable: Vec<Unreadable>,
}

impl Run {
    /// True for a run that only watched: its figures are of the machine, and of no workload of ours.
    pub fn is_monitoring(&self) -> bool {
        self.mode == Mode::Monitor
    }
}

/// Bytes of a stream that are neither a line of it nor the half line that a cut leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unreadable {
    /// The first of them.
    pub from_byte: u64,
    /// How many.
    pub bytes: u64,
}

/// How a run ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// It has not: the program was killed, the machine froze or lost power, or it still runs.
    #[default]
    Died,
    /// All steps were gone through.
    Finished,
    /// Ended by a signal; what was measured until then is kept.
    Interrupted {
        /// Number of the signal.
        signal: i32,
    },
    /// It refused to start because the system was busy.
    Refused,
}

/// The checks before the start. Each is a fact, none of them asks a question.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Gate {
    /// True if the run went on although the system was busy (`--force`).
    pub forced: bool,
    /// True if the system was quiet enough.
    pub passed: bool,
    /// How long it waited, in milliseconds.
    pub waited_ms: u64,
    /// Share of all CPUs that was busy in the last window, in hundredths of a percent.
    pub busy_hundredths_percent: u32,
    /// The busiest processes of the last window, busiest first.
    pub busiest: Vec<BusyProcess>,
    /// CPUs that are present but offline.
    pub offline_cpus: Vec<u32>,
    /// False if the boot messages have left the kernel's ring buffer.
    pub boot_messages_present: Fact<bool>,
    /// True if the machine runs on battery.
    pub on_battery: Fact<bool>,
    /// Available memory, in KiB.
    pub available_kib: Fact<u64>,
}

/// A process that used CPU time while it was watched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BusyProcess {
    /// Process id.
    pub pid: u32,
    /// Name as in `/proc/PID/comm`.
    pub name: String,
    /// CPU time used, in hundredths of a percent of one core.
    pub hundredths_percent: u32,
}

/// State of the machine at one moment, taken before the first and after the last step.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct State {
    /// When, since the start of the run.
    #[serde(deserialize_with = "crate::moments::one")]
    pub at_ms: i64,
    /// Memory.
    pub memory: Fact<MemoryState>,
    /// Every swap device.
    pub swaps: Fact<Vec<SwapState>>,
    /// Online CPUs.
    pub online_cpus: Vec<u32>,
    /// Time spent at every OPP since boot or since the statistics were reset.
    pub residencies: Vec<Residency>,
    /// Throttle bits of a Raspberry Pi's firmware, sticky bits included.
    pub firmware_throttle_bits: Fact<u32>,
    /// Number of the first line in a log.
    #[serde(default)]
    pub line: Option<u32>,
}

/// Figures of `/proc/meminfo`, in KiB.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryState {
    /// `MemTotal`.
    pub total_kib: u64,
    /// `MemFree`.
    pub free_kib: u64,
    /// `MemAvailable`.
    pub available_kib: u64,
    /// `SwapTotal`.
    pub swap_total_kib: u64,
    /// `SwapFree`.
    pub swap_free_kib: u64,
}

/// One line of `/proc/swaps`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SwapState {
    /// Device or file.
    pub path: String,
    /// What it really is.
    pub kind: SwapKind,
    /// Size in KiB.
    pub size_kib: u64,
    /// Used in KiB.
    pub used_kib: u64,
    /// Priority.
    pub priority: i32,
}

/// What a swap device really is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SwapKind {
    /// Compressed memory.
    Zram,
    /// SD card or eMMC.
    SdCard,
    /// A rotating disk.
    RotatingDisk,
    /// SSD, NVMe or virtual disk.
    Disk,
    /// Not known.
    Unknown,
}

/// Time spent at every OPP by one cpufreq policy (`stats/time_in_state`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Residency {
    /// CPUs of the policy.
    pub cpus: Vec<u32>,
    /// `(kHz, milliseconds)`, in the kernel's order. A log prints differences over the run,
    /// this program keeps the kernel's totals of both moments.
    pub khz_ms: Vec<(u32, u64)>,
}

/// One setting that was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SettingChange {
    /// The file.
    pub path: String,
    /// Its value before.
    pub old: String,
    /// What was written.
    pub new: String,
    /// What was read back after the write.
    pub read_back: Fact<String>,
    /// When it was changed, on the axis of the samples; older Records do not say.
    #[serde(deserialize_with = "crate::moments::maybe", default)]
    pub at_ms: Option<i64>,
    /// How its restoration went.
    pub restored: Restored,
    /// True if it was not written but disturbed by a change of another setting; `new` is what it read then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub disturbed: bool,
}

impl SettingChange {
    /// The change with its moment.
    #[must_use]
    pub fn at(self, at_ms: i64) -> Self {
        let at_ms = Some(at_ms);
        Self { at_ms, ..self }
    }
}

/// A setting that was wanted and is not in force: refused by the kernel or by this program, or changed by
/// another process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnmetSetting {
    /// The file.
    pub path: String,
    /// What was wanted.
    pub wanted: String,
    /// What is in force instead.
    pub found: Fact<String>,
    /// Why, without a full stop.
    pub why: String,
    /// When, on the axis of the samples.
    #[serde(deserialize_with = "crate::moments::maybe", default)]
    pub at_ms: Option<i64>,
    /// The step that was about to begin when it was found; none if it was found when it was to be set.
    #[serde(default)]
    pub before_step: Option<String>,
    /// Running programs that are known to write it, if another process changed it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<String>,
}

/// How the restoration of a setting went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Restored {
    /// Not yet.
    Pending,
    /// The old value is back.
    Done,
    /// Another process changed it, so it was not restored; the text is the value found.
    LeftAlone(String),
    /// It could not be written.
    Failed(String),
}

/// A message of the kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KernelMessage {
    /// Milliseconds since the start of the run; negative if it came before.
    #[serde(deserialize_with = "crate::moments::maybe", default)]
    pub at_ms: Option<i64>,
    /// Text without time stamp.
    pub text: String,
    /// Line in a log.
    #[serde(default)]
    pub line: Option<u32>,
}
