//! Power meters on USB, and sensors of the kernel that stand for one: what `--meter auto` takes, and what `doctor` says of
//! each. Reads `/sys` only.

use super::{Kind, NETWORK, Takes};
use machine::Root;
use process::search_path::search_path;
use record::table::Table;

pub(super) const AUTO: Kind = Kind {
    id: "auto",
    usage: "auto",
    about: "Every meter that is found on USB; those of hwmon and power_supply are read with any run.",
    needs: "a meter that `sbc-bench inspect doctor` names",
    quality: "that of the meter",
    document: "https://docs.kernel.org/hid/hidraw.html",
    takes: Takes::MaybeDevice,
    open: |_, _| {
        let found = found(&Root::system());
        match found.iter().find_map(|found| found.problem.as_ref().map(|why| (found, why))) {
            Some((found, why)) => Err(format!("{} cannot be read: {why}.", found.name)),
            None => Err("No power meter is on USB; name one, see `sbc-bench list meters`.".into()),
        }
    },
    ..NETWORK
};

/// Testers by their USB ids.
const TESTERS: Table = Table::of(include_str!("../../../../data/usb_meters.tsv"));
/// Programs that read meters, and their packages.
const PROGRAMS: [(&str, &str, &str); 2] =
    [("sigrok-cli", "sigrok", "sigrok-cli"), ("mosquitto_sub", "mqtt", "mosquitto-clients")];
const HIDRAW: &str = "/sys/class/hidraw";
const USB: &str = "/sys/bus/usb/devices";
const HWMON: &str = "/sys/class/hwmon";

/// A tester on USB.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Device {
    /// Its name in the table.
    pub(super) name: String,
    /// Kind of meter that reads it; none if the kernel does.
    pub(super) meter: Option<&'static str>,
    /// Driver of the kernel that reads it.
    pub(super) driver: Option<&'static str>,
    /// Its file in `/dev`; empty if the kernel reads it.
    pub(super) node: String,
    /// True if each report must be requested.
    pub(super) asks_each: bool,
}

/// A meter that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its name.
    pub name: String,
    /// What to write after `--meter`; none if it is read with any run.
    pub address: Option<String>,
    /// Why it cannot be read, with what is missing; a clause.
    pub problem: Option<String>,
}

/// Testers of the table that are connected.
pub(super) fn devices(root: &Root) -> Vec<Device> {
    let mut devices = Vec::new();
    let device = |vendor: &str, product: &str, node: &str| {
        let is_it = |id: &str, hex: &str| u32::from_str_radix(id, 16).ok() == u32::from_str_radix(hex, 16).ok();
        let row = TESTERS.rows().find(|row| is_it(vendor, row.get("vendor")) && is_it(product, row.get("product")))?;
        // The kernel reads one of its own by its USB interface, the others have a file of hidraw.
        (row.cell("driver").is_some() == node.is_empty()).then(|| Device {
            name: row.get("name").to_owned(),
            meter: row.cell("meter"),
            driver: row.cell("driver"),
            node: node.to_owned(),
            asks_each: row.get("asks") == "each",
        })
    };
    for node in root.list(HIDRAW).unwrap_or_default() {
        let text = root.read(&format!("{HIDRAW}/{node}/device/uevent")).unwrap_or_default();
        // HID_ID=BUS:VENDOR:PRODUCT
        let id = text.lines().find_map(|line| line.strip_prefix("HID_ID="));
        let mut parts = id.unwrap_or_default().split(':').skip(1);
        if let (Some(vendor), Some(product)) = (parts.next(), parts.next()) {
            devices.extend(device(vendor, product, &node));
        }
    }
    for name in root.list(USB).unwrap_or_default() {
        let id = |file: &str| root.read_value(&format!("{USB}/{name}/{file}")).unwrap_or_default();
        devices.extend(device(&id("idVendor"), &id("idProduct"), ""));
    }
    devices
}

/// All meters that are present, and programs that read others.
pub fn found(root: &Root) -> Vec<Found> {
    let chips = root.list(HWMON).unwrap_or_default();
    let has_chip = |driver: &str| {
        chips.iter().any(|chip| root.read_value(&format!("{HWMON}/{chip}/name")).is_ok_and(|name| name == driver))
    };
    let found = devices(root).into_iter().map(|device| Found {
        problem: match device.driver {
            Some(driver) if has_chip(driver) => None,
            Some(driver) => Some(format!("the kernel has not loaded the driver {driver}, which Linux has since 6.7")),
            None => denied(root, &device.node),
        },
        address: device.meter.map(|meter| format!("{meter}:{}", device.node)),
        name: device.name,
    });
    found.collect()
}

/// Programs that read meters: name, kind, and the package where it is missing.
pub fn programs() -> impl Iterator<Item = (&'static str, &'static str, Option<&'static str>)> {
    PROGRAMS
        .iter()
        .map(|(name, kind, package)| (*name, *kind, search_path().program(name).is_none().then_some(*package)))
}

fn denied(root: &Root, node: &str) -> Option<String> {
    use rustix::fs::{Access, access};
    let path = format!("/dev/{node}");
    let is_denied = root.is_system() && access(path.as_str(), Access::READ_OK | Access::WRITE_OK).is_err();
    is_denied.then(|| format!("{path} needs read and write permission: run as root, or add a udev rule"))
}

/// `auto` as the meters that it stands for: nothing where the kernel reads one with any run, and itself where none is
/// there, to say so.
pub(super) fn expand(text: &str, root: &Root) -> Vec<String> {
    if text != AUTO.id {
        return vec![text.to_owned()];
    }
    let found = found(root);
    let mut readable = found.iter().filter(|found| found.problem.is_none()).peekable();
    match readable.peek() {
        None => vec![text.to_owned()],
        Some(_) => readable.filter_map(|found| found.address.clone()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TESTER: &str = "== /sys/class/hidraw/hidraw3/device/uevent\nDRIVER=hid-generic\nHID_ID=0003:00002E3C:00005558\n\
                          == /sys/class/hidraw/hidraw0/device/uevent\nHID_ID=0003:0000046D:0000C52B\n\
                          == /sys/bus/usb/devices/1-2/idVendor\n2e3c\n== /sys/bus/usb/devices/1-2/idProduct\n5558\n";
    const POWER_Z: &str = "== /sys/bus/usb/devices/1-1/idVendor\n5fc9\n== /sys/bus/usb/devices/1-1/idProduct\n0063\n";
    const DRIVER: &str = "== /sys/class/hwmon/hwmon4/name\npowerz\n";

    #[test]
    fn meters_of_a_machine() {
        for (board, expected, expands) in [
            ("", vec![], vec!["auto"]),
            (TESTER, vec![("FNIRSI FNB58", Some("fnirsi:hidraw3"), None)], vec!["fnirsi:hidraw3"]),
            (POWER_Z, vec![("POWER-Z KM003C", None, Some("driver powerz"))], vec!["auto"]),
            (&format!("{POWER_Z}{DRIVER}"), vec![("POWER-Z KM003C", None, None)], vec![]),
        ] {
            let root = Root::from_board(board).unwrap();
            let found = found(&root);
            assert_eq!(found.len(), expected.len(), "{found:?}");
            for (found, (name, address, problem)) in found.iter().zip(expected) {
                assert_eq!((found.name.as_str(), found.address.as_deref()), (name, address));
                let why = found.problem.as_deref();
                assert!(why.is_some() == problem.is_some() && why.is_none_or(|why| why.contains(problem.unwrap())));
            }
            assert_eq!(expand("auto", &root), expands);
        }
        assert_eq!(expand("shelly:plug", &Root::from_board("").unwrap()), ["shelly:plug"]);
    }

    #[test]
    fn testers_have_one_reader() {
        for row in TESTERS.rows() {
            assert!(row.cell("meter").is_some() != row.cell("driver").is_some(), "{}", row.get("name"));
        }
    }
}
