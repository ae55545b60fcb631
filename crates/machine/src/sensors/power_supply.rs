//! Sensor: power supplies and batteries in the kernel's power supply class.
//!
//! Values of a USB-C supply are the negotiated contract rather than measurements; the label contains its type to
//! distinguish them. A charging battery draws additional power.

use super::{Probe, Scale, Sensor, labelled};
use crate::Root;
use crate::number::number;
use crate::power_supplies::{self, DIRECTORY};
use record::{Channel, ChannelId, SupplyChannel};

pub(super) const SENSOR: Sensor = Sensor::new("power-supplies", discover);

/// Embedded controllers and I2C gauges answer slowly, and average over seconds.
const INTERVAL_MS_MIN: u32 = 2000;

/// File, quantity, and conversion factor from the file's micro units to the unit of the channel, in millionths.
const ATTRIBUTES: [(&str, SupplyChannel, i64); 6] = [
    ("voltage_now", SupplyChannel::Voltage, 1_000_000),
    ("current_now", SupplyChannel::Current, 1_000),
    ("power_now", SupplyChannel::Power, 1_000_000),
    // Microwatt hours; one is 3600 microjoules.
    ("energy_now", SupplyChannel::Energy, 3_600_000_000),
    ("capacity", SupplyChannel::Capacity, 1_000_000),
    ("online", SupplyChannel::Online, 1_000_000),
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
                probes.push(probe.scaled(scale).min_interval_ms(INTERVAL_MS_MIN).blocking());
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
