//! Rules over composed logs, whose findings are known, and over logs of the corpus without a known problem.

#![allow(clippy::disallowed_methods, clippy::print_stderr)]

use crate::files;
use facts::{Explanation, Finding, Severity, Verdict};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// Rules of `composed/truth/categories.tsv` that no composed log shows.
const NOT_COMPOSED: [&str; 1] = ["cores-killed"];

fn explained(corpus: &Path, file: &str) -> Explanation {
    let bytes = std::fs::read(corpus.join("open/results").join(file)).unwrap();
    explain::explain(logs::read(&String::from_utf8_lossy(&bytes))).assessment
}

#[test]
fn composed_logs_have_the_findings_of_their_table() {
    let table = files::truth("findings");
    let texts = files::texts(&[files::composed()]);
    let found = texts.iter().map(|(name, text)| {
        let found = explain::explain(logs::read(text));
        let ids: BTreeSet<&str> = found.assessment.findings.iter().map(|one| one.rule.as_str()).collect();
        let ids: Vec<&str> = ids.into_iter().collect();
        [name.clone(), found.assessment.verdict.to_string(), ids.join(" ")]
    });
    let found: Vec<[String; 3]> = found.collect();
    let differs = found.iter().filter(|row| !table.contains(row));
    let differs: Vec<String> = differs.map(|row| row.join("\t")).collect();
    assert!(differs.is_empty(), "found otherwise:\n{}", differs.join("\n"));
    assert_eq!(found.len(), table.len(), "a row without its log");
    let expected: BTreeSet<&str> = table.iter().flat_map(|row| row[2].split(' ')).collect();
    let categories = files::truth::<2>("categories");
    for rule in categories.iter().flat_map(|row| row[1].split(' ')).filter(|rule| !rule.starts_with('!')) {
        assert!(expected.contains(rule) != NOT_COMPOSED.contains(&rule), "no composed log has {rule}");
    }
}

#[test]
fn logs_without_any_known_problem_are_not_invalid() {
    let corpus = testkit::found!(files::corpus());
    let text = std::fs::read_to_string(corpus.join("missed_open.json")).unwrap();
    let known: Vec<Value> = serde_json::from_str(&text).unwrap();
    for entry in std::fs::read_dir(corpus.join("open/results")).unwrap() {
        let file = entry.unwrap().file_name().to_string_lossy().into_owned();
        let has_problem = known.iter().any(|entry| entry["file"] == file.as_str());
        if has_problem || !file.ends_with(".txt") {
            continue;
        }
        let found = explained(&corpus, &file);
        let worst: Vec<String> = found
            .findings
            .iter()
            .filter(|finding| finding.severity == Severity::Invalid)
            .map(Finding::sentence)
            .collect();
        assert_ne!(found.verdict, Verdict::Invalid, "{file}: {worst:?}");
    }
}
