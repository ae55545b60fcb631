//! Why a document has no value at a path: the keys, labels or values that it has there. Pure.

use super::{Field, Metric, Path, Step, at, parse_metric, samples, walk};
use machine::Failure;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Maximum number of names in a reason.
const NAMES_MAX: usize = 12;
/// Maximum number of characters of a foreign word in a reason.
const WORD_CHARS_MAX: usize = 24;

impl Field {
    /// Reason why the text has no usable value at this place.
    pub(super) fn failure(&self, document: &Value, text: &str) -> Failure {
        let unit = self.unit.name;
        let (place, found, has) = match &self.path {
            Path::Document(steps) => (path(steps), at(document, steps), reached(document, steps)),
            Path::Metric(metric) => (word(&metric.name), samples(text, metric), metrics_named(text, &metric.name)),
        };
        Failure::lacking(&match found.first() {
            None => format!("has no value at {place}; {has}"),
            Some((_, value)) => format!("has {} at {place}, which is no usable number in {unit}", shown(value)),
        })
    }
}

/// A path as it is written: `$.list[0].power`.
fn path(steps: &[Step]) -> String {
    let mut text = "$".to_owned();
    for step in steps {
        // Writing to a string cannot fail.
        let _ = match step {
            Step::Key(key) => write!(text, ".{}", word(key)),
            Step::Keys(prefix) => write!(text, ".{}*", word(prefix)),
            Step::Index(index) => write!(text, "[{index}]"),
            Step::Every => write!(text, "[*]"),
        };
    }
    text
}

/// What a document has where it ends on the way to a path.
fn reached(document: &Value, steps: &[Step]) -> String {
    let is_there = |count: usize| !walk(document, &steps[..count]).is_empty();
    let count = (0..steps.len()).rev().find(|count| is_there(*count)).unwrap_or_default();
    let place = path(&steps[..count]);
    match walk(document, &steps[..count]).first() {
        Some((_, Value::Object(map))) if !map.is_empty() => format!("the keys of {place} are {}", names(map.keys())),
        found => format!("{place} is {}", found.map_or_else(|| "empty".to_owned(), |(_, value)| shown(value))),
    }
}

/// What an exporter has of a metric.
fn metrics_named(text: &str, name: &str) -> String {
    let metrics = text.lines().filter_map(|line| parse_metric(line).map(|(metric, _)| metric));
    let (own, others): (Vec<Metric>, Vec<Metric>) = metrics.partition(|metric| metric.name == name);
    let label = |(label, value): &(String, String)| format!("{label}=\"{}\"", word(value));
    let labels: BTreeSet<String> = own.iter().flat_map(|metric| metric.labels.iter().map(label)).collect();
    let known: BTreeSet<&String> = others.iter().map(|metric| &metric.name).collect();
    let is_power = |name: &&String| name.contains("watt") || name.contains("power");
    let power: Vec<&String> = known.iter().copied().filter(is_power).collect();
    if !labels.is_empty() {
        format!("its labels are {}", names(&labels))
    } else if !own.is_empty() {
        "its samples have no labels or no finite number".to_owned()
    } else if power.is_empty() {
        format!("none of its {} metrics is named so", known.len())
    } else {
        format!("its metrics of power are {}", names(power))
    }
}

fn names<'a>(all: impl IntoIterator<Item = &'a String>) -> String {
    let mut words: Vec<String> = all.into_iter().take(NAMES_MAX + 1).map(|name| word(name)).collect();
    if words.len() > NAMES_MAX {
        words[NAMES_MAX] = "...".to_owned();
    }
    words.join(", ")
}

/// A value in few words.
fn shown(value: &Value) -> String {
    match value {
        Value::Object(map) if map.is_empty() => "empty".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::Array(list) => format!("a list of {}", list.len()),
        Value::String(text) => format!("\"{}\"", word(text)),
        other => word(&other.to_string()),
    }
}

/// A foreign word for a reason: harmless to a terminal, and short.
fn word(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(WORD_CHARS_MAX).collect()
}
