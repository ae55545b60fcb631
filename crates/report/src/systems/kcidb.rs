//! Report: steps and main figures as tests of one build, in version 4.4 of the input format of KCIDB
//! (<https://github.com/kernelci/kcidb-io>). The origin is `sbc_bench`; submitters replace it by their own.

use super::json;
use super::scores::{RFC_3339, TestOutcome, scores, tests, utc};
use facts::{Explanation, Facts};
use record::Record;
use rules::Report;
use serde_json::{Map, Value, json};

pub(super) const REPORT: Report = Report {
    id: "kcidb",
    about: "Steps and main figures as tests of the running kernel, for KCIDB.",
    for_programs: true,
    ..Report::of(render)
};

/// Default origin of a report.
const ORIGIN: &str = "sbc_bench";

fn render(facts: &Facts<'_>, explained: &Explanation) -> String {
    let release = facts.machine.kernel_release.known().map_or("unknown", String::as_str);
    let started = facts.run.started.known().copied().unwrap_or(0);
    // The same result has the same ids, so that a second submission replaces the first.
    let run = format!("{}_{started}", super::scores::slug(&[release]));
    let checkout = format!("{ORIGIN}:checkout_{run}");
    let build = format!("{ORIGIN}:build_{run}");
    let base = |name: &str, outcome: TestOutcome| {
        let mut test = Map::new();
        test.insert("id".into(), format!("{ORIGIN}:{run}_{name}").into());
        test.insert("origin".into(), ORIGIN.into());
        test.insert("build_id".into(), build.clone().into());
        test.insert("path".into(), format!("sbc_bench.{name}").into());
        test.insert("status".into(), outcome.word().to_uppercase().into());
        test.insert("environment".into(), environment(facts));
        test
    };
    let mut all: Vec<Value> = Vec::new();
    for test in tests(facts) {
        let mut entry = base(&test.name, test.outcome);
        entry.insert("duration".into(), (test.step.window.elapsed_ms().max(0) as f64 / 1000.0).into());
        if let Some(time) = utc(facts, test.step.window.start_ms, RFC_3339) {
            entry.insert("start_time".into(), time.into());
        }
        if !test.why.is_empty() {
            entry.insert("comment".into(), test.why.into());
        }
        all.push(entry.into());
    }
    for score in scores(facts, explained) {
        let mut entry = base(&format!("score_{}", score.name), TestOutcome::Passed);
        entry.insert(
            "number".into(),
            json!({"value": score.figure.value, "unit": score.figure.unit, "prefix": "metric"}),
        );
        all.push(entry.into());
    }
    all.push(base("verdict", TestOutcome::of(explained.verdict)).into());
    json(&json!({
        "version": {"major": 4, "minor": 4},
        "checkouts": [{"id": checkout, "origin": ORIGIN, "comment": format!("Linux {release}")}],
        "builds": [{"id": build, "origin": ORIGIN, "checkout_id": checkout, "architecture": architecture(facts)}],
        "tests": all,
    }))
}

fn environment(record: &Record) -> Value {
    json!({"comment": facts::machine_name(&record.machine).map_or("unknown board", String::as_str)})
}

fn architecture(record: &Record) -> &str {
    match record.machine.kernel_arch.known().map_or("unknown", String::as_str) {
        "aarch64" => "arm64",
        "armv7l" | "armv8l" | "armv6l" => "arm",
        "i686" => "i386",
        other => other,
    }
}
