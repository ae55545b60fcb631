//! Traces of a run that died, in the kernel and the hardware, read by the next start of the program.

use crate::Fact;
use serde::{Deserialize, Serialize};

/// Traces found after a run had died.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Aftermath {
    /// Time of the inspection in UTC milliseconds since 1970.
    #[serde(deserialize_with = "crate::moments::one")]
    pub looked_utc_ms: i64,
    /// True if the machine was rebooted since (another boot id): it froze, restarted or lost power. False if the same
    /// kernel still runs: only the program was killed.
    pub restarted: Fact<bool>,
    /// Kernel messages of the crash, preserved by firmware or persistent memory (`/sys/fs/pstore`).
    pub last_words: Fact<Vec<LastWords>>,
    /// Counters of memory and cache errors since the kernel started (`/sys/devices/system/edac`).
    pub memory_errors: Fact<Vec<ErrorCounter>>,
    /// Machine checks since the kernel started: errors that the processor detected in itself, its caches, buses and
    /// memory (`/proc/interrupts`).
    #[serde(default)]
    pub machine_checks: Fact<Vec<MachineChecks>>,
    /// Boot status of watchdogs (`/sys/class/watchdog/*/bootstatus`).
    pub watchdogs: Fact<Vec<WatchdogStatus>>,
    /// Reasons of the last start as reported by the hardware.
    pub reset_reasons: Vec<ResetReason>,
    /// Messages of the current boot about earlier hardware errors.
    pub hardware_messages: Vec<String>,
}

/// A file of pstore.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LastWords {
    /// File name: `dmesg-ramoops-0`, `console-ramoops-0`, `dmesg-efi-...`.
    pub file: String,
    /// Last lines of the file.
    pub lines: Vec<String>,
    /// Modification time in UTC milliseconds since 1970: the time of the crash, or of the next boot if systemd moved
    /// the file. A file that is older than the run belongs to an earlier crash, because such files are not removed
    /// automatically.
    #[serde(deserialize_with = "crate::moments::maybe", default)]
    pub written_utc_ms: Option<i64>,
}

/// Number of machine checks of one kind, over all CPUs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MachineChecks {
    /// Short name in the kernel: `MCE` for exceptions, `THR` for corrected errors beyond a threshold, `DFR` for data
    /// known to be bad and not yet used.
    pub kind: String,
    /// Number of machine checks.
    pub count: u64,
}

/// Error counters of a memory controller or another part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorCounter {
    /// Name of the controller: `mc0`; of another part with its instance: `cpu_cache/cpu_cache0`.
    pub controller: String,
    /// Corrected errors.
    pub corrected: u64,
    /// Uncorrected errors.
    pub uncorrected: u64,
}

/// Boot status of a watchdog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WatchdogStatus {
    /// Name of the watchdog from its driver.
    pub identity: String,
    /// Bits `WDIOF_*` of the kernel's watchdog interface.
    pub bootstatus: u32,
}

/// Reason of the last start from one source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResetReason {
    /// File that reports it.
    pub path: String,
    /// Text or bits of the file.
    pub says: String,
}
