//! A score is one number: text, list, classic log and `--json` agree within their rounding.

#![allow(clippy::disallowed_methods, clippy::print_stderr)]

use crate::files;
use explain::{Document, results};
use facts::number;
use record::Record;

/// Main result: JSON key, unit, prefix of its line in the text, cell in the list, and name in the ledger.
const NUMBERS: [(&str, &str, &str, Option<usize>, &str); 7] = [
    ("sevenzip_multi_mips", "MIPS", "7-zip all CPUs", Some(4), "7-zip on all CPUs"),
    ("sevenzip_single_mips", "MIPS", "7-zip single thread", Some(5), "7-zip single-threaded"),
    ("aes_256_cbc_kb_per_s", "kB/s", "AES-256-CBC 16 KiB", Some(6), "openssl"),
    ("memory_copy_mb_per_s", "MB/s", "memory copy", Some(7), "-"),
    ("memory_fill_mb_per_s", "MB/s", "memory fill", Some(8), "-"),
    ("cpuminer_kh_per_s", "kH/s", "cpuminer", Some(9), "cpuminer"),
    ("memory_latency_ns", "ns", "memory latency", None, "-"),
];

/// Cells of lists that are rounded to tens, as in the lists of the bash program.
const TENS: [usize; 4] = [4, 6, 7, 8];

/// Differences between the numbers of a Record, and how many numbers were compared.
fn faults(record: &Record) -> (Vec<String>, usize) {
    let explained = explain::explain(record);
    let text = report::find("text").unwrap().text(&explained);
    let summary = report::find("summary").unwrap().text(&explained);
    let document = serde_json::to_value(Document::of(&explained.facts, &explained.assessment)).unwrap();
    let row = results::Row::of(&explained, "x");
    let cells: Vec<&str> = summary.trim_matches(['|', '\n', ' ']).split(" | ").collect();
    let (mut faults, mut count) = (Vec::new(), 0);
    for (key, unit, line, cell, ledger) in NUMBERS {
        let Some(value) = document["results"][key].as_f64() else { continue };
        count += 1;
        let expected = number(value, unit);
        let mut same = |place: &str, found: &str, expected: &str| {
            if found.trim_start_matches('~') != expected {
                faults.push(format!("{key} is {expected}, in {place} {found}"));
            }
        };
        let shown =
            text.lines().find_map(|known| known.strip_prefix("   ")?.strip_prefix(line)?.split_whitespace().next());
        // A machine with one CPU has one score for both lines, and the first routine in the text may differ.
        if let Some(shown) = shown.filter(|shown| shown.parse::<f64>().is_ok()) {
            same("the text", shown, &expected);
        }
        if let Some(cell) = cell {
            let expected = if TENS.contains(&cell) {
                format!("{}", (value.round() as u64 + 5) / 10 * 10)
            } else {
                expected.clone()
            };
            same("the summary line", cells[cell], &expected);
            same("the table of results", &row.cells[cell], &expected);
        }
        let prose = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let told = prose.split_once(&format!("{ledger}: ")).map(|(_, told)| told);
        let told = told.and_then(|told| told.split(' ').next()).filter(|told| told.parse::<f64>().is_ok());
        if let Some(told) = told {
            same("the ledger", told, &expected);
        }
    }
    (faults, count)
}

#[test]
fn every_report_prints_the_same_number() {
    let (mut all, mut count, mut logs) = (Vec::new(), 0, 0);
    for (name, text) in &files::texts(&files::folders()) {
        let (faults, numbers) = faults(&logs::read(text));
        all.extend(faults.into_iter().map(|fault| format!("{name}: {fault}")));
        count += numbers;
        logs += 1;
    }
    for fault in &all {
        eprintln!("{fault}");
    }
    eprintln!("{count} numbers of {logs} logs, {} differ between reports", all.len());
    assert!(count > logs, "there are numbers in logs");
    assert_eq!(all.len(), 0, "numbers that differ between reports");
}
