//! The latest values as metrics in the text format of Prometheus: with the names that node_exporter
//! gives to the same quantities where it has them, in base units (seconds, bytes, hertz, volts, ...).
//!
//! <https://prometheus.io/docs/instrumenting/exposition_formats/>

mod names;
mod units;

use super::Watch;
use facts::plain::harmless;
use names::{Labels, place};
use record::ChannelKind;
use std::collections::BTreeMap;
use std::fmt::Write;
use units::in_base_unit;

/// Maximum age of a meter's value in metrics: another machine would take an older one for the current power.
const METER_AGE_MS_MAX: i64 = 3_000;

/// A metric with its help and values.
#[derive(Debug, Default)]
struct Metric {
    help: String,
    kind: &'static str,
    /// Labels and value.
    values: Vec<(String, f64)>,
}

/// All current metrics.
pub fn metrics(watch: &Watch) -> String {
    let mut metrics: BTreeMap<String, Metric> = BTreeMap::new();
    let mut add = |name: String, help: &str, kind, labels: &Labels, value: f64| {
        let metric = metrics.entry(name).or_default();
        metric.help = help.to_owned();
        metric.kind = kind;
        metric.values.push((labels_text(labels), value));
    };
    for (index, channel) in watch.channels().iter().enumerate() {
        let is_old = channel.id.is_meter() && watch.age_ms(index) > METER_AGE_MS_MAX;
        let Some(value) = watch.value(index).filter(|_| !is_old) else { continue };
        let kind = match channel.kind {
            ChannelKind::Counter => "counter",
            ChannelKind::Gauge => "gauge",
        };
        let place = place(channel);
        let value = in_base_unit(value, &channel.unit);
        for labels in &place.labels {
            add(place.name.clone(), place.help, kind, labels, value);
        }
    }
    let mut own = |name: &str, help: &str, kind, labels: &Labels, value: f64| {
        add(format!("sbc_bench_{name}"), help, kind, labels, value);
    };
    // A 0 would silence alerts, so undetectable reasons have no value.
    for reason in watch.observable() {
        let holds = watch.throttled().iter().any(|t| t.reason == reason);
        let labels = vec![("reason", reason.id().to_owned())];
        let help = "1 while CPUs are throttled for this reason.";
        own("throttled", help, "gauge", &labels, f64::from(u8::from(holds)));
    }
    let cost = &watch.record().samples.cost;
    let none = Vec::new();
    let help = "Samples taken.";
    // The cost comes with every tenth row; an alert needs a sign of life in each.
    own("sampler_ticks_total", help, "counter", &none, watch.rows() as f64);
    let help = "Number of times the sampler increased its interval to limit its CPU use.";
    own("sampler_slowdowns_total", help, "counter", &none, f64::from(cost.slowdowns));
    if let Some(started) = watch.record().run.started.known() {
        let meters = watch.channels().iter().filter(|channel| channel.id.is_meter() && channel.is_power());
        for channel in meters {
            let of_output =
                watch.channels().iter().enumerate().filter(|(_, other)| other.id.is_of_same_chip(&channel.id));
            let read = of_output.filter(|(index, _)| watch.value(*index).is_some());
            let at_ms = read.map(|(index, _)| started.saturating_add(watch.at_ms() - watch.age_ms(index))).max();
            let labels = vec![("channel", channel.id.to_string())];
            let help = "Unix time of the last reading of a power meter; 0 before the first.";
            own("meter_time_seconds", help, "gauge", &labels, at_ms.unwrap_or_default() as f64 / 1e3);
        }
        let help = "Unix time of the last sample.";
        let seconds = started.saturating_add(watch.at_ms()) as f64 / 1e3;
        own("sample_time_seconds", help, "gauge", &none, seconds);
    }
    text(&metrics)
}

fn text(metrics: &BTreeMap<String, Metric>) -> String {
    let mut text = String::new();
    for (name, metric) in metrics {
        let _ = writeln!(text, "# HELP {name} {}\n# TYPE {name} {}", metric.help, metric.kind);
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
        harmless(&value.replace('\n', "\\n")).into_owned()
    };
    let pairs = labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value)));
    format!("{{{}}}", pairs.collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{labelled, own_run, rapl, with_channel};
    use record::{
        ChannelId, CpuTime, DevfreqChannel, Fact, HwmonChannel, HwmonKind, LoadSpan, MemoryChannel, MeterChannel,
        PowercapChannel, RaspberryPiChannel, Resource, SamplerChannel, StallKind, SwapChannel, Unit,
    };
    use std::collections::BTreeSet;

    #[test]
    fn metrics_have_one_header_and_no_missing_values() {
        let mut record = own_run();
        for load in [LoadSpan::One, LoadSpan::Five].map(ChannelId::Load) {
            record = with_channel(record, load, Unit::Hundredths, ChannelKind::Gauge, &[]);
        }
        let mut watch = Watch::new(record);
        watch.row(0, [Some(50), None]);
        let text = metrics(&watch);
        assert!(text.contains("# TYPE node_load1 gauge\nnode_load1 0.5\n"), "{text}");
        assert!(!text.contains("node_load5"), "{text}");
        assert!(!text.contains("sbc_bench_throttled"), "{text}");
        let mut watch =
            Watch::new(with_channel(own_run(), ChannelId::limit_max(0), Unit::Kilohertz, ChannelKind::Gauge, &[]));
        watch.row(0, [Some(1_800_000)]);
        let text = metrics(&watch);
        assert!(text.contains("\nsbc_bench_sampler_ticks_total 1\n"), "{text}");
        assert_eq!(text.matches("# TYPE sbc_bench_throttled gauge").count(), 1);
        assert!(text.contains("sbc_bench_throttled{reason=\"clock_limit\"} 0\n"), "{text}");
        assert_eq!(text.matches("sbc_bench_throttled{").count(), 1);
    }

    #[test]
    fn meter_without_a_new_value_has_none() {
        let power = ChannelId::meter(MeterChannel::Power);
        let mut record = with_channel(own_run(), power, Unit::Milliwatts, ChannelKind::Gauge, &[]);
        record.run.started = Fact::Known(1_700_000_000_500);
        let mut watch = Watch::new(record);
        for (at_ms, value, is_shown) in [(0, Some(5_000), true), (3_000, None, true), (3_500, None, false)] {
            watch.row(at_ms, [value]);
            let text = metrics(&watch);
            assert_eq!(text.contains("sbc_bench_channel_watts{"), is_shown, "{at_ms}");
            // The time stamp is that of the reading, not of the row.
            let time = "sbc_bench_meter_time_seconds{channel=\"meter.power\"} 1700000000.5\n";
            assert!(text.contains(time), "{text}");
        }
    }

    /// A channel of every kind that the dashboard or an alert uses.
    #[rustfmt::skip]
    fn shown() -> [(ChannelId, &'static str, Unit); 18] {
        let chip = |kind| ChannelId::Hwmon(0, HwmonChannel::Sensor(kind, 1));
        let pi = ChannelId::RaspberryPi;
        [
            (ChannelId::claimed(0), "0", Unit::Kilohertz),
            (ChannelId::limit_max(0), "0", Unit::Kilohertz),
            (ChannelId::zone_temperature(0), "cpu", Unit::Millicelsius),
            (chip(HwmonKind::Temperature), "cpu", Unit::Millicelsius),
            (chip(HwmonKind::Voltage), "ina226", Unit::Millivolts),
            (chip(HwmonKind::Power), "ina226", Unit::Microwatts),
            (ChannelId::Cooling(0), "cpufreq-cpu0", Unit::Count),
            (rapl(PowercapChannel::Energy), "package-0", Unit::Microjoules),
            (pi(RaspberryPiChannel::CoreVoltage), "core", Unit::Microvolts),
            (pi(RaspberryPiChannel::PmicPower), "sum", Unit::Microwatts),
            (ChannelId::meter(MeterChannel::Energy), "", Unit::Microjoules),
            (ChannelId::Devfreq("dmc".into(), DevfreqChannel::Claimed), "", Unit::Hertz),
            (ChannelId::cpu_time(0, CpuTime::Idle), "", Unit::Ticks),
            (ChannelId::Memory(MemoryChannel::Available), "", Unit::Kibibytes),
            (ChannelId::Memory(MemoryChannel::OomKills), "", Unit::Count),
            (ChannelId::Swap(SwapChannel::In), "", Unit::Count),
            (ChannelId::Swap(SwapChannel::Used), "", Unit::Kibibytes),
            (ChannelId::Load(LoadSpan::One), "", Unit::Hundredths),
        ]
    }

    /// Metrics of a board with all channels.
    fn exported() -> String {
        let mut record = own_run();
        for (id, label, unit) in shown() {
            let counts = matches!(unit, Unit::Ticks | Unit::Microjoules);
            let kind = if counts { ChannelKind::Counter } else { ChannelKind::Gauge };
            record = labelled(with_channel(record, id, unit, kind, &[]), label);
        }
        for id in [
            ChannelId::Sampler(SamplerChannel::Cpu),
            ChannelId::Pressure(Resource::Cpu, StallKind::Some),
            ChannelId::Pressure(Resource::Memory, StallKind::Some),
            ChannelId::Pressure(Resource::Io, StallKind::Some),
        ] {
            let unit = Unit::Microseconds;
            record = with_channel(record, id, unit, ChannelKind::Counter, &[]);
        }
        let mut watch = Watch::new(record);
        let channels = watch.channels().len();
        watch.row(0, vec![Some(1); channels]);
        metrics(&watch)
    }

    /// Names of metrics in an expression of Prometheus.
    fn names(expression: &str) -> BTreeSet<&str> {
        let words = expression.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.filter(|word| word.starts_with("node_") || word.starts_with("sbc_bench_")).collect()
    }

    #[test]
    fn dashboard_shows_only_what_is_exported() {
        let dashboard = include_str!("../../../../docs/grafana.json");
        let dashboard: serde_json::Value = serde_json::from_str(dashboard).unwrap();
        let panels = dashboard["panels"].as_array().unwrap();
        let targets = panels.iter().flat_map(|panel| panel["targets"].as_array().unwrap());
        let expressions: Vec<&str> = targets.map(|target| target["expr"].as_str().unwrap()).collect();
        check_names(&expressions, 16);
    }

    #[test]
    fn alerts_look_only_at_what_is_exported() {
        let rules = include_str!("../../../../deploy/prometheus/sbc-bench.rules.yml");
        let expressions: Vec<&str> = rules.lines().filter_map(|line| line.trim().strip_prefix("expr: ")).collect();
        check_names(&expressions, 5);
        // Reasons that an alert names exist: another spelling would keep it silent.
        let words = rules
            .split("reason")
            .skip(1)
            .filter_map(|text| text.split('"').nth(1).filter(|_| text.starts_with(['=', '!'])));
        let named: BTreeSet<&str> = words.flat_map(|words| words.split('|')).collect();
        assert_eq!(named.len(), 3, "{named:?}");
        for reason in named {
            assert!(facts::throttle::Reason::ALL.iter().any(|known| known.id() == reason), "{reason}");
        }
    }

    fn check_names(expressions: &[&str], at_least: usize) {
        let exported = exported();
        let names: BTreeSet<&str> = expressions.iter().flat_map(|expression| names(expression)).collect();
        assert!(names.len() >= at_least, "{names:?}");
        for name in names {
            assert!(exported.contains(&format!("# TYPE {name} ")), "{name}\n{exported}");
        }
    }
}
