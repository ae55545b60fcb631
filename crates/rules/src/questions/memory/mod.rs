//! Report: everything about memory: bandwidth of every routine, latency by size with the caches that
//! show in it, bandwidth of several CPUs, latency under load, and how sure all of that is.

use crate::tables::{Answer, Report, Subject};
use facts::lines::{sentences, size_words, unmeasured, wrapped};
use facts::{Facts, Finding, view};
use record::{
    BandwidthCurve, Latency, LoadedLatency, MemoryOperation, Outcome, QuestionId, Record, RepetitionStats, StableSort,
    Step, StepMeasurement, StopReason, Total, Variant, WorkloadId, cpu_list,
};
use std::fmt::Write;

/// The answer to it.
pub(super) const ANSWER: Answer =
    Answer { id: QuestionId::Memory, text: Answer::NO_TEXT, reports: &[REPORT], plots: &[], rules: &[] };

const REPORT: Report = Report {
    id: "memory",
    about: "Memory bandwidth and latency, single CPU, all CPUs and under load, with intervals.",
    fits: |record| WORKLOADS.iter().any(|workload| record.steps_of(*workload).next().is_some()),
    ..Report::part(Subject::Memory, render)
};

const WORKLOADS: [WorkloadId; 5] = [
    WorkloadId::MemoryBandwidth,
    WorkloadId::MemoryLatency,
    WorkloadId::MemoryLibc,
    WorkloadId::MemoryLoaded,
    WorkloadId::MemoryScaling,
];
/// Target half width of an interval.
const HALF_WIDTH: f64 = 0.01;

fn render(facts: &Facts<'_>, findings: &[Finding]) -> String {
    let mut text = String::new();
    for step in &facts.steps {
        let Outcome::Done(measured) = &step.outcome else { continue };
        match measured {
            StepMeasurement::Bandwidth(_) => text.push_str(&bandwidth(facts, step)),
            StepMeasurement::Latency(latency) if step.variant.is_only() => {
                text.push_str(&latencies(facts, step, latency));
            }
            StepMeasurement::BandwidthCurve(curve) => text.push_str(&scaling(curve)),
            StepMeasurement::LoadedLatency(loaded) => text.push_str(&under_load(loaded)),
            _ => {}
        }
    }
    if text.is_empty() {
        text.push_str("No memory was measured.\n");
    }
    text.push_str(&certainty(facts));
    text.push_str(&sentences(findings));
    for workload in WORKLOADS {
        for line in unmeasured(facts, Some(workload), &[]) {
            let _ = writeln!(text, "{}", wrapped(&format!("Not measured: {line}"), 3));
        }
    }
    text
}

/// `CPU 4 (Cortex-A76)`.
fn place(record: &Record, step: &Step) -> String {
    let Some(cpu) = step.cpus.first().copied() else { return "an unknown CPU".to_owned() };
    let known = record.machine.cpus.iter().find(|known| known.cpu == cpu);
    match known.and_then(|known| known.core_type.known()) {
        Some(core_type) => format!("CPU {cpu} ({core_type})"),
        None => format!("CPU {cpu}"),
    }
}

fn bandwidth(record: &Record, step: &Step) -> String {
    let Outcome::Done(StepMeasurement::Bandwidth(bandwidth)) = &step.outcome else { return String::new() };
    let mut text = format!(
        "Bandwidth of {} in MB/s (10^6 bytes copied, filled or read),\n{} MiB per buffer{}\n\n",
        place(record, step),
        bandwidth.buffer_bytes >> 20,
        if bandwidth.verified { ", verified" } else { "" },
    );
    let _ = writeln!(text, "{:<26} {:>10} {:>10}   interval", "", "best", "median");
    for row in &bandwidth.rows {
        let best = row.bytes_per_s.iter().max().map(|rate| format!("{:.1}", *rate as f64 / 1e6));
        let best = best.unwrap_or_else(|| "-".to_owned());
        let repeated = step.repeated.iter().find(|known| known.name == row.routine);
        let mut medians = repeated.map_or(String::new(), |repeated| {
            let groups = repeated.groups.iter();
            let medians: Vec<String> = groups.map(|group| format!("{:.1}", group.median)).collect();
            medians.join(" | ")
        });
        if medians.is_empty() {
            medians.push('-');
        }
        let _ = writeln!(
            text,
            "{:<26} {best:>10} {medians:>10}   {}",
            row.routine,
            repeated.map_or(String::new(), interval),
        );
    }
    text.push('\n');
    text
}

/// `+-0.4 % (7)`: half of the interval's width and the number of repetitions, and what else there is.
fn interval(repeated: &RepetitionStats) -> String {
    let widest = repeated.groups.iter().filter_map(|group| group.half_width());
    let mut words = match widest.reduce(f64::max) {
        Some(half) => format!("+-{:.1} % ({})", 100.0 * half, repeated.n),
        None => format!("none ({})", repeated.n),
    };
    if repeated.groups.len() > 1 {
        words.push_str(" bimodal");
    }
    if repeated.drifts {
        words.push_str(" drifting");
    }
    words
}

fn latencies(record: &Record, step: &Step, latency: &Latency) -> String {
    let mut text =
        format!("Latency of {} in ns; 1x to 8x: parallel pointer chains,\n{}\n\n", place(record, step), latency.pages);
    let other = |variant: Variant| {
        let steps = record.steps_of(WorkloadId::MemoryLatency);
        let mut own = steps.filter(|other| other.cpus == step.cpus && other.variant == variant);
        own.find_map(|other| match &other.outcome {
            Outcome::Done(StepMeasurement::Latency(latency)) => Some(latency),
            _ => None,
        })
    };
    let (small, light) = (other(Variant::SMALL_PAGES), other(Variant::TLB_LIGHT));
    let column = |name: &str| latency.columns.iter().position(|column| column == name);
    let chains = ["1xPTR", "2xPTR", "4xPTR", "8xPTR"].map(column);
    let _ = writeln!(text, "      size       1x   cycles       2x       4x       8x  small pages   TLB-light");
    for row in &latency.rows {
        let ns = chains.map(|column| row.ns.get(column?).copied().flatten());
        let cycles = ns[0].zip(latency.clock_khz.known());
        let cycles = cycles.map(|(ns, khz)| ns * f64::from(*khz) / 1e6);
        let of = |latency: Option<&Latency>| {
            let curve = view::latency_curve(latency?);
            curve.iter().find(|(size, _)| *size == row.size_bytes).map(|(_, ns)| *ns)
        };
        let _ = writeln!(
            text,
            "{:>10} {} {} {} {} {}     {}    {}",
            size_words(row.size_bytes),
            cell(ns[0]),
            cell(cycles),
            cell(ns[1]),
            cell(ns[2]),
            cell(ns[3]),
            cell(of(small)),
            cell(of(light)),
        );
    }
    text.push('\n');
    if let Some(missing) = latency.clock_khz.missing() {
        let line = format!("Cycles: not measured ({missing}).");
        let _ = writeln!(text, "{}", wrapped(&line, 3));
    }
    text.push_str(&caches(record, step, latency));
    text
}

/// A cell of eight characters with suitable decimals.
fn cell(value: Option<f64>) -> String {
    match value {
        Some(value) if value < 100.0 => format!("{value:>8.2}"),
        Some(value) => format!("{value:>8.1}"),
        None => format!("{:>8}", "-"),
    }
}

/// Caches that show in the curve next to those reported by the kernel.
fn caches(record: &Record, step: &Step, latency: &Latency) -> String {
    let boundaries = view::cache_boundaries(latency);
    let claimed = step.cpus.first().map_or_else(Vec::new, |cpu| view::data_caches(record, *cpu));
    let mut words: Vec<String> = Vec::new();
    for boundary in &boundaries {
        let mut of = claimed.iter().filter(|cache| view::is_end_of(boundary, cache.size_bytes));
        let claim = match of.next() {
            Some(cache) => format!("L{}: {} reported", cache.level, size_words(cache.size_bytes)),
            None => "none reported at this size".to_owned(),
        };
        words.push(format!("{} ({claim})", size_words(boundary.size_bytes)));
    }
    let missed = claimed.iter().filter(|cache| {
        let shows = |boundary: &view::CacheBoundary| view::is_end_of(boundary, cache.size_bytes);
        !boundaries.iter().any(shows)
    });
    let missed: Vec<String> =
        missed.map(|cache| format!("L{} of {}", cache.level, size_words(cache.size_bytes))).collect();
    let mut line = if words.is_empty() {
        "No cache boundary in this size range.".to_owned()
    } else {
        format!("Cache boundaries: {}.", words.join(", "))
    };
    if !missed.is_empty() {
        let _ = write!(line, " Reported but not visible: {}.", missed.join(", "));
    }
    format!("{}\n\n", wrapped(&line, 3))
}

/// The table of a curve of bandwidth.
pub(super) fn scaling(curve: &BandwidthCurve) -> String {
    let mut text = "Bandwidth of several CPUs at once in MB/s, best repetition\n\n CPUs        copy       fill       \
                    read   list\n"
        .to_owned();
    let mut teams: Vec<&[u32]> = curve.rows.iter().map(|row| row.cpus.as_slice()).collect();
    teams.dedup();
    for cpus in teams {
        let best = |operation: MemoryOperation| {
            let mut rows = curve.rows.iter();
            let row = rows.find(|row| row.cpus == cpus && row.operation == operation);
            let best = row.and_then(|row| row.bytes_per_s.iter().max());
            best.map_or("-".to_owned(), |rate| format!("{:.0}", *rate as f64 / 1e6))
        };
        let mut sorted = cpus.to_vec();
        sorted.sort_unstable();
        let _ = writeln!(
            text,
            "{:>6} {:>10} {:>10} {:>10}   {}",
            cpus.len(),
            best(MemoryOperation::Copy),
            best(MemoryOperation::Fill),
            best(MemoryOperation::Read),
            cpu_list(&sorted),
        );
    }
    text.push('\n');
    text
}

fn under_load(loaded: &LoadedLatency) -> String {
    let mut text = format!(
        "Latency of CPU {} at {} while {} read\n\n      duty cycle        MB/s read   ns (best)   ns (median)\n",
        loaded.cpu,
        size_words(loaded.size_bytes),
        facts::Quantity::Cpus(loaded.load_cpus.clone()),
    );
    for row in &loaded.rows {
        let best = row.ns.iter().copied().reduce(f64::min);
        let _ = writeln!(
            text,
            "{:>14} % {:>16.0}    {}      {}",
            row.duty_percent,
            row.load_bytes_per_s as f64 / 1e6,
            cell(best),
            cell(facts::stats::median(&row.ns)),
        );
    }
    text.push('\n');
    text
}

/// Reached widths of the intervals, and the total duration.
fn certainty(record: &Record) -> String {
    let mut text = String::new();
    let mut elapsed_ms = 0;
    for workload in WORKLOADS {
        let steps: Vec<&Step> = record.steps_of(workload).collect();
        elapsed_ms += steps.iter().map(|step| step.window.elapsed_ms()).total::<i64>();
        let repeated: Vec<&RepetitionStats> = steps.iter().flat_map(|step| &step.repeated).collect();
        if repeated.is_empty() {
            continue;
        }
        let half = |repeated: &&RepetitionStats| {
            let halves = repeated.groups.iter().map(|group| group.half_width());
            halves.map(|half| half.unwrap_or(f64::INFINITY)).reduce(f64::max)
        };
        let mut halves: Vec<f64> = repeated.iter().filter_map(half).collect();
        halves.stable_sort_by(f64::total_cmp);
        let narrow = halves.iter().filter(|half| **half < HALF_WIDTH).count();
        let two = repeated.iter().filter(|repeated| repeated.groups.len() > 1).count();
        let capped = repeated.iter().filter(|repeated| repeated.ended != StopReason::Narrow).count();
        let middle = halves.get(halves.len() / 2).filter(|half| half.is_finite());
        let typical = middle.map_or("-".into(), |half| format!("{:.2} %", 100.0 * half));
        let mut line = format!(
            "{}: {narrow} of {} figures are known within 1 % (typically within {typical})",
            facts::lines::capitalised(workload.label()),
            halves.len(),
        );
        if capped > 0 {
            let _ = write!(line, "; {capped} were measured up to the limit of time or repetitions");
        }
        if two > 0 {
            let _ = write!(line, "; {two} are bimodal");
        }
        let _ = writeln!(text, "{}", wrapped(&format!("{line}."), 3));
    }
    if elapsed_ms > 0 {
        let _ = writeln!(text, "Total time: {:.1} s.", elapsed_ms as f64 / 1000.0);
    }
    text
}

#[cfg(test)]
mod tests;
