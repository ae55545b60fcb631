//! PCI functions with link state and ASPM.
//!
//! Sources: Linux Documentation/ABI/testing/sysfs-bus-pci; PCI Express Base Specification, 7.5.3 (the link control
//! register), if sysfs of an older kernel lacks the value. Names come from the database of PCI ids that distributions
//! install, else from `data/pci_names.tsv`. Network access is not used.

use super::files;
use crate::Root;
use record::table::{Row, Table, word_list};
use record::{Aspm, Fact, Missing, PciDevice, PciLink};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Names of PCI devices on common boards.
pub(super) const NAMES: Table = Table::of(include_str!("../../../../data/pci_names.tsv"));

const FOLDER: &str = "/sys/bus/pci/devices";
/// Maximum number of devices; a large server has some hundreds.
const DEVICES_MAX: usize = 4096;

/// Every function, ordered by address.
pub(super) fn devices(root: &Root) -> Vec<PciDevice> {
    let addresses = root.list(FOLDER).unwrap_or_default();
    let mut devices: Vec<PciDevice> =
        addresses.iter().take(DEVICES_MAX).filter_map(|address| device(root, address)).collect();
    name_all(root, &mut devices);
    devices
}

fn device(root: &Root, address: &str) -> Option<PciDevice> {
    let folder = format!("{FOLDER}/{address}");
    let id = |file: &str| files::hex(root, &format!("{folder}/{file}"));
    let parent = parent(root, &folder);
    Some(PciDevice {
        class: id("class")? as u32,
        vendor: id("vendor")? as u16,
        device: id("device")? as u16,
        name: None,
        label: files::value(root, &format!("{folder}/label")),
        driver: files::link_name(root, &format!("{folder}/driver")),
        link: link(root, &folder, parent.as_deref()),
        aspm: aspm(root, &folder),
        address: address.to_owned(),
    })
}

/// Directory of the bridge above, if any: the parent directory of the function.
fn parent(root: &Root, folder: &str) -> Option<String> {
    let target = root.link(folder).ok()?;
    let parts = files::path_parts(&target);
    let above = parts.get(parts.len().checked_sub(2)?)?;
    let is_address = above.len() >= 12 && above.matches(':').count() == 2;
    is_address.then(|| format!("{FOLDER}/{above}"))
}

fn link(root: &Root, folder: &str, parent: Option<&str>) -> Option<PciLink> {
    let rate = |folder: &str, file: &str| parse_rate(&files::value(root, &format!("{folder}/{file}"))?);
    let lanes = |folder: &str, file: &str| {
        let lanes = files::number(root, &format!("{folder}/{file}"))?;
        // The kernel prints 255 for registers of a device that is gone.
        u32::try_from(lanes).ok().filter(|lanes| (1..=32).contains(lanes))
    };
    Some(PciLink {
        rate_mt: rate(folder, "current_link_speed")?,
        lanes: lanes(folder, "current_link_width")?,
        rate_mt_max: rate(folder, "max_link_speed")?,
        lanes_max: lanes(folder, "max_link_width")?,
        port_rate_mt_max: parent.and_then(|port| rate(port, "max_link_speed")),
        port_lanes_max: parent.and_then(|port| lanes(port, "max_link_width")),
    })
}

/// Parses `8.0 GT/s PCIe`, or `8 GT/s` of older kernels; in MT/s.
fn parse_rate(text: &str) -> Option<u32> {
    let (number, unit) = text.split_once(' ')?;
    let rate: f64 = number.parse().ok()?;
    let known = unit.starts_with("GT/s") && (1.0..=1000.0).contains(&rate);
    known.then(|| (rate * 1000.0).round() as u32)
}

/// Enabled states: from the directory `link` (Linux 5.5), else from the device's registers.
fn aspm(root: &Root, folder: &str) -> Fact<Aspm> {
    let on = |file: &str| files::number(root, &format!("{folder}/link/{file}")).map(|n| n == 1);
    let (l0s, l1) = (on("l0s_aspm"), on("l1_aspm"));
    if l0s.is_some() || l1.is_some() {
        return Fact::Known(Aspm {
            l0s: l0s.unwrap_or(false),
            l1: l1.unwrap_or(false),
            l1_substates: ["l1_1_aspm", "l1_2_aspm"].iter().any(|file| on(file) == Some(true)),
        });
    }
    let path = format!("{folder}/config");
    match root.read_bytes(&path) {
        // Without root the kernel returns the first 64 bytes, without capabilities.
        Ok(bytes) if bytes.len() <= 64 => Missing::unsupported(&path, "reading ASPM needs root on this kernel").into(),
        Ok(bytes) => match parse_link_control(&bytes) {
            Some(control) => Fact::Known(Aspm { l0s: control & 1 != 0, l1: control & 2 != 0, l1_substates: false }),
            None => Missing::unsupported(&path, "no PCI Express link").into(),
        },
        Err(missing) => missing.into(),
    }
}

/// Link control register of the PCI Express capability (id 0x10, offset 0x10), if any.
fn parse_link_control(config: &[u8]) -> Option<u16> {
    const HAS_CAPABILITIES: u8 = 0x10;
    (config.get(6)? & HAS_CAPABILITIES != 0).then_some(())?;
    let mut at = usize::from(*config.get(0x34)? & 0xfc);
    // A device has at most 48 capabilities; a longer chain is a loop.
    for _ in 0..48 {
        if at < 0x40 {
            return None;
        }
        if *config.get(at)? == 0x10 {
            let low = *config.get(at + 0x10)?;
            return Some(u16::from_le_bytes([low, *config.get(at + 0x11)?]));
        }
        at = usize::from(*config.get(at + 1)? & 0xfc);
    }
    None
}

/// Names from the distribution's database, else from our table.
fn name_all(root: &Root, devices: &mut [PciDevice]) {
    const DATABASES: &[&str] = &["/usr/share/misc/pci.ids", "/usr/share/hwdata/pci.ids", "/usr/share/pci.ids"];
    let wanted: BTreeSet<(u16, u16)> = devices.iter().map(|d| (d.vendor, d.device)).collect();
    let database = DATABASES.iter().find_map(|path| root.read(path).ok());
    let names = parse_ids(&database.unwrap_or_default(), &wanted);
    for device in devices {
        let known = names.iter().find(|(id, _)| *id == (device.vendor, device.device));
        let own = || {
            let of_vendor = |row: &Row| row.number("vendor") == Some(device.vendor.into());
            let exact = NAMES.rows().filter(of_vendor).find(|row| row.number("device") == Some(device.device.into()));
            let row = exact.or_else(|| {
                let mut rows = NAMES.rows().filter(of_vendor);
                rows.find(|row| row.get("device") == "-")
            });
            row.map(|row| match (row.get("name"), row.get("device")) {
                // The maker's name alone would not distinguish several devices.
                (maker, "-") => format!("{maker} {:04x}:{:04x}", device.vendor, device.device),
                (name, _) => name.to_owned(),
            })
        };
        device.name = known.map(|(_, name)| name.clone()).or_else(own);
    }
}

/// Parses the PCI id database: `vvvv  Vendor`, then `\tdddd  Device`. Returns only the wanted ids.
fn parse_ids(text: &str, wanted: &BTreeSet<(u16, u16)>) -> Vec<((u16, u16), String)> {
    let mut found = Vec::new();
    let mut vendor: Option<(u16, &str)> = None;
    for line in text.lines() {
        let id = |line: &str| u16::from_str_radix(line.get(..4)?, 16).ok();
        if let Some(rest) = line.strip_prefix('\t') {
            let Some((vendor, maker)) = vendor.filter(|_| !rest.starts_with('\t')) else { continue };
            if let Some(device) = id(rest).filter(|device| wanted.contains(&(vendor, *device))) {
                let name = rest.get(4..).unwrap_or_default().trim();
                found.push(((vendor, device), format!("{} {name}", short(maker))));
            }
        } else if line.starts_with(|c: char| c.is_ascii_hexdigit()) {
            // Classes follow all vendors and begin with `C `.
            vendor = id(line)
                .zip(line.get(4..).map(str::trim))
                .filter(|(vendor, _)| wanted.iter().any(|(known, _)| known == vendor));
        } else if !line.starts_with('#') && !line.is_empty() {
            vendor = None;
        }
    }
    found
}

/// Generic words of company names.
static GENERIC_WORDS: LazyLock<Vec<&str>> = LazyLock::new(|| word_list("company-words"));

/// `Realtek Semiconductor Co., Ltd.` becomes `Realtek`, `Red Hat, Inc.` becomes `Red Hat`, `Advanced Micro Devices,
/// Inc. [AMD]` becomes `AMD`: the name up to its first generic word.
fn short(maker: &str) -> &str {
    let bracket = maker.rsplit_once('[').and_then(|(_, rest)| rest.strip_suffix(']')).filter(|name| name.len() <= 8);
    let name = maker.split(',').next().unwrap_or(maker);
    let is_generic = |word: &str| GENERIC_WORDS.iter().any(|generic| word.eq_ignore_ascii_case(generic));
    let generic = name.match_indices(' ').map(|(at, _)| at).find(|at| {
        let next = name[at + 1..].split(' ').next().unwrap_or_default();
        is_generic(next)
    });
    bracket.unwrap_or(generic.map_or(name, |at| &name[..at]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_slot() {
        let folder = "/sys/devices/pci0000:00";
        let board = format!(
            "\
== /sys/bus/pci/devices/0000:00:00.0 -> ../../../devices/pci0000:00/0000:00:00.0
== /sys/bus/pci/devices/0000:01:00.0 -> ../../../devices/pci0000:00/0000:00:00.0/0000:01:00.0
== {folder}/0000:00:00.0/class
0x060400
== {folder}/0000:00:00.0/vendor
0x1d87
== {folder}/0000:00:00.0/device
0x3588
== {folder}/0000:00:00.0/max_link_speed
8.0 GT/s PCIe
== {folder}/0000:00:00.0/max_link_width
4
== {folder}/0000:00:00.0/0000:01:00.0/class
0x010802
== {folder}/0000:00:00.0/0000:01:00.0/vendor
0x144d
== {folder}/0000:00:00.0/0000:01:00.0/device
0xa80c
== {folder}/0000:00:00.0/0000:01:00.0/current_link_speed
8.0 GT/s PCIe
== {folder}/0000:00:00.0/0000:01:00.0/max_link_speed
16.0 GT/s PCIe
== {folder}/0000:00:00.0/0000:01:00.0/current_link_width
4
== {folder}/0000:00:00.0/0000:01:00.0/max_link_width
4
== {folder}/0000:00:00.0/0000:01:00.0/link/l1_aspm
1
== /usr/share/misc/pci.ids
144d  Samsung Electronics Co Ltd
\\ta80c  NVMe SSD Controller S4LV008[Pascal]
"
        )
        .replace("\\t", "\t");
        let found = devices(&Root::from_board(&board).unwrap());
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].name.as_deref(), Some("Rockchip RK3588 PCIe bridge"));
        assert_eq!(found[1].name.as_deref(), Some("Samsung NVMe SSD Controller S4LV008[Pascal]"));
        let link = found[1].link.unwrap();
        assert_eq!((link.rate_mt, link.rate_mt_max, link.port_rate_mt_max), (8000, 16_000, Some(8000)));
        assert!(found[1].aspm.known().unwrap().l1);
    }

    /// QEMU machine `q35`: its controllers have no row of their own.
    #[test]
    fn devices_of_one_maker_are_told_apart() {
        let board = "\
== /sys/bus/pci/devices/0000:00:1f.3 -> ../../../devices/pci0000:00/0000:00:1f.3
== /sys/devices/pci0000:00/0000:00:1f.3/class
0x0c0500
== /sys/devices/pci0000:00/0000:00:1f.3/vendor
0x8086
== /sys/devices/pci0000:00/0000:00:1f.3/device
0x2930
";
        let found = devices(&Root::from_board(board).unwrap());
        assert_eq!(found[0].name.as_deref(), Some("Intel 8086:2930"));
    }

    #[test]
    fn rates_and_makers() {
        for (text, rate) in [
            ("8.0 GT/s PCIe", Some(8000)),
            ("2.5 GT/s", Some(2500)),
            ("Unknown", None),
            ("Unknown speed", None),
            ("99999999 GT/s", None),
        ] {
            assert_eq!(parse_rate(text), rate, "{text}");
        }
        assert_eq!(short("Advanced Micro Devices, Inc. [AMD]"), "AMD");
        for (maker, name) in [
            ("Realtek Semiconductor Co., Ltd.", "Realtek"),
            ("Red Hat, Inc.", "Red Hat"),
            ("Texas Instruments", "Texas Instruments"),
            ("Samsung Electronics Co Ltd", "Samsung"),
            ("Micron/Crucial Technology", "Micron/Crucial"),
            ("Technology", "Technology"),
        ] {
            assert_eq!(short(maker), name);
        }
    }

    #[test]
    fn circular_capability_list_ends() {
        let mut config = vec![0; 256];
        config[6] = 0x10;
        config[0x34] = 0x40;
        config[0x40] = 0x05;
        config[0x41] = 0x40;
        assert_eq!(parse_link_control(&config), None);
        config[0x41] = 0x70;
        config[0x70] = 0x10;
        config[0x80] = 0x42;
        assert_eq!(parse_link_control(&config), Some(0x42));
    }

    proptest::proptest! {
        #[test]
        fn parsers_never_panic(config: Vec<u8>, text in "([0-9a-f]{4}  |\t|\n|\\PC){0,40}") {
            parse_link_control(&config);
            parse_ids(&text, &BTreeSet::from([(0x10ec, 0x8125)]));
            parse_rate(&text);
        }
    }
}
