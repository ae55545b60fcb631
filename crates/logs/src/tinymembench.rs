//! tinymembench: memory bandwidth by routine, and latency by buffer size.
//!
//! 0.4 to 0.9.13 ran all of tinymembench 0.4.9 (`standard memcpy`), later versions a shorter fork (`libc memcpy copy`).
//! Each table is a step.

use super::draft::{Draft, done, tool};
use super::rows::MemoryPlace;
use super::sections::{Line, Section};
use super::text;
use record::{Bandwidth, BandwidthRow, Latency, LatencyRow, MemoryOperation, StepMeasurement, Variant, WorkloadId};

pub(super) fn read(section: &Section<'_, '_>, draft: &mut Draft) {
    let mut place = heading_place(section.heading().text);
    let mut rows = Vec::new();
    let mut own = None;
    for line in section.lines {
        let text = line.text.trim();
        if let Some(heading) = own_heading(text) {
            own = Some(heading);
        } else if let Some(rest) = text.strip_prefix("tinymembench v") {
            place.version = rest.split(' ').next().unwrap_or_default().to_string();
        } else if let Some(row) = row(line) {
            rows.push(row);
        } else if !is_boilerplate(text) {
            draft.unread(line);
        }
    }
    draft.membench = Some(place.clone());
    if rows.is_empty() {
        return;
    }
    let line = section.heading().number;
    let Some((id, method, buffer_bytes)) = own else {
        let id = WorkloadId::MemoryBandwidth;
        let bandwidth = table(id, 0, rows);
        return push(done(id, 0, Variant::TINYMEMBENCH, bandwidth, line), &place, draft);
    };
    for row in &mut rows {
        if id == WorkloadId::MemoryLibc {
            break;
        }
        row.routine = match row.routine.as_str() {
            "libc memcpy copy" => "copy-libc".to_string(),
            "libc memset fill" => "fill-libc".to_string(),
            _ => std::mem::take(&mut row.routine),
        };
    }
    let mut step = done(id, method, Variant::ONLY, table(id, buffer_bytes, rows), line);
    step.cpus = place.cpu.into_iter().collect();
    draft.push(step);
}

fn table(id: WorkloadId, buffer_bytes: u64, rows: Vec<BandwidthRow>) -> StepMeasurement {
    // This program verifies the results of its own routines.
    let verified = id == WorkloadId::MemoryBandwidth && buffer_bytes > 0;
    StepMeasurement::Bandwidth(Bandwidth { buffer_bytes, verified, rows })
}

/// Parses `sbc-bench memory-bandwidth@1 (128 MiB per buffer; ...`: workload, method and buffer size of this program's
/// tables.
fn own_heading(text: &str) -> Option<(WorkloadId, u32, u64)> {
    let (workload, rest) = text.strip_prefix("sbc-bench ")?.split_once('@')?;
    let mut tables = [WorkloadId::MemoryBandwidth, WorkloadId::MemoryLibc].into_iter();
    let id = tables.find(|id| id.as_str() == workload)?;
    let (method, rest) = rest.split_once(" (")?;
    let (mib, _) = rest.split_once(" MiB per buffer")?;
    let mib: u64 = mib.parse().ok()?;
    Some((id, method.parse().ok()?, mib.checked_mul(1 << 20)?))
}

/// Adds a step of tinymembench with its CPU and version.
fn push(mut step: record::Step, place: &MemoryPlace, draft: &mut Draft) {
    step.cpus = place.cpu.into_iter().collect();
    step.tool = tool("tinymembench", &place.version);
    if place.is_big {
        draft.on_big_core.insert(draft.steps.len());
    }
    draft.push(step);
}

/// Parses `Executing benchmark on cpu0 (Cortex-A55):`, `Executing tinymembench on a big core:`.
fn heading_place(heading: &str) -> MemoryPlace {
    let on = heading.split_once(" on ").map_or("", |(_, place)| place);
    let end = on.find([' ', ':']).unwrap_or(on.len());
    let cpu = text::cpu_ranges(&on[..end]).and_then(|cpus| cpus.first().copied());
    MemoryPlace { cpu, is_big: on.starts_with("a big"), version: String::new() }
}

/// True for constant text between the tables.
fn is_boilerplate(text: &str) -> bool {
    const STARTS: [&str; 10] = [
        "program was built with",
        "programs of this machine",
        "==",
        "---",
        "CFLAGS",
        "bandwidth test",
        "latency test",
        "Executing ",
        "tinymembench",
        "(",
    ];
    text.is_empty() || STARTS.iter().any(|start| text.starts_with(start))
}

/// Parses ` libc memcpy copy     :  36252.2 MB/s (3, 0.2%)`; a megabyte is 1000000 bytes.
fn row(line: &Line<'_>) -> Option<BandwidthRow> {
    let (name, rest) = line.text.rsplit_once(" : ")?;
    let (rate, after) = rest.split_once(" MB/s")?;
    let rate = text::decimal(rate).filter(|rate| *rate >= 0.0)?;
    let deviation = after.trim().strip_suffix("%)").and_then(|deviation| {
        let deviation = deviation.trim_start_matches('(');
        text::decimal(deviation.rsplit(' ').next().unwrap_or(deviation))
    });
    let routine = name.trim();
    Some(BandwidthRow {
        routine: routine.to_string(),
        operation: operation(routine),
        bytes_per_s: vec![(rate * 1e6).round() as u64],
        printed_deviation_percent: deviation,
        line: Some(line.number),
    })
}

fn operation(routine: &str) -> MemoryOperation {
    let has = |words: &[&str]| words.iter().any(|word| routine.contains(word));
    if has(&["framebuffer"]) {
        MemoryOperation::Other
    } else if has(&["copy", "memcpy"]) {
        MemoryOperation::Copy
    } else if has(&["fill", "memset"]) {
        MemoryOperation::Fill
    } else if has(&["read", "scan", "load", "memchr"]) {
        MemoryOperation::Read
    } else {
        MemoryOperation::Other
    }
}

/// Reads `block size : single random read / dual random read, [MADV_HUGEPAGE]` and its rows.
pub(super) fn read_latency(section: &Section<'_, '_>, draft: &mut Draft) {
    let heading = section.heading();
    let (variant, pages) = if heading.text.contains("NOHUGEPAGE") {
        (Variant::TINYMEMBENCH_SMALL, "small pages (MADV_NOHUGEPAGE)")
    } else if heading.text.contains("HUGEPAGE") {
        (Variant::TINYMEMBENCH_HUGE, "huge pages (MADV_HUGEPAGE)")
    } else {
        (Variant::TINYMEMBENCH, "as the kernel decides")
    };
    let mut rows = Vec::new();
    for line in section.body() {
        match latency_row(line) {
            Some(row) => rows.push(row),
            None if line.is_blank() || is_boilerplate(line.text.trim()) => {}
            None => draft.unread(line),
        }
    }
    if rows.is_empty() {
        return;
    }
    let latency = StepMeasurement::Latency(Latency {
        columns: vec!["single random read".to_string(), "dual random read".to_string()],
        rows,
        pages: pages.to_string(),
        clock_khz: record::Fact::not_in_log(),
    });
    let id = WorkloadId::MemoryLatency;
    let place = draft.membench.clone().unwrap_or_default();
    push(done(id, 0, variant, latency, heading.number), &place, draft);
}

/// Parses `  16777216 :   27.2 ns          /    11.5 ns `.
fn latency_row(line: &Line<'_>) -> Option<LatencyRow> {
    let (size, rest) = line.text.split_once(" : ")?;
    let ns = |text: &str| text::decimal(text.trim().strip_suffix("ns")?.trim_end());
    let (single, dual) = rest.split_once('/')?;
    Some(LatencyRow {
        size_bytes: size.trim().parse().ok()?,
        rounds_apart_percent: None,
        ns: vec![ns(single), ns(dual)],
        line: Some(line.number),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_both_versions() {
        for (text, routine, operation, mb, deviation) in [
            (
                " standard memset                                      :   3622.0 MB/s (0.3%)",
                "standard memset",
                MemoryOperation::Fill,
                3622,
                Some(0.3),
            ),
            (
                " libc memcpy copy                                 :  36252.2 MB/s (3, 0.2%)",
                "libc memcpy copy",
                MemoryOperation::Copy,
                36252,
                Some(0.2),
            ),
            (
                " C scan 8                                         :    254.6 MB/s (2)",
                "C scan 8",
                MemoryOperation::Read,
                254,
                None,
            ),
            (
                " NEON copy (from framebuffer)                         :     79.8 MB/s",
                "NEON copy (from framebuffer)",
                MemoryOperation::Other,
                79,
                None,
            ),
        ] {
            let row = row(&Line { number: 1, text }).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(row.routine, routine);
            assert_eq!(row.operation, operation, "{text}");
            assert_eq!(row.bytes_per_s[0] / 1_000_000, mb);
            assert_eq!(row.printed_deviation_percent, deviation);
        }
    }

    #[test]
    fn latency_rows() {
        let text = "  67108864 :  170.9 ns          /   224.2 ns ";
        let row = latency_row(&Line { number: 1, text }).unwrap();
        assert_eq!((row.size_bytes, row.ns), (67_108_864, vec![Some(170.9), Some(224.2)]));
    }
}
