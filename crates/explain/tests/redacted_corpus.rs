//! Every log, review, Record and board, composed, published or drawn, blanked: it explains the same as the whole one, and
//! every word that it lost can be read.

#![allow(clippy::disallowed_methods, clippy::print_stderr)]

use crate::files;
use facts::Facts;
use record::{Record, Source};
use redact::BLANK;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Set to print every word that redaction takes out of these files, and how often.
const PRINT: &str = "SBC_BENCH_REDACTED";

/// Every text with what reads it.
fn all() -> Vec<(String, String)> {
    let folders = files::folders();
    let reviews = folders.iter().map(|folder| folder.join("reviews")).filter(|folder| folder.is_dir());
    let reviews = reviews.flat_map(|folder| files::texts_in(&folder, "md"));
    let logs = files::texts(&folders).into_iter().chain(reviews);
    let logs: Vec<(String, String)> = logs.collect();
    let records =
        logs.iter().map(|(name, text)| (format!("{name} as JSON"), serde_json::to_string(&logs::read(text)).unwrap()));
    let boards = testkit::boards().into_iter().map(|name| {
        let mut record = testkit::records::own_run();
        record.machine = testkit::machine_of_board(&testkit::board(&name));
        (format!("{name}.board as JSON"), serde_json::to_string(&record).unwrap())
    });
    let records: Vec<(String, String)> = records.chain(boards).collect();
    logs.into_iter().chain(records).collect()
}

fn read(text: &str) -> Record {
    match serde_json::from_str(text) {
        Ok(record) => record,
        Err(_) => logs::read(text),
    }
}

/// Findings, ledgers and figures, one thing in a line.
fn told(record: &Record) -> Vec<String> {
    let mut out = String::new();
    for finding in rules::check(&Facts::of(record)) {
        writeln!(out, "{finding:?}").unwrap();
    }
    for ledger in explain::explain(record).assessment.ledgers {
        writeln!(out, "{ledger:?}").unwrap();
    }
    for figure in facts::Facts::of(record).figures() {
        writeln!(out, "{figure:?}").unwrap();
    }
    out.lines().map(str::to_owned).collect()
}

/// Words of letters, digits and what may stand within a name.
fn words(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_' | '.' | '@' | ':' | '/'));
    words.filter(|word| !word.is_empty()).collect()
}

/// True if the lines differ in words only that are blanked in the second.
fn is_same_but_blanked(whole: &str, blanked: &str) -> bool {
    if whole == blanked {
        return true;
    }
    let mut rest = whole;
    let mut parts = blanked.split(BLANK);
    let Some(head) = parts.next().and_then(|head| rest.strip_prefix(head)) else { return false };
    rest = head;
    parts.all(|part| {
        let found = if part.is_empty() { Some(0) } else { rest.find(part) };
        found.is_some_and(|at| {
            rest = &rest[at + part.len()..];
            true
        })
    })
}

#[test]
fn redacted_file_explains_the_same() {
    let (mut wrong, mut lost) = (Vec::new(), BTreeMap::<String, (usize, String)>::new());
    let texts = all();
    for (name, text) in &texts {
        let out = String::from_utf8(logs::redact::redact(text.as_bytes()).bytes).unwrap();
        let (before, after) = (read(text), read(&out));
        if matches!(before.source, Source::Log(_)) && !name.ends_with("JSON") {
            assert_eq!(out.lines().count(), text.lines().count(), "{name}");
        }
        if facts::machine_name(&before.machine) != facts::machine_name(&after.machine) {
            wrong.push(format!(
                "{name} is called {:?}, once it is blanked {:?}",
                facts::machine_name(&before.machine),
                facts::machine_name(&after.machine)
            ));
        }
        let (before, after) = (told(&before), told(&after));
        if before.len() != after.len() {
            wrong.push(format!(
                "{name}: {} things are told of it, and {} once it is blanked",
                before.len(),
                after.len()
            ));
        }
        let differing = before.iter().zip(&after).find(|(whole, blanked)| !is_same_but_blanked(whole, blanked));
        wrong.extend(differing.map(|(whole, blanked)| format!("{name}:\n  {whole}\n  {blanked}")));
        if name.ends_with("JSON") {
            continue;
        }
        for (whole, blanked) in text.lines().zip(out.lines()).filter(|(whole, blanked)| whole != blanked) {
            let kept = words(blanked);
            for word in words(whole).into_iter().filter(|word| !kept.contains(word)) {
                lost.entry(word.to_owned()).or_insert((0, format!("{name}: {blanked}"))).0 += 1;
            }
        }
    }
    assert!(!lost.is_empty(), "logs of eight years have something to blank");
    if std::env::var_os(PRINT).is_some() {
        for (word, (times, example)) in lost {
            eprintln!("{times}\t{word}\t{example}");
        }
    }
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), texts.len(), wrong.join("\n"));
}
