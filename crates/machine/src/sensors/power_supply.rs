//! Sensor: power supplies and batteries as the kernel sees them.
//!
//! What a USB-C supply says is the contract it offers, not what flows; the label tells its type so
//! that nobody takes the one for the other. A battery that is charged draws power besides.

use super::{Probe, Scale, Sensor, labelled};
use crate::Root;
use crate::number::number;
use crate::power_supplies::{self, DIRECTORY};
use record::{Channel, ChannelId, OfSupply};

pub(super) const SENSOR: Sensor = Sensor {
    id: "power-supplies",
    about: "Voltage, current, power and charge of power supplies and batteries.",
    kernel_doc: "https://www.kernel.org/doc/Documentation/ABI/testing/sysfs-class-power",
    discover,
};

/// Embedded controllers and I2C gauges answer slowly, and average over seconds by themselves.
const BEAT_MS: u32 = 2000;

/// File, what it holds, and millionths of the unit of the channel per unit of the file (micro units).
const ATTRIBUTES: [(&str, OfSupply, i64); 6] = [
    ("voltage_now", OfSupply::Voltage, 1_000_000),
    ("current_now", OfSupply::Current, 1_000),
    ("power_now", OfSupply::Power, 1_000_000),
    // Microwatt hours; one is 3600 microjoules.
    ("energy_now", OfSupply::Energy, 3_600_000_000),
    ("capacity", OfSupply::Capacity, 1_000_000),
    ("online", OfSupply::Online, 1_000_000),
];

fn discover(root: &Root) -> Vec<Probe> {
    let mut probes = Vec::new();
    for supply in power_supplies::names(root) {
        let directory = format!("{DIRECTORY}/{supply}");
        let files = root.list(&directory).unwrap_or_default();
        let kind = root.read_value(&format!("{directory}/type")).unwrap_or_default();
        for (file, of, millionths) in ATTRIBUTES {
            if files.iter().any(|known| known == file) {
                let id = ChannelId::Supply(supply.as_str().into(), of);
                let channel = labelled(Channel::of(id), kind.clone());
                let probe = Probe::file(format!("{directory}/{file}"), number, channel);
                let scale = Scale::Times { offset: 0, millionths };
                probes.push(probe.scaled(scale).min_interval_ms(BEAT_MS).apart());
            }
        }
    }
    probes
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn battery_and_a_plug() {
        let mut board = String::new();
        for (file, value) in [
            ("BAT0/type", "Battery"),
            ("BAT0/voltage_now", "11870000"),
            ("BAT0/current_now", "-1203000"),
            ("BAT0/energy_now", "41230000"),
            ("BAT0/capacity", "87"),
            ("BAT0/status", "Discharging"),
            ("usb-c/type", "USB"),
            ("usb-c/online", "1"),
        ] {
            board += &format!("== {DIRECTORY}/{file}\n{value}\n");
        }
        let expected = [
            "supply.BAT0.voltage Battery 11870000",
            "supply.BAT0.current Battery -1203",
            "supply.BAT0.energy Battery 148428000000",
            "supply.BAT0.capacity Battery 87",
            "supply.usb-c.online USB 1",
        ];
        assert_eq!(check::found(&SENSOR, &board), expected);
    }
}
