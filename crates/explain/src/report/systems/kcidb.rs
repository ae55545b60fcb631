//! Report: steps and main figures as tests of one build, in version 4.3 of the input format of KCIDB
//! (<https://github.com/kernelci/kcidb-io>). The origin is `sbc_bench`; who submits replaces it by their own.

use super::scores::{Ending, scores, tests};
use super::{FOR_PROGRAMS, json};
use crate::tables::{Made, Report};
use crate::{Explanation, Verdict};
use jiff::Timestamp;
use record::Record;
use serde_json::{Map, Value, json};

pub(super) const REPORT: Report = Report {
    id: "kcidb",
    about: "Steps and main figures as tests of the running kernel, for KCIDB.",
    made: Made::Text(render),
    ..FOR_PROGRAMS
};

/// Who the report is from, until a submitter says otherwise.
const ORIGIN: &str = "sbc_bench";

fn render(record: &Record, explained: &Explanation) -> String {
    let release = record.machine.kernel_release.known().map_or("unknown", String::as_str);
    let started = record.run.started.known().copied().unwrap_or(0);
    // The same result gives the same ids, so that a second submission replaces the first.
    let run = format!("{}_{started}", super::scores::slug(&[release]));
    let checkout = format!("{ORIGIN}:checkout_{run}");
    let build = format!("{ORIGIN}:build_{run}");
    let base = |name: &str, status: &str| {
        let mut test = Map::new();
        test.insert("id".into(), format!("{ORIGIN}:{run}_{name}").into());
        test.insert("origin".into(), ORIGIN.into());
        test.insert("build_id".into(), build.clone().into());
        test.insert("path".into(), format!("sbc_bench.{name}").into());
        test.insert("status".into(), status.into());
        test.insert("environment".into(), environment(record));
        test
    };
    let mut all: Vec<Value> = Vec::new();
    for test in tests(record) {
        let status = match test.ending {
            Ending::Passed => "PASS",
            Ending::Failed => "FAIL",
            Ending::Skipped => "SKIP",
        };
        let mut entry = base(&test.name, status);
        entry.insert("duration".into(), (test.step.window.elapsed_ms().max(0) as f64 / 1000.0).into());
        if let Some(time) = time(started.saturating_add(test.step.window.start_ms)).filter(|_| started != 0) {
            entry.insert("start_time".into(), time.into());
        }
        if !test.why.is_empty() {
            entry.insert("comment".into(), test.why.into());
        }
        all.push(entry.into());
    }
    for score in scores(record, explained) {
        let mut entry = base(&format!("score_{}", score.name), "PASS");
        entry.insert(
            "number".into(),
            json!({"value": score.figure.value, "unit": score.figure.unit, "prefix": "metric"}),
        );
        all.push(entry.into());
    }
    let status = if explained.verdict == Verdict::Invalid { "FAIL" } else { "PASS" };
    all.push(base("verdict", status).into());
    json(&json!({
        "version": {"major": 4, "minor": 3},
        "checkouts": [{"id": checkout, "origin": ORIGIN, "comment": format!("Linux {release}")}],
        "builds": [{"id": build, "origin": ORIGIN, "checkout_id": checkout, "architecture": architecture(record)}],
        "tests": all,
    }))
}

fn environment(record: &Record) -> Value {
    json!({"comment": record.machine.name().map_or("unknown board", String::as_str)})
}

fn architecture(record: &Record) -> &str {
    match record.machine.kernel_arch.known().map_or("unknown", String::as_str) {
        "aarch64" => "arm64",
        "armv7l" | "armv8l" | "armv6l" => "arm",
        "i686" => "i386",
        other => other,
    }
}

fn time(utc_ms: i64) -> Option<String> {
    Some(Timestamp::from_millisecond(utc_ms).ok()?.strftime("%Y-%m-%dT%H:%M:%S+00:00").to_string())
}
