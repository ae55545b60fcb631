//! What a snapshot holds: the places that identification, sensors, settings and gate read, and the
//! names below them that are left out. A place that is not here is missing in every snapshot.

/// How much of a place is wanted.
#[derive(Clone, Copy)]
pub(super) enum Take {
    /// This one file.
    File,
    /// The file's first bytes: the header of a program.
    Header,
    /// Everything below, links not followed.
    Tree,
    /// Every entry of a class: the link, and everything below its target.
    Class,
    /// Of every entry below, only these files.
    Files(&'static [&'static str]),
}

/// Every place. Whoever reads a new one adds it.
pub(super) const PLACES: &[(&str, Take)] = &[
    ("/proc/cpuinfo", Take::File),
    ("/proc/meminfo", Take::File),
    ("/proc/stat", Take::File),
    ("/proc/version", Take::File),
    ("/proc/cmdline", Take::File),
    ("/proc/swaps", Take::File),
    ("/proc/loadavg", Take::File),
    ("/proc/uptime", Take::File),
    ("/proc/vmstat", Take::File),
    ("/proc/pressure/cpu", Take::File),
    ("/proc/pressure/io", Take::File),
    ("/proc/pressure/memory", Take::File),
    ("/proc/1/cgroup", Take::File),
    ("/proc/xen/capabilities", Take::File),
    ("/proc/sys/kernel/osrelease", Take::File),
    ("/proc/sys/kernel/arch", Take::File),
    ("/proc/sys/kernel/hostname", Take::File),
    ("/proc/sys/kernel/random/boot_id", Take::File),
    ("/bin/sh", Take::Header),
    ("/etc/os-release", Take::File),
    ("/usr/lib/os-release", Take::File),
    ("/etc/armbian-release", Take::File),
    ("/etc/orangepi-release", Take::File),
    ("/etc/fenix-release", Take::File),
    ("/etc/radxa_image_fingerprint", Take::File),
    ("/etc/rpi-issue", Take::File),
    ("/etc/apt/sources.list.d/raspi.list", Take::File),
    ("/boot/dietpi/.version", Take::File),
    ("/run/systemd/container", Take::File),
    ("/.dockerenv", Take::File),
    ("/run/.containerenv", Take::File),
    ("/sys/devices/system/cpu", Take::Tree),
    ("/sys/devices/cpu_core/cpus", Take::File),
    ("/sys/devices/cpu_atom/cpus", Take::File),
    ("/sys/devices/cpu_lowpower/cpus", Take::File),
    ("/sys/devices/soc0", Take::Tree),
    ("/sys/devices/system/clocksource/clocksource0", Take::Tree),
    ("/sys/class/thermal", Take::Class),
    ("/sys/class/hwmon", Take::Class),
    ("/sys/class/devfreq", Take::Class),
    ("/sys/class/powercap", Take::Class),
    (
        "/sys/class/power_supply",
        Take::Files(&["type", "scope", "status", "online", "capacity"]),
    ),
    ("/sys/class/dmi/id", Take::Tree),
    (
        "/sys/block",
        Take::Files(&[
            "size",
            "removable",
            "queue/rotational",
            "disksize",
            "comp_algorithm",
            "mm_stat",
        ]),
    ),
    (
        "/sys/bus/event_source/devices",
        Take::Files(&["type", "cpus"]),
    ),
    ("/sys/hypervisor/type", Take::File),
    ("/sys/firmware/acpi/platform_profile", Take::File),
    ("/sys/firmware/devicetree/base/model", Take::File),
    ("/sys/firmware/devicetree/base/compatible", Take::File),
    ("/sys/firmware/devicetree/base/cpus", Take::Tree),
    ("/sys/firmware/devicetree/base/hypervisor", Take::Tree),
    (
        "/sys/firmware/devicetree/base/emmc2bus/dma-ranges",
        Take::File,
    ),
    (
        "/sys/firmware/devicetree/base/chosen/u-boot,version",
        Take::File,
    ),
    ("/sys/kernel/mm/transparent_hugepage/enabled", Take::File),
    ("/sys/module/pcie_aspm/parameters/policy", Take::File),
    ("/sys/module/zswap/parameters", Take::Tree),
];

/// Where operating points stand in the device tree: nodes of this name below the root.
pub(super) const OPP_TABLE: &str = "opp-table";

/// Names that are never opened: they hold what is private, change something, or are of no use.
const SKIPPED: &[&str] = &[
    "crash_notes",
    "crash_notes_size",
    "subsystem",
    "uevent",
    "power",
    "driver",
    "firmware_node",
    "physical_node",
    "hotplug",
    "microcode",
    "wakeup",
    "reload",
    "modalias",
    "phandle",
    "vulnerabilities",
    "state_disabled",
];

/// False for files that hold nothing but what is private, and for those of no use.
pub(super) fn is_wanted(name: &str) -> bool {
    const PRIVATE: &[&str] = &[
        "serial",
        "uuid",
        "asset_tag",
        "unique_id",
        "wwid",
        "address",
        "eui",
    ];
    !SKIPPED.contains(&name) && !PRIVATE.iter().any(|part| name.contains(part))
}
