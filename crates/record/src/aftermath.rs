//! What a run that died has left in the kernel and the hardware: read by the start that noticed.

use crate::Fact;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was found after a run had died.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Aftermath {
    /// UTC of the look, in milliseconds since 1970.
    #[serde(deserialize_with = "crate::moments::one")]
    pub looked_utc_ms: i64,
    /// True if the machine has started again since (another boot id): then it froze, restarted or lost
    /// power. False if the same kernel still runs: then the program alone was ended.
    pub restarted: Fact<bool>,
    /// What the kernel wrote when it died, kept by firmware or memory that survives a restart
    /// (`/sys/fs/pstore`).
    pub last_words: Fact<Vec<LastWords>>,
    /// Counters of errors of memory and caches since the kernel started (`/sys/devices/system/edac`).
    pub memory_errors: Fact<Vec<ErrorCounter>>,
    /// Machine checks since the kernel started: errors that the processor found in itself, its caches, buses and
    /// memory (`/proc/interrupts`).
    #[serde(default = "not_looked_for")]
    pub machine_checks: Fact<Vec<MachineChecks>>,
    /// What watchdogs say about the last start (`/sys/class/watchdog/*/bootstatus`).
    pub watchdogs: Fact<Vec<WatchdogStatus>>,
    /// What the hardware says why it started.
    pub reset_reasons: Vec<ResetReason>,
    /// Messages of the present boot about errors of the hardware before it.
    pub hardware_messages: Vec<String>,
}

/// Of Records that are older than this question.
fn not_looked_for() -> Fact<Vec<MachineChecks>> {
    Fact::not_reached()
}

/// One file of pstore.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LastWords {
    /// Its name: `dmesg-ramoops-0`, `console-ramoops-0`, `dmesg-efi-...`.
    pub file: String,
    /// Its last lines.
    pub lines: Vec<String>,
    /// When it was written, in UTC milliseconds since 1970: at the crash, or where systemd moved it, at the start
    /// behind it. What is older than the run is of an earlier crash, as nobody has to remove such files.
    #[serde(deserialize_with = "crate::moments::maybe", default)]
    pub written_utc_ms: Option<i64>,
}

/// Machine checks of one kind, over all CPUs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MachineChecks {
    /// The kernel's short name: `MCE` for exceptions, `THR` for errors corrected beyond a threshold, `DFR` for data
    /// known to be bad and not yet used.
    pub kind: String,
    /// How many.
    pub count: u64,
}

/// Errors that a memory controller, or another part that counts its errors, has counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorCounter {
    /// The controller: `mc0`; another part with its instance: `cpu_cache/cpu_cache0`.
    pub controller: String,
    /// Errors that it corrected.
    pub corrected: u64,
    /// Errors that it could not correct.
    pub uncorrected: u64,
}

/// What a watchdog says about the last start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WatchdogStatus {
    /// Its name in the driver's words.
    pub identity: String,
    /// Bits `WDIOF_*` of the kernel's documentation of the watchdog interface.
    pub bootstatus: u32,
}

/// Why the machine started, in the words or bits of one source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ResetReason {
    /// The file.
    pub path: String,
    /// What it says.
    pub says: String,
}
