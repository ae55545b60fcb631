//! Report: the classic text log, with the section order and line formats of sbc-bench logs. Its last line is the
//! summary line if a score was measured.
//!
//! Own routines have names of their own. Missing values are omitted or `-`, never 0.

mod clocks;
mod closing;
mod header;
mod memory;
mod monitor;
mod scores;

use facts::lines::COLUMNS;
use facts::{Explanation, Facts, Severity};
use record::Record;
use rules::Report;
use std::fmt::Write;

pub(super) const REPORT: Report =
    Report { id: "log", about: "Classic text log, ending with the summary line.", ..Report::of(render) };

/// Separator line between sections: 74 number signs.
const SEPARATOR: &str = "##########################################################################";

fn render(facts: &Facts<'_>, explained: &Explanation) -> String {
    let mut log = header::section(facts);
    let first = [
        clocks::cold(facts),
        memory::bandwidth(facts),
        memory::latency(facts),
        scores::ciphers(facts),
        scores::sevenzip(facts),
        scores::series(facts),
        scores::programs(facts),
    ];
    let last = [
        clocks::hot(facts),
        monitor::section(facts),
        closing::residencies(facts, &explained.findings),
        closing::kernel_messages(facts),
        closing::state(facts),
        validation(facts, explained),
    ];
    let sections = first.into_iter().chain(rules::questions::texts(facts, COLUMNS)).chain(last);
    for section in sections.filter(|section| !section.is_empty()) {
        let _ = write!(log, "\n{SEPARATOR}\n\n{}\n", section.trim_end());
    }
    if let Some(line) = explain::results::summary::line(facts, explained) {
        let _ = write!(log, "\n{line}\n");
    }
    log
}

/// Section `Results validation`: the verdict, then every finding.
fn validation(record: &Record, explained: &Explanation) -> String {
    let mut text = "Results validation:\n\n".to_owned();
    let _ = writeln!(text, "  * {}", explained.verdict.line());
    for finding in &explained.findings {
        let mark = rules::stated::mark(finding);
        let _ = writeln!(text, "  * {} {mark}", finding.sentence());
    }
    let unmeasured = facts::lines::unmeasured(record, None, &super::steps_said(explained));
    if !unmeasured.is_empty() {
        let _ = write!(text, "\nNot measured:\n\n");
        unmeasured.iter().for_each(|line| {
            let _ = writeln!(text, "  * {line}");
        });
    }
    if !explained.findings.iter().any(|finding| finding.severity > Severity::Info) {
        let _ = writeln!(text, "\nNo problems found.");
    }
    text
}

/// Core type of the first of these CPUs.
fn core_type<'a>(record: &'a Record, cpus: &[u32]) -> Option<&'a String> {
    let first = cpus.first()?;
    let mut clusters = record.machine.clusters.iter();
    let cluster = clusters.find(|cluster| cluster.cpus.contains(first))?;
    cluster.core_type.known()
}

/// `cpu0-cpu3 (Cortex-A55)`, the name of a cluster in headings.
fn cpus_name(record: &Record, cpus: &[u32]) -> String {
    let core_type = core_type(record, cpus);
    let cpus = match cpus {
        [] => "all CPUs".to_owned(),
        [one] => format!("cpu{one}"),
        [first, .., last] => format!("cpu{first}-cpu{last}"),
    };
    match core_type {
        Some(name) => format!("{cpus} ({name})"),
        None => cpus,
    }
}
