//! Report: what people see at the end of a run: the verdict with its reasons, the figures, what
//! was not measured, and the summary line.

use super::more_scores::more_scores;
use crate::figures::best_row;
use crate::figures::main::deviation_percent;
use crate::figures::main::{
    cipher_kb_per_s, done, memory_mb_per_s, series_median, sevenzip_multi_mips, sevenzip_single_mips,
};
use crate::lines::{sentences, unmeasured, wrapped};
use crate::tables::Report;
use crate::view;
use crate::{Explanation, Figure, Verdict};
use record::{Measured, MemoryOperation, Record, Variant, WorkloadId};
use std::fmt::Write;

pub(super) const REPORT: Report =
    Report { id: "text", about: "Verdict, reasons and figures for people.", ..Report::of(render) };

fn render(record: &Record, explained: &Explanation) -> String {
    let mut text = String::new();
    if record.run.is_monitoring() {
        let _ = writeln!(text, "{}\n", wrapped(&crate::report::watched::watched(record), 0));
        text.push_str(&sentences(&explained.findings));
        return text;
    }
    let figures = crate::figures(record);
    let _ = writeln!(text, "{}\n", wrapped(&crate::report::headline(record, &figures, explained), 0));
    let _ = writeln!(text, "{}", verdict_line(explained.verdict));
    text.push_str(&sentences(&explained.findings));
    text.push('\n');
    text.push_str(&clocks(record));
    text.push_str(&scores(record, &figures));
    for section in crate::questions::texts(record) {
        let _ = write!(text, "\n{section}");
    }
    let unmeasured = unmeasured(record, None);
    if !unmeasured.is_empty() {
        text.push_str("\nNot measured:\n");
        for line in unmeasured {
            let _ = writeln!(text, "{}", wrapped(&format!("   {line}"), 3));
        }
    }
    let _ = write!(text, "\n{}\n", super::summary::line(record, &figures, explained));
    text
}

/// The line that scripts look for: whenever results are not valid, it holds `check the log`.
pub(super) fn verdict_line(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Valid => "Results valid.",
        Verdict::Degraded => "Results degraded, check the log for the reasons:",
        Verdict::Invalid => "Results NOT valid, check the log for the reasons:",
    }
}

fn clocks(record: &Record) -> String {
    let mut text = String::new();
    let hot: Vec<view::ClusterClock> = [Variant::HOT_LOADED, Variant::HOT_AFTER]
        .into_iter()
        .flat_map(|variant| view::cluster_clocks(record, &variant))
        .collect();
    for cold in view::cluster_clocks(record, &Variant::COLD) {
        let mhz = |khz: Option<u32>| khz.map_or("-".to_owned(), |khz| crate::finding::mhz(khz).to_string());
        let lowest_hot = hot.iter().filter(|hot| hot.cpu == cold.cpu).map(|hot| hot.measured_khz).min();
        let _ = writeln!(
            text,
            "   clock of CPU {:<8} {:>5} MHz claimed, {:>5} measured cold, {:>5} hot",
            crate::cpu_list(&cold.cluster_cpus),
            mhz(cold.claimed_khz),
            mhz(Some(cold.measured_khz)),
            mhz(lowest_hot),
        );
    }
    text
}

fn scores(record: &Record, figures: &[Figure]) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            let _ = writeln!(text, "   {name:<22} {value}");
        }
    };
    for (name, operation) in [
        ("memory copy", MemoryOperation::Copy),
        ("memory fill", MemoryOperation::Fill),
        ("memory read", MemoryOperation::Read),
    ] {
        let best = memory_mb_per_s(figures, operation);
        line(name, best.map(|rate| format!("{rate} MB/s{}", spread(record, operation))));
    }
    line("memory latency", latency(record));
    line("AES-256-CBC 16 KiB", cipher_kb_per_s(figures, &Variant::AES_256_CBC).map(|r| format!("{r} kB/s")));
    line("7-zip one thread", sevenzip_single_mips(figures).map(|mips| format!("{mips} MIPS")));
    line(
        "7-zip all CPUs",
        sevenzip_multi_mips(record, figures).map(|mips| {
            let totals = view::multi_totals(record);
            let totals: Vec<String> = totals.iter().map(|(_, mips)| format!("{mips:.0}")).collect();
            match totals.is_empty() {
                true => format!("{mips} MIPS"),
                false => format!("{mips} MIPS ({})", totals.join(", ")),
            }
        }),
    );
    for (name, value) in more_scores(record) {
        line(&name, Some(value));
    }
    for workload in [WorkloadId::Lzma, WorkloadId::Cpuminer, WorkloadId::Simd] {
        let unit = record.steps_of(workload).find_map(|step| match done(step)? {
            Measured::Series(series) => Some(series.unit.clone()),
            _ => None,
        });
        let median = series_median(figures, workload);
        line(workload.as_str(), median.map(|rate| format!("{rate:.2} {}", unit.unwrap_or_default())));
    }
    for program in view::programs(record) {
        let line = format!("   {:<22} {}", program.name, program.words());
        let _ = writeln!(text, "{}", wrapped(&line, 6));
    }
    for remark in view::remarks(record) {
        let _ = writeln!(text, "{}", wrapped(&format!("   {remark}"), 6));
    }
    text
}

/// ` [1.2 %] copy-avx2`: relative standard deviation where it counts, and the routine.
fn spread(record: &Record, operation: MemoryOperation) -> String {
    let best = |id| {
        let rows = record.steps_of(id).filter_map(|step| match done(step)? {
            Measured::Bandwidth(bandwidth) => best_row(record, step, bandwidth, operation),
            _ => None,
        });
        rows.max_by_key(|row| row.bytes_per_s.iter().max().copied())
    };
    let Some(best) = best(WorkloadId::MemoryLibc).or_else(|| best(WorkloadId::MemoryBandwidth)) else {
        return String::new();
    };
    match deviation_percent(best).filter(|deviation| *deviation > 0.1) {
        Some(deviation) => format!(" [{deviation:.1} %] {}", best.routine),
        None => format!(" {}", best.routine),
    }
}

/// The latency of the largest size that was measured.
fn latency(record: &Record) -> Option<String> {
    record.steps_of(WorkloadId::MemoryLatency).find_map(|step| match done(step)? {
        Measured::Latency(latency) => {
            let row = latency.rows.iter().max_by_key(|row| row.size_bytes)?;
            let ns = row.ns.first().copied().flatten()?;
            Some(format!("{ns:.1} ns at {} MiB", row.size_bytes >> 20))
        }
        _ => None,
    })
}
