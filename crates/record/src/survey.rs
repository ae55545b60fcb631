//! Result of an inspection of the machine: kernel, clock scaling, policies, isolated CPUs, swap, memory modules, power
//! supply.
//!
//! Facts only, without data that identifies an owner: serial numbers are reduced to their kind ([`SerialKind`]). Buses
//! and disks are in `hardware`.

use crate::{Disk, Fact, FlashPart, Mount, NamedValue, PciDevice, Step, SwapState, UsbDevice};
use serde::{Deserialize, Serialize};

/// Result of one inspection.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Survey {
    /// Time since the start of the run.
    #[serde(deserialize_with = "crate::moments::one")]
    pub at_ms: i64,
    /// Details of the kernel.
    pub kernel: KernelFacts,
    /// Devices that scale a clock: cpufreq policies, memory controller, GPU, NPU.
    pub scalers: Vec<Scaler>,
    /// Settings with a list of choices in the kernel, `default [performance] powersave`.
    pub choices: Vec<Choice>,
    /// CPUs that programs cannot use, and interrupts.
    pub cpu_use: CpuUse,
    /// PCI functions.
    pub pci: Vec<PciDevice>,
    /// USB devices other than root hubs.
    pub usb: Vec<UsbDevice>,
    /// Disks and cards.
    pub disks: Vec<Disk>,
    /// Flash behind MTD.
    pub flash: Vec<FlashPart>,
    /// Mounted file systems on disks.
    pub mounts: Vec<Mount>,
    /// Swap devices with their backing devices.
    pub swaps: Vec<Swap>,
    /// Memory modules, and soldered memory if its type is known.
    pub memory: Vec<MemoryModule>,
    /// Power supplies, chargers and USB-C ports.
    pub supplies: Vec<Supply>,
    /// Firmware settings of a Raspberry Pi (`config.txt`), as written in the file.
    pub config_txt: Fact<Vec<NamedValue>>,
    /// Obstacles to a complete inspection, one sentence each.
    pub left_out: Vec<String>,
}

/// Details of the kernel.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct KernelFacts {
    /// Relevant options of its configuration, with their source.
    pub config: Fact<Vec<NamedValue>>,
    /// Bits of `/proc/sys/kernel/tainted`.
    pub taint: Fact<u64>,
    /// Modules outside the kernel's own tree (`taint` has an `O` or `P`).
    pub foreign_modules: Vec<String>,
    /// State of each CPU vulnerability (`/sys/devices/system/cpu/vulnerabilities`).
    pub vulnerabilities: Vec<NamedValue>,
    /// Version of the upstream kernel, if the distribution reports it (`/proc/version_signature`).
    pub upstream: Fact<String>,
    /// Traces of a vendor kernel: id of the row in `kernel_traces.tsv`, text, source.
    pub traces: Vec<NamedValue>,
}

/// Kind of a device that scales its clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ScalerKind {
    /// cpufreq policy.
    Cpu,
    /// Memory controller or memory bus.
    Memory,
    /// GPU.
    Gpu,
    /// NPU.
    Npu,
    /// Other device.
    #[default]
    Other,
}

/// Device that scales its clock.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Scaler {
    /// Kind of device.
    pub kind: ScalerKind,
    /// `policy0`, or the name of the devfreq device.
    pub name: String,
    /// Directory of its files.
    pub path: String,
    /// Active governor.
    pub governor: Fact<String>,
    /// Available governors.
    pub governors: Vec<String>,
    /// Current clock in Hz.
    pub clock_hz: Fact<u64>,
    /// Available clocks in Hz, ascending.
    pub clocks_hz: Vec<u64>,
    /// Lower clock limit in Hz.
    pub limit_hz_min: Fact<u64>,
    /// Upper clock limit in Hz.
    pub limit_hz_max: Fact<u64>,
    /// Highest clock in Hz.
    pub clock_hz_max: Fact<u64>,
    /// Tunables of its governor, by name.
    pub tunables: Vec<NamedValue>,
}

/// Setting with a list of choices in the kernel.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Choice {
    /// Path of the file.
    pub path: String,
    /// Selected value.
    pub chosen: String,
    /// Available values, in the kernel's order.
    pub all: Vec<String>,
}

/// CPUs that programs cannot use, and interrupts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CpuUse {
    /// Offline CPUs.
    pub offline: Vec<u32>,
    /// CPUs isolated from the scheduler (`isolcpus`).
    pub isolated: Vec<u32>,
    /// Affinity of this process.
    pub allowed: Vec<u32>,
    /// cpusets that restrict programs to some CPUs: path and CPUs.
    pub cpusets: Vec<Cpuset>,
    /// The busiest interrupts since boot, busiest first.
    pub interrupts: Vec<Interrupt>,
    /// True if a daemon distributes interrupts.
    pub irqbalance: bool,
    /// True if the kernel has an energy model of the CPUs.
    pub energy_model: bool,
}

/// cgroup that restricts its programs to some CPUs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Cpuset {
    /// Path below the mount point of cgroups.
    pub path: String,
    /// CPUs.
    pub cpus: Vec<u32>,
}

/// Interrupt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Interrupt {
    /// Number.
    pub number: u32,
    /// Devices.
    pub names: String,
    /// Number since boot, over all CPUs.
    pub count: u64,
    /// CPU that handled most of them.
    pub cpu: u32,
    /// Share of that CPU, in percent.
    pub cpu_percent: u32,
    /// CPUs permitted to handle it (`smp_affinity_list`).
    pub allowed: Vec<u32>,
}

/// Swap device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Swap {
    /// Line of `/proc/swaps`.
    pub state: SwapState,
    /// Compressor of a zram device.
    #[serde(default)]
    pub compressor: Option<String>,
    /// `mm_stat` of a zram device: bytes stored, compressed, and total.
    #[serde(default)]
    pub zram_bytes: Option<[u64; 3]>,
}

/// Memory module, or soldered memory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct MemoryModule {
    /// Source: `DMI`, `SPD`, `device tree`, `board`.
    pub from: String,
    /// Slot, as named by the firmware.
    pub slot: String,
    /// `DDR4`, `LPDDR4X` ...
    pub kind: String,
    /// Size in MiB.
    pub size_mib: Option<u64>,
    /// Rated transfer rate in MT/s.
    pub rate_mt_max: Option<u32>,
    /// Current transfer rate in MT/s.
    pub rate_mt: Option<u32>,
    /// Manufacturer.
    pub maker: Option<String>,
    /// Part number.
    pub part: Option<String>,
}

/// Power supply, charger or USB-C port.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Supply {
    /// Name in sysfs.
    pub name: String,
    /// `Mains`, `USB`, `Battery`, `USB-C port`, `Raspberry Pi supply`.
    pub kind: String,
    /// True if it delivers power.
    pub online: Option<bool>,
    /// Negotiated mode in the kernel's words: `PD`, `1.5A`, `default` ...
    pub agreed: Option<String>,
    /// Voltage in microvolt: measured, else negotiated.
    pub voltage_uv: Option<u64>,
    /// Negotiated maximum current, in microampere.
    pub current_ua_max: Option<u64>,
    /// Capabilities of the partner, `9000 mV 3000 mA`.
    pub offers: Vec<String>,
    /// State of a battery in the kernel's words: `Charging`, `Discharging`, `Full`.
    pub status: Option<String>,
    /// Charge of a battery in percent.
    pub charge_percent: Option<u32>,
}

/// Plausibility of a serial number, an indication of counterfeits. The number itself is never stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SerialKind {
    /// All zero.
    Zero,
    /// The upper half is zero; genuine manufacturers exceed that within a day.
    Low,
    /// Plausible.
    Usual,
}

/// Step that measures the gain of a setting: part of a review, not a result of the machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Probe {
    /// Setting groups that were tuned at that time, in order; empty for the original state.
    pub raised: Vec<String>,
    /// The step.
    pub step: Step,
}
