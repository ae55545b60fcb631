//! Disks and cards: bus, size, scheduler, driver, link. `cards` reads the registers of cards; `bench`, which may start
//! programs, queries the health of disks.
//!
//! Sources: Linux Documentation/ABI/stable/sysfs-block, Documentation/ABI/testing/sysfs-ata.

use super::files;
use crate::Root;
use record::{AtaLink, Disk, DiskBus};

const FOLDER: &str = "/sys/block";
/// Unit of `size` in bytes, independent of the disk.
const SECTOR_BYTES: u64 = 512;
/// Maximum number of disks; disk shelves have hundreds.
const DISKS_MAX: usize = 4096;
/// Devices on top of other disks or in memory, and parts of a disk with a name of their own.
const NOT_DISKS: &[&str] =
    &["loop", "ram", "zram", "dm-", "md", "sr", "fd", "nbd", "mtdblock", "ubiblock", "drbd", "bcache"];

/// Every disk, ordered by name.
pub(super) fn disks(root: &Root) -> Vec<Disk> {
    let names = root.list(FOLDER).unwrap_or_default();
    names.iter().filter(|name| is_disk(name)).take(DISKS_MAX).map(|name| disk(root, name)).collect()
}

fn is_disk(name: &str) -> bool {
    let part_of_emmc = name.starts_with("mmcblk") && (name.contains("boot") || name.ends_with("rpmb"));
    // Paths of NVMe multipath are not separate devices: nvme0c1n1.
    let path = name.starts_with("nvme") && name.contains('c');
    !part_of_emmc && !path && !NOT_DISKS.iter().any(|start| name.starts_with(start))
}

fn disk(root: &Root, name: &str) -> Disk {
    let folder = format!("{FOLDER}/{name}");
    let text = |file: &str| files::value(root, &format!("{folder}/{file}"));
    let number = |file: &str| files::number(root, &format!("{folder}/{file}"));
    // `../devices/platform/fe310000.sdhci/mmc_host/mmc0/mmc0:0001/block/mmcblk0`
    let target = root.link(&folder).unwrap_or_default();
    let parts = files::path_parts(&target);
    let scheduler = files::choice(root, &format!("{folder}/queue/scheduler"));
    let (scheduler, schedulers) = scheduler.map(|choice| (choice.chosen, choice.all)).unzip();
    Disk {
        name: name.to_owned(),
        bus: bus(name, &parts),
        // ATA disks report `ATA`, virtual and NVMe disks a number.
        maker: text("device/vendor").filter(|maker| maker != "ATA" && !maker.starts_with("0x")),
        model: text("device/model"),
        firmware: text("device/rev").or_else(|| text("device/firmware_rev")),
        size_bytes: number("size").map(|sectors| sectors.saturating_mul(SECTOR_BYTES)),
        rotational: number("queue/rotational").map(|flag| flag == 1),
        removable: number("removable") == Some(1),
        read_only: number("ro") == Some(1),
        driver: driver(root, &parts),
        pci: parts.iter().rev().find(|part| is_pci(part)).map(|part| (*part).to_owned()),
        usb: usb(&parts),
        scheduler,
        schedulers: schedulers.unwrap_or_default(),
        ata: ata(root, &parts),
        ata_power: ata_power(root, &parts),
        card: None,
        health: Disk::not_asked(name),
    }
}

fn bus(name: &str, parts: &[&str]) -> DiskBus {
    let has = |test: &dyn Fn(&str) -> bool| parts.iter().any(|part| test(part));
    if name.starts_with("nvme") {
        return DiskBus::Nvme;
    }
    if name.starts_with("mmcblk") {
        return DiskBus::Mmc;
    }
    if usb(parts).is_some() {
        return DiskBus::Usb;
    }
    if ata_port(parts).is_some() {
        return DiskBus::Ata;
    }
    if has(&|part| part.contains("ufs")) {
        return DiskBus::Ufs;
    }
    let is_virtual = |part: &str| part.starts_with("virtio") || part.starts_with("vbd-");
    if name.starts_with("vd") || name.starts_with("xvd") || has(&is_virtual) {
        return DiskBus::Virtual;
    }
    if name.starts_with("sd") && has(&|part| part.starts_with("host")) { DiskBus::Scsi } else { DiskBus::Unknown }
}

/// `0000:01:00.0`.
fn is_pci(part: &str) -> bool {
    part.len() >= 12
        && part.matches(':').count() == 2
        && part.contains('.')
        && part.chars().all(|c| c.is_ascii_hexdigit() || c == ':' || c == '.')
}

/// USB device in a path: the last part such as `2-1.4` with an interface `2-1.4:1.0` below.
fn usb(parts: &[&str]) -> Option<String> {
    parts.windows(2).rev().find_map(|pair| {
        let (device, _) = pair[1].split_once(':')?;
        (device == pair[0] && device.contains('-')).then(|| device.to_owned())
    })
}

/// Number of the ATA port in a path: `ata3`.
fn ata_port(parts: &[&str]) -> Option<u32> {
    parts.iter().find_map(|part| part.strip_prefix("ata")?.parse().ok())
}

/// Driver of the controller: the nearest one above the disk other than the driver of the disk itself.
fn driver(root: &Root, parts: &[&str]) -> Option<String> {
    const OF_DISKS: &[&str] = &["sd", "sr", "mmcblk", "ses"];
    (1..parts.len()).rev().find_map(|count| {
        let path = format!("/sys/{}/driver", parts[..count].join("/"));
        files::link_name(root, &path).filter(|name| !OF_DISKS.contains(&name.as_str()))
    })
}

fn ata(root: &Root, parts: &[&str]) -> Option<AtaLink> {
    let port = ata_port(parts)?;
    let file = |name: &str| {
        files::value(root, &format!("/sys/class/ata_link/link{port}/{name}")).filter(|speed| speed.ends_with("Gbps"))
    };
    Some(AtaLink { speed: file("sata_spd")?, host_max: file("hw_sata_spd_limit"), limit: file("sata_spd_limit") })
}

fn ata_power(root: &Root, parts: &[&str]) -> Option<String> {
    ata_port(parts)?;
    let host = parts.iter().find(|part| part.strip_prefix("host").is_some_and(|n| n.parse::<u32>().is_ok()))?;
    files::value(root, &format!("/sys/class/scsi_host/{host}/link_power_management_policy"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, target: &str, expected: (DiskBus, Option<&str>, Option<&str>)) {
        let board = format!("== /sys/block/{name} -> {target}\n== /sys/block/x/size\n1\n");
        let root = Root::from_board(&board).unwrap();
        let disk = disk(&root, name);
        assert_eq!((disk.bus, disk.pci.as_deref(), disk.usb.as_deref()), expected, "{name} {target}");
    }

    #[test]
    fn buses_are_read_from_paths() {
        check(
            "sda",
            "../devices/platform/soc/fd500000.pcie/pci0000:00/0000:00:00.0/0000:01:00.0/usb2/2-1/2-1:1.0/host0/target0:0:0/0:0:0:0/block/sda",
            (DiskBus::Usb, Some("0000:01:00.0"), Some("2-1")),
        );
        check(
            "sdb",
            "../devices/pci0000:00/0000:00:17.0/ata3/host2/target2:0:0/2:0:0:0/block/sdb",
            (DiskBus::Ata, Some("0000:00:17.0"), None),
        );
        check(
            "nvme10n1",
            "../devices/pci0000:00/0000:00:00.0/0000:01:00.0/nvme/nvme10/nvme10n1",
            (DiskBus::Nvme, Some("0000:01:00.0"), None),
        );
        check(
            "mmcblk12",
            "../devices/platform/fe310000.mmc/mmc_host/mmc0/mmc0:0001/block/mmcblk12",
            (DiskBus::Mmc, None, None),
        );
        check(
            "sdaa",
            "../devices/platform/soc@0/1d84000.ufshc/host0/target0:0:0/0:0:0:0/block/sdaa",
            (DiskBus::Ufs, None, None),
        );
        check(
            "vda",
            "../devices/pci0000:00/0000:00:01.0/virtio0/block/vda",
            (DiskBus::Virtual, Some("0000:00:01.0"), None),
        );
        check("mmcblk0", "no/such", (DiskBus::Mmc, None, None));
    }

    #[test]
    fn non_disks_are_skipped() {
        for (name, expected) in [
            ("mmcblk0boot0", false),
            ("mmcblk0rpmb", false),
            ("nvme0c0n1", false),
            ("zram0", false),
            ("dm-3", false),
            ("mmcblk10", true),
            ("sdaa", true),
        ] {
            assert_eq!(is_disk(name), expected, "{name}");
        }
    }

    #[test]
    fn controllers_have_the_driver() {
        let board = "\
== /sys/block/sda -> ../devices/pci0000:00/0000:00:17.0/ata3/host2/target2:0:0/2:0:0:0/block/sda
== /sys/devices/pci0000:00/0000:00:17.0/driver -> ../../../bus/pci/drivers/ahci
== /sys/devices/pci0000:00/0000:00:17.0/ata3/host2/target2:0:0/2:0:0:0/driver -> ../../sd
== /sys/class/ata_link/link3/sata_spd
3.0 Gbps
== /sys/class/ata_link/link3/hw_sata_spd_limit
6.0 Gbps
== /sys/class/ata_link/link3/sata_spd_limit
3.0 Gbps
== /sys/class/scsi_host/host2/link_power_management_policy
min_power
";
        let disk = disk(&Root::from_board(board).unwrap(), "sda");
        assert_eq!(disk.driver.as_deref(), Some("ahci"));
        assert_eq!(disk.ata.unwrap().speed, "3.0 Gbps");
        assert_eq!(disk.ata_power.as_deref(), Some("min_power"));
    }
}
