//! Strings of a Record are untrusted: none of them may begin a line in a text made from it.

use compare::reference::Reference;
use compare::{Detail, Side, compare, rank, ranking_text, trend};
use explain::results;
use record::Record;
use rules::kernel;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Run on a synthetic board.
const RUN: &str = include_str!("../../explain/tests/own/two-policies.json");
/// Text that must never begin a line.
const FORGED: &str = "## FORGED";

/// The run, with additional fields.
fn run() -> Value {
    let mut run: Value = serde_json::from_str(RUN).unwrap();
    let machine = &mut run["machine"];
    for field in [
        "board",
        "soc",
        "zswap",
        "kernel_release",
        "kernel_version",
        "kernel_cmdline",
        "kernel_arch",
        "userland_arch",
        "distribution",
        "build_system",
        "virtualisation",
        "hostname",
        "compiler",
    ] {
        machine[field] = json!("x");
    }
    machine["compatible"] = json!(["a,b", "c,d"]);
    machine["firmware"] = json!([{"name": "x", "value": "y", "from": "z"}]);
    run["kernel_messages"] = json!([{"at_ms": 1, "text": "x"}, {"at_ms": null, "text": "y"}]);
    run["machine"]["features"] = json!([{"name": "x", "value": "y", "from": "z"}]);
    run["gate"]["passed"] = json!(false);
    run["gate"]["busiest"] = json!([{"pid": 1, "name": "x", "hundredths_percent": 9900}]);
    run["marks"] = json!([{"at_ms": 1, "text": "x"}]);
    assert!(serde_json::from_value::<Record>(run.clone()).is_ok(), "{:?}", serde_json::from_value::<Record>(run).err());
    run
}

/// Paths of all strings, as JSON pointers (RFC 6901).
fn strings(value: &Value, place: &str, found: &mut Vec<String>) {
    match value {
        Value::String(_) => found.push(place.to_owned()),
        Value::Array(values) => {
            for (number, value) in values.iter().enumerate() {
                strings(value, &format!("{place}/{number}"), found);
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                strings(value, &format!("{place}/{name}"), found);
            }
        }
        _ => {}
    }
}

fn check(what: &str, text: &str) {
    let forged = text.split(['\n', '\r']).find(|line| line.trim_start().starts_with(FORGED));
    assert_eq!(forged, None, "{what}:\n{text}");
}

/// Checks every text made from a Record.
fn check_all(place: &str, record: &Record) {
    let explained = &explain::explain(record);
    for report in report::REPORTS.iter() {
        let text = report.text(explained, compare::reference::Reference::builtin);
        check(&format!("{place}, {}", report.id), &text);
        if report.id == "summary" {
            assert!(text.lines().count() <= 1, "{place}: {text:?}");
            assert!(!text.contains('\r'), "{place}: {text:?}");
        }
    }
    for finding in &explained.assessment.findings {
        check(&format!("{place}, {}", finding.rule), &finding.sentence());
    }
    let name = format!("x\n{FORGED}");
    let side = || Side { name: name.clone(), explained };
    check(place, &compare::text(&compare(&[side(), side()]), 80, Detail::Full));
    check(place, &ranking_text(&rank(explained, Reference::builtin()), 80, Detail::Full));
    let row = results::Row::of(explained, &name);
    for format in results::FORMATS {
        check(
            &format!("{place}, {}", format.id),
            &(format.write)(&explain::results::Table { rows: std::slice::from_ref(&row), columns: 80 }),
        );
    }
    let sample =
        || trend::Sample { name: name.clone(), facts: &explained.facts, verdict: explained.assessment.verdict };
    check(place, &trend::text(&trend::trends(&[sample(), sample(), sample()])));
    check(place, &kernel::lines(record).join("\n"));
}

/// Path with list indices replaced, so that elements of a list are equal.
fn shape(place: &str) -> String {
    let parts = place.split('/');
    let parts = parts.map(|part| part.parse::<usize>().map_or(part, |_| "*"));
    parts.collect::<Vec<_>>().join("/")
}

fn bend(run: &Value, place: &str, bent: &mut Value) {
    let text = run.pointer(place).and_then(Value::as_str).unwrap_or_default();
    *bent.pointer_mut(place).unwrap() = format!("{text}\n{FORGED}\r{FORGED}\r\n{FORGED}\u{2028}{FORGED}").into();
}

#[test]
fn no_string_begins_a_line() {
    let run = run();
    let mut places = Vec::new();
    strings(&run, "", &mut places);
    // Fixed words of a list have no other form.
    places.retain(|place| {
        let mut one = run.clone();
        bend(&run, place, &mut one);
        serde_json::from_value::<Record>(one).is_ok()
    });
    let mut shapes = BTreeSet::new();
    let firsts: Vec<&String> = places.iter().filter(|place| shapes.insert(shape(place))).collect();
    assert!(firsts.len() > 40, "{firsts:?}");
    // All at once, and in groups, because a modified field may be omitted as unknown.
    for some in firsts.chunks(6) {
        let mut bent = run.clone();
        some.iter().for_each(|place| bend(&run, place, &mut bent));
        check_all(&format!("{some:?}"), &serde_json::from_value(bent).unwrap());
    }
    let mut all = run.clone();
    places.iter().for_each(|place| bend(&run, place, &mut all));
    check_all("all", &serde_json::from_value(all).unwrap());
}
