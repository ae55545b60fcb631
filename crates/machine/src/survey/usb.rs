//! USB devices: negotiated and possible speed, and support of UAS by storage.
//!
//! Sources: Linux Documentation/ABI/stable/sysfs-bus-usb; USB 3.2 specification, 9.6 (descriptors); USB Attached SCSI:
//! class 8, subclass 6, protocol 0x62.

use super::files;
use crate::Root;
use record::UsbDevice;

const FOLDER: &str = "/sys/bus/usb/devices";
/// Maximum number of devices; USB has 127 addresses on each bus.
const DEVICES_MAX: usize = 4096;

/// Values from the descriptors of a device.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Descriptors {
    storage: bool,
    uas: bool,
}

/// Every device except root hubs, ordered by position in the tree.
pub(super) fn devices(root: &Root) -> Vec<UsbDevice> {
    let names = root.list(FOLDER).unwrap_or_default();
    let speed = |name: &str| {
        let text = files::value(root, &format!("{FOLDER}/{name}/speed"))?;
        text.parse::<f64>().ok().map(|mbit| mbit as u32).filter(|mbit| *mbit > 0)
    };
    let hosts = names.iter().filter(|name| name.starts_with("usb"));
    let host_max = hosts.filter_map(|name| speed(name)).max();
    let is_device =
        |name: &&String| name.starts_with(|c: char| c.is_ascii_digit()) && name.contains('-') && !name.contains(':');
    names
        .iter()
        .filter(is_device)
        .take(DEVICES_MAX)
        .filter_map(|name| {
            let mut device = device(root, name, &names)?;
            device.speed_mbit_per_s = speed(name);
            device.host_mbit_per_s_max = host_max;
            Some(device)
        })
        .collect()
}

fn device(root: &Root, name: &str, all: &[String]) -> Option<UsbDevice> {
    let folder = format!("{FOLDER}/{name}");
    let id = |file: &str| files::hex(root, &format!("{folder}/{file}"));
    let text = |file: &str| files::value(root, &format!("{folder}/{file}"));
    let descriptors = root.read_bytes(&format!("{folder}/descriptors")).ok();
    let descriptors = descriptors.map(|bytes| parse_descriptors(&bytes));
    let bos = root.read_bytes(&format!("{folder}/bos_descriptors")).ok();
    let interfaces = || all.iter().filter(|other| other.split_once(':').is_some_and(|(device, _)| device == name));
    let mut drivers: Vec<String> =
        interfaces().filter_map(|interface| files::link_name(root, &format!("{FOLDER}/{interface}/driver"))).collect();
    drivers.dedup();
    let storage_class =
        || interfaces().any(|interface| files::hex(root, &format!("{FOLDER}/{interface}/bInterfaceClass")) == Some(8));
    Some(UsbDevice {
        path: name.to_owned(),
        vendor: id("idVendor")? as u16,
        product: id("idProduct")? as u16,
        maker: text("manufacturer"),
        name: text("product"),
        version_bcd: text("version").as_deref().and_then(parse_version),
        superspeed: bos.as_deref().and_then(parse_bos),
        is_storage: descriptors.map_or_else(storage_class, |found| found.storage),
        uas_capable: descriptors.filter(|found| found.storage).map(|found| found.uas),
        current_ma_max: text("bMaxPower").and_then(|text| {
            let number = text.trim_end_matches("mA").trim();
            number.parse().ok()
        }),
        drivers,
        ..UsbDevice::default()
    })
}

/// ` 3.20` is 0x0320.
fn parse_version(text: &str) -> Option<u16> {
    let (major, minor) = text.trim().split_once('.')?;
    let digits = format!("{major}{minor}");
    (minor.len() == 2 && digits.len() <= 4).then(|| u16::from_str_radix(&digits, 16).ok()).flatten()
}

/// Parses the descriptors: each begins with its length and its type; type 4 is an interface.
fn parse_descriptors(bytes: &[u8]) -> Descriptors {
    let mut found = Descriptors::default();
    let mut rest = bytes;
    while let [length, kind, ..] = rest {
        let length = usize::from(*length);
        if length < 2 || length > rest.len() {
            break;
        }
        if *kind == 4
            && let Some([8, subclass, protocol]) = rest.get(5..8)
        {
            found.storage = true;
            found.uas |= *subclass == 6 && *protocol == 0x62;
        }
        rest = &rest[length..];
    }
    found
}

/// True if the device supports SuperSpeed: capability 3 or 10 of its BOS descriptor.
fn parse_bos(bytes: &[u8]) -> Option<bool> {
    if bytes.get(1) != Some(&0x0f) {
        return None;
    }
    let mut rest = bytes.get(usize::from(*bytes.first()?)..)?;
    let mut superspeed = false;
    while let [length, kind, capability, ..] = rest {
        let length = usize::from(*length);
        if length < 3 || length > rest.len() {
            break;
        }
        superspeed |= *kind == 0x10 && matches!(capability, 3 | 10);
        rest = &rest[length..];
    }
    Some(superspeed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_tell_storage_and_uas() {
        let device = [18, 1, 0x10, 2, 0, 0, 0, 64, 0x2d, 0x15, 0x78, 5, 0, 1, 1, 2, 3, 1];
        let bulk = [9, 4, 0, 0, 2, 8, 6, 0x50, 0];
        let uas = [9, 4, 0, 1, 4, 8, 6, 0x62, 0];
        let keyboard = [9, 4, 0, 0, 1, 3, 1, 1, 0];
        let check = |parts: &[&[u8]], storage, uas| {
            assert_eq!(parse_descriptors(&parts.concat()), Descriptors { storage, uas });
        };
        check(&[&device, &bulk], true, false);
        check(&[&device, &bulk, &uas], true, true);
        check(&[&device, &keyboard], false, false);
        check(&[&device, &[0, 4, 8]], false, false);
        check(&[], false, false);
    }

    #[test]
    fn bos_capabilities_on_slow_port() {
        let header = [5, 0x0f, 22, 0, 2];
        let usb2 = [7, 0x10, 2, 6, 0, 0, 0];
        let superspeed = [10, 0x10, 3, 0, 14, 0, 1, 10, 255, 7];
        assert_eq!(parse_bos(&[&header[..], &usb2, &superspeed].concat()), Some(true));
        assert_eq!(parse_bos(&[&header[..], &usb2].concat()), Some(false));
        assert_eq!(parse_bos(&[]), None);
    }

    #[test]
    fn versions() {
        for (text, expected) in
            [(" 3.20", Some(0x320)), ("2.10", Some(0x210)), (" 1.1", None), ("99999.00", None), ("", None)]
        {
            assert_eq!(parse_version(text), expected, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn parse_descriptors_never_panics(bytes: Vec<u8>, text in "\\PC{0,12}") {
            parse_descriptors(&bytes);
            parse_bos(&bytes);
            parse_version(&text);
        }
    }
}
