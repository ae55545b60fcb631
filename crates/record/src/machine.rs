//! Description of a machine: board, CPUs, clusters, cpufreq policies, memory, kernel, distribution.

use crate::{Fact, Supply};
use serde::{Deserialize, Serialize};

/// Machine of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Machine {
    /// Name of the board: device tree model, DMI vendor and product.
    pub board: Fact<String>,
    /// Name of the SoC or CPU from the device tree or cpuinfo.
    pub soc: Fact<String>,
    /// Identification data of the chip from fuses, firmware and kernel, by name: `hardware`, `revision`,
    /// `rockchip_otp`, `sunxi_sid`, `amlogic_id`, `boot_message`, `cpu_model`, `dmi_processor`; `cpuinfo_blocks` if one
    /// description applies to all CPUs; `guess` is the conclusion in the log of another program. Never contains serial
    /// numbers.
    #[serde(default)]
    pub chip: Vec<NamedValue>,
    /// Compatible strings of the device tree's root, most specific first.
    pub compatible: Vec<String>,
    /// Firmware: BIOS, boot loader, Raspberry Pi ThreadX, as name and value.
    pub firmware: Vec<NamedValue>,
    /// Every present CPU, ordered by number.
    pub cpus: Vec<Cpu>,
    /// CPUs of the same core type and the same cpufreq policy, ordered by first CPU.
    pub clusters: Vec<Cluster>,
    /// Every cpufreq policy.
    pub policies: Vec<Policy>,
    /// Memory in KiB (`MemTotal`).
    pub memory_kib: Fact<u64>,
    /// State of zswap, and its compressor.
    pub zswap: Fact<String>,
    /// Kernel release, as `uname -r`.
    pub kernel_release: Fact<String>,
    /// Full version line of the kernel with its compiler (`/proc/version`).
    pub kernel_version: Fact<String>,
    /// Kernel command line, with serial numbers blanked.
    pub kernel_cmdline: Fact<String>,
    /// Machine architecture of the kernel, as `uname -m`.
    pub kernel_arch: Fact<String>,
    /// Architecture of the userland in Debian's notation (`arm64`, `armhf`, `amd64`, `riscv64`).
    pub userland_arch: Fact<String>,
    /// Page size in bytes.
    pub page_size_bytes: Fact<u32>,
    /// `PRETTY_NAME` of the distribution.
    pub distribution: Fact<String>,
    /// Build system of the image (Armbian, DietPi, Raspberry Pi OS ...).
    pub build_system: Fact<String>,
    /// Hypervisor or container, `none` on bare metal.
    pub virtualisation: Fact<String>,
    /// Sign that the CPU is emulated, so that clocks and scores are not those of a CPU; `none` without a sign.
    #[serde(default)]
    pub emulation: Fact<String>,
    /// Host name; removed from everything that is published.
    pub hostname: Fact<String>,
    /// Compiler of the userland, in logs of the bash program.
    pub compiler: Fact<String>,
    /// Further settings that affect speed, by name: `transparent_hugepage`, devfreq governors, ASPM policy,
    /// `scaling_driver` ...
    pub features: Vec<NamedValue>,
    /// Supplies in use with what they negotiated, and batteries with their state. Values that change from run to run are
    /// missing here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub supplies: Vec<Supply>,
}

impl Machine {
    /// Sign that the CPU is emulated; `None` without a sign, or if it was not checked.
    pub fn emulated_by(&self) -> Option<&str> {
        self.emulation.known().map(String::as_str).filter(|sign| *sign != NOT_EMULATED)
    }
}

/// Value of [`Machine::emulation`] without a sign.
pub const NOT_EMULATED: &str = "none";

/// Name and value with their source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NamedValue {
    /// Name.
    pub name: String,
    /// Value.
    pub value: String,
    /// Source file, or line of a log.
    pub from: String,
}

/// CPU of a machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cpu {
    /// Number of the CPU.
    pub cpu: u32,
    /// False if offline.
    pub online: bool,
    /// Core type, for example `Cortex-A76`, `Golden Cove`, or the model name.
    pub core_type: Fact<String>,
    /// Stepping, for example `r4p0`.
    pub stepping: Fact<String>,
    /// ARM `MIDR_EL1` or its fields in cpuinfo: implementer, variant, part, revision.
    pub midr: Fact<u32>,
    /// Package id of sysfs; -1 if the kernel has none.
    pub package: i32,
    /// `topology/cluster_id`; -1 if the kernel has none.
    pub cluster: i32,
    /// `topology/core_id`; -1 if the kernel has none.
    pub core: i32,
    /// CPUs that share this core (SMT).
    pub siblings: Vec<u32>,
    /// CPU capacity (`cpu_capacity`, 0 to 1024).
    pub capacity: Fact<u32>,
    /// Features or flags of cpuinfo that workloads use.
    pub features: Vec<String>,
    /// Caches, by level.
    pub caches: Vec<Cache>,
}

/// Cache of a CPU.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cache {
    /// Level.
    pub level: u32,
    /// `Data`, `Instruction` or `Unified`.
    pub kind: String,
    /// Size in bytes.
    pub size_bytes: u64,
    /// CPUs that share it.
    pub shared_cpus: Vec<u32>,
}

/// CPUs of one core type in one cpufreq policy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cluster {
    /// CPUs, in order.
    pub cpus: Vec<u32>,
    /// Core type, if known.
    pub core_type: Fact<String>,
    /// Number of the cpufreq policy, if any.
    pub policy: Option<u32>,
}

/// cpufreq policy with the clocks that the kernel reports.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Policy {
    /// Number of the policy.
    pub policy: u32,
    /// CPUs (`related_cpus`).
    pub cpus: Vec<u32>,
    /// Problems of the kernel's CPU list, because of which CPUs are missing here or were assigned by the policy's
    /// number; empty for a valid list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpus_unclear: Vec<String>,
    /// `scaling_driver`.
    pub driver: Fact<String>,
    /// `scaling_governor` at the start.
    pub governor: Fact<String>,
    /// `scaling_available_governors`.
    pub governors: Vec<String>,
    /// `cpuinfo_min_freq`.
    pub clock_khz_min: Fact<u32>,
    /// `cpuinfo_max_freq`.
    pub clock_khz_max: Fact<u32>,
    /// `scaling_min_freq` at the start.
    pub limit_khz_min: Fact<u32>,
    /// `scaling_max_freq` at the start.
    pub limit_khz_max: Fact<u32>,
    /// OPPs: `scaling_available_frequencies` and `scaling_boost_frequencies`, ascending.
    pub opps_khz: Vec<u32>,
    /// Highest clock without boost, if the kernel reports both; else `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unboosted_khz: Option<u32>,
}
