//! What a look over the machine finds before anything is measured: its kernel, everything that
//! scales a clock, policies, CPUs kept away from programs, swap, memory modules, power supply.
//!
//! Facts only, and nothing that names one owner: serial numbers are kept as what they tell
//! ([`SerialKind`]), never as they are. Buses and disks are in `hardware`.

use crate::{Disk, Fact, FlashPart, Mount, NamedValue, PciDevice, Step, SwapState, UsbDevice};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Everything that one look over the machine found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Survey {
    /// When, since the start of the run.
    #[serde(deserialize_with = "crate::moments::one")]
    pub at_ms: i64,
    /// The kernel beyond its release.
    pub kernel: KernelFacts,
    /// Everything that scales a clock: cpufreq policies, memory controller, GPU, NPU.
    pub scalers: Vec<Scaler>,
    /// Settings of which the kernel lists all choices, `default [performance] powersave`.
    pub choices: Vec<Choice>,
    /// CPUs that are kept away from programs, and interrupts.
    pub cpu_use: CpuUse,
    /// Every PCI function.
    pub pci: Vec<PciDevice>,
    /// Every USB device that is no hub of the root.
    pub usb: Vec<UsbDevice>,
    /// Every disk and card.
    pub disks: Vec<Disk>,
    /// Flash behind MTD.
    pub flash: Vec<FlashPart>,
    /// Mounted file systems on disks.
    pub mounts: Vec<Mount>,
    /// Swap devices with what stands behind them.
    pub swaps: Vec<Swap>,
    /// Memory modules, and memory soldered to the board where something tells its type.
    pub memory: Vec<MemoryModule>,
    /// Power supplies, chargers and USB-C ports.
    pub supplies: Vec<Supply>,
    /// Settings of the Raspberry Pi's firmware (`config.txt`), as written there.
    pub config_txt: Fact<Vec<NamedValue>>,
    /// What stood in the way of reading more, one sentence each.
    pub left_out: Vec<String>,
}

/// The kernel beyond its release.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct KernelFacts {
    /// Options of its configuration that tell something, with the file they were read from.
    pub config: Fact<Vec<NamedValue>>,
    /// Bits of `/proc/sys/kernel/tainted`.
    pub taint: Fact<u64>,
    /// Names of modules that are not part of the kernel's own tree (`taint` has an `O` or `P`).
    pub foreign_modules: Vec<String>,
    /// State of each weakness of the CPU (`/sys/devices/system/cpu/vulnerabilities`).
    pub vulnerabilities: Vec<NamedValue>,
    /// Version of the upstream kernel as a distribution tells it (`/proc/version_signature`).
    pub upstream: Fact<String>,
    /// Traces of a vendor's kernel: id of the row in `kernel_traces.tsv`, what was found, where.
    pub traces: Vec<NamedValue>,
}

/// What scales its clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScalerKind {
    /// A cpufreq policy.
    Cpu,
    /// The memory controller or a bus to it.
    Memory,
    /// Graphics.
    Gpu,
    /// Neural network accelerator.
    Npu,
    /// Anything else.
    #[default]
    Other,
}

/// One thing that scales its clock.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Scaler {
    /// What it is.
    pub kind: ScalerKind,
    /// `policy0`, or the name of the devfreq device.
    pub name: String,
    /// Folder of its files.
    pub path: String,
    /// Governor in use.
    pub governor: Fact<String>,
    /// Governors to choose from.
    pub governors: Vec<String>,
    /// Clock now, in Hz.
    pub clock_hz: Fact<u64>,
    /// Clocks it can have, in Hz, ascending.
    pub clocks_hz: Vec<u64>,
    /// Lowest clock allowed, in Hz.
    pub limit_hz_min: Fact<u64>,
    /// Clock limit, in Hz.
    pub limit_hz_max: Fact<u64>,
    /// Highest clock it has, in Hz.
    pub clock_hz_max: Fact<u64>,
    /// Tunables of its governor, by name.
    pub tunables: Vec<NamedValue>,
}

/// A setting of which the kernel lists all choices.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Choice {
    /// The file.
    pub path: String,
    /// What is chosen.
    pub chosen: String,
    /// What there is to choose from, in the kernel's order.
    pub all: Vec<String>,
}

/// CPUs that are kept away from programs, and interrupts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CpuUse {
    /// CPUs that are there but switched off.
    pub offline: Vec<u32>,
    /// CPUs that the scheduler leaves alone (`isolcpus`).
    pub isolated: Vec<u32>,
    /// CPUs that this process may use.
    pub allowed: Vec<u32>,
    /// Control groups that hold their programs on some CPUs only: path and CPUs.
    pub cpusets: Vec<Cpuset>,
    /// The busiest interrupts since boot, busiest first.
    pub interrupts: Vec<Interrupt>,
    /// True if a daemon that spreads interrupts runs.
    pub irqbalance: bool,
    /// True if the kernel has an energy model of its CPUs.
    pub energy_model: bool,
}

/// A control group that holds its programs on some CPUs only.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Cpuset {
    /// Path below the mount of control groups.
    pub path: String,
    /// CPUs.
    pub cpus: Vec<u32>,
}

/// One interrupt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Interrupt {
    /// Number.
    pub number: u32,
    /// Devices that use it.
    pub names: String,
    /// How often it came since boot, over all CPUs.
    pub count: u64,
    /// CPU that handled most of it.
    pub cpu: u32,
    /// Share of that CPU, in percent.
    pub cpu_percent: u32,
    /// CPUs that may handle it (`smp_affinity_list`).
    pub allowed: Vec<u32>,
}

/// A swap device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Swap {
    /// What `/proc/swaps` says of it.
    pub state: SwapState,
    /// Compressor of a zram device.
    #[serde(default)]
    pub compressor: Option<String>,
    /// `mm_stat` of a zram device: bytes stored, compressed, and in all.
    #[serde(default)]
    pub zram_bytes: Option<[u64; 3]>,
}

/// A memory module, or memory of the board.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MemoryModule {
    /// What tells it: `DMI`, `SPD`, `device tree`, `board`.
    pub from: String,
    /// Slot, in the words of the firmware.
    pub slot: String,
    /// `DDR4`, `LPDDR4X` ...
    pub kind: String,
    /// Size in MiB.
    pub size_mib: Option<u64>,
    /// Fastest transfer rate it is made for, in MT/s.
    pub rate_mt_max: Option<u32>,
    /// Transfer rate now, in MT/s.
    pub rate_mt: Option<u32>,
    /// Maker.
    pub maker: Option<String>,
    /// Part number.
    pub part: Option<String>,
}

/// A power supply, a charger or a USB-C port.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Supply {
    /// Name in sysfs.
    pub name: String,
    /// `Mains`, `USB`, `Battery`, `USB-C port`, `Raspberry Pi supply`.
    pub kind: String,
    /// True if it delivers.
    pub online: Option<bool>,
    /// What was agreed on, in the kernel's words: `PD`, `1.5A`, `default` ...
    pub agreed: Option<String>,
    /// Voltage in microvolt: measured, else agreed.
    pub voltage_uv: Option<u64>,
    /// Most current that was agreed on, in microampere.
    pub current_ua_max: Option<u64>,
    /// What the other end offers, `9000 mV 3000 mA`.
    pub offers: Vec<String>,
    /// What a battery does, in the kernel's words: `Charging`, `Discharging`, `Full`.
    pub status: Option<String>,
    /// Charge of a battery in percent.
    pub charge_percent: Option<u32>,
}

/// What a serial number tells of how honest its maker is. The number itself is never kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SerialKind {
    /// All zero.
    Zero,
    /// The upper half is zero: real makers count higher within a day.
    Low,
    /// As it should be.
    Usual,
}

/// A step that was run to learn what a setting gives: part of a review, and no result of the machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Probe {
    /// Groups of settings that were raised at that moment, in order; none for the machine as found.
    pub raised: Vec<String>,
    /// The step.
    pub step: Step,
}
