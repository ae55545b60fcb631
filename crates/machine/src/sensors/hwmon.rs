//! Sensor: every temperature, voltage, current, power, energy and fan of hwmon. The label consists of the chip's name
//! and the label of the input; known boards have labels for chips without.
//!
//! Duplicates of thermal zones, and the power of power supplies, are skipped, because they would query the same driver twice.

use super::{Probe, Sensor, labelled, numbered, thermal};
use crate::Root;
use crate::number::number;
use record::soc_temperature::may_be_soc;
use record::table::Table;
use record::{Channel, ChannelId, HwmonChannel, HwmonKind};

pub(super) const SENSOR: Sensor = Sensor::new("hwmon", discover);

pub(crate) const DIRECTORY: &str = "/sys/class/hwmon";

/// Chips whose reads query a drive or a radio, keep it awake, and take milliseconds.
const EXPENSIVE_CHIPS: [&str; 5] = ["nvme", "drivetemp", "iwlwifi", "mt7915", "ath1"];

/// Labels of chips without.
const RAILS: Table = Table::of(include_str!("../../../../data/power_rails.tsv"));

/// Minimum interval of power, voltage and current, in milliseconds: chips average over tens to hundreds of milliseconds.
pub(crate) const ELECTRIC_MS: u32 = 500;

/// Minimum intervals of each other kind of source, in milliseconds.
mod interval_ms_min {
    pub(super) const EXPENSIVE_CHIP: u32 = 30_000;
    /// coretemp interrupts the core it reads.
    pub(super) const CORETEMP_PACKAGE: u32 = 1000;
    pub(super) const CORETEMP_CORE: u32 = 5000;
    pub(super) const FAN: u32 = 2000;
    /// Temperatures other than the SoC's.
    pub(super) const OTHER_TEMPERATURE: u32 = 2000;
}

/// Suffix of a current value, and of an average.
const INPUT: &str = "_input";
const AVERAGE: &str = "_average";

fn discover(root: &Root) -> Vec<Probe> {
    let mut probes = Vec::new();
    for (name, hwmon) in numbered(root, DIRECTORY, "hwmon") {
        let directory = format!("{DIRECTORY}/{name}");
        let link = root.link(&directory).unwrap_or_default();
        if link.contains("/thermal_zone") {
            continue;
        }
        let chip = root.read_value(&format!("{directory}/name")).unwrap_or_default();
        let rail = rail(root, &link, &chip).unwrap_or_default();
        let mut files = root.list(&directory).unwrap_or_default();
        if link.contains("/power_supply/") {
            files.retain(|file| file.starts_with("temp"));
        }
        for file in &files {
            probes.extend(attribute(root, &directory, hwmon, [&chip, rail], file, &files));
        }
        // The only sign of under-voltage on a Raspberry Pi without a firmware call.
        let alarm = "in0_lcrit_alarm";
        if files.iter().any(|file| file == alarm) {
            let id = ChannelId::Hwmon(hwmon, HwmonChannel::Alarm);
            let channel = labelled(Channel::of(id), chip);
            probes.push(Probe::file(format!("{directory}/{alarm}"), number, channel));
        }
    }
    probes
}

/// The rail that a chip without labels measures on this board; `link` is that of its hwmon device.
fn rail(root: &Root, link: &str, chip: &str) -> Option<&'static str> {
    let mut rails = RAILS.rows().filter(|row| row.get("chip") == chip).peekable();
    rails.peek()?;
    let compatible = root.read("/sys/firmware/devicetree/base/compatible").ok()?;
    // .../i2c-0/0-0040/hwmon/hwmon1
    let (_, address) = link.split("/hwmon/").next()?.rsplit('/').next()?.rsplit_once('-')?;
    let is_it = |board: &str, own: &str| own == address && compatible.split('\0').any(|known| known == board);
    rails.find(|row| is_it(row.get("compatible"), row.get("address"))).map(|row| row.get("rail"))
}

fn attribute(
    root: &Root,
    directory: &str,
    hwmon: u32,
    [chip, rail]: [&str; 2],
    file: &str,
    files: &[String],
) -> Option<Probe> {
    let average = file.strip_suffix(AVERAGE);
    let name = average.or_else(|| file.strip_suffix(INPUT))?;
    let Ok(id) = format!("hwmon{hwmon}.{name}").parse();
    let ChannelId::Hwmon(_, HwmonChannel::Sensor(kind, _)) = id else { return None };
    // If a chip has both, the current value is used.
    let is_replaced = || kind != HwmonKind::Power || files.iter().any(|other| *other == format!("{name}{INPUT}"));
    if average.is_some() && is_replaced() {
        return None;
    }
    let own_name = root.read_value(&format!("{directory}/{name}_label")).unwrap_or_else(|_| rail.to_owned());
    let mut label = format!("{chip} {own_name}").trim().to_owned();
    // A wrong shunt value scales current and power, so the label contains it.
    let shunt = root.read_number::<u64>(&format!("{directory}/shunt_resistor"));
    if let (Ok(microohms), HwmonKind::Current | HwmonKind::Power) = (shunt, kind) {
        label += &format!(", shunt {microohms} µΩ");
    }
    let channel = labelled(Channel::of(id), label);
    let interval = interval(chip, kind, &channel);
    // Chips that average report the period, within which values do not change.
    let average_ms = root.read_number::<u32>(&format!("{directory}/update_interval"));
    let interval = interval.map(|ms| ms.max(average_ms.unwrap_or(0)));
    let probe = Probe::file(format!("{directory}/{file}"), number, channel);
    let probe = match kind {
        HwmonKind::Temperature => probe.scaled(thermal::TEMPERATURE),
        _ => probe,
    };
    Some(match interval {
        // coretemp answers at once; other chips are on a bus, in a drive or behind firmware.
        Some(ms) if chip == "coretemp" => probe.min_interval_ms(ms),
        Some(ms) => probe.min_interval_ms(ms).blocking(),
        None => probe,
    })
}

/// Minimum interval in milliseconds; `None` for every tick.
fn interval(chip: &str, kind: HwmonKind, channel: &Channel) -> Option<u32> {
    if EXPENSIVE_CHIPS.iter().any(|costly| chip.starts_with(costly)) {
        return Some(interval_ms_min::EXPENSIVE_CHIP);
    }
    match (chip, kind) {
        ("coretemp", _) if channel.label.contains("Package") => Some(interval_ms_min::CORETEMP_PACKAGE),
        ("coretemp", _) => Some(interval_ms_min::CORETEMP_CORE),
        (_, HwmonKind::Temperature) if may_be_soc(channel) => None,
        (_, HwmonKind::Temperature) => Some(interval_ms_min::OTHER_TEMPERATURE),
        (_, HwmonKind::Fan) => Some(interval_ms_min::FAN),
        _ => Some(ELECTRIC_MS),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{SampleInterval, check};
    use super::*;

    fn chip(index: u32, files: &[(&str, &str)]) -> String {
        let entry = |(file, value): &(&str, &str)| format!("== {DIRECTORY}/hwmon{index}/{file}\n{value}\n");
        files.iter().map(entry).collect()
    }

    #[test]
    fn inputs_with_their_labels() {
        let board = [
            chip(
                0,
                &[
                    ("name", "ina226"),
                    ("in1_input", "5100"),
                    ("curr1_input", "900"),
                    ("power1_input", "4590000"),
                    ("shunt_resistor", "2000"),
                ],
            ),
            chip(1, &[("name", "k10temp"), ("temp1_input", "45250"), ("temp1_label", "Tctl"), ("temp1_max", "70000")]),
            chip(2, &[("name", "rpi_volt"), ("in0_lcrit_alarm", "0")]),
            chip(3, &[("name", "scmi"), ("power1_average", "1"), ("energy1_input", "77"), ("fan1_input", "1200")]),
        ];
        let expected = [
            "hwmon0.curr1 ina226, shunt 2000 µΩ 900",
            "hwmon0.in1 ina226 5100",
            "hwmon0.power1 ina226, shunt 2000 µΩ 4590000",
            "hwmon1.temp1 k10temp Tctl 45250",
            "hwmon2.in0.alarm rpi_volt 0",
            "hwmon3.energy1 scmi 77",
            "hwmon3.fan1 scmi 1200",
            "hwmon3.power1 scmi 1",
        ];
        assert_eq!(check::found(&SENSOR, &board.concat()), expected);
    }

    #[test]
    fn chips_without_labels_have_the_rails_of_their_board() {
        let on = |compatible: &str, address: &str| {
            let device = format!("/sys/devices/platform/12c60000.i2c/i2c-0/0-{address}/hwmon/hwmon0");
            let board = format!(
                "== /sys/firmware/devicetree/base/compatible\n{compatible}\\0samsung,exynos5800\\0\n\\\n\
                 == {DIRECTORY}/hwmon0 -> ../..{}\n== {device}/name\nina231\n== {device}/power1_input\n900000\n",
                device.trim_start_matches("/sys")
            );
            check::found(&SENSOR, &board)
        };
        for (compatible, address, expected) in [
            ("hardkernel,odroid-xu3", "0040", "ina231 VDD_ARM"),
            ("hardkernel,odroid-xu3", "0045", "ina231 VDD_KFC"),
            ("hardkernel,odroid-xu3", "0042", "ina231"),
            ("hardkernel,odroid-xu3-lite", "0040", "ina231"),
        ] {
            assert_eq!(on(compatible, address), [format!("hwmon0.power1 {expected} 900000")], "{compatible} {address}");
        }
    }

    #[test]
    fn power_meter_of_three_channels_that_averages() {
        let files = [
            ("name", "ina3221"),
            ("update_interval", "2253"),
            ("in2_input", "12000"),
            ("in2_label", "VDD_CPU"),
            ("curr2_input", "410"),
        ];
        let board = chip(0, &files);
        let expected = ["hwmon0.curr2 ina3221 410", "hwmon0.in2 ina3221 VDD_CPU 12000"];
        assert_eq!(check::found(&SENSOR, &board), expected);
        let probes = discover(&Root::from_board(&board).unwrap());
        assert_eq!(probes[0].interval, SampleInterval::AtMostEveryMs(2253));
    }

    #[test]
    fn twins_of_thermal_zones_are_left_out() {
        let board = format!(
            "== {DIRECTORY}/hwmon0 -> ../../devices/virtual/thermal/thermal_zone0/hwmon0\n== /sys/devices/virtual/thermal/thermal_zone0/hwmon0/temp1_input\n40000\n"
        );
        assert_eq!(check::found(&SENSOR, &board), [""; 0]);
    }

    #[test]
    fn power_of_a_battery_is_read_once() {
        let device = "/sys/devices/platform/charger/power_supply/BAT0/hwmon0";
        let mut board = format!("== {DIRECTORY}/hwmon0 -> ../../{}\n", device.strip_prefix("/sys/").unwrap());
        for (file, value) in [("name", "BAT0"), ("power1_input", "9000000"), ("temp1_input", "31000")] {
            board += &format!("== {device}/{file}\n{value}\n");
        }
        assert_eq!(check::found(&SENSOR, &board), ["hwmon0.temp1 BAT0 31000"]);
    }

    #[test]
    fn disturbing_chips_are_read_rarely() {
        for (name, label, interval) in [
            ("k10temp", "Tctl", SampleInterval::EveryTick),
            ("coretemp", "Package id 0", SampleInterval::AtMostEveryMs(1000)),
            ("coretemp", "Core 3", SampleInterval::AtMostEveryMs(5000)),
            ("nvme", "Composite", SampleInterval::AtMostEveryMs(30_000)),
            ("lm75", "", SampleInterval::AtMostEveryMs(2000)),
            ("drivetemp", "", SampleInterval::AtMostEveryMs(30_000)),
        ] {
            let board = chip(0, &[("name", name), ("temp1_label", label), ("temp1_input", "40000")]);
            let probes = discover(&Root::from_board(&board).unwrap());
            assert_eq!(probes[0].interval, interval, "{name} {label}");
            let at_once = ["k10temp", "coretemp"].contains(&name);
            assert_eq!(probes[0].is_blocking, !at_once, "{name}");
        }
    }
}
