//! Time and circumstances of a run: mode, options, idle check, states, settings, kernel messages, end.

use crate::{DeathPoint, Fact, Invocation, Mode, Resumption, StartedStage};
use serde::{Deserialize, Serialize};

/// Time, options and end of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Run {
    /// Start in UTC milliseconds since 1970; all `*_ms` are relative to it.
    pub started: Fact<i64>,
    /// Offset of the local time zone from UTC in minutes.
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
    /// Mode: `standard`, `extensive`, `review`, `command`, `graph`, `gb`, `pts` ...
    pub mode: Mode,
    /// Options that affect measurements, as on the command line or in the environment (`MaxKHz=1416000`). `asked` has
    /// all arguments.
    #[serde(default)]
    pub options: Vec<String>,
    /// Both sides of an A/B run, as typed: steps with variant `a` ran the first, those with `b` the second.
    #[serde(default)]
    pub sides: Vec<String>,
    /// True if the run was permitted to change settings.
    #[serde(default)]
    pub as_root: bool,
    /// End of the run.
    pub end: End,
    /// Duration of the run, if it ended.
    #[serde(default)]
    pub elapsed_ms: Option<u64>,
    /// Last sign of a run that died, and later findings; `None` for runs that ended.
    #[serde(default)]
    pub died_in: Option<DeathPoint>,
    /// Command line, if the run can be resumed.
    #[serde(default)]
    pub asked: Option<Invocation>,
    /// Stages that have begun.
    #[serde(default)]
    pub stages: Vec<StartedStage>,
    /// All resumptions, in order. `boot_id` is that of the last part.
    #[serde(default)]
    pub resumed: Vec<Resumption>,
    /// Unreadable parts of the stream that this Record was built from.
    #[serde(default)]
    pub unreadable: Vec<UnreadableRange>,
}

impl Run {
    /// True for a run that only monitored: its data describe the machine rather than a workload of ours.
    pub fn is_monitoring(&self) -> bool {
        self.mode == Mode::Monitor
    }
}

/// Bytes of a stream that are neither a line nor a partial line left by a cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnreadableRange {
    /// Offset of the first byte.
    pub from_byte: u64,
    /// Number of bytes.
    pub bytes: u64,
}

/// End of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// No end event: the program was killed, the machine froze or lost power, or the run is still active.
    #[default]
    Died,
    /// All steps were executed.
    Finished,
    /// Ended by a signal; earlier measurements are kept.
    Interrupted {
        /// Number of the signal.
        signal: i32,
    },
    /// Not started because the system was busy.
    Refused,
}

/// Checks before the start, none of which is interactive.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Gate {
    /// True if the run was started despite a busy system (`--force`).
    pub forced: bool,
    /// True if the system was idle enough.
    pub passed: bool,
    /// Waiting time in milliseconds.
    pub waited_ms: u64,
    /// Utilisation of all CPUs in the last window, in hundredths of a percent.
    pub busy_hundredths_percent: u32,
    /// The busiest processes of the last window, busiest first.
    pub busiest: Vec<BusyProcess>,
    /// CPUs that are present but offline.
    pub offline_cpus: Vec<u32>,
    /// CPUs that are online but that the program may not run on.
    #[serde(default)]
    pub denied_cpus: Vec<u32>,
    /// False if the kernel's ring buffer no longer contains the boot messages.
    pub boot_messages_present: Fact<bool>,
    /// True if the machine runs on battery.
    pub on_battery: Fact<bool>,
    /// Available memory, in KiB.
    pub available_kib: Fact<u64>,
}

/// Process that used CPU time during the observation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BusyProcess {
    /// Process id.
    pub pid: u32,
    /// Name as in `/proc/PID/comm`.
    pub name: String,
    /// CPU time used, in hundredths of a percent of one core.
    pub hundredths_percent: u32,
}

/// State of the machine at one moment, before the first or after the last step.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct State {
    /// Time since the start of the run.
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
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// Line of `/proc/swaps`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SwapState {
    /// Device or file.
    pub path: String,
    /// Actual kind of the device.
    pub kind: SwapKind,
    /// Size in KiB.
    pub size_kib: u64,
    /// Used in KiB.
    pub used_kib: u64,
    /// Priority.
    pub priority: i32,
}

/// Kind of a swap device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SwapKind {
    /// Compressed memory.
    Zram,
    /// SD card or eMMC.
    SdCard,
    /// Rotating disk.
    RotatingDisk,
    /// SSD, NVMe or virtual disk.
    Disk,
    /// Unknown.
    Unknown,
}

/// Time spent at every OPP by one cpufreq policy (`stats/time_in_state`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Residency {
    /// CPUs of the policy.
    pub cpus: Vec<u32>,
    /// `(kHz, milliseconds)`, in the kernel's order. Logs contain differences over the run, own Records the kernel's
    /// totals at both times.
    pub khz_ms: Vec<(u32, u64)>,
}

/// A changed setting.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SettingChange {
    /// Path of the file.
    pub path: String,
    /// Value before the change.
    pub old: String,
    /// Written value.
    pub new: String,
    /// Value read back after the write.
    pub read_back: Fact<String>,
    /// Time of the change on the axis of the samples; `None` in older Records.
    #[serde(deserialize_with = "crate::moments::maybe", default)]
    pub at_ms: Option<i64>,
    /// Outcome of the restoration.
    pub restored: RestoreOutcome,
    /// True if it was not written but disturbed by a change of another setting; `new` is what it read then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub disturbed: bool,
}

impl SettingChange {
    /// Adds the time of the change.
    #[must_use]
    pub fn at(self, at_ms: i64) -> Self {
        Self { at_ms: Some(at_ms), ..self }
    }
}

/// A wanted setting that is not active: rejected by the kernel or by this program, or changed by another process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnmetSetting {
    /// Path of the file.
    pub path: String,
    /// Wanted value.
    pub wanted: String,
    /// Actual value.
    pub found: Fact<String>,
    /// Reason, without a full stop.
    pub why: String,
    /// Time on the axis of the samples.
    #[serde(deserialize_with = "crate::moments::maybe", default)]
    pub at_ms: Option<i64>,
    /// Step that was about to begin; `None` if the problem occurred when setting the value.
    #[serde(default)]
    pub before_step: Option<String>,
    /// Running programs that are known to write it, if another process changed it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<String>,
}

/// Outcome of a setting's restoration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RestoreOutcome {
    /// Not restored yet.
    #[default]
    Pending,
    /// The old value is restored.
    Done,
    /// Not restored because another process changed it; the text is the value found.
    LeftAlone(String),
    /// The write failed.
    Failed(String),
}

/// Kernel message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelMessage {
    /// Milliseconds since the start of the run; negative for earlier messages.
    #[serde(deserialize_with = "crate::moments::maybe", default)]
    pub at_ms: Option<i64>,
    /// Text without time stamp.
    pub text: String,
    /// Line in a log.
    #[serde(default)]
    pub line: Option<u32>,
}
