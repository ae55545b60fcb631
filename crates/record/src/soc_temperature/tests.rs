//! Choices among sensors of real boards.

use super::*;
use crate::{ChannelKind, CpuTime, Event, HwmonChannel, HwmonKind, Unit, nothing_known};

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

/// Channels from `(place, label, value)`.
fn sensors(channels: &[(&str, &str, i64)]) -> Vec<Channel> {
    let made = |(number, (place, label, _)): (usize, &(&str, &str, i64))| match *place {
        "zone" => zone(number, label),
        _ => {
            let temperature = HwmonChannel::Sensor(HwmonKind::Temperature, 1);
            sensor(ChannelId::Hwmon(number as u32, temperature), label)
        }
    };
    channels.iter().enumerate().map(made).collect()
}

/// Label of the chosen channel.
fn chosen(channels: &[(&str, &str, i64)]) -> Option<String> {
    let made = sensors(channels);
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
        // Absent sensors read 0, but a cold board may have no other sensor.
        (vec![(zone, "cpu-thermal", 0), (zone, "soc-thermal", 41_000)], Some("soc-thermal")),
        (vec![(zone, "cpu-thermal", 0), (zone, "gpu-thermal", 41_000)], Some("cpu-thermal")),
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
    check(sensor(ChannelId::Soc, ""), "the only one in the log");
}

#[test]
fn sensors_of_other_things_are_named_where_there_is_none_of_the_soc() {
    let (zone, hwmon) = ("zone", "hwmon");
    for (channels, expected) in [
        (vec![], ""),
        (vec![(zone, "gpu-thermal", 40_000)], "; ignored: gpu-thermal (GPU only)"),
        (
            vec![(zone, "cpu-thermal", -274_000), (hwmon, "foo", 40_000)],
            "; ignored: cpu-thermal (reads -274 °C), foo (unknown)",
        ),
        (
            vec![(zone, "gpu0", 1), (zone, "gpu1", 1), (zone, "gpu2", 1), (zone, "npu", 1)],
            "; ignored: gpu0 (GPU only), gpu1 (GPU only), gpu2 (GPU only) and 1 more",
        ),
    ] {
        let none = choose(&sensors(&channels), |place| Some(channels[place].2), |_| None).unwrap_err();
        assert_eq!(none.to_string(), format!("no SoC temperature sensor found{expected}"));
        assert_eq!(left_out(&none).unwrap_or_default(), expected.trim_start_matches(LEFT_OUT));
    }
}

/// Run of three minutes with a constant `acpitz` and a sensor of unknown name that follows the load.
fn run() -> Record {
    let mut record = nothing_known();
    let rows = 180;
    record.samples.at_ms = (0..rows).map(|row| row * 1000).collect();
    let busy = |row: i64| if row % 60 < 30 { 10 } else { 90 };
    let (mut heat, mut sums) = (40.0, [0, 0]);
    let (mut user, mut idle, mut follower) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..rows {
        heat += (busy(row) as f64 - heat) / 15.0;
        sums = [sums[0] + busy(row), sums[1] + 100 - busy(row)];
        user.push(Some(sums[0]));
        idle.push(Some(sums[1]));
        follower.push(Some((heat * 1000.0) as i64));
    }
    let ticks =
        |time, values| Channel { values, ..Channel::new(ChannelId::all_cpus(time), Unit::Ticks, ChannelKind::Counter) };
    let others = [CpuTime::Nice, CpuTime::System, CpuTime::Iowait, CpuTime::Irq, CpuTime::Softirq, CpuTime::Steal];
    let mut channels: Vec<Channel> = others.map(|time| ticks(time, vec![Some(0); rows as usize])).into();
    channels.push(ticks(CpuTime::User, user));
    channels.push(ticks(CpuTime::Idle, idle));
    channels.push(Channel { values: vec![Some(27_800); rows as usize], ..zone(0, "acpitz") });
    channels.push(Channel { values: follower, ..zone(1, "foo") });
    record.samples.channels = channels;
    record
}

#[test]
fn a_record_without_a_choice_is_chosen_for_by_all_its_rows() {
    let choice = of(&run()).unwrap();
    assert_eq!(choice.channel, ChannelId::zone_temperature(1), "{choice:?}");
    assert!(matches!(choice.why, SocReason::FollowsLoad { .. }), "{choice:?}");
    // A minute is too short for a correlation.
    let mut short = run();
    short.samples.at_ms.truncate(50);
    assert_eq!(of(&short).unwrap().channel, ChannelId::zone_temperature(0));
    // A sensor without any valid reading.
    for absent in [None, Some(0), Some(-274_000)] {
        let mut dead = short.clone();
        let acpitz = dead.samples.channels.iter_mut().rev().nth(1).unwrap();
        acpitz.values = vec![absent; acpitz.values.len()];
        assert_eq!(of(&dead).unwrap().channel, ChannelId::zone_temperature(1), "{absent:?}");
    }
}

#[test]
fn the_choice_that_a_run_made_last_is_kept() {
    let mut record = run();
    let json = serde_json::to_string(&record).unwrap();
    assert!(!json.contains("soc_temperature"), "runs that made none keep their bytes");
    let by_name = |zone| {
        let (channel, why) = (ChannelId::zone_temperature(zone), SocReason::Name { about: "CPU".into() });
        SocTemperature { channel, why }
    };
    for zone in [1, 0] {
        record.apply(Event::SocTemperature { choice: Fact::Known(by_name(zone)) });
    }
    assert_eq!(of(&record), Ok(by_name(0)));
    let json = serde_json::to_string(&record).unwrap();
    let kept = r#""soc_temperature":{"channel":"thermal_zone0.temp","why":{"name":{"about":"CPU"}}}"#;
    assert!(json.contains(kept), "{json}");
    assert_eq!(serde_json::from_str::<Record>(&json).unwrap(), record);
    // Without a choice at first; a sensor became readable later.
    record.apply(Event::SocTemperature { choice: Missing::absent("/sys/class/thermal").into() });
    assert_eq!(of(&record), of_samples(&record.samples));
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
