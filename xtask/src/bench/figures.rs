//! Computes figures from observations and compares them with their limits. Does no I/O.

use super::process::Usage;
use record::{Record, Variant, Window, WorkloadId, WorkloadName};
use std::fmt;
use std::time::Duration;

/// Workloads whose duration depends on an external tool.
const TOOLS: &[WorkloadId] = &[WorkloadId::SevenZip, WorkloadId::OpenSsl];

/// Maximum resident memory, suitable for a board with 128 MB.
const RESIDENT_MB_MAX: f64 = 12.0;

/// A figure and its limit.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Figure {
    name: &'static str,
    /// `None` if it was not measured.
    measured: Option<f64>,
    /// Exclusive upper limit.
    below: f64,
    unit: &'static str,
}

/// Figure with its limit.
pub(super) fn limit(name: &'static str, measured: Option<f64>, below: f64, unit: &'static str) -> Figure {
    Figure { name, measured, below, unit }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, measured, below, unit } = *self;
        match measured {
            None => write!(f, "{name:42} {:>10}   under {below} {unit}", "-"),
            Some(value) => {
                let verdict = if value < below { "" } else { "   MISSED" };
                write!(f, "{name:42} {value:>10.3}   under {below} {unit}{verdict}")
            }
        }
    }
}

/// Resident memory of the run at a point in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Resident {
    pub(super) at_utc_ms: i64,
    pub(super) kib: u64,
}

/// Wall time of one kind of step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    name: String,
    steps: usize,
    wall_ms: i64,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:42} {:>10.3}", self.name, seconds(self.wall_ms))?;
        match self.steps {
            0 => Ok(()),
            1 => write!(f, "   1 step"),
            steps => write!(f, "   {steps} steps"),
        }
    }
}

/// A duration and its limit in milliseconds.
pub(super) fn limit_ms(name: &'static str, measured: Option<Duration>, below: f64) -> Figure {
    limit(name, measured.map(|time| time.as_secs_f64() * 1e3), below, "ms")
}

/// Figures of a monitor: time of the first sample, and usage between two points in time.
pub(super) fn of_monitor(first_sample: Duration, before: Usage, after: Usage) -> [Figure; 3] {
    let cpu_ns = after.cpu_ns.saturating_sub(before.cpu_ns) as f64;
    let elapsed_ns = after.elapsed.saturating_sub(before.elapsed).as_nanos() as f64;
    let resident_mb = megabytes(after.resident_kib_max);
    [
        limit_ms("start to first line", Some(first_sample), 30.0),
        limit("CPU time of the monitor, of one core", Some(100.0 * cpu_ns / elapsed_ns), 0.1, "%"),
        limit("resident memory of the monitor", Some(resident_mb), RESIDENT_MB_MAX, "MB"),
    ]
}

/// Wall time per workload and variant in the order of the run, and the time between steps.
pub(super) fn rows(record: &Record) -> Vec<Row> {
    let mut names: Vec<(&WorkloadName, &Variant)> = Vec::new();
    for step in &record.steps {
        let name = (&step.workload, &step.variant);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut rows: Vec<Row> = names
        .into_iter()
        .map(|(workload, variant)| {
            let steps = record.steps.iter();
            let windows: Vec<Window> = steps
                .filter(|step| (&step.workload, &step.variant) == (workload, variant))
                .map(|step| step.window)
                .collect();
            Row { name: format!("{workload} {variant}"), steps: windows.len(), wall_ms: covered_ms(windows) }
        })
        .collect();
    if let Some(total_ms) = total_ms(record) {
        let windows = record.steps.iter().map(|step| step.window).collect();
        rows.push(Row { name: "everything else".into(), steps: 0, wall_ms: total_ms - covered_ms(windows) });
    }
    rows
}

/// Figures of a whole run.
pub(super) fn of_record(record: &Record, resident: &[Resident]) -> [Figure; 4] {
    let tools: Vec<Window> = TOOLS.iter().flat_map(|tool| record.steps_of(*tool)).map(|step| step.window).collect();
    let total_ms = total_ms(record);
    let cost = &record.samples.cost;
    let without_tools = total_ms.map(|total_ms| seconds(total_ms - covered_ms(tools)));
    let sampler = (cost.elapsed_ns > 0).then(|| 100.0 * cost.cpu_ns as f64 / cost.elapsed_ns as f64);
    [
        limit("the whole run", total_ms.map(seconds), 240.0, "s"),
        limit("without 7-Zip and openssl", without_tools, 60.0, "s"),
        limit("CPU time of the sampler, of one core", sampler, 0.1, "%"),
        limit("resident memory while 7-Zip runs", resident_mb_max(record, resident), RESIDENT_MB_MAX, "MB"),
    ]
}

/// Peak resident memory within the windows of 7-Zip, in MB.
fn resident_mb_max(record: &Record, resident: &[Resident]) -> Option<f64> {
    let windows: Vec<(i64, i64)> = record
        .steps_of(WorkloadId::SevenZip)
        .filter_map(|step| Some((step.window.start_utc_ms?, step.window.end_utc_ms?)))
        .collect();
    let inside = |at_utc_ms| windows.iter().any(|&(start, end)| (start..=end).contains(&at_utc_ms));
    resident
        .iter()
        .filter(|resident| inside(resident.at_utc_ms))
        .map(|resident| megabytes(resident.kib))
        .reduce(f64::max)
}

/// Duration of the run.
fn total_ms(record: &Record) -> Option<i64> {
    i64::try_from(record.run.elapsed_ms?).ok()
}

/// Length of the union of the windows, as steps may run in parallel.
fn covered_ms(mut windows: Vec<Window>) -> i64 {
    windows.sort_by_key(|window| window.start_ms);
    let mut covered_ms = 0;
    let mut until_ms = i64::MIN;
    for window in windows {
        let start_ms = window.start_ms.max(until_ms);
        covered_ms += (window.end_ms - start_ms).max(0);
        until_ms = until_ms.max(window.end_ms);
    }
    covered_ms
}

fn megabytes(kib: u64) -> f64 {
    kib as f64 * 1024.0 / 1e6
}

fn seconds(ms: i64) -> f64 {
    ms as f64 / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{Missing, Outcome, Run, Source, Step};

    fn step(workload: impl Into<WorkloadName>, variant: &str, start_ms: i64, end_ms: i64) -> Step {
        let window =
            Window { start_ms, end_ms, start_utc_ms: Some(1_000_000 + start_ms), end_utc_ms: Some(1_000_000 + end_ms) };
        Step { window, ..Step::new(workload, 1, variant, Outcome::Skipped(Missing::absent("x"))) }
    }

    fn record() -> Record {
        let source = Source::Run { version: "0".into(), target: "x".into() };
        let run = Run { elapsed_ms: Some(10_000), ..Run::default() };
        let mut record = Record::new(source, run);
        record.steps = vec![
            step(WorkloadId::Clock, "cold", 0, 1_000),
            step(WorkloadId::SevenZip, "single", 1_500, 3_500),
            step(WorkloadId::Clock, "cold", 4_000, 4_500),
            step(WorkloadId::SevenZip, "multi", 5_000, 8_000),
            step(WorkloadId::Clock, "hot", 6_000, 9_000),
        ];
        record.samples.cost.cpu_ns = 5;
        record.samples.cost.elapsed_ns = 10_000;
        record
    }

    #[test]
    fn time_per_step_is_wall_time() {
        let rows: Vec<(String, usize, i64)> =
            rows(&record()).into_iter().map(|row| (row.name, row.steps, row.wall_ms)).collect();
        let expected = [
            ("clock cold", 2, 1_500),
            ("sevenzip single", 1, 2_000),
            ("sevenzip multi", 1, 3_000),
            ("clock hot", 1, 3_000),
            ("everything else", 0, 2_500),
        ];
        assert_eq!(rows, expected.map(|(name, steps, ms)| (name.to_owned(), steps, ms)));
    }

    #[test]
    fn windows_that_overlap_count_once() {
        let check = |windows: &[(i64, i64)], expected: i64| {
            let windows = windows.iter().map(|&(start, end)| step("a", "", start, end).window);
            assert_eq!(covered_ms(windows.collect()), expected);
        };
        check(&[], 0);
        check(&[(5, 7), (0, 3)], 5);
        check(&[(0, 10), (2, 4), (8, 12)], 12);
        check(&[(0, 5), (0, 5)], 5);
    }

    #[test]
    fn figures_of_a_run() {
        let at = |at_utc_ms, kib| Resident { at_utc_ms, kib };
        let resident = [at(1_000_500, 90_000), at(1_002_000, 5_000), at(1_006_000, 10_000)];
        let measured = of_record(&record(), &resident).map(|figure| figure.measured);
        let expected = [Some(10.0), Some(5.0), Some(0.05), Some(10.24)];
        assert_eq!(measured, expected);
    }

    #[test]
    fn missing_figures_are_not_zero() {
        let mut record = record();
        record.run.elapsed_ms = None;
        record.samples.cost.elapsed_ns = 0;
        let figures = of_record(&record, &[]);
        for figure in &figures {
            assert_eq!(figure.measured, None, "{figure}");
        }
        assert!(figures[0].to_string().contains(" -   under 240 s"));
    }

    #[test]
    fn monitor_is_judged_by_its_share() {
        let usage = |seconds, cpu_ns| Usage {
            elapsed: Duration::from_secs(seconds),
            cpu_ns,
            resident_kib_max: 4_000,
            faults: 0,
        };
        let figures = of_monitor(Duration::from_millis(60), usage(1, 7_000_000), usage(11, 9_000_000));
        assert_eq!(figures[0].measured, Some(60.0));
        assert!(figures[0].to_string().ends_with("MISSED"));
        assert_eq!(figures[1].measured, Some(0.02));
        assert!(figures[1].to_string().ends_with("under 0.1 %"));
        assert_eq!(figures[2].measured, Some(4.096));
    }
}
