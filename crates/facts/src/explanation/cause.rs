//! Causes of lower scores and spoiled ones.

use serde::Serialize;

/// What lowers scores or spoils them, in the order in which one explains the others: no cause is the consequence of
/// one that stands below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// The kernel ended programs because memory was full.
    OutOfMemory,
    /// The board stopped or started again during the run.
    BoardDied,
    /// The run was ended before its end.
    RunCutShort,
    /// The machine was busy when the run began.
    StartedBusy,
    /// The supply gave less voltage than the board needs.
    LowVoltage,
    /// CPUs were offline before the run.
    CpusOffline,
    /// A cgroup got less than the whole time of its CPUs.
    CpuQuota,
    /// The host of a virtual machine gave its CPUs to others.
    StolenTime,
    /// CPUs or memory were slowed down at their temperature limit.
    Heat,
    /// CPUs were slowed down at a limit of power or current.
    PowerLimit,
    /// The kernel took CPUs offline during the run.
    CpusTakenAway,
    /// A setting holds clocks below what the hardware reaches.
    SettingLimit,
    /// The governor did not give the highest clock.
    Governor,
    /// Other programs used the CPUs.
    Background,
    /// The firmware holds clocks below what the kernel asks for.
    FirmwareCap,
    /// Memory was too small, so the workload waited for swap.
    TooLittleMemory,
    /// Memory is slower than on other boards with the same chip.
    SlowMemory,
    /// Placement of threads and memory differs between runs.
    NumaOrScheduler,
    /// The workload waited for storage.
    StorageWait,
    /// A crypto engine computed instead of the CPU.
    CryptoEngine,
    /// Clocks are set higher than the maker of the board sells it.
    Overclocked,
    /// The kernel reported a fault of its own.
    KernelTrouble,
    /// The machine is virtual and shares hardware with others.
    Virtualised,
    /// Swapped pages are compressed twice.
    DoubleCompression,
    /// A figure exceeds what such a machine can reach.
    ImpossibleFigure,
    /// A step failed or was skipped for its stated reason.
    StepFailed,
    /// The Record shows no cause.
    NotVisible,
}

impl Cause {
    /// All causes in order.
    pub const ALL: &[Self] = &[
        Self::OutOfMemory,
        Self::BoardDied,
        Self::RunCutShort,
        Self::StartedBusy,
        Self::LowVoltage,
        Self::CpusOffline,
        Self::CpuQuota,
        Self::StolenTime,
        Self::Heat,
        Self::PowerLimit,
        Self::CpusTakenAway,
        Self::SettingLimit,
        Self::Governor,
        Self::Background,
        Self::FirmwareCap,
        Self::TooLittleMemory,
        Self::SlowMemory,
        Self::NumaOrScheduler,
        Self::StorageWait,
        Self::CryptoEngine,
        Self::Overclocked,
        Self::KernelTrouble,
        Self::Virtualised,
        Self::DoubleCompression,
        Self::ImpossibleFigure,
        Self::StepFailed,
        Self::NotVisible,
    ];
}
