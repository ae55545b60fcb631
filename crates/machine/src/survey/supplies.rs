//! Power supplies, chargers, USB-C ports and negotiated power.
//!
//! Sources: Linux Documentation/ABI/testing/sysfs-class-power, sysfs-class-typec, sysfs-class-usb_power_delivery;
//! Raspberry Pi documentation, "Power supplies", for values of its boot loader in the device tree.

use super::files;
use crate::{Root, power_supplies};
use record::Supply;

/// All sources of information about power.
pub(super) fn supplies(root: &Root) -> Vec<Supply> {
    let mut found = of_class(root);
    found.extend(typec(root));
    found.extend(raspberry(root));
    found
}

/// Supplies in use with what they negotiated, and batteries: without measured values, which change from run to run.
pub(crate) fn contracts(root: &Root) -> Vec<Supply> {
    let mut found = supplies(root);
    found.retain(|supply| supply.online != Some(false));
    for battery in found.iter_mut().filter(|supply| supply.kind == "Battery") {
        (battery.voltage_uv, battery.charge_percent) = (None, None);
    }
    found
}

fn of_class(root: &Root) -> Vec<Supply> {
    const FOLDER: &str = power_supplies::DIRECTORY;
    power_supplies::names(root)
        .into_iter()
        .map(|name| {
            let text = |file: &str| files::value(root, &format!("{FOLDER}/{name}/{file}"));
            let number = |file: &str| files::number(root, &format!("{FOLDER}/{name}/{file}"));
            let kinds = files::choice(root, &format!("{FOLDER}/{name}/usb_type"));
            Supply {
                kind: text("type").unwrap_or_default(),
                online: number("online").map(|flag| flag > 0),
                agreed: kinds.map(|choice| choice.chosen),
                voltage_uv: number("voltage_now").or_else(|| number("voltage_max")),
                current_ua_max: number("current_max"),
                offers: Vec::new(),
                status: text("status"),
                charge_percent: number("capacity").and_then(|percent| u32::try_from(percent).ok()),
                name,
            }
        })
        .collect()
}

/// USB-C ports that receive power.
fn typec(root: &Root) -> Vec<Supply> {
    const FOLDER: &str = "/sys/class/typec";
    let names = root.list(FOLDER).unwrap_or_default();
    let is_port = |name: &&String| name.strip_prefix("port").is_some_and(|number| number.parse::<u32>().is_ok());
    names
        .iter()
        .filter(is_port)
        .map(|name| {
            let folder = format!("{FOLDER}/{name}");
            let partner = format!("{FOLDER}/{name}-partner");
            let role = files::choice(root, &format!("{folder}/power_role")).map(|choice| choice.chosen);
            Supply {
                name: name.clone(),
                kind: "USB-C port".into(),
                online: Some(files::exists(root, &partner) && role.as_deref() != Some("source")),
                agreed: files::value(root, &format!("{folder}/power_operation_mode")),
                offers: offers(root, &format!("{partner}/usb_power_delivery/source-capabilities")),
                ..Supply::default()
            }
        })
        .collect()
}

/// `1:fixed_supply` with `voltage` `5000mV` and `maximum_current` `3000mA`.
fn offers(root: &Root, folder: &str) -> Vec<String> {
    let names = root.list(folder).unwrap_or_default();
    names
        .iter()
        .filter_map(|name| {
            let voltage = files::value(root, &format!("{folder}/{name}/voltage"))?;
            let current = files::value(root, &format!("{folder}/{name}/maximum_current"))?;
            Some(format!("{voltage} {current}"))
        })
        .take(16)
        .collect()
}

/// The boot loader of a Raspberry Pi 5 negotiates and stores the result in the device tree.
fn raspberry(root: &Root) -> Option<Supply> {
    let bytes = root.read_bytes("/sys/firmware/devicetree/base/chosen/power/max_current").ok()?;
    let milliampere = u32::from_be_bytes(bytes.try_into().ok()?);
    Some(Supply {
        name: "chosen/power".into(),
        kind: "Raspberry Pi supply".into(),
        online: Some(true),
        current_ua_max: Some(u64::from(milliampere) * 1000),
        voltage_uv: Some(5_000_000),
        ..Supply::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn supplies_tell_what_was_agreed() {
        let board = "\
== /sys/class/power_supply/tcpm-source-psy-4-0022/type
USB
== /sys/class/power_supply/tcpm-source-psy-4-0022/online
1
== /sys/class/power_supply/tcpm-source-psy-4-0022/usb_type
C [PD] PD_PPS
== /sys/class/power_supply/tcpm-source-psy-4-0022/voltage_now
9000000
== /sys/class/power_supply/tcpm-source-psy-4-0022/current_max
2000000
== /sys/class/power_supply/xbat/type
Battery
== /sys/class/power_supply/xbat/status
Discharging
== /sys/class/power_supply/xbat/capacity
81
== /sys/class/typec/port0/power_operation_mode
usb_power_delivery
== /sys/class/typec/port0/power_role
source [sink]
== /sys/class/typec/port0-partner/usb_power_delivery/source-capabilities/1:fixed_supply/voltage
5000mV
== /sys/class/typec/port0-partner/usb_power_delivery/source-capabilities/1:fixed_supply/maximum_current
3000mA
== /sys/firmware/devicetree/base/chosen/power/max_current
\\0\\0\\x0b\\xb8
\\
";
        let root = Root::from_board(board).unwrap();
        let found = supplies(&root);
        assert_eq!(found[0].agreed.as_deref(), Some("PD"));
        assert_eq!((found[1].status.as_deref(), found[1].charge_percent), (Some("Discharging"), Some(81)));
        assert_eq!(found[2].offers, ["5000mV 3000mA"]);
        assert_eq!(found[3].current_ua_max, Some(3_000_000));
        let contracts = crate::identify(&root).supplies;
        assert_eq!(contracts[0], found[0]);
        assert_eq!((contracts[1].status.as_deref(), contracts[1].charge_percent), (Some("Discharging"), None));
        let unplugged = board.replace("online\n1", "online\n0");
        assert_eq!(crate::identify(&Root::from_board(&unplugged).unwrap()).supplies.len(), found.len() - 1);
    }
}
