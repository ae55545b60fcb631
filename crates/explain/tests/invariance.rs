//! Changes that must not alter diagnoses or shares: all clocks scaled by one factor, clusters reordered, one wrong
//! reading.

#![allow(clippy::disallowed_methods, clippy::print_stderr)]

use crate::files;
use facts::figures::FigureKey;
use facts::{Deficit, Facts, view};
use record::{ChannelId, Record, Unit};
use serde_json::Value;
use std::collections::BTreeMap;

/// Every record of a log.
fn records() -> impl Iterator<Item = (String, Record)> {
    files::texts(&files::folders()).into_iter().map(|(name, text)| (name, logs::read(&text)))
}

/// Points of every part by score and cause, and the causes of every diagnosis with its scores.
fn told(record: &Record) -> (Vec<String>, BTreeMap<String, f64>, Option<Deficit>) {
    let explained = explain::explain(record);
    let diagnoses = explained.assessment.diagnoses.iter().map(|diagnosis| {
        let scores: Vec<&str> = diagnosis.holds_for.iter().map(view::ScoreKey::as_str).collect();
        format!("{:?} {}", diagnosis.cause, scores.join(" "))
    });
    let parts = explained.assessment.ledgers.iter().flat_map(|ledger| {
        ledger.parts.iter().map(|part| (format!("{} {:?}", ledger.score, part.cause), part.points.percent.as_percent()))
    });
    let mut diagnoses: Vec<String> = diagnoses.collect();
    diagnoses.push(explained.assessment.verdict.to_string());
    (diagnoses, parts.collect(), explained.assessment.deficit.clone())
}

/// Shares that differ by more than this many points.
fn differing(before: &BTreeMap<String, f64>, after: &BTreeMap<String, f64>, points: f64) -> Vec<String> {
    let all = before.keys().chain(after.keys());
    let mut words: Vec<String> = all
        .filter_map(|key| {
            let [before, after] = [before, after].map(|told| told.get(key).copied().unwrap_or(0.0));
            ((before - after).abs() > points).then(|| format!("{key}: {before} became {after}"))
        })
        .collect();
    words.dedup();
    words
}

/// The soft limit of a Raspberry Pi is known by its clock.
fn is_raspberry_pi(record: &Record) -> bool {
    view::firmware_clock_channel(record).is_some()
}

/// The record with all clocks raised by 10 %.
fn faster(record: &Record) -> Record {
    let mut value = serde_json::to_value(record).unwrap();
    scale(&mut value);
    let mut faster: Record = serde_json::from_value(value).unwrap();
    for channel in &mut faster.samples.channels {
        if matches!(channel.unit, Unit::Kilohertz | Unit::Hertz) {
            channel.values.iter_mut().flatten().for_each(|value| *value = *value / 10 * 11);
        }
    }
    faster
}

fn scale(value: &mut Value) {
    match value {
        Value::Object(fields) => fields.iter_mut().for_each(|(name, value)| match name.as_str() {
            "khz_ms" => value.as_array_mut().into_iter().flatten().for_each(|pair| scale_number(&mut pair[0])),
            name if name.contains("khz") || name.contains("mhz") => scale_number(value),
            _ => scale(value),
        }),
        Value::Array(values) => values.iter_mut().for_each(scale),
        _ => {}
    }
}

fn scale_number(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(scale_number),
        Value::Number(number) => {
            if let Some(whole) = number.as_u64() {
                *value = (whole / 10 * 11).into();
            }
        }
        other => scale(other),
    }
}

#[test]
fn shares_do_not_hang_on_clocks() {
    let mut wrong = Vec::new();
    for (name, record) in records().filter(|(_, record)| !is_raspberry_pi(record)) {
        let (before, after) = (told(&record), told(&faster(&record)));
        // A clock is rounded to 10 kHz here.
        wrong.extend(differing(&before.1, &after.1, 0.15).into_iter().map(|words| format!("{name}: {words}")));
        // The reference data decide the expected score at another clock.
        if before.0 != after.0 && before.2.is_none() && after.2.is_none() {
            wrong.push(format!("{name}: {:?} became {:?}", before.0, after.0));
        }
    }
    assert!(wrong.is_empty(), "{}: {:#?}", wrong.len(), wrong);
}

/// The version in the first line does not tell which program wrote a log.
#[test]
fn log_of_the_script_stays_one_at_any_version() {
    let mut wrong = Vec::new();
    for (name, text) in files::texts(&files::folders()) {
        let Some((version, _)) = text.strip_prefix("sbc-bench v").and_then(|rest| rest.split_once(' ')) else {
            continue;
        };
        let [before, after] = ["0.9.99", "1.0.0"].map(|later| logs::read(&text.replacen(version, later, 1)));
        let keys = |record: &Record| Facts::of(record).figures().iter().map(|figure| figure.key.clone()).collect();
        let [before_keys, after_keys]: [Vec<FigureKey>; 2] = [&before, &after].map(keys);
        if before_keys != after_keys || told(&before) != told(&after) {
            wrong.push(name);
        }
    }
    assert!(wrong.is_empty(), "{}: {:#?}", wrong.len(), wrong);
}

#[test]
fn order_of_clusters_changes_nothing() {
    let mut wrong = Vec::new();
    for (name, record) in records() {
        let before = told(&record);
        let mut other = record;
        other.machine.policies.reverse();
        other.samples.channels.reverse();
        let after = told(&other);
        wrong.extend(differing(&before.1, &after.1, 0.0).into_iter().map(|words| format!("{name}: {words}")));
        if before.0 != after.0 {
            wrong.push(format!("{name}: {:?} became {:?}", before.0, after.0));
        }
    }
    assert!(wrong.is_empty(), "{}: {:#?}", wrong.len(), wrong);
}

/// Columns with fewer readings are not looked at: each of them is worth more than a point.
const ROWS_MIN: usize = 40;
/// Logs with few readings during 7-zip between very different clocks, and the points
/// that one reading may change.
const FEW_ROWS: [(&str, f64); 2] = [("0.9.37-extensive-x86.txt", 3.0), ("4pCM.txt", 1.2)];

#[test]
fn one_wild_reading_changes_nothing() {
    let mut wrong = Vec::new();
    for (name, record) in records() {
        let before = told(&record);
        for factor in [3.0, 0.1] {
            let mut other = record.clone();
            let middle = other.samples.at_ms.len() * 2 / 3;
            let is_clock = |id: &ChannelId| id.is_policy_claim() || id.is_firmware_clock();
            let mut clocks = other.samples.channels.iter_mut().filter(|channel| is_clock(&channel.id));
            let Some(channel) = clocks.find(|channel| channel.values.len() >= ROWS_MIN) else { continue };
            if let Some(Some(value)) = channel.values.get_mut(middle) {
                *value = (*value as f64 * factor) as i64;
            }
            let after = told(&other);
            let few = FEW_ROWS.iter().find(|(few, _)| *few == name);
            let words = differing(&before.1, &after.1, few.map_or(1.0, |(_, points)| *points));
            wrong.extend(words.into_iter().map(|words| format!("{name} x {factor}: {words}")));
            if before.0 != after.0 {
                wrong.push(format!("{name} x {factor}: {:?} became {:?}", before.0, after.0));
            }
        }
    }
    assert!(wrong.is_empty(), "{}: {:#?}", wrong.len(), wrong);
}
