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
    /// Memory was too small, and what ran had to wait for swap.
    TooLittleMemory,
    /// Memory is slower than that of others with the same chip.
    SlowMemory,
    /// Where threads and their memory lie differs from run to run.
    NumaOrScheduler,
    /// What ran had to wait for storage.
    StorageWait,
    /// A crypto engine computed instead of the CPU.
    CryptoEngine,
    /// Clocks are set higher than the maker of the board sells it.
    Overclocked,
    /// The kernel reported a fault of its own.
    KernelTrouble,
    /// The machine is not all that is seen of it.
    Virtualised,
    /// Swapped pages are compressed twice.
    DoubleCompression,
    /// A figure is wrong, as no such machine can have it.
    ImpossibleFigure,
    /// A step failed or was left out for a reason that it says itself.
    StepFailed,
    /// Something that nothing in the Record shows.
    NotVisible,
}

impl Cause {
    /// All of them, in their order.
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
