//! Kernel settings other than clocks that affect performance, and instruction sets that workloads use.

use crate::Tree;
use crate::cpuinfo::CpuInfo;
use record::NamedValue;

/// CPU flags that select the code of a workload or affect a timer. A CPU lists up to 150 flags; the others have no
/// effect on workloads.
const DECISIVE: &[&str] = &[
    // x86
    "aes",
    "avx",
    "avx2",
    "avx512bw",
    "avx512f",
    "avx512vl",
    "bmi2",
    "constant_tsc",
    "erms",
    "fma",
    "fsrm",
    "hypervisor",
    "nonstop_tsc",
    "pclmulqdq",
    "rdtscp",
    "sha_ni",
    "sse2",
    "sse4_1",
    "sse4_2",
    "ssse3",
    "vaes",
    "vpclmulqdq",
    // ARM
    "asimd",
    "asimddp",
    "asimdhp",
    "atomics",
    "crc32",
    "fp",
    "i8mm",
    "idiva",
    "lpae",
    "mops",
    "neon",
    "pmull",
    "sha1",
    "sha2",
    "sha3",
    "sha512",
    "sme",
    "sve",
    "sve2",
    "vfpd32",
    "vfpv3",
    "vfpv4",
    // LoongArch
    "crypto",
    "lasx",
    "lsx",
];

/// Relevant flags of one CPU, in the kernel's order; all extensions on RISC-V.
pub(crate) fn of_cpu(info: &CpuInfo, cpu: u32) -> Vec<String> {
    let get = |key: &str| info.own(cpu, key).or_else(|| info.common(key));
    if let Some(isa) = get("isa").filter(|isa| isa.starts_with("rv")) {
        return isa_extensions(isa);
    }
    get("flags")
        .or_else(|| get("features"))
        .unwrap_or_default()
        .split_whitespace()
        .filter(|flag| DECISIVE.contains(flag))
        .map(str::to_owned)
        .collect()
}

/// `rv64imafdc_zba` becomes `i m a f d c zba` (RISC-V ISA manual, naming conventions). Old kernels add versions, as in
/// `rv64i2p0m2p0xv5-0p0`, and the letters `s` and `u` of privilege modes.
fn isa_extensions(isa: &str) -> Vec<String> {
    let letters = isa.trim_start_matches("rv").trim_start_matches(|c: char| c.is_ascii_digit());
    let mut extensions = Vec::new();
    for part in letters.split('_').filter(|part| !part.is_empty()) {
        let first = part.as_ptr() == letters.as_ptr();
        // Multi-letter names begin with one of these letters and extend to the end of their part.
        let long_at = if first { part.find(['x', 'z']) } else { Some(0) };
        let (single, long) = part.split_at(long_at.unwrap_or(part.len()));
        let mut digits_before = false;
        for letter in single.chars() {
            // The `p` of `2p0` is the decimal point of a version.
            if letter.is_alphabetic() && !(letter == 'p' && digits_before) {
                extensions.push(letter.to_string());
            }
            digits_before = letter.is_ascii_digit();
        }
        if !long.is_empty() {
            extensions.push(long.to_owned());
        }
    }
    extensions
}

/// Files with one value: name in the Record, path.
const FILES: &[(&str, &str)] = &[
    ("transparent_hugepage", "/sys/kernel/mm/transparent_hugepage/enabled"),
    ("pcie_aspm", "/sys/module/pcie_aspm/parameters/policy"),
    ("smt", "/sys/devices/system/cpu/smt/control"),
    ("isolated", "/sys/devices/system/cpu/isolated"),
    ("nohz_full", "/sys/devices/system/cpu/nohz_full"),
    ("boost", "/sys/devices/system/cpu/cpufreq/boost"),
    ("amd_pstate", "/sys/devices/system/cpu/amd_pstate/status"),
    ("intel_pstate", "/sys/devices/system/cpu/intel_pstate/status"),
    ("intel_no_turbo", "/sys/devices/system/cpu/intel_pstate/no_turbo"),
    ("energy_performance_preference", "/sys/devices/system/cpu/cpufreq/policy0/energy_performance_preference"),
    ("cpuidle_driver", "/sys/devices/system/cpu/cpuidle/current_driver"),
    ("cpuidle_governor", "/sys/devices/system/cpu/cpuidle/current_governor"),
    ("platform_profile", "/sys/firmware/acpi/platform_profile"),
    ("clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource"),
    ("soc_machine", "/sys/devices/soc0/machine"),
    ("soc_family", "/sys/devices/soc0/family"),
    ("soc_id", "/sys/devices/soc0/soc_id"),
    ("soc_revision", "/sys/devices/soc0/revision"),
];

/// All available settings; missing ones are omitted.
pub(crate) fn features(root: &dyn Tree) -> Vec<NamedValue> {
    let mut found: Vec<NamedValue> =
        FILES.iter().filter_map(|(name, path)| value(root, (*name).to_owned(), (*path).to_owned())).collect();
    found.extend(preemption(root));
    found.extend(bcm2711_stepping(root));
    found.extend(devfreq(root));
    found.extend(link_speeds(root));
    found.extend(gpu_power(root));
    found
}

fn value(root: &dyn Tree, name: String, from: String) -> Option<NamedValue> {
    let text = root.read_value(&from).ok()?;
    // Empty lists are printed as an empty text or as `(null)`.
    (text != "(null)").then(|| NamedValue { name, value: chosen(&text).to_owned(), from })
}

/// `always [madvise] never` becomes `madvise`: the kernel marks the selected value with brackets.
fn chosen(text: &str) -> &str {
    let inner = text.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    inner.map_or(text, |(inner, _)| inner)
}

/// Governor and clocks of every devfreq device: memory controller, GPU, NPU (Linux
/// Documentation/ABI/testing/sysfs-class-devfreq).
fn devfreq(root: &dyn Tree) -> Vec<NamedValue> {
    const FOLDER: &str = "/sys/class/devfreq";
    const SETTINGS: &[&str] =
        &["governor", "cur_freq", "min_freq", "max_freq", "available_governors", "available_frequencies"];
    let devices = root.list(FOLDER).unwrap_or_default();
    let settings = devices.iter().flat_map(|device| {
        SETTINGS.iter().filter_map(move |setting| {
            let name = format!("devfreq.{device}.{setting}");
            value(root, name, format!("{FOLDER}/{device}/{setting}"))
        })
    });
    settings.collect()
}

/// Speeds in Mbit/s of the wired links in use, without their names, which may contain addresses (Linux
/// Documentation/ABI/testing/sysfs-class-net).
fn link_speeds(root: &dyn Tree) -> Option<NamedValue> {
    const FOLDER: &str = "/sys/class/net";
    let links = root.list(FOLDER).unwrap_or_default();
    // Bridges, tunnels and containers have no device.
    let wired = links.iter().filter(|link| root.link(&format!("{FOLDER}/{link}/device")).is_ok());
    let mut speeds: Vec<u32> = wired
        .filter(|link| root.read_value(&format!("{FOLDER}/{link}/operstate")).is_ok_and(|state| state == "up"))
        .filter_map(|link| root.read_value(&format!("{FOLDER}/{link}/speed")).ok()?.parse().ok())
        .collect();
    speeds.sort_unstable();
    let value = speeds.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
    let from = format!("{FOLDER}/*/speed");
    (!speeds.is_empty()).then(|| NamedValue { name: "link_mbit_per_s".into(), value, from })
}

/// Whether each GPU may sleep: `control` is `auto`, or `on` where that is forbidden (Linux
/// Documentation/ABI/testing/sysfs-devices-power). Nodes of displays without a renderer are not listed.
fn gpu_power(root: &dyn Tree) -> Vec<NamedValue> {
    const FOLDER: &str = "/sys/class/drm";
    let nodes = root.list(FOLDER).unwrap_or_default();
    let renderers = nodes.iter().filter(|node| node.starts_with("renderD"));
    let setting =
        |node: &String| value(root, format!("gpu.{node}.control"), format!("{FOLDER}/{node}/device/power/control"));
    renderers.filter_map(setting).collect()
}

/// Preemption model from the kernel's version line; it affects throughput by a few percent.
fn preemption(root: &dyn Tree) -> Option<NamedValue> {
    let version = root.read("/proc/version").ok()?;
    let model = version.split_whitespace().find(|word| word.starts_with("PREEMPT"))?;
    Some(NamedValue { name: "preemption".into(), value: model.to_owned(), from: "/proc/version".into() })
}

/// Stepping of the BCM2711 (Raspberry Pi 4). On B0 the DMA of the SD controller reaches only the first GiB of memory,
/// so its `dma-ranges` begin at 0xc0000000 (Raspberry Pi's bcm2711.dtsi and its firmware, which changes the property on
/// C0).
fn bcm2711_stepping(root: &dyn Tree) -> Option<NamedValue> {
    let from = format!("{}/emmc2bus/dma-ranges", super::board::DEVICE_TREE);
    let bytes = root.read_bytes(&from).ok()?;
    let second = bytes.get(4..8)?;
    let stepping = if second == [0xc0, 0, 0, 0] { "B0" } else { "C0 or later" };
    Some(NamedValue { name: "bcm2711_stepping".into(), value: stepping.into(), from })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BoardFile;

    #[test]
    fn extensions_of_risc_v() {
        for (isa, expected) in [
            ("rv64imafdc_zba_zbb", "i m a f d c zba zbb"),
            ("rv32im", "i m"),
            ("rv64i2p0m2p0c2p0xv5-0p0", "i m c xv5-0p0"),
            ("rv64", ""),
            ("rv64imac__zba_", "i m a c zba"),
        ] {
            assert_eq!(isa_extensions(isa).join(" "), expected, "{isa}");
        }
    }

    #[test]
    fn selected_value_in_brackets() {
        for (text, expected) in [
            ("always [madvise] never", "madvise"),
            ("[default] performance", "default"),
            ("notsupported", "notsupported"),
            ("] x [", "] x ["),
        ] {
            assert_eq!(chosen(text), expected);
        }
    }

    #[test]
    fn settings_are_found() {
        let root = BoardFile::parse(
            "\
== /sys/kernel/mm/transparent_hugepage/enabled
always [madvise] never
== /sys/devices/system/cpu/isolated

== /sys/class/devfreq/dmc -> ../../devices/platform/dmc/devfreq/dmc
== /sys/devices/platform/dmc/devfreq/dmc/governor
dmc_ondemand
== /sys/firmware/devicetree/base/emmc2bus/dma-ranges
\\0\\0\\0\\0\\xc0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\x40\\0\\0\\0
\\
== /sys/class/net/end0/device -> ../../devices/platform/gmac
== /sys/class/net/end0/operstate
up
== /sys/class/net/end0/speed
1000
== /sys/class/net/end1/device -> ../../devices/platform/gmac1
== /sys/class/net/end1/operstate
down
== /sys/class/net/end1/speed
-1
== /sys/class/net/docker0/operstate
up
== /sys/class/net/docker0/speed
10000
== /sys/class/drm/renderD128/device/power/control
on
== /sys/class/drm/card0/device/power/control
on
== /proc/version
Linux version 6.1.0 (a@b) (gcc 12) #1 SMP PREEMPT_DYNAMIC Debian
",
        );
        let found = features(&root.unwrap());
        let found: Vec<_> = found.iter().map(|f| format!("{}={}", f.name, f.value)).collect();
        assert_eq!(
            found,
            [
                "transparent_hugepage=madvise",
                "preemption=PREEMPT_DYNAMIC",
                "bcm2711_stepping=B0",
                "devfreq.dmc.governor=dmc_ondemand",
                "link_mbit_per_s=1000",
                "gpu.renderD128.control=on"
            ]
        );
    }

    proptest::proptest! {
        #[test]
        fn parsers_never_panic(text in "\\PC{0,30}") {
            isa_extensions(&text);
            chosen(&text);
        }
    }
}
