//! Sensor: temperature of every thermal zone, with the zone's type as its label.
//!
//! [`record::soc_temperature`] chooses the one of the SoC.

use super::{Probe, Scale, Sensor, labelled, numbered};
use crate::Root;
use crate::number::number;
use record::{Channel, ChannelId};

pub(super) const SENSOR: Sensor = Sensor::new("thermal-zones", discover);

/// Directory of the thermal class.
pub(super) const DIRECTORY: &str = "/sys/class/thermal";

/// Thousandths of a degree as documented, or whole degrees.
pub(super) const TEMPERATURE: Scale = Scale::Temperature { factor: None };

fn discover(root: &Root) -> Vec<Probe> {
    let mut probes = Vec::new();
    for (name, zone) in numbered(root, DIRECTORY, "thermal_zone") {
        let directory = format!("{DIRECTORY}/{name}");
        let kind = root.read_value(&format!("{directory}/type")).unwrap_or_default();
        let channel = labelled(Channel::of(ChannelId::zone_temperature(zone)), kind);
        let probe = Probe::file(format!("{directory}/temp"), number, channel);
        probes.push(probe.scaled(TEMPERATURE));
    }
    probes
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn zones_with_their_types() {
        let zone = |index: u32, kind: &str, temp: &str| {
            format!("== {DIRECTORY}/thermal_zone{index}/type\n{kind}\n== {DIRECTORY}/thermal_zone{index}/temp{temp}\n")
        };
        let board = [
            zone(0, "soc-thermal", "\n45307"),
            zone(1, "sun8i_ths", "\n47"),
            zone(2, "broken", "\n398000"),
            zone(10, "gpu-thermal", " ! EAGAIN"),
        ];
        let expected = [
            "thermal_zone0.temp soc-thermal 45307",
            "thermal_zone1.temp sun8i_ths 47000",
            "thermal_zone2.temp broken -",
            "thermal_zone10.temp gpu-thermal -",
        ];
        assert_eq!(check::found(&SENSOR, &board.concat()), expected);
    }
}
