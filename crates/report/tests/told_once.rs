//! Checks reports of many logs: each number with its unit appears once in the sentences and once in the table,
//! sentences are unique, lines fit into a terminal, and guesses are absent.

#![allow(clippy::disallowed_methods, clippy::print_stderr)]

use crate::files;
use std::collections::{BTreeMap, BTreeSet};

/// Words that indicate guesses.
const GUESSES: [&str; 8] =
    ["usually", "probably", "perhaps", "something else", "or clocks rose", "may have been", "harmless", "somehow"];
/// Units that identify a number.
const UNITS: [&str; 9] = ["MHz", "°C", "MIPS", "MB/s", "kB/s", "kH/s", "ns", "MiB", "KiB"];

/// Numbers with their units in a text.
fn numbers(text: &str) -> Vec<String> {
    let words: Vec<&str> =
        text.split_whitespace().map(|word| word.trim_matches(['(', ')', ',', ';', ':', '.', '"'])).collect();
    let pairs = words.windows(2).filter(|pair| pair[0].parse::<f64>().is_ok() && UNITS.contains(&pair[1]));
    pairs.map(|pair| pair.join(" ")).collect()
}

fn twice<T: Ord + Clone>(all: &[T]) -> Vec<T> {
    let mut counts: BTreeMap<&T, usize> = BTreeMap::new();
    all.iter().for_each(|one| *counts.entry(one).or_default() += 1);
    counts.into_iter().filter(|(_, count)| *count > 1).map(|(one, _)| one.clone()).collect()
}

/// Defects of a text.
fn faults(text: &str) -> Vec<String> {
    let mut faults: Vec<String> =
        text.lines().filter(|line| line.chars().count() > 80).map(|line| format!("wide: {line}")).collect();
    // Sentences: verdict, causes and notes. The table of figures follows.
    let at = text.find("\n\n").map_or(text.len(), |_| {
        let table = text.split("\n\n").find(|part| part.contains("\n   clock of CPU ") || part.contains(", sbc-bench"));
        table.and_then(|table| text.find(table)).unwrap_or(text.len())
    });
    let (prose, _) = text.split_at(at);
    // The bars of a chart repeat the names of the sentence above them.
    let prose: String =
        prose.lines().filter(|line| !line.ends_with(['#', '='])).map(|line| format!("{line}\n")).collect();
    let prose = prose.split_whitespace().collect::<Vec<_>>().join(" ");
    let sentences: Vec<&str> = prose.split_inclusive(". ").map(str::trim).filter(|text| text.len() > 20).collect();
    // One sentence may state the same clock for two clusters. The name of a neighbour may hold a clock.
    let is_place =
        |sentence: &&&str| ["Between ", "Ahead of ", "Behind "].iter().any(|word| sentence.starts_with(word));
    let numbers = sentences
        .iter()
        .filter(|sentence| !is_place(sentence))
        .flat_map(|sentence| numbers(sentence).into_iter().collect::<BTreeSet<_>>());
    faults.extend(twice(&numbers.collect::<Vec<_>>()).into_iter().map(|number| format!("twice: {number}")));
    let is_advice = |sentence: &&str| sentence.starts_with("Remedy: ") || sentence.starts_with("To confirm: ");
    let sentences: Vec<&str> = sentences.into_iter().filter(|sentence| !is_advice(sentence)).collect();
    faults.extend(twice(&sentences).into_iter().map(|sentence| format!("twice: {sentence}")));
    faults.extend(GUESSES.iter().filter(|word| prose.contains(**word)).map(|word| format!("guess: {word}")));
    faults.extend(prose.contains("varied by 0.0 %").then(|| "a spread of nothing".to_owned()));
    faults.extend(prose.contains('?').then(|| "a value that is not there".to_owned()));
    faults
}

#[test]
fn every_report_tells_each_fact_once() {
    let mut all = Vec::new();
    for (name, text) in &files::texts(&files::folders()) {
        let record = logs::read(text);
        let explained = explain::explain(&record);
        let text = report::find("text").unwrap().text(&explained, compare::reference::Reference::builtin);
        all.extend(faults(&text).into_iter().map(|fault| format!("{name}: {fault}")));
    }
    for fault in &all {
        eprintln!("{fault}");
    }
    assert_eq!(all.len(), 0, "facts that are told twice, lines that are too wide, guesses");
}

#[test]
fn faults_are_seen() {
    let text = "Results are valid.\n\n   At first it ran at 5 MHz.\n   Later it usually ran at 5 MHz.\n\nboard, sbc-bench 1\n   clock 5 MHz\n";
    assert_eq!(faults(text), ["twice: 5 MHz", "guess: usually"]);
}
