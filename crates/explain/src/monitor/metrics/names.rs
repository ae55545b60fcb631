//! Name, help and labels of a channel as a metric: those of node_exporter where it has the same quantity,
//! our own for the rest. How values are written is in the file above.
//!
//! <https://github.com/prometheus/node_exporter>

use super::units::base_unit;
use record::table::{Row, Table};
use record::{
    Channel, ChannelId, ChannelKind, CpuChannel, CpuTime, HwmonChannel, HwmonKind, PolicyChannel, PowerZoneKind,
    PowercapChannel, Unit, ZoneChannel,
};
use std::sync::LazyLock;

/// Metric of a channel.
pub(super) struct Place {
    pub(super) name: String,
    pub(super) help: &'static str,
    pub(super) labels: Vec<Labels>,
}

/// Names and values of the labels of one value.
pub(super) type Labels = Vec<(&'static str, String)>;

/// Channels without labels, with names and help.
static PLAIN: LazyLock<Vec<(ChannelId, &str, &str)>> = LazyLock::new(|| {
    let rows = Table::of(include_str!("../../../../../data/metrics.tsv")).rows();
    let plain = |row: Row<'static>| {
        let Ok(id) = row.get("channel").parse();
        (id, row.get("name"), row.get("help"))
    };
    rows.map(plain).collect()
});

/// Name, help and labels of a channel.
pub(super) fn place(channel: &Channel) -> Place {
    if let Some((_, name, help)) = PLAIN.iter().find(|(id, ..)| channel.id == *id) {
        let name = (*name).to_owned();
        return one(name, help, Vec::new());
    }
    let known = match &channel.id {
        ChannelId::Cpu(cpu, CpuChannel::Time(time)) if channel.unit == Unit::Ticks => Some(of_cpu(*cpu, *time)),
        ChannelId::Policy(_, of) => of_policy(channel, *of),
        ChannelId::Zone(zone, ZoneChannel::Temperature) => Some(of_zone(channel, *zone)),
        ChannelId::Cooling(device) => Some(of_cooling(channel, *device)),
        ChannelId::Hwmon(chip, HwmonChannel::Sensor(kind, _)) => Some(of_hwmon(channel, *chip, *kind)),
        ChannelId::Powercap(zone, PowercapChannel::Energy) if zone.kind() == PowerZoneKind::Rapl => {
            Some(of_rapl(channel))
        }
        _ => None,
    };
    known.unwrap_or_else(|| other(channel))
}

fn one(name: String, help: &'static str, labels: Labels) -> Place {
    Place { name, help, labels: vec![labels] }
}

fn of_cpu(cpu: u32, time: CpuTime) -> Place {
    let labels = vec![("cpu", cpu.to_string()), ("mode", time.as_str().to_owned())];
    let help = "Seconds the CPUs spent in each mode.";
    one("node_cpu_seconds_total".into(), help, labels)
}

/// Clocks of a policy are those of each of its CPUs.
fn of_policy(channel: &Channel, of: PolicyChannel) -> Option<Place> {
    let (name, help) = match of {
        PolicyChannel::Claimed => (
            "node_cpu_scaling_frequency_hertz",
            "Current scaled CPU thread frequency in hertz, as reported by cpufreq.",
        ),
        PolicyChannel::LimitMax => {
            ("node_cpu_scaling_frequency_max_hertz", "Maximum scaled CPU thread frequency in hertz.")
        }
        _ => return None,
    };
    let cpus = channel.label.split_whitespace();
    let labels: Vec<Labels> = cpus.map(|cpu| vec![("cpu", cpu.to_owned())]).collect();
    (!labels.is_empty()).then(|| Place { name: name.to_owned(), help, labels })
}

fn of_zone(channel: &Channel, zone: u32) -> Place {
    let labels = vec![("type", channel.label.clone()), ("zone", zone.to_string())];
    let help = "Zone temperature in Celsius.";
    one("node_thermal_zone_temp".into(), help, labels)
}

fn of_cooling(channel: &Channel, device: u32) -> Place {
    let labels = vec![("name", device.to_string()), ("type", channel.label.clone())];
    let help = "Current throttle state of the cooling device.";
    one("node_cooling_device_cur_state".into(), help, labels)
}

fn of_hwmon(channel: &Channel, chip: u32, kind: HwmonKind) -> Place {
    let id = channel.id.to_string();
    let (name, help) = match kind {
        HwmonKind::Temperature => ("node_hwmon_temp_celsius", "Hardware monitor for temperature (input)."),
        HwmonKind::Voltage => ("node_hwmon_in_volts", "Hardware monitor for voltage (input)."),
        HwmonKind::Current => ("node_hwmon_curr_amps", "Hardware monitor for current (input)."),
        HwmonKind::Power => ("node_hwmon_power_watt", "Hardware monitor for power usage in watts (input)."),
        HwmonKind::Energy => ("node_hwmon_energy_joule_total", "Hardware monitor for joules used so far (input)."),
        HwmonKind::Fan => ("node_hwmon_fan_rpm", "Hardware monitor for fan revolutions per minute (input)."),
    };
    let labels = vec![
        ("chip", format!("hwmon{chip}")),
        ("label", channel.label.clone()),
        ("sensor", id.rsplit('.').next().unwrap_or_default().to_owned()),
    ];
    one(name.to_owned(), help, labels)
}

/// `package-0` is zone `package` of index 0.
fn of_rapl(channel: &Channel) -> Place {
    let (zone, index) = channel.label.rsplit_once('-').unwrap_or((&channel.label, "0"));
    let zone: String = zone.chars().filter(char::is_ascii_alphanumeric).collect();
    let zone = if zone.is_empty() { "zone".to_owned() } else { zone };
    let labels = vec![("index", index.to_owned()), ("path", channel.source.trim_end_matches("/energy_uj").to_owned())];
    let help = "RAPL energy of this zone in joules.";
    one(format!("node_rapl_{zone}_joules_total"), help, labels)
}

/// Metric of a channel without a counterpart in node_exporter: named by its unit, with its id as label.
fn other(channel: &Channel) -> Place {
    let unit = base_unit(&channel.unit);
    let total = match channel.kind {
        ChannelKind::Counter => "_total",
        ChannelKind::Gauge => "",
    };
    let labels = vec![("channel", channel.id.to_string()), ("label", channel.label.clone())];
    let help = "Sensor channels by id.";
    one(format!("sbc_bench_channel_{unit}{total}"), help, labels)
}

#[cfg(test)]
mod tests {
    use super::super::metrics;
    use crate::monitor::Watch;
    use crate::test_support::{labelled, own_run, rapl, with_channel};
    use record::{
        ChannelId, ChannelKind, CpuTime, HwmonChannel, HwmonKind, LoadSpan, PolicyChannel, PowercapChannel,
        RaspberryPiChannel, Resource, StallKind, Unit,
    };

    fn check(id: ChannelId, label: &str, unit: Unit, kind: ChannelKind, expected: &str) {
        let record = labelled(with_channel(own_run(), id.clone(), unit, kind, &[]), label);
        let mut watch = Watch::new(record);
        watch.row(1000, [Some(1500)]);
        let text = metrics(&watch);
        assert!(text.lines().any(|line| line == expected), "{id}: {expected}\n{text}");
    }

    #[test]
    fn names_are_those_of_node_exporter_and_units_are_basic() {
        use ChannelKind::{Counter, Gauge};
        use Unit::*;
        let chip = |kind, number| ChannelId::Hwmon(1, HwmonChannel::Sensor(kind, number));
        for (id, label, unit, kind, expected) in [
            (
                ChannelId::cpu_time(3, CpuTime::Iowait),
                "",
                Ticks,
                Counter,
                "node_cpu_seconds_total{cpu=\"3\",mode=\"iowait\"} 15",
            ),
            (ChannelId::Load(LoadSpan::One), "", Hundredths, Gauge, "node_load1 15"),
            (ChannelId::claimed(4), "4 5", Kilohertz, Gauge, "node_cpu_scaling_frequency_hertz{cpu=\"5\"} 1500000"),
            (ChannelId::limit_max(0), "0", Kilohertz, Gauge, "node_cpu_scaling_frequency_max_hertz{cpu=\"0\"} 1500000"),
            (
                ChannelId::zone_temperature(2),
                "soc",
                Millicelsius,
                Gauge,
                "node_thermal_zone_temp{type=\"soc\",zone=\"2\"} 1.5",
            ),
            (ChannelId::Cooling(0), "fan", Count, Gauge, "node_cooling_device_cur_state{name=\"0\",type=\"fan\"} 1500"),
            (
                chip(HwmonKind::Voltage, 12),
                "ina",
                Millivolts,
                Gauge,
                "node_hwmon_in_volts{chip=\"hwmon1\",label=\"ina\",sensor=\"in12\"} 1.5",
            ),
            (
                chip(HwmonKind::Power, 1),
                "",
                Microwatts,
                Gauge,
                "node_hwmon_power_watt{chip=\"hwmon1\",label=\"\",sensor=\"power1\"} 0.0015",
            ),
            (
                rapl(PowercapChannel::Energy),
                "package-1",
                Microjoules,
                Counter,
                "node_rapl_package_joules_total{index=\"1\",path=\"\"} 0.0015",
            ),
            (
                ChannelId::Pressure(Resource::Cpu, StallKind::Some),
                "",
                Microseconds,
                Counter,
                "node_pressure_cpu_waiting_seconds_total 0.0015",
            ),
            (
                ChannelId::RaspberryPi(RaspberryPiChannel::CoreVoltage),
                "a\"b",
                Microvolts,
                Gauge,
                "sbc_bench_channel_volts{channel=\"rpi.voltage.core\",label=\"a\\\"b\"} 0.0015",
            ),
            (
                ChannelId::Policy(0, PolicyChannel::Residency(600_000)),
                "0",
                Ticks,
                Counter,
                "sbc_bench_channel_seconds_total{channel=\"policy0.residency.600000\",label=\"0\"} 15",
            ),
            (
                ChannelId::all_cpus(CpuTime::User),
                "",
                Ticks,
                Counter,
                "sbc_bench_channel_seconds_total{channel=\"cpu.user\",label=\"\"} 15",
            ),
        ] {
            check(id, label, unit, kind, expected);
        }
    }
}
