//! Choices among sensors as boards have them.

use super::*;
use crate::{HwmonKind, OfHwmon, Unit};

fn sensor(id: ChannelId, label: &str) -> Channel {
    Channel {
        label: label.to_owned(),
        source: format!("/{id}"),
        ..Channel::new(id, Unit::Millicelsius, crate::ChannelKind::Gauge)
    }
}

fn zone(number: usize, label: &str) -> Channel {
    sensor(ChannelId::zone_temperature(number as u32), label)
}

/// Chooses among `(place, label, value)`.
fn chosen(channels: &[(&str, &str, i64)]) -> Option<String> {
    let made = |(number, (place, label, _)): (usize, &(&str, &str, i64))| match *place {
        "zone" => zone(number, label),
        _ => {
            let temperature = OfHwmon::Sensor(HwmonKind::Temperature, 1);
            sensor(ChannelId::Hwmon(number as u32, temperature), label)
        }
    };
    let made: Vec<Channel> = channels.iter().enumerate().map(made).collect();
    let choice = choose(&made, |place| Some(channels[place].2), |_| None).ok()?;
    Some(made[choice.place(&made)?].label.clone())
}

#[test]
fn the_socs_temperature_is_found() {
    let (zone, hwmon) = ("zone", "hwmon");
    for (channels, expected) in [
        (vec![(zone, "gpu_thermal", 40_000), (zone, "cpu_thermal", 41_000)], Some("cpu_thermal")),
        (vec![(zone, "bigcore0-thermal", 40_000), (zone, "soc-thermal", 41_000)], Some("soc-thermal")),
        (vec![(zone, "acpitz", 27_800), (zone, "x86_pkg_temp", 40_000)], Some("x86_pkg_temp")),
        (vec![(zone, "acpitz", 27_800), (hwmon, "k10temp Tctl", 40_000)], Some("k10temp Tctl")),
        (vec![(hwmon, "nvme Composite", 40_000)], None),
        (vec![(hwmon, "nvme Composite", 40_000), (zone, "foo", 41_000)], Some("foo")),
        (vec![(zone, "cpu-thermal", -256_000), (zone, "soc-thermal", 41_000)], Some("soc-thermal")),
        (vec![(zone, "CPU-therm", 40_000), (zone, "GPU-therm", 41_000)], Some("CPU-therm")),
        (vec![(hwmon, "120e0000.temperature-sensor", 40_000)], Some("120e0000.temperature-sensor")),
        (vec![], None),
    ] {
        assert_eq!(chosen(&channels).as_deref(), expected, "{channels:?}");
    }
}

#[test]
fn the_choice_is_explained() {
    let check = |channel: Channel, expected: &str| {
        let channels = [channel];
        let choice = choose(&channels, |_| None, |_| None).unwrap();
        assert_eq!(choice.sentence(&channels), expected);
    };
    check(zone(3, "soc-thermal"), "/thermal_zone3.temp (soc-thermal): SoC");
    check(sensor(ChannelId::Soc, ""), "the one that the log has");
    let none = choose(&[], |_| None, |_| None).unwrap_err();
    assert_eq!(none.to_string(), "no sensor tells the temperature of the SoC");
}

#[test]
fn a_sensor_that_does_not_follow_the_load_gives_way_to_one_that_does() {
    let made = [zone(0, "acpitz"), zone(1, "foo")];
    for (correlations, expected) in [
        ([None, None], "acpitz"),
        ([Some(0.9), Some(0.95)], "acpitz"),
        ([Some(0.1), None], "acpitz"),
        ([Some(0.1), Some(0.5)], "acpitz"),
        ([Some(0.1), Some(0.9)], "foo"),
        ([Some(-0.4), Some(0.8)], "foo"),
    ] {
        let choice = choose(&made, |_| None, |place| correlations[place]).unwrap();
        let place = choice.place(&made).unwrap();
        assert_eq!(made[place].label, expected, "{correlations:?}");
        let sentence = choice.sentence(&made);
        assert_eq!(sentence.contains("acpitz does not ("), expected == "foo", "{sentence}");
    }
}
