//! Section: latency between each pair of CPUs as a heat map.

use crate::draw::{Plot, n, word};
use crate::{Section, Subject};
use facts::view;
use maud::{Markup, html};
use record::{CoreToCore, Outcome, Record, StepMeasurement, WorkloadId};
use std::fmt::Write;

pub(crate) const SECTION: Section = Section {
    plots: |subject| found(subject.facts).map(|found| found.plot).into_iter().collect(),
    ..Section::folded("between-cpus", "Latency between CPUs", body)
};

/// Maximum number of CPUs with a cell of their own.
const CPUS_MAX: usize = 64;
/// Maximum number of CPUs with numbers in the cells.
const NUMBERS_MAX: usize = 16;
const SIDE: f64 = 640.0;
const HEAD: f64 = 40.0;

fn matrix(record: &Record) -> Option<&CoreToCore> {
    record.steps.iter().find_map(|step| match &step.outcome {
        Outcome::Done(StepMeasurement::CoreToCore(matrix)) if matrix.cpus.len() > 1 => Some(matrix),
        _ => None,
    })
}

/// Plot with minimum and maximum latency.
struct HeatMap<'a> {
    matrix: &'a CoreToCore,
    plot: Plot,
    ns_min: f64,
    ns_max: f64,
}

fn body(subject: &Subject<'_>) -> Option<Markup> {
    let HeatMap { matrix, plot, ns_min, ns_max } = found(subject.facts)?;
    let levels = view::core_levels(matrix);
    Some(html! {
        p { "Time of a cache line from one CPU to another, one way: " (format!("{ns_min:.0}")) " to " (format!("{ns_max:.0}")) " ns; darker is longer." }
        @if matrix.cpus.len() > CPUS_MAX { p.soft { "The first " (CPUS_MAX) " of " (matrix.cpus.len()) " CPUs are shown." } }
        (plot.on_page())
        @for level in levels {
            @let groups: Vec<String> = level.groups.iter().map(|group| record::cpu_list(group)).collect();
            p { "Groups of CPUs near each other (" (format!("{:.0}", level.inside_ns)) " ns): " (groups.join(" | ")) }
        }
    })
}

fn found(record: &Record) -> Option<HeatMap<'_>> {
    let matrix = matrix(record)?;
    let cpus: Vec<u32> = matrix.cpus.iter().copied().take(CPUS_MAX).collect();
    let mut cells: Vec<(usize, usize, f64)> = Vec::new();
    for (row, a) in cpus.iter().enumerate() {
        for (column, b) in cpus.iter().enumerate().filter(|(column, _)| *column != row) {
            if let Some(ns) = view::between_ns(matrix, *a, *b).filter(|ns| ns.is_finite()) {
                cells.push((row, column, ns));
            }
        }
    }
    let low = cells.iter().map(|(_, _, ns)| *ns).reduce(f64::min)?;
    let high = cells.iter().map(|(_, _, ns)| *ns).reduce(f64::max)?;
    let cell = (SIDE / cpus.len() as f64).min(56.0);
    let shade = |ns: f64| if high > low { 1 + ((ns - low) / (high - low) * 3.999) as usize } else { 1 };
    let mut paths: [String; 5] = Default::default();
    for (row, column, ns) in &cells {
        let (x, y) = (HEAD + cell * *column as f64, HEAD + cell * *row as f64);
        let _ = write!(paths[shade(*ns)], "M{} {}h{}v{}h-{}z", n(x), n(y), n(cell - 1.0), n(cell - 1.0), n(cell - 1.0));
    }
    let has_numbers = cpus.len() <= NUMBERS_MAX;
    let every = cpus.len().div_ceil(NUMBERS_MAX);
    let shapes = html! {
        @for (index, cpu) in cpus.iter().enumerate().step_by(every) {
            @let at = HEAD + cell * (index as f64 + 0.5);
            (word(at, HEAD - 8.0, "middle", &cpu.to_string())) (word(HEAD - 8.0, at + 4.0, "end", &cpu.to_string()))
        }
        @for (shade, path) in paths.iter().enumerate().skip(1) { path class={ "h" (shade) } d=(path) {} }
        @if has_numbers {
            @for (row, column, ns) in &cells {
                (word(HEAD + cell * (*column as f64 + 0.5), HEAD + cell * (*row as f64 + 0.5) + 4.0, "middle", &format!("{ns:.0}")))
            }
        }
    };
    let height = HEAD + cell * cpus.len() as f64 + 8.0;
    let plot = Plot::of(WorkloadId::CoreToCore.as_str(), "Latency between CPUs in ns", height, shapes);
    Some(HeatMap { matrix, plot, ns_min: low, ns_max: high })
}
