//! Paths in a snapshot: files for identification, sensors, settings and idle check, and names below them that are
//! omitted. Paths that are not listed here are missing in all snapshots.

/// Part of a path to include.
#[derive(Clone, Copy)]
pub(super) enum FilePolicy {
    /// This file.
    File,
    /// First bytes of the file: the header of a program.
    Header,
    /// The whole directory tree, without following links.
    Tree,
    /// Every entry of a class: the link, and the tree of its target.
    Class,
    /// These files of every entry.
    Files(&'static [&'static str]),
}

/// All paths. Add every new path that the program reads.
pub(super) const PLACES: &[(&str, FilePolicy)] = &[
    ("/proc/cpuinfo", FilePolicy::File),
    ("/proc/meminfo", FilePolicy::File),
    ("/proc/stat", FilePolicy::File),
    ("/proc/version", FilePolicy::File),
    ("/proc/cmdline", FilePolicy::File),
    ("/proc/swaps", FilePolicy::File),
    ("/proc/loadavg", FilePolicy::File),
    ("/proc/uptime", FilePolicy::File),
    ("/proc/vmstat", FilePolicy::File),
    ("/proc/pressure/cpu", FilePolicy::File),
    ("/proc/pressure/io", FilePolicy::File),
    ("/proc/pressure/memory", FilePolicy::File),
    ("/proc/1/cgroup", FilePolicy::File),
    ("/proc/xen/capabilities", FilePolicy::File),
    ("/proc/sys/kernel/osrelease", FilePolicy::File),
    ("/proc/sys/kernel/arch", FilePolicy::File),
    ("/proc/sys/kernel/hostname", FilePolicy::File),
    ("/proc/sys/kernel/random/boot_id", FilePolicy::File),
    ("/bin/sh", FilePolicy::Header),
    ("/etc/os-release", FilePolicy::File),
    ("/usr/lib/os-release", FilePolicy::File),
    ("/etc/armbian-release", FilePolicy::File),
    ("/etc/orangepi-release", FilePolicy::File),
    ("/etc/fenix-release", FilePolicy::File),
    ("/etc/radxa_image_fingerprint", FilePolicy::File),
    ("/etc/rpi-issue", FilePolicy::File),
    ("/etc/apt/sources.list.d/raspi.list", FilePolicy::File),
    ("/boot/dietpi/.version", FilePolicy::File),
    ("/run/systemd/container", FilePolicy::File),
    ("/.dockerenv", FilePolicy::File),
    ("/run/.containerenv", FilePolicy::File),
    ("/sys/devices/system/cpu", FilePolicy::Tree),
    ("/sys/devices/cpu_core/cpus", FilePolicy::File),
    ("/sys/devices/cpu_atom/cpus", FilePolicy::File),
    ("/sys/devices/cpu_lowpower/cpus", FilePolicy::File),
    ("/sys/devices/soc0", FilePolicy::Tree),
    ("/sys/devices/system/clocksource/clocksource0", FilePolicy::Tree),
    ("/sys/class/thermal", FilePolicy::Class),
    ("/sys/class/hwmon", FilePolicy::Class),
    ("/sys/class/devfreq", FilePolicy::Class),
    ("/sys/class/powercap", FilePolicy::Class),
    (
        "/sys/class/power_supply",
        FilePolicy::Files(&[
            "type",
            "scope",
            "status",
            "online",
            "capacity",
            "usb_type",
            "voltage_now",
            "voltage_max",
            "current_max",
        ]),
    ),
    ("/sys/class/typec", FilePolicy::Files(&["power_operation_mode", "power_role"])),
    (
        "/sys/class/mtd",
        FilePolicy::Files(&["name", "type", "size", "device/spi-nor/partname", "device/spi-nor/manufacturer"]),
    ),
    ("/sys/class/ata_link", FilePolicy::Files(&["sata_spd", "hw_sata_spd_limit", "sata_spd_limit"])),
    ("/sys/class/scsi_host", FilePolicy::Files(&["link_power_management_policy"])),
    (
        "/sys/class/mmc_host",
        FilePolicy::Files(&[
            "device/of_node/cap-sd-highspeed",
            "device/of_node/sd-uhs-sdr50",
            "device/of_node/sd-uhs-ddr50",
            "device/of_node/sd-uhs-sdr104",
            "device/of_node/mmc-ddr-1_8v",
            "device/of_node/mmc-hs200-1_8v",
            "device/of_node/mmc-hs400-1_8v",
            "device/of_node/no-1-8-v",
        ]),
    ),
    ("/sys/kernel/debug", FilePolicy::Files(&["ios"])),
    ("/sys/bus/i2c/drivers/ee1004", FilePolicy::Files(&["eeprom"])),
    ("/sys/bus/i2c/drivers/spd5118", FilePolicy::Files(&["eeprom"])),
    ("/sys/firmware/dmi/tables/DMI", FilePolicy::File),
    ("/sys/firmware/devicetree/base/chosen/power/max_current", FilePolicy::File),
    ("/boot/firmware/config.txt", FilePolicy::File),
    ("/boot/config.txt", FilePolicy::File),
    ("/proc/sys/kernel/tainted", FilePolicy::File),
    ("/proc/version_signature", FilePolicy::File),
    ("/proc/interrupts", FilePolicy::File),
    ("/proc/irq", FilePolicy::Files(&["smp_affinity_list"])),
    ("/proc/self/mountinfo", FilePolicy::File),
    ("/sys/devices/system/cpu/vulnerabilities", FilePolicy::Tree),
    ("/sys/class/dmi/id", FilePolicy::Tree),
    ("/sys/bus/event_source/devices", FilePolicy::Files(&["type", "cpus"])),
    ("/sys/hypervisor/type", FilePolicy::File),
    ("/sys/firmware/acpi/platform_profile", FilePolicy::File),
    // Nodes of QEMU's machines, and their other devices.
    ("/sys/firmware/devicetree/base", FilePolicy::Files(&["compatible"])),
    ("/sys/firmware/devicetree/base/model", FilePolicy::File),
    ("/sys/firmware/devicetree/base/compatible", FilePolicy::File),
    ("/sys/firmware/devicetree/base/cpus", FilePolicy::Tree),
    ("/sys/firmware/devicetree/base/hypervisor", FilePolicy::Tree),
    ("/sys/firmware/devicetree/base/emmc2bus/dma-ranges", FilePolicy::File),
    ("/sys/firmware/devicetree/base/chosen/u-boot,version", FilePolicy::File),
    ("/sys/kernel/mm/transparent_hugepage/enabled", FilePolicy::File),
    ("/sys/module/pcie_aspm/parameters/policy", FilePolicy::File),
    ("/sys/module/zswap/parameters", FilePolicy::Tree),
];

/// Name prefix of the nodes with operating points, below the root of the device tree.
pub(super) const OPP_TABLE: &str = "opp-table";

/// Names that are never opened: private, with side effects, or useless.
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

/// False for files that contain only private or useless data.
pub(super) fn is_wanted(name: &str) -> bool {
    const PRIVATE: &[&str] = &["serial", "uuid", "asset_tag", "unique_id", "wwid", "address", "eui"];
    !SKIPPED.contains(&name) && !PRIVATE.iter().any(|part| name.contains(part))
}
