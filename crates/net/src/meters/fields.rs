//! Values in a text, addressed by paths with units: `$.power:mW,$.energy.total:Wh` in JSON and XML,
//! `watts{socket="3"}:W` in metrics. The kinds use the language of `--meter json:`. Pure.
//!
//! A path starts with `$`, the document; `.key`, `["key"]` and `[0]` descend, `[*]` selects all elements and a key
//! ending with `*` all keys with this prefix, one output each. A text that is not a document is one value, with or without
//! unit. JSON: RFC 8259. Metrics: <https://prometheus.io/docs/instrumenting/exposition_formats/>.

mod reason;

use super::reading::{Quantity, RawOutput, Unit, number, unit};
use super::{Answer, Output};
use machine::Failure;
use quick_xml::events::Event;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Format of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Json,
    Xml,
    Metrics,
}

/// Maximum number of outputs; more are ignored.
const OUTPUTS_MAX: usize = 64;
/// Maximum depth of XML.
const DEPTH_MAX: usize = 32;

/// Path into a document, and unit of its value.
#[derive(Debug, Clone)]
struct Field {
    path: Path,
    unit: &'static Unit,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Path {
    Document(Vec<Step>),
    Metric(Metric),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Key(String),
    /// All keys with this prefix.
    Keys(String),
    Index(usize),
    Every,
}

/// Name of a metric and required labels.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Metric {
    name: String,
    labels: Vec<(String, String)>,
}

/// Fields to read from a text.
#[derive(Debug, Clone)]
pub(super) struct Fields(Vec<Field>);

impl Fields {
    /// Parses `PATH[:UNIT],...`; the default unit is watts.
    ///
    /// # Errors
    /// The text is invalid; a clause.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let fields = split_outside(text, ',').map(|field| {
            let with_unit = field.rsplit_once(':').and_then(|(path, name)| Some((path, unit(name)?)));
            let (path, unit) = match with_unit {
                Some(found) => found,
                None if ends_with_word(field) => return Err(format!("{field:?} ends with an unknown unit")),
                None => (field, unit("W").ok_or("there are no watts")?),
            };
            let path = match path.strip_prefix('$') {
                Some(steps) => parse_steps(steps).map(Path::Document),
                None => parse_metric(path).filter(|(_, rest)| rest.is_empty()).map(|(metric, _)| Path::Metric(metric)),
            };
            let path =
                path.ok_or_else(|| format!("{field:?} is not a path such as $.power:W or watts{{a=\"b\"}}:W"))?;
            Ok(Field { path, unit })
        });
        let fields: Vec<Field> = fields.collect::<Result<_, String>>()?;
        let tells = |field: &Field| {
            !matches!(field.unit.what, Quantity::Clock | Quantity::Valid | Quantity::Name | Quantity::Factor)
        };
        if !fields.iter().any(tells) {
            return Err(format!("{text:?} names no power, energy, voltage or current"));
        }
        Ok(Self(fields))
    }

    /// True if the fields may refer to several outputs.
    pub(super) fn are_many(&self) -> bool {
        self.0.iter().any(|field| match &field.path {
            Path::Document(steps) => steps.iter().any(|step| matches!(step, Step::Every | Step::Keys(_))),
            Path::Metric(metric) => metric.labels.iter().any(|(_, value)| value.contains('*')),
        })
    }

    /// Values in a text.
    ///
    /// # Errors
    /// It contains none of them, and what it contains at their places.
    pub(super) fn answer(&self, format: Format, text: &str) -> Result<Answer, Failure> {
        let document = match format {
            Format::Json => serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.trim().to_owned())),
            Format::Xml => parse_xml(text).ok_or_else(|| Failure::garbled(text.as_bytes()))?,
            Format::Metrics => Value::Null,
        };
        let (mut shared, mut outputs) = (RawOutput::default(), BTreeMap::<String, RawOutput>::new());
        let mut name = String::new();
        for field in &self.0 {
            let found = match &field.path {
                Path::Document(steps) => at(&document, steps),
                Path::Metric(metric) => samples(text, metric),
            };
            for (key, value) in found.into_iter().take(OUTPUTS_MAX) {
                match field.unit.what {
                    Quantity::Name => name = value.as_str().unwrap_or_default().to_owned(),
                    _ => {
                        let raw = if key.is_empty() { &mut shared } else { outputs.entry(key).or_default() };
                        match field.unit.what {
                            Quantity::Clock => raw.clock = raw.clock.or_else(|| time(&value)),
                            Quantity::Valid => raw.is_invalid = value == false,
                            _ => raw.set(field.unit, quantity(&value, field.unit)),
                        }
                    }
                }
            }
        }
        let count = outputs.len();
        let mut raws: Vec<RawOutput> = outputs.into_values().map(|raw| raw.with(&shared, count)).collect();
        if raws.is_empty() {
            raws.push(shared);
        }
        let outputs: Vec<Output> = raws.iter().map(RawOutput::output).collect();
        if outputs.iter().any(Output::has_values) {
            return Ok(Answer { name, outputs });
        }
        Err(match format {
            Format::Json if !(document.is_object() || document.is_array()) => Failure::garbled(text.as_bytes()),
            _ => self.0.first().map_or(Failure::NotNamed, |field| field.failure(&document, text)),
        })
    }
}

/// True if the last colon is followed by a word.
fn ends_with_word(text: &str) -> bool {
    text.rsplit_once(':').is_some_and(|(_, word)| !word.is_empty() && word.chars().all(char::is_alphabetic))
}

/// Splits text at separators outside quotes, brackets and braces.
fn split_outside(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let (mut depth, mut is_quoted) = (0_usize, false);
    text.split(move |c: char| {
        match c {
            '"' => is_quoted = !is_quoted,
            '[' | '{' if !is_quoted => depth += 1,
            ']' | '}' if !is_quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == separator && depth == 0 && !is_quoted
    })
}

fn parse_steps(mut text: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    while !text.is_empty() {
        if let Some(rest) = text.strip_prefix('.') {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            let (key, rest) = rest.split_at(end);
            steps.push(match key.strip_suffix('*') {
                _ if key.is_empty() => return None,
                Some(prefix) => Step::Keys(prefix.to_owned()),
                None => Step::Key(key.to_owned()),
            });
            text = rest;
            continue;
        }
        let rest = text.strip_prefix('[')?;
        if let Some(quoted) = rest.strip_prefix('"') {
            let (key, rest) = quoted.split_once("\"]")?;
            steps.push(Step::Key(key.to_owned()));
            text = rest;
            continue;
        }
        let (index, rest) = rest.split_once(']')?;
        steps.push(if index == "*" { Step::Every } else { Step::Index(index.parse().ok()?) });
        text = rest;
    }
    Some(steps)
}

/// Values at a path, a list as its elements, each with the key that distinguishes it; empty for a single value.
fn at(document: &Value, steps: &[Step]) -> Vec<(String, Value)> {
    let values = walk(document, steps).into_iter().flat_map(|(key, value)| match value {
        Value::Array(_) => elements(&key, value),
        _ => vec![(key, value)],
    });
    values.map(|(key, value)| (key, value.clone())).collect()
}

fn walk<'a>(document: &'a Value, steps: &[Step]) -> Vec<(String, &'a Value)> {
    let mut found = vec![(String::new(), document)];
    for step in steps {
        let mut next = Vec::new();
        for (key, value) in found {
            match step {
                Step::Key(name) => next.extend(value.get(name).map(|value| (key, value))),
                Step::Index(index) => next.extend(value.get(index).map(|value| (key, value))),
                Step::Keys(prefix) => {
                    let entries = value.as_object().into_iter().flatten();
                    let those = entries.filter(|(name, _)| name.starts_with(prefix.as_str()));
                    next.extend(those.map(|(name, value)| (format!("{key}{name}"), value)));
                }
                Step::Every => next.extend(elements(&key, value)),
            }
        }
        next.truncate(OUTPUTS_MAX);
        found = next;
    }
    found
}

/// A single XML element counts as a list of one.
fn elements<'a>(key: &str, value: &'a Value) -> Vec<(String, &'a Value)> {
    let list = match value {
        Value::Array(list) => list.as_slice(),
        Value::Null => &[],
        one => std::slice::from_ref(one),
    };
    list.iter().take(OUTPUTS_MAX).enumerate().map(|(index, value)| (format!("{key}{index:04}"), value)).collect()
}

/// Number in the unit of the field; a value with its own unit is converted.
fn quantity(value: &Value, of: &Unit) -> Option<f64> {
    match value {
        Value::Number(number) => Some(number.as_f64()? * of.factor),
        Value::String(text) => {
            let (value, name) = number(text)?;
            let own = if name.is_empty() { of } else { unit(name)? };
            (own.what == of.what).then_some(value * own.factor)
        }
        _ => None,
    }
}

/// Time stamp as an increasing number: any number, or the digits of a date.
fn time(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => super::http::whole(number.as_f64()?, 1e3),
        Value::String(text) => {
            let digits: String = text.chars().filter(char::is_ascii_digit).take(14).collect();
            digits.parse().ok()
        }
        _ => None,
    }
}

/// Parses XML: elements as objects, repeated ones as lists, without attributes.
pub(super) fn parse_xml(text: &str) -> Option<Value> {
    let mut reader = quick_xml::Reader::from_str(text);
    let mut open: Vec<(String, Map<String, Value>, String)> = vec![Default::default()];
    loop {
        match reader.read_event().ok()? {
            Event::Start(_) if open.len() > DEPTH_MAX => return None,
            Event::Start(element) => open.push((element.local_name().as_ref().to_owned(), Map::new(), String::new())),
            Event::Text(text) => open.last_mut()?.2.push_str(&text),
            Event::End(_) => {
                let (name, children, text) = open.pop()?;
                let value =
                    if children.is_empty() { Value::String(text.trim().to_owned()) } else { Value::Object(children) };
                let siblings = &mut open.last_mut()?.1;
                match siblings.get_mut(&name) {
                    None => drop(siblings.insert(name, value)),
                    Some(Value::Array(list)) => list.push(value),
                    Some(first) => *first = Value::Array(vec![first.take(), value]),
                }
            }
            Event::Eof => break,
            _ => {}
        }
    }
    let (_, document, _) = open.pop()?;
    (open.is_empty() && !document.is_empty()).then_some(Value::Object(document))
}

/// Samples of a metric, each with the text matched by the stars of its labels.
fn samples(text: &str, wanted: &Metric) -> Vec<(String, Value)> {
    let lines = text.lines().filter(|line| line.starts_with(wanted.name.as_str()));
    let sample = |line: &str| {
        let (metric, rest) = parse_metric(line)?;
        if metric.name != wanted.name {
            return None;
        }
        let mut key = String::new();
        for (name, pattern) in &wanted.labels {
            let (_, value) = metric.labels.iter().find(|(own, _)| own == name)?;
            let star = matched(pattern, value)?;
            if pattern.contains('*') {
                key += "=";
                key += star;
            }
        }
        let value = rest.split_whitespace().next()?.parse::<f64>().ok()?;
        Some((key, serde_json::Number::from_f64(value)?.into()))
    };
    lines.filter_map(sample).collect()
}

/// Text matched by the star of a pattern; empty without a star.
fn matched<'a>(pattern: &str, value: &'a str) -> Option<&'a str> {
    match pattern.split_once('*') {
        None => (pattern == value).then_some(""),
        Some((head, tail)) => value.strip_prefix(head)?.strip_suffix(tail),
    }
}

/// Parses `name{label="value",...}`; returns the rest of the text.
fn parse_metric(text: &str) -> Option<(Metric, &str)> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    let end = text.find(|c| !is_name(c)).unwrap_or(text.len());
    let (name, mut rest) = text.split_at(end);
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        return None;
    }
    let mut labels = Vec::new();
    if let Some(inside) = rest.strip_prefix('{') {
        rest = inside;
        loop {
            rest = rest.trim_start_matches([',', ' ']);
            if let Some(after) = rest.strip_prefix('}') {
                rest = after;
                break;
            }
            let (label, value) = rest.split_once("=\"")?;
            let mut is_escaped = false;
            let end = value.find(|c| match (is_escaped, c) {
                (false, '"') => true,
                (escaped, c) => {
                    is_escaped = !escaped && c == '\\';
                    false
                }
            })?;
            let plain = value[..end].replace("\\n", "\n").replace("\\\"", "\"").replace("\\\\", "\\");
            labels.push((label.trim().to_owned(), plain));
            rest = &value[end + 1..];
        }
    }
    Some((Metric { name: name.to_owned(), labels }, rest))
}
