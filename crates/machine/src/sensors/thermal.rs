//! Sensor: temperature of every thermal zone, with the zone's type as its label.
//!
//! Which of them is the SoC's is decided by [`super::temperature_channel`], not here.

use super::parse::{number, take_number};
use super::{NONE, Parser, Probe, Sensor, gauge, labelled, numbered};
use crate::Root;
use record::Unit;

pub(super) const SENSOR: Sensor = Sensor {
    id: "thermal-zones",
    about: "Temperature of every thermal zone.",
    kernel_doc: "https://docs.kernel.org/driver-api/thermal/sysfs-api.html#thermal-zone-device",
    discover,
};

/// Directory of the thermal class.
pub(super) const DIRECTORY: &str = "/sys/class/thermal";

/// No electronics works at such temperatures: what is outside is an error code or another unit.
const MILLICELSIUS: std::ops::RangeInclusive<i64> = -60_000..=250_000;

/// Vendor kernels of old boards give whole degrees. A first value in this range is taken for them:
/// as millidegrees it would be within a fifth of a degree of freezing.
const WHOLE_DEGREES: std::ops::RangeInclusive<i64> = 5..=200;

fn discover(root: &Root) -> Vec<Probe> {
    let mut probes = Vec::new();
    for (zone, _) in numbered(root, DIRECTORY, "thermal_zone") {
        let directory = format!("{DIRECTORY}/{zone}");
        let kind = root
            .read_value(&format!("{directory}/type"))
            .unwrap_or_default();
        let path = format!("{directory}/temp");
        let channel = labelled(gauge(format!("{zone}.temp"), Unit::Millicelsius), kind);
        probes.push(Probe::file(
            path.clone(),
            temperature_parser(root, &path),
            channel,
        ));
    }
    probes
}

/// Parser for a file that holds a temperature, chosen once by its first value.
fn temperature_parser(root: &Root, path: &str) -> Parser {
    match root.read_number::<i64>(path) {
        Ok(value) if WHOLE_DEGREES.contains(&value) => whole_degrees,
        _ => millidegrees,
    }
}

/// Thousandths of a degree, as the documents want it.
pub(super) fn millidegrees(text: &[u8], values: &mut [i64]) {
    number(text, values);
    if !MILLICELSIUS.contains(&values[0]) {
        values[0] = NONE;
    }
}

fn whole_degrees(text: &[u8], values: &mut [i64]) {
    if let Some((degrees, _)) = take_number(text) {
        let value = degrees.saturating_mul(1000);
        values[0] = if MILLICELSIUS.contains(&value) {
            value
        } else {
            NONE
        };
    }
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn zones_with_their_types() {
        let zone = |index: u32, kind: &str, temp: &str| {
            format!(
                "== {DIRECTORY}/thermal_zone{index}/type\n{kind}\n== {DIRECTORY}/thermal_zone{index}/temp{temp}\n"
            )
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

    #[test]
    fn what_is_no_temperature_is_missing() {
        for (text, value) in [
            ("-40000", -40_000),
            ("-274000", NONE),
            ("250001", NONE),
            ("", NONE),
        ] {
            assert_eq!(check::parsed(millidegrees, text, 1), [value], "{text}");
        }
    }
}
