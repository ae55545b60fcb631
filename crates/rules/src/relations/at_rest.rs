//! Relations of findings about a machine at rest. They lower no measured score, so they are notes with a remedy.

use super::super::relation::RuleRelations;
use super::note;
use crate::survey::{bus, cards, cpufreq, cpus, devfreq, disks, health, memory, power, raspberry};

/// All rules only for machines at rest.
pub const AT_REST: &[RuleRelations] = &[
    note(&bus::ASPM, "Boot with `pcie_aspm.policy=performance` where latency matters."),
    note(&cards::COUNTERFEIT, "Test the whole card (`f3`) before it gets data, or replace it."),
    note(&cards::ERRORS, "Clean or replace the card, and check its supply."),
    note(&cards::SLOW, "Update the device tree or the kernel of the board."),
    note(&cards::SIZE, "Copy the data from it and replace the card."),
    note(&cards::WORN, "Replace the eMMC or move what writes to another disk."),
    note(&cpufreq::BOOST, "Enable boost (`/sys/devices/system/cpu/cpufreq/boost`)."),
    note(&cpufreq::GOVERNOR, "Set the governor `performance` or `schedutil`."),
    note(&cpufreq::LIMIT, "Raise `scaling_max_freq` to the highest clock."),
    note(&cpus::KEPT_AWAY, "Remove `isolcpus=` from the kernel command line, or the cpuset of the cgroup."),
    note(&devfreq::GOVERNOR, "Set the governor `performance` or `simple_ondemand`."),
    note(&devfreq::LIMIT, "Raise `max_freq` of the device."),
    note(&health::DISK, "Back up the disk and look at its SMART values (`smartctl -a`)."),
    note(&disks::FUSE, "Mount it with the driver of the kernel (ntfs3, exfat)."),
    note(&disks::SCHEDULER, "Set the scheduler of this kind of disk."),
    note(&cpus::INTERRUPTS, "Move the interrupt to a fast CPU (`smp_affinity`)."),
    note(&cpufreq::IO_IS_BUSY, "Set `io_is_busy` to 1, or use `schedutil`."),
    note(&memory::CLOCK, "Look at the memory settings of the BIOS."),
    note(&memory::CHANNELS, "Install a second module of the same size."),
    note(&disks::SYNC, "Remount it without the option."),
    note(&cpufreq::ONDEMAND, "Set the tunables of the governor to their defaults."),
    note(&bus::PCIE, "Check the slot, the cable and the settings of the BIOS."),
    note(&power::SUPPLY, "Use the power supply that the maker of the board names."),
    note(&power::BATTERY, "Connect the power supply."),
    note(&raspberry::CONFIG, "Remove the setting from config.txt."),
    note(&bus::SATA, "Check the cable."),
    note(&bus::SATA_POWER, "Set `link_power_management_policy` to `max_performance`."),
    note(&cpufreq::SCHEDUTIL_BLIND, "Use a device tree that has `capacity-dmips-mhz`."),
    note(&cpufreq::SCHEDUTIL_SLOW, "Lower `rate_limit_us` of the governor."),
    note(&memory::SWAP_PRIORITY, "Give zram the higher priority (`swapon -p`)."),
    note(&memory::HUGE_PAGES, "Set transparent huge pages to `madvise` or `always`."),
    note(&bus::UAS, "Remove the quirk, or use another USB bridge."),
    note(&bus::USB, "Use a USB 3 port and cable."),
];
