//! Runs every rule over every composed log and every real log of a corpus, and compares with what is true of them
//! and what others found in them. `files` says where they are.

#![allow(clippy::disallowed_methods, clippy::print_stderr)]

mod files;

use explain::{Finding, Severity, Verdict};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The lowest share of findings of one category that the rules must report.
const CATEGORY_MIN: f64 = 0.9;
/// The lowest share of all findings.
const ALL_MIN: f64 = 0.95;

/// Categories of the list of findings, and the rules that report them.
const RULES_OF: [(&str, &[&str]); 27] = [
    ("FP_throttling_but_cool", &["old-verdict-wrong"]),
    ("FP_throttling_no_evidence", &["old-verdict-wrong"]),
    ("FP_throttling_nothing_below_max", &["old-verdict-wrong"]),
    ("SUM_aes_not_fastest_core", &["summary-wrong"]),
    ("SUM_aes_too_high", &["summary-wrong"]),
    ("SUM_clock_kHz_as_MHz", &["summary-wrong"]),
    ("SUM_zero_score", &["summary-wrong"]),
    ("SUM_zip_multi_wrong", &["summary-wrong"]),
    ("background_in_single_thread", &["background-activity"]),
    ("clock_above_opp", &["clock-above-claim"]),
    ("clock_below_opp", &["clock-below-claim"]),
    ("clock_falls_under_load", &["clock-column-untrue", "power-limit", "thermal-throttling"]),
    ("clock_lower_after", &["clock-lower-hot"]),
    ("cpuminer_decline", &["series-declines"]),
    ("hot_ge80C", &["hot"]),
    ("iowait", &["io-wait"]),
    ("kernel_oops_in_dmesg", &["kernel-trouble"]),
    ("no_temperature", &["no-temperature"]),
    ("opp_not_honoured_low", &["opp-not-honoured"]),
    ("rpi_firmware_clock_below_kernel", &["rpi-firmware-clock"]),
    ("swap_grew", &["swapping"]),
    ("sys_high", &["system-time"]),
    ("zip_decline", &["scores-decline"]),
    ("zip_reduced_dictionaries", &["fewer-dictionaries"]),
    ("zip_runs_missing", &["out-of-memory", "steps-missing"]),
    ("zip_unstable", &["scores-unstable"]),
    ("zip_version_not_16.02", &["sevenzip-version"]),
];

/// Artefacts of the measurement: the rule that must not take them for real.
const ARTEFACTS: [(&str, &[&str]); 1] = [("clock_lower_after_UNRELIABLE", &["clock-lower-hot"])];

/// Categories of verdicts that are false alarms: nobody slowed these CPUs down.
const NOT_THROTTLED: &str = "FP_throttling";
/// Rules that call a machine slowed down.
const SLOWED: [&str; 3] = ["power-limit", "rpi-firmware", "thermal-throttling"];

fn findings(corpus: &Path, file: &str) -> Vec<Finding> {
    let bytes = std::fs::read(corpus.join("open/results").join(file)).unwrap();
    let record = explain::logs::read(&String::from_utf8_lossy(&bytes));
    explain::rules::check(&record)
}

fn has(found: &[Finding], rules: &[&str]) -> bool {
    found.iter().any(|finding| rules.contains(&finding.rule.as_str()))
}

#[test]
fn composed_logs_have_the_findings_of_their_table() {
    let table = files::truth("findings");
    let texts = files::texts(&[files::composed()]);
    let found = texts.iter().map(|(name, text)| {
        let found = explain::rules::check(&explain::logs::read(text));
        let ids: BTreeSet<&str> = found.iter().map(|one| one.rule.as_str()).collect();
        let ids: Vec<&str> = ids.into_iter().collect();
        [name.clone(), explain::verdict(&found).to_string(), ids.join(" ")]
    });
    let found: Vec<[String; 3]> = found.collect();
    let differs = found.iter().filter(|row| !table.contains(row));
    let differs: Vec<String> = differs.map(|row| row.join("\t")).collect();
    assert!(differs.is_empty(), "found otherwise:\n{}", differs.join("\n"));
    assert_eq!(found.len(), table.len(), "a row without its log");
    let expected: BTreeSet<&str> = table.iter().flat_map(|row| row[2].split(' ')).collect();
    for rules in RULES_OF.iter().map(|(_, rules)| *rules) {
        for rule in rules {
            assert!(expected.contains(rule), "no composed log has {rule}");
        }
    }
}

#[test]
fn rules_report_what_others_found() {
    let Some(corpus) = files::corpus() else {
        return testkit::was_skipped();
    };
    let text = std::fs::read_to_string(corpus.join("missed_open.json")).unwrap();
    let known: Vec<Value> = serde_json::from_str(&text).unwrap();
    let mut by_file: BTreeMap<String, Vec<Finding>> = BTreeMap::new();
    let mut by_category: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    let mut failures = Vec::new();
    for entry in &known {
        let word = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
        let (file, category) = (word("file"), word("cat"));
        let found = by_file.entry(file.clone()).or_insert_with(|| findings(&corpus, &file));
        let rules = |table: &[(&str, &'static [&'static str])]| {
            let entry = table.iter().find(|(name, _)| *name == category);
            entry.map(|(_, rules)| *rules)
        };
        if let Some(rules) = rules(&ARTEFACTS) {
            if has(found, rules) {
                failures.push(format!("{file}: {category} is taken for real"));
            }
            continue;
        }
        let Some(rules) = rules(&RULES_OF) else {
            failures.push(format!("{file}: no rule is known for {category}"));
            continue;
        };
        if category.starts_with(NOT_THROTTLED) && has(found, &SLOWED) {
            failures.push(format!("{file}: called throttled, which it was not"));
        }
        let (reported, all) = by_category.entry(category).or_default();
        *all += 1;
        *reported += u32::from(has(found, rules));
    }
    let share = |(reported, all): (u32, u32)| f64::from(reported) / f64::from(all.max(1));
    let mut total = (0, 0);
    for (category, counts) in by_category {
        if share(counts) < CATEGORY_MIN {
            failures.push(format!("{category}: {} of {}", counts.0, counts.1));
        }
        total = (total.0 + counts.0, total.1 + counts.1);
    }
    assert!(share(total) >= ALL_MIN, "{} of {}", total.0, total.1);
    assert_eq!(failures, [""; 0]);
}

#[test]
fn logs_without_any_known_problem_are_not_invalid() {
    let Some(corpus) = files::corpus() else {
        return testkit::was_skipped();
    };
    let text = std::fs::read_to_string(corpus.join("missed_open.json")).unwrap();
    let known: Vec<Value> = serde_json::from_str(&text).unwrap();
    for entry in std::fs::read_dir(corpus.join("open/results")).unwrap() {
        let file = entry.unwrap().file_name().to_string_lossy().into_owned();
        let has_problem = known.iter().any(|entry| entry["file"] == file.as_str());
        if has_problem || !file.ends_with(".txt") {
            continue;
        }
        let found = findings(&corpus, &file);
        let worst: Vec<String> =
            found.iter().filter(|finding| finding.severity == Severity::Invalid).map(Finding::sentence).collect();
        assert_ne!(explain::verdict(&found), Verdict::Invalid, "{file}: {worst:?}");
    }
}
