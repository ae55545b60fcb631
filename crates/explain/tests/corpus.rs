//! Reads every composed log and every real log of a corpus, and compares field by field with what is true of
//! them: what composed them wrote, and what another extractor read. `files` says where they are.

#![allow(clippy::disallowed_methods, clippy::print_stderr)]

use crate::copies;
use crate::fields;
use crate::fields::Tally;
use crate::files::{PARTS, composed, corpus, folders, texts, texts_in, truth};
use facts::Facts;
use record::{Outcome, Record, Source, WorkloadId};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Minimum agreement of a field, as a fraction of its values.
const AGREEMENT_MIN: f64 = 0.995;

/// Differences judged one by one, by kind of log.
const JUDGED: &[KnownDifference] = &[KnownDifference {
    field: "clock points",
    logs: &["3EOw.txt", "3PLr.txt"],
    reason: "a negative raw value is no clock: it is left out and the line listed as not \
                 understood",
}];

/// A judged difference.
struct KnownDifference {
    /// Field.
    field: &'static str,
    /// Logs it occurs in.
    logs: &'static [&'static str],
    /// Judgement with its reason.
    reason: &'static str,
}

#[test]
fn fields_of_composed_logs_are_what_composed_them_wrote() {
    let mut logs: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
    for [log, field, value] in truth("logs") {
        let value = serde_json::from_str(&value).unwrap_or_else(|error| panic!("{log} {field} {value}: {error}"));
        let known = logs.entry(log).or_default().insert(field, value);
        assert_eq!(known, None, "a field stands twice");
    }
    let texts = texts(&[composed()]);
    let named: Vec<&String> = texts.iter().map(|(name, _)| name).collect();
    assert_eq!(named, logs.keys().collect::<Vec<_>>(), "each log has its truth");
    let mut tally = Tally::default();
    for ((name, text), truth) in texts.iter().zip(logs.into_values()) {
        let record = logs::read(text);
        let Source::Log(log) = &record.source else {
            panic!("{name} is no log");
        };
        let unread: Vec<&str> = log.unread.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(truth.get("unread"), Some(&json!(unread)), "{name}");
        assert_eq!(truth.get("channels"), Some(&channels(&record)), "{name}");
        fields::compare(name, &record, &Value::Object(truth), &mut tally);
    }
    assert_eq!(tally.differences, []);
}

/// Number, minimum, maximum and sum of the values of each channel.
fn channels(record: &Record) -> Value {
    let figures = |values: &[Option<i64>]| {
        let known: Vec<i64> = values.iter().flatten().copied().collect();
        let (lowest, highest) = (known.iter().min(), known.iter().max());
        json!([known.len(), lowest, highest, known.iter().sum::<i64>()])
    };
    let channels = record.samples.channels.iter();
    channels.map(|channel| (channel.id.to_string(), figures(&channel.values))).collect()
}

#[test]
fn fields_agree_with_another_extractor() {
    let corpus = testkit::found!(corpus());
    let mut tally = Tally::default();
    let mut compared = 0;
    for part in PARTS {
        let truth = std::fs::read_to_string(corpus.join(format!("truth_{part}.jsonl"))).unwrap();
        let texts = texts(&[corpus.join(part).join("results")]);
        for line in truth.lines() {
            let truth: Value = serde_json::from_str(line).unwrap();
            let file = truth["file"].as_str().unwrap();
            let name = file.rsplit('/').next().unwrap();
            let Some((_, text)) = texts.iter().find(|(known, _)| known == name) else {
                panic!("{file} is missing");
            };
            fields::compare(name, &logs::read(text), &truth, &mut tally);
            compared += 1;
        }
    }
    assert!(compared > 0);
    let judged = |field: &str, difference: &str| {
        JUDGED
            .iter()
            .filter(|judged| judged.field == field && !judged.reason.is_empty())
            .any(|judged| judged.logs.iter().any(|log| difference.starts_with(log)))
    };
    let new: Vec<String> = tally
        .differences
        .iter()
        .filter(|(field, difference)| !judged(field, difference))
        .map(|(field, difference)| format!("{field}: {difference}"))
        .collect();
    let mut low = Vec::new();
    for (field, count) in &tally.fields {
        let share = count.agreeing as f64 / count.all.max(1) as f64;
        let line = format!("{field}: {} of {} values agree ({:.2} %)", count.agreeing, count.all, share * 100.0);
        eprintln!("{line}");
        if share < AGREEMENT_MIN {
            low.push(line);
        }
    }
    for difference in &new {
        eprintln!("not judged: {difference}");
    }
    assert!(low.is_empty(), "{low:#?}");
    assert!(new.is_empty(), "{} differences were never judged", new.len());
}

#[test]
fn every_log_gives_its_figures_and_the_empty_one_says_so() {
    for (name, text) in texts(&folders()) {
        let record = logs::read(&text);
        let Source::Log(log) = &record.source else {
            panic!("{name} is no log");
        };
        if text.trim().is_empty() {
            assert_eq!(log.blocks[0].heading, "empty", "{name}");
            assert!(record.steps.is_empty());
            continue;
        }
        assert!(logs::looks_like_log(&text), "{name}");
        let bandwidth = record.steps_of(WorkloadId::MemoryBandwidth).next();
        assert!(bandwidth.is_some(), "{name} has no bandwidth of memory");
        assert!(!record.samples.at_ms.is_empty(), "{name} has no monitoring");
        assert!(log.unread.len() * 100 <= log.lines as usize, "{name}: {:#?}", log.unread);
    }
}

#[test]
fn truncated_logs_keep_earlier_steps() {
    // More cuts take minutes in a debug build: SBC_BENCH_CUTS=200 cargo test --release.
    let cuts = std::env::var("SBC_BENCH_CUTS").map_or(20, |cuts| cuts.parse().expect("a number"));
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    for (name, text) in texts(&folders()) {
        if text.is_empty() {
            continue;
        }
        let whole = logs::read(&text);
        for _ in 0..cuts {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let mut end = (random % text.len() as u64) as usize;
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            let part = &text[..end];
            let lines = part.lines().count() as u32;
            check_cut(&name, lines, &whole, &logs::read(part));
        }
    }
    eprintln!("each log cut at {cuts} places");
}

/// Every step that was complete before the line of the cut is there and unchanged in what it
/// measured, and so is every row of the monitoring. Why a step failed may stand below: in messages of the kernel.
fn check_cut(name: &str, lines: u32, whole: &Record, part: &Record) {
    for (index, step) in whole.steps.iter().enumerate() {
        // A step ends where another workload begins; the series of one load are interleaved.
        let family = |step: &record::Step| {
            let of_miner = [WorkloadId::Cpuminer, WorkloadId::CpuminerPerCpu];
            step.workload.id().is_some_and(|id| of_miner.contains(&id))
        };
        let next =
            whole.steps[index + 1..].iter().find(|next| next.line > step.line && !(family(next) && family(step)));
        let next = next.and_then(|next| next.line);
        if next.is_none_or(|next| next >= lines) || copies::last_line(step) >= lines {
            continue;
        }
        let found = part.steps.iter().find(|found| (found.line, &found.workload) == (step.line, &step.workload));
        let found = found
            .unwrap_or_else(|| panic!("{name} cut at line {lines} lost {} of line {:?}", step.workload, step.line));
        let failed = |step: &record::Step| matches!(step.outcome, Outcome::Failed(_));
        assert!(
            found.outcome == step.outcome || failed(found) && failed(step),
            "{name} cut at line {lines} changed {} of line {:?}",
            step.workload,
            step.line
        );
    }
    let rows = whole.samples.lines.iter().filter(|line| **line < lines);
    for row in rows {
        assert!(part.samples.lines.contains(row), "{name} cut at line {lines} lost row {row}");
    }
    // The name above depends on the host name.
    if lines > 1 && whole.machine.hostname == part.machine.hostname {
        assert_eq!(whole.machine.board, part.machine.board, "{name}");
    }
}

#[test]
fn pasted_copies_read_the_same() {
    for (name, text) in texts(&folders()) {
        let clean = text.replace('\r', "");
        let whole = logs::read(&clean);
        let windows = clean.replace('\n', "\r\n");
        let trimmed = join(clean.lines().map(str::trim));
        let collapsed: Vec<String> =
            clean.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        let collapsed = join(collapsed.iter().map(String::as_str));
        for (how, copy) in [
            ("with carriage returns", windows),
            ("without blanks around lines", trimmed),
            ("with single blanks", collapsed),
        ] {
            let copy = logs::read(&copy);
            let differs = copies::difference(&whole, &copy);
            assert_eq!(differs, None, "{name} {how}");
        }
    }
}

fn join<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    lines.fold(String::new(), |text, line| text + line + "\n")
}

/// A review repeats figures of the log that it names: both must give the same.
#[test]
fn reviews_agree_with_their_logs() {
    let folders = folders();
    let texts = texts(&folders);
    let (mut compared, mut reviews) = (0, 0);
    let of_reviews = folders.iter().map(|folder| folder.join("reviews")).filter(|folder| folder.is_dir());
    let found = of_reviews.flat_map(|folder| texts_in(&folder, "md"));
    for (name, text) in &found.collect::<Vec<_>>() {
        let review = logs::read(text);
        assert_eq!(review.run.end, record::End::Finished, "{name}");
        let figures = Facts::from(&review).figures().clone();
        assert!(figures.len() > 5, "{name}: {} figures", figures.len());
        reviews += 1;
        let of_log = text.split("(../").nth(1).and_then(|rest| rest.split(')').next());
        let Some((_, log)) = texts.iter().find(|(known, _)| Some(known.as_str()) == of_log) else { continue };
        let log = Facts::from(&logs::read(log)).figures().clone();
        for figure in figures.iter().filter(|figure| figure.key.workload().is_of_memory()) {
            let of_log = log.iter().filter(|other| other.key == figure.key);
            let values: Vec<f64> = of_log.map(|other| other.value).collect();
            let found = format!("{name}: {} {} {values:?}", figure.name(), figure.value);
            assert!(values.contains(&figure.value), "{found}");
            compared += 1;
        }
    }
    eprintln!("{reviews} reviews, {compared} figures are those of their logs");
    assert!(reviews > 0 && compared > 0);
}
