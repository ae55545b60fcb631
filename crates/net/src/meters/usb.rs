//! Power meters on USB, for `--meter auto` and `doctor`. Reads `/sys` only.

use super::{Address, OpenResult};
use machine::Caller;
use machine::Root;
use process::search_path::search_path;
use record::table::Table;

/// Testers by USB id.
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
    /// Kind of meter; `None` if the kernel reads it.
    pub(super) meter: Option<&'static str>,
    /// Kernel driver; `None` if a kind of meter reads it.
    pub(super) driver: Option<&'static str>,
    /// Its file in `/dev`; empty if the kernel reads it.
    pub(super) node: String,
    /// True if each report must be requested.
    pub(super) asks_each: bool,
}

/// A meter that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectedMeter {
    /// Its name.
    pub name: String,
    /// Address for `--meter`; `None` if it is read with any run.
    pub address: Option<String>,
    /// Reason why it is unreadable, with the missing part; a clause.
    pub problem: Option<String>,
}

/// Connected testers.
pub(super) fn devices(root: &Root) -> Vec<Device> {
    let mut devices = Vec::new();
    let device = |vendor: &str, product: &str, node: &str| {
        let is_it = |id: &str, hex: &str| u32::from_str_radix(id, 16).ok() == u32::from_str_radix(hex, 16).ok();
        let row = TESTERS.rows().find(|row| is_it(vendor, row.get("vendor")) && is_it(product, row.get("product")))?;
        // Testers with a kernel driver have no file of hidraw.
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

/// Refuses `auto`, which [`expand`] replaces where a meter is found.
pub(super) fn open_auto(_: &Address, _: Option<&Caller>) -> OpenResult {
    Err(auto(&Root::system()).err().unwrap_or_else(|| NOTHING.into()))
}

/// Kind of all meters on USB.
pub const AUTO: &str = "auto";
const NOTHING: &str = "No power meter is on USB; name one, see `sbc-bench list meters`.";

/// Addresses of the meters that `auto` selects; empty if the kernel reads one with any run.
///
/// # Errors
/// None is there, or none is readable; one sentence.
pub fn auto(root: &Root) -> Result<Vec<String>, String> {
    let found = found(root);
    let problem =
        |found: &ConnectedMeter| found.problem.as_ref().map(|why| format!("{} cannot be read: {why}.", found.name));
    let mut readable = found.iter().filter(|found| found.problem.is_none()).peekable();
    match readable.peek() {
        None => Err(found.iter().find_map(problem).unwrap_or_else(|| NOTHING.into())),
        Some(_) => Ok(readable.filter_map(|found| found.address.clone()).collect()),
    }
}

/// All meters that are present, and programs that read others.
pub fn found(root: &Root) -> Vec<ConnectedMeter> {
    let chips = root.list(HWMON).unwrap_or_default();
    let has_chip = |driver: &str| {
        chips.iter().any(|chip| root.read_value(&format!("{HWMON}/{chip}/name")).is_ok_and(|name| name == driver))
    };
    let found = devices(root).into_iter().map(|device| ConnectedMeter {
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
    if text != AUTO {
        return vec![text.to_owned()];
    }
    auto(root).unwrap_or_else(|_| vec![text.to_owned()])
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
