//! Missing sources are not evidence: removing any source of a Record may remove statements or add unknowns, but no
//! other statement.
//!
//! Sources come from the Record itself: every channel, every field that may be missing, and every list.

#![allow(clippy::disallowed_methods, clippy::print_stderr)]

use crate::files;
use explain::monitor::{Watch, metrics};
use facts::{Cause, Explanation, Finding, Severity};
use record::{Missing, Record, Source};
use rules::Role;
use serde_json::Value;
use std::collections::BTreeSet;

/// Records of logs that were composed, and of a run of this program.
fn records() -> Vec<(String, Record)> {
    let folders = [files::composed(), files::composed().with_file_name("made")];
    let logs = files::texts(&folders).into_iter().map(|(name, text)| (name, logs::read(&text)));
    let own = files::texts_in(&files::composed().with_file_name("own"), "json");
    logs.chain(own.into_iter().map(|(name, text)| (name, record::from_json(&text).unwrap()))).collect()
}

/// Variants of the Record with one source removed, by name.
fn without_each(record: &Record) -> Vec<(String, Record)> {
    let mut less: Vec<(String, Record)> = Vec::new();
    for channel in &record.samples.channels {
        let mut without = record.clone();
        without.samples.channels.retain(|other| other.id != channel.id);
        less.push((channel.id.to_string(), without));
    }
    let bare = Record { samples: record::Samples::default(), ..record.clone() };
    let value = serde_json::to_value(&bare).unwrap();
    let mut paths = BTreeSet::new();
    walk(&value, &mut Vec::new(), &mut paths);
    let missing = serde_json::to_value(record::Fact::<u32>::from(Missing::absent("/gone"))).unwrap();
    for path in paths.iter().filter(|path| is_source(record, path)) {
        for (nothing, words) in [(&missing, "unread"), (&Value::Array(Vec::new()), "empty")] {
            let mut without = value.clone();
            let is_changed = take(&mut without, path, nothing);
            // Required fields are refused.
            let Ok(mut without) = serde_json::from_value::<Record>(without) else { continue };
            without.samples = record.samples.clone();
            if is_changed && without != *record {
                less.push((format!("{} {words}", path.join(".")), without));
            }
        }
    }
    less
}

/// Where something was read: not what was asked for, what the figures themselves are, and where they stand. That
/// nothing was set is known, and a log has messages of the kernel only if there were any.
fn is_source(record: &Record, path: &[String]) -> bool {
    let is_figure = path[0] == "steps" && path.get(2).is_none_or(|field| field != "counters");
    let is_of_log = matches!(record.source, Source::Log(_)) && path[0] == "kernel_messages";
    let is_no_source = path == ["settings"] || ["schema", "source", "run"].contains(&path[0].as_str());
    !is_figure && !is_of_log && !is_no_source
}

/// Paths of all fields, `*` in place of the number of an element.
fn walk(value: &Value, path: &mut Vec<String>, paths: &mut BTreeSet<Vec<String>>) {
    match value {
        Value::Object(fields) if !fields.contains_key("missing") => {
            for (name, value) in fields {
                path.push(name.clone());
                paths.insert(path.clone());
                walk(value, path, paths);
                path.pop();
            }
        }
        Value::Array(values) => {
            path.push("*".to_owned());
            values.iter().for_each(|value| walk(value, path, paths));
            path.pop();
        }
        _ => {}
    }
}

/// Removes a value. Returns whether there was one.
fn take(value: &mut Value, path: &[String], nothing: &Value) -> bool {
    let Some((first, rest)) = path.split_first() else {
        // Only lists become empty.
        let is_same_kind = nothing.is_object() || value.is_array();
        let is_there = is_same_kind && value != nothing;
        if is_there {
            *value = nothing.clone();
        }
        return is_there;
    };
    match value {
        Value::Object(fields) => fields.get_mut(first).is_some_and(|value| take(value, rest, nothing)),
        Value::Array(values) => {
            let taken: Vec<bool> = values.iter_mut().map(|value| take(value, rest, nothing)).collect();
            taken.contains(&true)
        }
        _ => false,
    }
}

/// Statements about a Record.
struct Statements {
    explained: Explanation,
    zeros: BTreeSet<String>,
}

impl Statements {
    fn of(record: &Record) -> Self {
        let mut watch = Watch::new(record.clone());
        for (row, at_ms) in record.samples.at_ms.iter().enumerate() {
            let values = record.samples.channels.iter().map(|channel| channel.values.get(row).copied().flatten());
            watch.row(*at_ms, values);
        }
        let zeros = metrics(&watch).lines().filter(|line| line.ends_with(" 0")).map(str::to_owned).collect();
        Self { explained: explain::explain(record).assessment, zeros }
    }

    /// Statements absent from the other list.
    fn more_than(&self, whole: &Self) -> Vec<String> {
        let mut more: Vec<String> = self.zeros.difference(&whole.zeros).cloned().collect();
        let of = |explained: &Explanation, severity| -> BTreeSet<String> {
            let found = explained.findings.iter().filter(|finding| finding.severity >= severity);
            found.map(|finding| finding.rule.to_string()).collect()
        };
        let invisible = self.explained.diagnoses.iter().filter(|diagnosis| diagnosis.cause == Cause::NotVisible);
        let invisible: BTreeSet<usize> = invisible.flat_map(|diagnosis| diagnosis.members()).collect();
        for (index, finding) in self.explained.findings.iter().enumerate() {
            let is_known = of(&whole.explained, finding.severity).contains(finding.rule.as_str());
            if !is_known && !says_unknown(finding) && !invisible.contains(&index) {
                more.push(format!("{:?} {}", finding.severity, finding.sentence()));
            }
        }
        let causes: BTreeSet<Cause> = whole.explained.diagnoses.iter().map(|diagnosis| diagnosis.cause).collect();
        let new = self.explained.diagnoses.iter().filter(|diagnosis| !causes.contains(&diagnosis.cause));
        more.extend(new.filter(|diagnosis| diagnosis.cause != Cause::NotVisible).map(|diagnosis| {
            format!("{:?} by: {}", diagnosis.cause, self.explained.findings[diagnosis.root].sentence())
        }));
        more
    }
}

/// Whether a finding reports an unknown or unmeasured value.
fn says_unknown(finding: &Finding) -> bool {
    finding.unseen.is_some() || rules::role(finding) == Role::Gap && finding.severity == Severity::Info
}

#[test]
fn nothing_is_concluded_from_what_was_not_read() {
    let mut wrong = Vec::new();
    let mut tried = 0;
    for (name, record) in records() {
        let whole = Statements::of(&record);
        for (source, less) in without_each(&record) {
            tried += 1;
            let more = Statements::of(&less).more_than(&whole);
            wrong.extend(more.into_iter().map(|said| format!("{name} without {source}: {said}")));
        }
    }
    assert!(tried > 500, "{tried} sources");
    assert!(wrong.is_empty(), "{} of {tried}:\n{}", wrong.len(), wrong.join("\n"));
}
