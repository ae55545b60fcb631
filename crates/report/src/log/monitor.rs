//! Monitoring section: a heading for each phase, then a row every few seconds.

use explain::monitor::{heading, row};
use facts::Facts;
use record::{Variant, Window, WorkloadId, WorkloadName};
use std::fmt::Write;

/// Target number of rows per phase; rows are at least [`ROW_MS_MIN`] apart.
const ROWS_PER_PHASE: i64 = 12;
const ROW_MS_MIN: i64 = 1_000;

pub(super) fn section(facts: &Facts<'_>) -> String {
    if facts.samples.channels.is_empty() {
        return String::new();
    }
    let mut text = String::new();
    if let Some(source) = facts.soc_temperature() {
        let _ = write!(text, "Thermal source: {} ({})\n\n", source.source, source.label);
    }
    // Consecutive phases with the same name (a workload cluster by cluster) share a heading.
    let mut sections: Vec<(String, Vec<String>)> = Vec::new();
    for phase in facts.phases() {
        let name = classic_name(&phase.workload, &phase.name);
        let rows = rows(facts, phase.window);
        match sections.last_mut().filter(|(known, _)| *known == name) {
            Some((_, known)) => known.extend(rows),
            None => sections.push((name, rows)),
        }
    }
    for (name, rows) in sections.iter().filter(|(_, rows)| !rows.is_empty()) {
        let heading = heading(facts);
        let _ = write!(text, "System health while running {name}:\n\n{heading}\n");
        let _ = write!(text, "{}\n\n", rows.join("\n"));
    }
    text
}

/// Names of phases in the classic log, which other readers search for.
fn classic_name(workload: &WorkloadName, name: &str) -> String {
    use WorkloadId::*;
    let has = |variant: &Variant| name.contains(variant.as_str());
    let words = match workload.id() {
        Some(MemoryBandwidth | MemoryLibc) => "tinymembench",
        Some(MemoryLatency) => "ramlat",
        Some(OpenSsl | Aes) => "OpenSSL benchmark",
        Some(SevenZip | Lzma) if has(&Variant::SINGLE) => "7-zip single core benchmark",
        Some(SevenZip | Lzma) if has(&Variant::CORE_TYPE) => "7-zip cluster benchmarks",
        Some(SevenZip | Lzma) => "7-zip multi core benchmark",
        Some(Clock) => "clock measurements",
        _ => workload.as_str(),
    };
    words.to_owned()
}

fn rows(facts: &Facts<'_>, window: Window) -> Vec<String> {
    let row_ms = (window.elapsed_ms() / ROWS_PER_PHASE).max(ROW_MS_MIN);
    let times = &facts.samples.at_ms;
    let mut rows = Vec::new();
    let mut began: Option<usize> = None;
    for (index, at_ms) in times.iter().enumerate().filter(|(_, at)| window.contains(**at)) {
        match began {
            None => began = Some(index),
            Some(first) if at_ms - times[first] >= row_ms => {
                rows.push(row(facts, first, index));
                began = Some(index);
            }
            Some(_) => {}
        }
    }
    rows
}

/// Last row of the run.
pub(super) fn last_row(facts: &Facts<'_>) -> Option<String> {
    let last = facts.samples.at_ms.len().checked_sub(1)?;
    let first = last.checked_sub(2)?;
    Some(format!("{}\n{}", heading(facts), row(facts, first, last)))
}

/// First temperature of the run in degrees, for the head of the log.
pub(super) fn first_temperature(facts: &Facts<'_>) -> Option<String> {
    let first = facts.soc_temperature()?.values.iter().find_map(|value| *value)?;
    Some(format!("{:.1}", first as f64 / 1000.0))
}
