//! A score is one number: text, lists, comparison, page and JSON agree within their rounding.

use super::{Judgement, Subject, Table};
use compare::reference::Reference;
use compare::{Side, compare};
use explain::{Document, results};
use facts::figures::FigureKey;
use facts::number;
use record::{Variant, WorkloadId};

/// Main result: JSON key, unit, prefix of its line in the text, cell in the list, and name in the ledger.
const NUMBERS: [(&str, &str, &str, Option<usize>, &str); 7] = [
    ("sevenzip_multi_mips", "MIPS", "7-zip all CPUs", Some(4), "7-zip on all CPUs"),
    ("sevenzip_single_mips", "MIPS", "7-zip single thread", Some(5), "7-zip single-threaded"),
    ("aes_256_cbc_kb_per_s", "kB/s", "AES-256-CBC 16 KiB", Some(6), WorkloadId::OpenSsl.as_str()),
    ("memory_copy_mb_per_s", "MB/s", "memory copy", Some(7), "-"),
    ("memory_fill_mb_per_s", "MB/s", "memory fill", Some(8), "-"),
    ("cpuminer_kh_per_s", "kH/s", WorkloadId::Cpuminer.as_str(), Some(9), WorkloadId::Cpuminer.as_str()),
    ("memory_latency_ns", "ns", "memory latency", None, "-"),
];

/// Figures that every page shows.
const IN_PAGE: [&str; 2] = ["sevenzip_multi_mips", "sevenzip_single_mips"];

/// Cells of lists that are rounded to tens, as in the lists of the bash program.
const TENS: [usize; 4] = [4, 6, 7, 8];

/// Whether a figure of a comparison is this result.
fn is_compared(key: &str, figure: &FigureKey) -> bool {
    let (workload, form) = match key {
        "sevenzip_multi_mips" => (WorkloadId::SevenZip, Variant::MULTI),
        "sevenzip_single_mips" => (WorkloadId::SevenZip, Variant::SINGLE),
        "aes_256_cbc_kb_per_s" => (WorkloadId::OpenSsl, Variant::AES_256_CBC),
        "cpuminer_kh_per_s" => (WorkloadId::Cpuminer, Variant::ONLY),
        _ => return false,
    };
    figure.is_of(workload) && figure.is_form(&form)
}

/// Differences between the numbers of a Record, and the number of comparisons.
fn faults(subject: &Subject) -> (Vec<String>, usize) {
    let Subject { explained, report: text, .. } = subject;
    let summary = report::find("summary").map_or_else(String::new, |report| report.text(explained, Reference::builtin));
    let document = serde_json::to_value(Document::of(&explained.facts, &explained.assessment)).unwrap_or_default();
    let row = results::Row::of(explained, "x");
    let side = || Side { name: "x".to_owned(), explained };
    let comparison = compare(&[side(), side()]);
    let page = page::page(explained, Reference::builtin());
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
        // A line per cluster: the result is the best one.
        let compared = comparison.main_lines().filter(|line| is_compared(key, &line.key));
        let compared = compared.filter(|line| line.estimated.iter().all(Option::is_none));
        let best = compared.filter_map(|line| line.values[0]).reduce(f64::max);
        if let Some(best) = best {
            same("the comparison", &number(best, unit), &expected);
        }
        if IN_PAGE.contains(&key) && !page.contains(&expected) {
            same("the page", "missing", &expected);
        }
        let told = subject.said.split_once(&format!("{ledger}: ")).map(|(_, told)| told);
        let told = told.and_then(|told| told.split(' ').next()).filter(|told| told.parse::<f64>().is_ok());
        if let Some(told) = told {
            same("the ledger", told, &expected);
        }
    }
    (faults, count)
}

/// Numbers that differ between the outputs of a text.
pub(super) fn check(subject: &Subject, table: &mut Table) {
    const ROW: &str = "one number per name over all verbs";
    let (faults, count) = faults(subject);
    (faults.len()..count).for_each(|_| table.add(ROW, Judgement::Right));
    faults.into_iter().for_each(|fault| table.add(ROW, Judgement::Wrong(format!("{}: {fault}", subject.name))));
}
