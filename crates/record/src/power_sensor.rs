//! Role of a power sensor: the whole board, or a part of it. Unknown sensors are rails.

use crate::table::{Row, Table};
use crate::{
    Channel, ChannelId, HwmonChannel, HwmonKind, MeterChannel, PowercapChannel, RaspberryPiChannel, SupplyChannel,
};
use serde::Serialize;

/// Names of power sensors.
const SENSORS: Table<'_> = Table::of(include_str!("../../../data/power_sensors.tsv"));

/// Measured part of a board, the best source of its power first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PowerRole {
    /// The AC socket, with the loss of the power supply.
    Wall,
    /// Place of a meter connected by the user.
    Meter,
    /// The DC input of the whole board.
    Input,
    /// A module without its carrier board.
    Module,
    /// The package of the processor.
    Processor,
    /// A part that contains the CPUs.
    Cpus,
    /// Any other part.
    Part,
    /// A battery: it feeds the board while it discharges, and draws power while it charges.
    Battery,
}

impl PowerRole {
    /// True if the sensor measures everything that the board draws.
    pub fn is_whole(self) -> bool {
        self <= Self::Input
    }

    /// True if its power follows the load of the CPUs.
    pub fn has_cpus(self) -> bool {
        self < Self::Part
    }

    /// Word of keys and JSON; only sources with equal words are compared.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Wall => "wall",
            Self::Meter => "meter",
            Self::Input => "input",
            Self::Module => "module",
            Self::Processor => "processor",
            Self::Cpus => "cpus",
            Self::Part => "part",
            Self::Battery => "battery",
        }
    }

    /// Place of the measurement, for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Wall => "at the wall, with the loss of the power supply",
            Self::Meter => "where the meter is connected",
            Self::Input => "at the input of the board, with what it feeds",
            Self::Battery => "of a battery, which feeds the board while it discharges",
            _ => "of a part of the board",
        }
    }

    fn of_word(word: &str) -> Self {
        let all = [Self::Wall, Self::Input, Self::Module, Self::Processor, Self::Cpus, Self::Battery];
        all.into_iter().find(|role| role.as_str() == word).unwrap_or(Self::Part)
    }
}

/// Minimum voltage of an unlabelled chip that may measure the input of the board: CPUs, memory and other rails have less.
pub const INPUT_MILLIVOLTS_MIN: i32 = 4_500;

/// A power sensor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PowerSensor {
    /// What it measures.
    pub role: PowerRole,
    /// The part, `the CPU`; `None` for the whole board.
    pub part: Option<String>,
    /// Consumers that the sensor does not measure; `None` if there are none or they are unknown.
    pub lacks: Option<&'static str>,
    /// True if the table has its name.
    pub is_known: bool,
}

impl PowerSensor {
    /// What a channel of power or energy measures; of a chip without them, the supply that its channel of voltage names.
    pub fn of(channel: &Channel) -> Self {
        let (chip, label) = sensor_names(channel);
        let is_it = |row: &Row<'_>| {
            let is_chip = row.cell("chip").is_none_or(|own| own == chip);
            is_chip && row.cell("label").unwrap_or_default() == label
        };
        let is_meter = matches!(channel.id, ChannelId::Meter(..));
        match SENSORS.rows().find(is_it) {
            Some(row) => Self {
                role: PowerRole::of_word(row.get("role")),
                part: row.cell("part").map(str::to_owned),
                lacks: row.cell("lacks"),
                is_known: true,
            },
            None if is_meter => Self { role: PowerRole::Meter, part: None, lacks: None, is_known: false },
            None => {
                let name = channel.name();
                let what = if matches!(channel.id, ChannelId::Supply(..)) { "supply" } else { "rail" };
                let part = Some(format!("a {what} called {name}"));
                Self { role: PowerRole::Part, part, lacks: None, is_known: false }
            }
        }
    }

    /// True for an unknown chip without label: only its values show what it measures. `channel` is that of the sensor.
    pub fn is_unlabelled_chip(&self, channel: &Channel) -> bool {
        !self.is_known && matches!(channel.id, ChannelId::Hwmon(..)) && sensor_names(channel).1.is_empty()
    }
}

/// Chip and label of a sensor in lower case, as the table spells them; without a label the latter is empty.
pub fn sensor_names(channel: &Channel) -> (String, String) {
    let label = channel.label.to_ascii_lowercase();
    match &channel.id {
        // The name of a meter does not show its place.
        ChannelId::Meter(_, MeterChannel::Power | MeterChannel::Energy) => {
            (channel.source.split(':').next().unwrap_or_default().to_owned(), String::new())
        }
        // The bash program knows meters of one maker.
        ChannelId::LogMeter(_) => ("netio".to_owned(), String::new()),
        ChannelId::RaspberryPi(RaspberryPiChannel::PmicPower | RaspberryPiChannel::LogPmicPower) => {
            ("rpi".into(), "sum".into())
        }
        ChannelId::Powercap(_, PowercapChannel::Energy | PowercapChannel::Power) => {
            let zone = if label.starts_with("package-") { "package".to_owned() } else { label };
            ("powercap".to_owned(), zone)
        }
        ChannelId::Other(id) if id.contains("package") => ("powercap".to_owned(), "package".to_owned()),
        ChannelId::Supply(name, SupplyChannel::Power | SupplyChannel::Energy) => (name.to_string(), label),
        _ => {
            // Names of hwmon chips have no blanks; the sampler adds a shunt resistor.
            let label = label.split_once(", shunt").map_or(&*label, |(label, _)| label);
            let (chip, own) = label.split_once(' ').unwrap_or((label, ""));
            (chip.to_owned(), own.to_owned())
        }
    }
}

/// Supply voltage of a current, for a chip without a power reading: the voltage with the same label, else with the same
/// number. Shunt voltages share numbers with currents, but have no label.
pub fn voltage_of(channels: &[Channel], current: &Channel) -> Option<usize> {
    let ChannelId::Hwmon(chip, HwmonChannel::Sensor(HwmonKind::Current, number)) = current.id else { return None };
    let of_chip = |channel: &Channel, wanted: HwmonKind| match channel.id {
        ChannelId::Hwmon(of, HwmonChannel::Sensor(kind, number)) if of == chip && kind == wanted => Some(number),
        _ => None,
    };
    if channels.iter().any(|channel| of_chip(channel, HwmonKind::Power).is_some()) {
        return None;
    }
    // `vbus` and `ibus` belong to one supply.
    let own = |channel: &Channel| sensor_names(channel).1;
    let supply = |label: &str| label.trim_start_matches(['v', 'i']).to_owned();
    let label = own(current);
    let is_its = |channel: &Channel| match of_chip(channel, HwmonKind::Voltage) {
        None => false,
        Some(_) if !label.is_empty() => supply(&own(channel)) == supply(&label),
        Some(of) => of == number && (number == 1 || !own(channel).is_empty()),
    };
    let has_values = |channel: &Channel| channel.values.iter().any(Option::is_some);
    channels.iter().position(|channel| is_its(channel) && has_values(channel))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PowerZone, PowerZoneKind};

    #[test]
    fn table_has_known_roles() {
        for row in SENSORS.rows() {
            let (role, line) = (row.get("role"), row.line_number());
            assert!(role == PowerRole::of_word(role).as_str(), "line {line}: {role}");
            let is_whole = PowerRole::of_word(role).is_whole();
            assert_eq!(row.cell("part").is_none(), is_whole, "line {line}");
            assert_eq!(row.cell("lacks").is_none(), is_whole, "line {line}");
        }
    }

    #[test]
    fn unknown_names_are_rails() {
        let hwmon = || ChannelId::Hwmon(0, HwmonChannel::Sensor(HwmonKind::Power, 1));
        let package = ChannelId::Powercap(PowerZone::of(PowerZoneKind::Rapl, "0").unwrap(), PowercapChannel::Energy);
        for (id, label, source, role, part) in [
            (hwmon(), "ina3221 VDD_IN", "", PowerRole::Module, Some("the module")),
            (hwmon(), "ina226 VDD_IN", "", PowerRole::Part, Some("a rail called ina226 VDD_IN")),
            (hwmon(), "power_meter", "", PowerRole::Input, None),
            (hwmon(), "power_meter, shunt 2000 µΩ", "", PowerRole::Input, None),
            (hwmon(), "ina226", "", PowerRole::Part, Some("a rail called ina226")),
            (hwmon(), "scmi_sensors system", "", PowerRole::Part, Some("a rail called scmi_sensors system")),
            (hwmon(), "ina3221 VDD_CPU_GPU_CV", "", PowerRole::Cpus, Some("the CPU, GPU and CV engines")),
            (package.clone(), "package-1", "", PowerRole::Processor, Some("the processor")),
            (package, "dram", "", PowerRole::Part, Some("the memory")),
            (ChannelId::meter(MeterChannel::Power), "vdd_in", "shelly:host", PowerRole::Wall, None),
            (ChannelId::meter(MeterChannel::Power), "", "smartpower3:host/1", PowerRole::Input, None),
            (ChannelId::meter(MeterChannel::Power), "netio", "other:host", PowerRole::Meter, None),
            (hwmon(), "scmi_sensors BOARD_POWER_BIG", "", PowerRole::Part, Some("the big cores")),
            (hwmon(), "powerz VBUS", "", PowerRole::Input, None),
            (hwmon(), "ina231 VDD_ARM, shunt 10000 µΩ", "", PowerRole::Part, Some("the big cores")),
            (
                ChannelId::Supply("BAT0".into(), SupplyChannel::Power),
                "Battery",
                "",
                PowerRole::Battery,
                Some("the battery"),
            ),
            (
                ChannelId::Supply("usb".into(), SupplyChannel::Power),
                "USB",
                "",
                PowerRole::Part,
                Some("a supply called USB"),
            ),
            (ChannelId::LogMeter(1), "", "log", PowerRole::Wall, None),
        ] {
            let found = PowerSensor::of(&Channel { label: label.into(), source: source.into(), ..Channel::of(id) });
            assert_eq!((found.role, found.part.as_deref()), (role, part), "{label} {source}");
        }
    }
}
