//! Name, help and labels of a channel as a metric: those of node_exporter where it has the same quantity,
//! our own for the rest. How values are written is in the file above.
//!
//! <https://github.com/prometheus/node_exporter>

use super::units::base_unit;
use record::{Channel, ChannelKind, Unit};

/// Where a channel belongs.
pub(super) struct Place {
    pub(super) name: String,
    pub(super) help: &'static str,
    pub(super) labels: Vec<Labels>,
}

/// Names and values of the labels of one value.
pub(super) type Labels = Vec<(&'static str, String)>;

/// Quantities that node_exporter has without labels.
const PLAIN: [(&str, &str, &str); 15] = [
    ("load.1min", "node_load1", "1m load average."),
    ("load.5min", "node_load5", "5m load average."),
    ("load.15min", "node_load15", "15m load average."),
    (
        "memory.available",
        "node_memory_MemAvailable_bytes",
        "Memory that can be had without swapping.",
    ),
    ("swap.in", "node_vmstat_pswpin", "Pages swapped in."),
    ("swap.out", "node_vmstat_pswpout", "Pages swapped out."),
    (
        "memory.faults.major",
        "node_vmstat_pgmajfault",
        "Page faults that needed the disk.",
    ),
    (
        "memory.oom_kills",
        "node_vmstat_oom_kill",
        "Processes killed for want of memory.",
    ),
    (
        "psi.cpu.some",
        "node_pressure_cpu_waiting_seconds_total",
        "Time in which some tasks waited for a CPU.",
    ),
    (
        "psi.io.some",
        "node_pressure_io_waiting_seconds_total",
        "Time in which some tasks waited for I/O.",
    ),
    (
        "psi.io.full",
        "node_pressure_io_stalled_seconds_total",
        "Time in which all tasks waited for I/O.",
    ),
    (
        "psi.memory.some",
        "node_pressure_memory_waiting_seconds_total",
        "Time in which some tasks waited for memory.",
    ),
    (
        "psi.memory.full",
        "node_pressure_memory_stalled_seconds_total",
        "Time in which all tasks waited for memory.",
    ),
    (
        "sampler.cpu",
        "sbc_bench_sampler_cpu_seconds_total",
        "CPU time that the sampling itself used.",
    ),
    ("swap.used", "sbc_bench_swap_used_bytes", "Swap in use."),
];

/// Name, help and labels of a channel.
pub(super) fn place(channel: &Channel) -> Place {
    if let Some((_, name, help)) = PLAIN.iter().find(|(id, ..)| channel.id == *id) {
        let name = (*name).to_owned();
        return one(name, help, Vec::new());
    }
    let id = channel.id.as_text();
    let (thing, quantity) = id.split_once('.').unwrap_or((&id, ""));
    let number = |prefix: &str| {
        let number = thing.strip_prefix(prefix)?;
        number.parse::<u32>().ok().map(|_| number.to_owned())
    };
    if let Some(cpu) = number("cpu")
        && channel.unit == Unit::Ticks
        && !quantity.contains('.')
    {
        let labels = vec![("cpu", cpu), ("mode", quantity.to_owned())];
        return one(
            "node_cpu_seconds_total".into(),
            "Seconds the CPUs spent in each mode.",
            labels,
        );
    }
    if number("policy").is_some()
        && let Some(place) = of_policy(channel, quantity)
    {
        return place;
    }
    if let (Some(zone), "temp") = (number("thermal_zone"), quantity) {
        let labels = vec![("type", channel.label.clone()), ("zone", zone)];
        return one(
            "node_thermal_zone_temp".into(),
            "Zone temperature in Celsius.",
            labels,
        );
    }
    if let (Some(name), "state") = (number("cooling_device"), quantity) {
        let labels = vec![("name", name), ("type", channel.label.clone())];
        let help = "Current throttle state of the cooling device.";
        return one("node_cooling_device_cur_state".into(), help, labels);
    }
    if number("hwmon").is_some()
        && let Some(place) = of_hwmon(channel, thing, quantity)
    {
        return place;
    }
    if thing.starts_with("rapl") && quantity == "energy" {
        return of_rapl(channel);
    }
    other(channel)
}

fn one(name: String, help: &'static str, labels: Labels) -> Place {
    Place {
        name,
        help,
        labels: vec![labels],
    }
}

/// Clocks of a policy are those of each of its CPUs.
fn of_policy(channel: &Channel, quantity: &str) -> Option<Place> {
    let (name, help) = match quantity {
        "claimed" => (
            "node_cpu_scaling_frequency_hertz",
            "Current scaled CPU thread frequency in hertz, as cpufreq claims it.",
        ),
        "limit_max" => (
            "node_cpu_scaling_frequency_max_hertz",
            "Maximum scaled CPU thread frequency in hertz.",
        ),
        _ => return None,
    };
    let cpus = channel.label.split_whitespace();
    let labels: Vec<Labels> = cpus.map(|cpu| vec![("cpu", cpu.to_owned())]).collect();
    (!labels.is_empty()).then(|| Place {
        name: name.to_owned(),
        help,
        labels,
    })
}

fn of_hwmon(channel: &Channel, chip: &str, sensor: &str) -> Option<Place> {
    let kind = sensor.trim_end_matches(|c: char| c.is_ascii_digit());
    let (name, help) = match kind {
        "temp" => (
            "node_hwmon_temp_celsius",
            "Hardware monitor for temperature (input).",
        ),
        "in" => (
            "node_hwmon_in_volts",
            "Hardware monitor for voltage (input).",
        ),
        "curr" => (
            "node_hwmon_curr_amps",
            "Hardware monitor for current (input).",
        ),
        "power" => (
            "node_hwmon_power_watt",
            "Hardware monitor for power usage in watts (input).",
        ),
        "energy" => (
            "node_hwmon_energy_joule_total",
            "Hardware monitor for joules used so far (input).",
        ),
        "fan" => (
            "node_hwmon_fan_rpm",
            "Hardware monitor for fan revolutions per minute (input).",
        ),
        _ => return None,
    };
    let labels = vec![
        ("chip", chip.to_owned()),
        ("label", channel.label.clone()),
        ("sensor", sensor.to_owned()),
    ];
    Some(one(name.to_owned(), help, labels))
}

/// `package-0` is zone `package` of index 0.
fn of_rapl(channel: &Channel) -> Place {
    let (zone, index) = channel
        .label
        .rsplit_once('-')
        .unwrap_or((&channel.label, "0"));
    let zone: String = zone.chars().filter(char::is_ascii_alphanumeric).collect();
    let zone = if zone.is_empty() {
        "zone".to_owned()
    } else {
        zone
    };
    let labels = vec![
        ("index", index.to_owned()),
        (
            "path",
            channel.source.trim_end_matches("/energy_uj").to_owned(),
        ),
    ];
    let help = "Energy that the CPU has counted for this zone, in joules.";
    one(format!("node_rapl_{zone}_joules_total"), help, labels)
}

/// Everything that node_exporter has no name for: by its unit, with its id as label.
fn other(channel: &Channel) -> Place {
    let unit = base_unit(&channel.unit);
    let total = match channel.kind {
        ChannelKind::Counter => "_total",
        ChannelKind::Gauge => "",
    };
    let labels = vec![
        ("channel", channel.id.to_string()),
        ("label", channel.label.clone()),
    ];
    let help = "Channels of sbc-bench by their id.";
    one(format!("sbc_bench_channel_{unit}{total}"), help, labels)
}

#[cfg(test)]
mod tests {
    use super::super::metrics;
    use crate::monitor::Watch;
    use crate::test_support::{labelled, own_run, with_channel};
    use record::{ChannelKind, Unit};

    fn check(id: &str, label: &str, unit: Unit, kind: ChannelKind, expected: &str) {
        let record = labelled(with_channel(own_run(), id, unit, kind, &[]), label);
        let mut watch = Watch::new(record);
        watch.row(1000, [Some(1500)]);
        let text = metrics(&watch);
        assert!(
            text.lines().any(|line| line == expected),
            "{id}: {expected}\n{text}"
        );
    }

    #[test]
    fn names_are_those_of_node_exporter_and_units_are_basic() {
        use ChannelKind::{Counter, Gauge};
        use Unit::*;
        for (id, label, unit, kind, expected) in [
            (
                "cpu3.iowait",
                "",
                Ticks,
                Counter,
                "node_cpu_seconds_total{cpu=\"3\",mode=\"iowait\"} 15",
            ),
            ("load.1min", "", Hundredths, Gauge, "node_load1 15"),
            (
                "policy4.claimed",
                "4 5",
                Kilohertz,
                Gauge,
                "node_cpu_scaling_frequency_hertz{cpu=\"5\"} 1500000",
            ),
            (
                "policy0.limit_max",
                "0",
                Kilohertz,
                Gauge,
                "node_cpu_scaling_frequency_max_hertz{cpu=\"0\"} 1500000",
            ),
            (
                "thermal_zone2.temp",
                "soc",
                Millicelsius,
                Gauge,
                "node_thermal_zone_temp{type=\"soc\",zone=\"2\"} 1.5",
            ),
            (
                "cooling_device0.state",
                "fan",
                Count,
                Gauge,
                "node_cooling_device_cur_state{name=\"0\",type=\"fan\"} 1500",
            ),
            (
                "hwmon1.in12",
                "ina",
                Millivolts,
                Gauge,
                "node_hwmon_in_volts{chip=\"hwmon1\",label=\"ina\",sensor=\"in12\"} 1.5",
            ),
            (
                "hwmon1.power1",
                "",
                Microwatts,
                Gauge,
                "node_hwmon_power_watt{chip=\"hwmon1\",label=\"\",sensor=\"power1\"} 0.0015",
            ),
            (
                "rapl0.energy",
                "package-1",
                Microjoules,
                Counter,
                "node_rapl_package_joules_total{index=\"1\",path=\"\"} 0.0015",
            ),
            (
                "psi.cpu.some",
                "",
                Microseconds,
                Counter,
                "node_pressure_cpu_waiting_seconds_total 0.0015",
            ),
            (
                "rpi.voltage.core",
                "a\"b",
                Microvolts,
                Gauge,
                "sbc_bench_channel_volts{channel=\"rpi.voltage.core\",label=\"a\\\"b\"} 0.0015",
            ),
            (
                "policy0.residency.600000",
                "0",
                Ticks,
                Counter,
                "sbc_bench_channel_seconds_total{channel=\"policy0.residency.600000\",label=\"0\"} 15",
            ),
            (
                "cpu.user",
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
