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

/// Every place. Add every new path that is read.
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
        Take::Files(&[
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
    ("/sys/class/typec", Take::Files(&["power_operation_mode", "power_role"])),
    (
        "/sys/class/mtd",
        Take::Files(&["name", "type", "size", "device/spi-nor/partname", "device/spi-nor/manufacturer"]),
    ),
    ("/sys/class/ata_link", Take::Files(&["sata_spd", "hw_sata_spd_limit", "sata_spd_limit"])),
    ("/sys/class/scsi_host", Take::Files(&["link_power_management_policy"])),
    (
        "/sys/class/mmc_host",
        Take::Files(&[
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
    ("/sys/kernel/debug", Take::Files(&["ios"])),
    ("/sys/bus/i2c/drivers/ee1004", Take::Files(&["eeprom"])),
    ("/sys/bus/i2c/drivers/spd5118", Take::Files(&["eeprom"])),
    ("/sys/firmware/dmi/tables/DMI", Take::File),
    ("/sys/firmware/devicetree/base/chosen/power/max_current", Take::File),
    ("/boot/firmware/config.txt", Take::File),
    ("/boot/config.txt", Take::File),
    ("/proc/sys/kernel/tainted", Take::File),
    ("/proc/version_signature", Take::File),
    ("/proc/interrupts", Take::File),
    ("/proc/irq", Take::Files(&["smp_affinity_list"])),
    ("/proc/self/mountinfo", Take::File),
    ("/sys/devices/system/cpu/vulnerabilities", Take::Tree),
    ("/sys/class/dmi/id", Take::Tree),
    ("/sys/bus/event_source/devices", Take::Files(&["type", "cpus"])),
    ("/sys/hypervisor/type", Take::File),
    ("/sys/firmware/acpi/platform_profile", Take::File),
    ("/sys/firmware/devicetree/base/model", Take::File),
    ("/sys/firmware/devicetree/base/compatible", Take::File),
    ("/sys/firmware/devicetree/base/cpus", Take::Tree),
    ("/sys/firmware/devicetree/base/hypervisor", Take::Tree),
    ("/sys/firmware/devicetree/base/emmc2bus/dma-ranges", Take::File),
    ("/sys/firmware/devicetree/base/chosen/u-boot,version", Take::File),
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
    const PRIVATE: &[&str] = &["serial", "uuid", "asset_tag", "unique_id", "wwid", "address", "eui"];
    !SKIPPED.contains(&name) && !PRIVATE.iter().any(|part| name.contains(part))
}
