//! The latest values as metrics in the text format of Prometheus: with the names that node_exporter
//! gives to the same quantities where it has them, in base units (seconds, bytes, hertz, volts, ...).
//!
//! <https://prometheus.io/docs/instrumenting/exposition_formats/>

use super::Watch;
use crate::throttle::Reason;
use record::{Channel, ChannelKind, Unit};
use std::collections::BTreeMap;
use std::fmt::Write;

/// One metric: what stands above its values, and the values.
#[derive(Debug, Default)]
struct Metric {
    help: String,
    kind: &'static str,
    /// Labels and value.
    values: Vec<(String, f64)>,
}

/// Where a channel belongs.
struct Place {
    name: String,
    help: &'static str,
    labels: Vec<Labels>,
}

type Labels = Vec<(&'static str, String)>;

/// All metrics of this moment.
pub fn metrics(watch: &Watch) -> String {
    let mut metrics: BTreeMap<String, Metric> = BTreeMap::new();
    let mut add = |name: String, help: &str, kind, labels: &Labels, value: f64| {
        let metric = metrics.entry(name).or_default();
        metric.help = help.to_owned();
        metric.kind = kind;
        metric.values.push((labels_text(labels), value));
    };
    for (index, channel) in watch.channels().iter().enumerate() {
        let Some(value) = watch.value(index) else {
            continue;
        };
        let kind = match channel.kind {
            ChannelKind::Counter => "counter",
            ChannelKind::Gauge => "gauge",
        };
        let place = place(channel);
        let value = in_base_unit(value, channel.unit);
        for labels in &place.labels {
            add(place.name.clone(), place.help, kind, labels, value);
        }
    }
    let mut own = |name: &str, help: &str, kind, labels: &Labels, value: f64| {
        add(format!("sbc_bench_{name}"), help, kind, labels, value);
    };
    for reason in Reason::ALL {
        let holds = watch.throttled().iter().any(|t| t.reason == reason);
        let labels = vec![("reason", reason.words().to_owned())];
        let help = "1 while CPUs are held back for this reason.";
        own(
            "throttled",
            help,
            "gauge",
            &labels,
            f64::from(u8::from(holds)),
        );
    }
    let cost = &watch.record().samples.cost;
    let none = Vec::new();
    let help = "Samples taken.";
    own(
        "sampler_ticks_total",
        help,
        "counter",
        &none,
        cost.ticks as f64,
    );
    let help = "Times the sampler slowed itself down to stay within its budget.";
    own(
        "sampler_slowdowns_total",
        help,
        "counter",
        &none,
        f64::from(cost.slowdowns),
    );
    if let Some(started) = watch.record().run.started.known() {
        let help = "When the last sample was taken, in seconds since 1970.";
        let seconds = started.saturating_add(watch.at_ms()) as f64 / 1e3;
        own("sample_time_seconds", help, "gauge", &none, seconds);
    }
    text(&metrics)
}

fn text(metrics: &BTreeMap<String, Metric>) -> String {
    let mut text = String::new();
    for (name, metric) in metrics {
        let _ = writeln!(
            text,
            "# HELP {name} {}\n# TYPE {name} {}",
            metric.help, metric.kind
        );
        for (labels, value) in &metric.values {
            let _ = writeln!(text, "{name}{labels} {value}");
        }
    }
    text
}

/// `{cpu="0",mode="user"}`
fn labels_text(labels: &Labels) -> String {
    if labels.is_empty() {
        return String::new();
    }
    let escaped = |value: &str| {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        value.replace('\n', "\\n")
    };
    let pairs = labels
        .iter()
        .map(|(name, value)| format!("{name}=\"{}\"", escaped(value)));
    format!("{{{}}}", pairs.collect::<Vec<_>>().join(","))
}

/// A value in the base unit. Divided instead of multiplied, so that 0.1 stays 0.1.
fn in_base_unit(value: i64, unit: Unit) -> f64 {
    let value = value as f64;
    match unit {
        Unit::Nanoseconds => value / 1e9,
        Unit::Microseconds | Unit::Microvolts | Unit::Microwatts | Unit::Microjoules => value / 1e6,
        Unit::Milliseconds
        | Unit::Millicelsius
        | Unit::Millivolts
        | Unit::Milliamperes
        | Unit::Milliwatts => value / 1e3,
        Unit::Hundredths | Unit::Ticks | Unit::Percent => value / 1e2,
        Unit::Kilohertz => value * 1e3,
        Unit::Kibibytes => value * 1024.0,
        _ => value,
    }
}

/// The base unit as the end of a name.
fn base_unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Nanoseconds | Unit::Microseconds | Unit::Milliseconds | Unit::Ticks => "seconds",
        Unit::Kilohertz | Unit::Hertz => "hertz",
        Unit::Millicelsius => "celsius",
        Unit::Millivolts | Unit::Microvolts => "volts",
        Unit::Milliamperes => "amperes",
        Unit::Milliwatts | Unit::Microwatts => "watts",
        Unit::Microjoules => "joules",
        Unit::Kibibytes => "bytes",
        Unit::Percent => "ratio",
        Unit::Pages => "pages",
        Unit::Bits => "bits",
        _ => "count",
    }
}

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
fn place(channel: &Channel) -> Place {
    if let Some((_, name, help)) = PLAIN.iter().find(|(id, ..)| *id == channel.id) {
        let name = (*name).to_owned();
        return one(name, help, Vec::new());
    }
    let (thing, quantity) = channel.id.split_once('.').unwrap_or((&channel.id, ""));
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
    let unit = base_unit(channel.unit);
    let total = match channel.kind {
        ChannelKind::Counter => "_total",
        ChannelKind::Gauge => "",
    };
    let labels = vec![
        ("channel", channel.id.clone()),
        ("label", channel.label.clone()),
    ];
    let help = "Channels of sbc-bench by their id.";
    one(format!("sbc_bench_channel_{unit}{total}"), help, labels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{labelled, own_run, with_channel};

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

    #[test]
    fn each_metric_has_one_head_and_what_is_missing_is_not_there() {
        let record = with_channel(
            own_run(),
            "load.1min",
            Unit::Hundredths,
            ChannelKind::Gauge,
            &[],
        );
        let record = with_channel(
            record,
            "load.5min",
            Unit::Hundredths,
            ChannelKind::Gauge,
            &[],
        );
        let mut watch = Watch::new(record);
        watch.row(0, [Some(50), None]);
        let text = metrics(&watch);
        assert!(
            text.contains("# TYPE node_load1 gauge\nnode_load1 0.5\n"),
            "{text}"
        );
        assert!(!text.contains("node_load5"), "{text}");
        assert_eq!(text.matches("# TYPE sbc_bench_throttled gauge").count(), 1);
        assert_eq!(
            text.matches("sbc_bench_throttled{").count(),
            Reason::ALL.len()
        );
    }

    /// A channel of every kind that the dashboard shows.
    const SHOWN: [(&str, &str, Unit); 16] = [
        ("policy0.claimed", "0", Unit::Kilohertz),
        ("policy0.limit_max", "0", Unit::Kilohertz),
        ("thermal_zone0.temp", "cpu", Unit::Millicelsius),
        ("hwmon0.temp1", "cpu", Unit::Millicelsius),
        ("hwmon0.in1", "ina226", Unit::Millivolts),
        ("hwmon0.power1", "ina226", Unit::Microwatts),
        ("cooling_device0.state", "cpufreq-cpu0", Unit::Count),
        ("rapl0.energy", "package-0", Unit::Microjoules),
        ("rpi.voltage.core", "core", Unit::Microvolts),
        ("rpi.pmic.power", "sum", Unit::Microwatts),
        ("meter.energy", "", Unit::Microjoules),
        ("devfreq.dmc.claimed", "", Unit::Hertz),
        ("cpu0.idle", "", Unit::Ticks),
        ("memory.available", "", Unit::Kibibytes),
        ("swap.used", "", Unit::Kibibytes),
        ("load.1min", "", Unit::Hundredths),
    ];

    #[test]
    fn the_dashboard_shows_only_what_is_exported() {
        let mut record = own_run();
        for (id, label, unit) in SHOWN {
            let counts = matches!(unit, Unit::Ticks | Unit::Microjoules);
            let kind = if counts {
                ChannelKind::Counter
            } else {
                ChannelKind::Gauge
            };
            record = labelled(with_channel(record, id, unit, kind, &[]), label);
        }
        for id in [
            "sampler.cpu",
            "psi.cpu.some",
            "psi.memory.some",
            "psi.io.some",
        ] {
            let unit = Unit::Microseconds;
            record = with_channel(record, id, unit, ChannelKind::Counter, &[]);
        }
        let mut watch = Watch::new(record);
        let channels = watch.channels().len();
        watch.row(0, vec![Some(1); channels]);
        let exported = metrics(&watch);
        let dashboard = include_str!("../../../../docs/grafana.json");
        let dashboard: serde_json::Value = serde_json::from_str(dashboard).unwrap();
        let panels = dashboard["panels"].as_array().unwrap();
        let targets = panels
            .iter()
            .flat_map(|panel| panel["targets"].as_array().unwrap());
        let mut names = std::collections::BTreeSet::new();
        for expression in targets.map(|target| target["expr"].as_str().unwrap()) {
            let words = expression.split(|c: char| !c.is_alphanumeric() && c != '_');
            names.extend(words.filter(|w| w.starts_with("node_") || w.starts_with("sbc_bench_")));
        }
        assert!(names.len() > 15, "{names:?}");
        for name in names {
            assert!(
                exported.contains(&format!("# TYPE {name} ")),
                "{name}\n{exported}"
            );
        }
    }
}
