//! Report: main figures and the verdict as metrics of OpenTelemetry in the JSON form of its protocol
//! (<https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding>). Resources have the names of the semantic conventions, units
//! are those of UCUM.

use super::scores::{Score, scores};
use facts::{Explanation, Facts};
use record::Record;
use rules::Report;
use serde_json::{Value, json};

pub(super) const REPORT: Report = Report {
    id: "otlp",
    about: "Main figures and the verdict as OpenTelemetry metrics, as OTLP JSON.",
    for_programs: true,
    ..Report::of(render)
};

fn render(facts: &Facts<'_>, explained: &Explanation) -> String {
    let started = facts.run.started.known().copied();
    let elapsed_ms = facts.run.elapsed_ms.and_then(|ms| i64::try_from(ms).ok());
    let ended = started.map(|started| started.saturating_add(elapsed_ms.unwrap_or_default()));
    let nanoseconds = |ms: i64| (i128::from(ms.max(0)) * 1_000_000).to_string();
    let gauge = |name: String, about: String, unit: String, value: f64, attributes: Value| {
        let mut point = json!({"asDouble": value, "attributes": attributes});
        // Receivers read a missing time as unknown, and 0 as 1970.
        for (key, ms) in [("startTimeUnixNano", started), ("timeUnixNano", ended)] {
            if let Some(ms) = ms {
                point[key] = nanoseconds(ms).into();
            }
        }
        json!({"name": name, "description": about, "unit": unit, "gauge": {"dataPoints": [point]}})
    };
    let metric = |score: Score| {
        let core = score.figure.core.as_ref().map(facts::figures::Core::label);
        let core = core.map_or_else(|| json!([]), |core| json!([attribute("host.cpu.model.name", &core)]));
        let (value, unit) = in_ucum(score.figure.value, &score.figure.unit);
        gauge(format!("sbc_bench.score.{}", score.name), score.figure.key.title(), unit, value, core)
    };
    let mut metrics: Vec<Value> = scores(facts, explained).into_iter().map(metric).collect();
    let verdict = json!([attribute("sbc_bench.verdict", &explained.verdict.to_string())]);
    metrics.push(gauge("sbc_bench.result".into(), "The verdict, as an attribute.".into(), "1".into(), 1.0, verdict));
    let version = facts.source.version();
    let document = json!({"resourceMetrics": [{
        "resource": {"attributes": resource(facts)},
        "scopeMetrics": [{"scope": {"name": "sbc-bench", "version": version}, "metrics": metrics}],
    }]});
    format!("{document:#}\n")
}

fn attribute(key: &str, value: &str) -> Value {
    json!({"key": key, "value": {"stringValue": value}})
}

/// Machine in the semantic conventions for hosts, devices and operating systems.
fn resource(record: &Record) -> Vec<Value> {
    let machine = &record.machine;
    let arch = |arch: &String| match arch.as_str() {
        "aarch64" => "arm64".to_owned(),
        "x86_64" => "amd64".to_owned(),
        "armv7l" | "armv8l" | "armv6l" => "arm32".to_owned(),
        "i686" => "x86".to_owned(),
        other => other.to_owned(),
    };
    let known = [
        ("device.model.name", facts::machine_name(machine).cloned()),
        ("host.arch", machine.kernel_arch.known().map(arch)),
        ("os.type", Some("linux".to_owned())),
        ("os.description", machine.distribution.known().cloned()),
        ("os.version", machine.kernel_release.known().cloned()),
    ];
    known.into_iter().filter_map(|(key, value)| Some(attribute(key, &value?))).collect()
}

/// Value in base units, with its UCUM unit; non-standard units are in braces.
fn in_ucum(value: f64, unit: &str) -> (f64, String) {
    let (factor, unit) = match unit {
        "ns" => (1e-9, "s"),
        "us" => (1e-6, "s"),
        "ms" => (1e-3, "s"),
        "s" => (1.0, "s"),
        "kHz" => (1e3, "Hz"),
        "MHz" => (1e6, "Hz"),
        "MB/s" => (1e6, "By/s"),
        "kB/s" => (1e3, "By/s"),
        "B/s" => (1.0, "By/s"),
        own => return (value, format!("{{{own}}}")),
    };
    (value * factor, unit.to_owned())
}
