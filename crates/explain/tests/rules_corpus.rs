//! Runs every rule over every composed log and every real log of a corpus, and compares with what is true of them
//! and what others found in them. `files` says where they are.

#![allow(clippy::disallowed_methods, clippy::print_stderr)]

use crate::files;
use facts::{Explanation, Finding, Severity, Verdict};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The lowest share of findings of one category that the rules must report.
const CATEGORY_MIN: f64 = 0.97;
/// The lowest share of all findings.
const ALL_MIN: f64 = 0.99;
/// Of fewer findings a share says nothing.
const CATEGORY_FINDINGS_MIN: u32 = 10;

/// Lists of findings, and the folders that their logs are in.
const LISTS: [(&str, &str); 2] = [("missed_open.json", "open"), ("missed_more.json", "more")];

/// Categories of the list of findings, and the rules that report them.
const RULES_OF: [(&str, &[&str]); 30] = [
    ("FP_throttling_but_cool", &["old-verdict-wrong"]),
    ("FP_throttling_no_evidence", &["old-verdict-wrong"]),
    ("FP_throttling_nothing_below_max", &["old-verdict-wrong"]),
    ("SUM_aes_not_fastest_core", &["summary-wrong"]),
    ("SUM_aes_too_high", &["summary-wrong"]),
    ("SUM_clock_kHz_as_MHz", &["summary-wrong"]),
    ("SUM_memcpy_not_fastest", &["summary-wrong"]),
    ("SUM_zero_score", &["summary-wrong"]),
    ("SUM_zip_multi_wrong", &["summary-wrong"]),
    // It counts what waited for storage as well, which has a rule of its own.
    ("background_in_single_thread", &["background-activity", "io-wait"]),
    ("clock_above_opp", &["clock-above-claim"]),
    ("clock_below_opp", &["clock-below-claim"]),
    ("clock_falls_under_load", &["clock-column-untrue", "power-limit", "thermal-throttling"]),
    ("clock_lower_after", &["clock-lower-hot"]),
    ("cpu_hotplug_in_dmesg", &["cores-killed"]),
    ("cpuminer_decline", &["series-declines"]),
    ("hot_ge80C", &["hot"]),
    ("iowait", &["io-wait"]),
    ("kernel_oops_in_dmesg", &["kernel-trouble"]),
    // In a guest the rule about guests says it.
    ("no_temperature", &["no-temperature", "virtualised"]),
    ("oom_kill_in_dmesg", &["out-of-memory"]),
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

/// Rules of the table above that no composed log shows.
const NOT_COMPOSED: [&str; 1] = ["cores-killed"];

/// Artefacts of the measurement: the rule that must not take them for real.
const ARTEFACTS: [(&str, &[&str]); 1] = [("clock_lower_after_UNRELIABLE", &["clock-lower-hot"])];

/// Categories of verdicts that are false alarms: nobody slowed these CPUs down.
const NOT_THROTTLED: &str = "FP_throttling";
/// Rules that call a machine slowed down.
const SLOWED: [&str; 3] = ["power-limit", "rpi-firmware", "thermal-throttling"];

fn explained(corpus: &Path, folder: &str, file: &str) -> Explanation {
    let bytes = std::fs::read(corpus.join(folder).join("results").join(file)).unwrap();
    explain::explain(logs::read(&String::from_utf8_lossy(&bytes))).assessment
}

fn has(found: &[Finding], rules: &[&str]) -> bool {
    found.iter().any(|finding| rules.contains(&finding.rule.as_str()))
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
    for rules in RULES_OF.iter().map(|(_, rules)| *rules) {
        for rule in rules {
            assert!(expected.contains(rule) != NOT_COMPOSED.contains(rule), "no composed log has {rule}");
        }
    }
}

#[test]
fn rules_match_published_findings() {
    let corpus = testkit::found!(files::corpus());
    let mut reported = Reported::default();
    for (list, folder) in LISTS {
        let text = std::fs::read_to_string(corpus.join(list)).unwrap();
        let known: Vec<Value> = serde_json::from_str(&text).unwrap();
        let mut by_file: BTreeMap<String, Vec<Finding>> = BTreeMap::new();
        for entry in &known {
            let word = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
            let (file, category) = (word("file"), word("cat"));
            let found = by_file.entry(file.clone()).or_insert_with(|| explained(&corpus, folder, &file).findings);
            reported.judge(&file, category, found);
        }
    }
    reported.check();
}

/// What rules make of labelled findings.
#[derive(Default)]
struct Reported {
    /// By category, how many are reported and how many there are.
    by_category: BTreeMap<String, (u32, u32)>,
    missing: Vec<String>,
    false_throttling: BTreeSet<String>,
    artefacts_taken: Vec<String>,
}

impl Reported {
    fn judge(&mut self, file: &str, category: String, found: &[Finding]) {
        let rules = |table: &[(&str, &'static [&'static str])]| {
            let entry = table.iter().find(|(name, _)| *name == category);
            entry.map(|(_, rules)| *rules)
        };
        if let Some(rules) = rules(&ARTEFACTS) {
            if has(found, rules) {
                self.artefacts_taken.push(format!("{file}: {category}"));
            }
            return;
        }
        let rules = rules(&RULES_OF).unwrap_or_else(|| panic!("{file}: no rule is known for {category}"));
        if category.starts_with(NOT_THROTTLED) && has(found, &SLOWED) {
            self.false_throttling.insert(file.to_owned());
        }
        let is_reported = has(found, rules);
        if !is_reported {
            self.missing.push(format!("{file}: {category}"));
        }
        let (reported, all) = self.by_category.entry(category).or_default();
        *all += 1;
        *reported += u32::from(is_reported);
    }

    fn check(&self) {
        let share = |(reported, all): (u32, u32)| f64::from(reported) / f64::from(all.max(1));
        let low = self.by_category.iter();
        let low = low.filter(|(_, counts)| counts.1 >= CATEGORY_FINDINGS_MIN && share(**counts) < CATEGORY_MIN);
        let low: Vec<String> =
            low.map(|(category, (reported, all))| format!("{category}: {reported} of {all}")).collect();
        let counts = self.by_category.values();
        let total = counts.fold((0, 0), |total, counts| (total.0 + counts.0, total.1 + counts.1));
        eprintln!("{} of {} are reported; not: {:#?}", total.0, total.1, self.missing);
        eprintln!("called throttled: {:?}; artefacts: {:?}", self.false_throttling, self.artefacts_taken);
        assert_eq!(low, [""; 0]);
        assert!(share(total) >= ALL_MIN, "{} of {}", total.0, total.1);
        assert!(self.false_throttling.is_empty(), "{:?}", self.false_throttling);
        assert!(self.artefacts_taken.is_empty(), "{:?}", self.artefacts_taken);
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
        let found = explained(&corpus, "open", &file);
        let worst: Vec<String> = found
            .findings
            .iter()
            .filter(|finding| finding.severity == Severity::Invalid)
            .map(Finding::sentence)
            .collect();
        assert_ne!(found.verdict, Verdict::Invalid, "{file}: {worst:?}");
    }
}
