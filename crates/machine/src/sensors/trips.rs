//! Sensor: trip points, the temperatures at which the kernel starts cooling or shuts down.
//!
//! They are read periodically, because firmware and power daemons change them.

use super::thermal::{DIRECTORY, TEMPERATURE};
use super::{Probe, Sensor, labelled, numbered};
use crate::Root;
use crate::number::number;
use record::{Channel, ChannelId, ZoneChannel};

pub(super) const SENSOR: Sensor = Sensor::new("trip-points", discover);

const INTERVAL_MS_MIN: u32 = 60_000;

fn discover(root: &Root) -> Vec<Probe> {
    let mut probes = Vec::new();
    for (name, zone) in numbered(root, DIRECTORY, "thermal_zone") {
        let directory = format!("{DIRECTORY}/{name}");
        let files = root.list(&directory).unwrap_or_default();
        let trips = files.iter().filter_map(|file| {
            let index = file.strip_prefix("trip_point_")?.strip_suffix("_temp")?;
            index.parse::<u32>().ok()
        });
        for trip in trips {
            let kind = root.read_value(&format!("{directory}/trip_point_{trip}_type")).unwrap_or_default();
            let channel = Channel::of(ChannelId::Zone(zone, ZoneChannel::Trip(trip)));
            let path = format!("{directory}/trip_point_{trip}_temp");
            let probe = Probe::file(path, number, labelled(channel, format!("trip {kind}")));
            probes.push(probe.min_interval_ms(INTERVAL_MS_MIN).scaled(TEMPERATURE));
        }
    }
    probes
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn trips_with_their_kinds() {
        let mut board = String::new();
        for (file, value) in [
            ("temp", "45000"),
            ("trip_point_0_temp", "75000"),
            ("trip_point_0_type", "passive"),
            ("trip_point_1_temp", "115000"),
            ("trip_point_1_type", "critical"),
            // A disabled ACPI trip point.
            ("trip_point_2_temp", "-274000"),
            ("trip_point_2_hyst", "2000"),
        ] {
            board += &format!("== {DIRECTORY}/thermal_zone0/{file}\n{value}\n");
        }
        let expected = [
            "thermal_zone0.trip0 trip passive 75000",
            "thermal_zone0.trip1 trip critical 115000",
            "thermal_zone0.trip2 trip  -",
        ];
        assert_eq!(check::found(&SENSOR, &board), expected);
    }
}
