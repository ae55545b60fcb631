//! Sections: memory latency by size with the caches that the kernel reports, and bandwidth of every routine.

use crate::clocks::core_type;
use crate::draw::table::{Column, cell, maybe, number as table_number, table, text};
use crate::draw::{Area, Bar, LOOKS, Plot, Scale, WIDTH, axis_x, axis_y, bars, n, path, word};
use crate::{Section, Subject};
use facts::{number, size_words, view};
use maud::{Markup, html};
use record::{Latency, MemoryOperation, Outcome, Record, StableSort, Step, StepMeasurement, WorkloadId};

pub(crate) const LATENCY: Section = Section {
    plots: |subject| latency_plot(subject.facts, &curves(subject.facts)).into_iter().collect(),
    ..Section::folded("latency", "Memory latency", latency)
};
pub(crate) const BANDWIDTH: Section = Section {
    plots: |subject| bandwidth_plot(&rates(subject.facts)).into_iter().collect(),
    ..Section::folded("bandwidth", "Memory bandwidth", bandwidth)
};

const HEIGHT: f64 = 340.0;
/// Lower values are not latencies: tinymembench prints the difference to a read from the L1 cache.
const NS_MIN: f64 = 0.3;

/// Latency curve: place, method, sizes in bytes and nanoseconds.
struct Curve {
    name: String,
    cpu: Option<u32>,
    points: Vec<(u64, f64)>,
}

fn curves(record: &Record) -> Vec<Curve> {
    let mut curves: Vec<Curve> = Vec::new();
    for step in &record.steps {
        let Outcome::Done(StepMeasurement::Latency(latency)) = &step.outcome else {
            continue;
        };
        let points: Vec<(u64, f64)> = view::latency_curve(latency)
            .into_iter()
            .filter(|(size, ns)| *size > 0 && *ns >= NS_MIN && ns.is_finite())
            .collect();
        let name = name(record, step, latency);
        if points.len() > 1 && curves.iter().all(|curve| curve.name != name) {
            curves.push(Curve { name, cpu: step.cpus.first().copied(), points });
        }
    }
    curves
}

fn place(record: &Record, step: &Step) -> String {
    match step.cpus.as_slice() {
        [] => "all CPUs".to_owned(),
        [cpu] => format!("CPU {cpu} ({})", core_type(record, *cpu)),
        cpus => format!("CPU {}", record::cpu_list(cpus)),
    }
}

fn name(record: &Record, step: &Step, latency: &Latency) -> String {
    let pages = if latency.pages.is_empty() { String::new() } else { format!(", {}", latency.pages) };
    let variant = if step.variant.is_only() { String::new() } else { format!(", {}", step.variant) };
    facts::plain(&format!("{}{variant}{pages}", place(record, step)))
}

fn latency(subject: &Subject<'_>) -> Option<Markup> {
    let curves = curves(subject.facts);
    let plot = latency_plot(subject.facts, &curves)?;
    Some(html! {
        (plot.on_page())
        details { summary { "Values" } (latency_table(&curves)) }
    })
}

fn latency_plot(record: &Record, curves: &[Curve]) -> Option<Plot> {
    let points = || curves.iter().flat_map(|curve| curve.points.iter().copied());
    let (low, high) = (points().map(|(_, ns)| ns).reduce(f64::min)?, points().map(|(_, ns)| ns).reduce(f64::max)?);
    let sizes = (points().map(|(size, _)| size).min()?, points().map(|(size, _)| size).max()?);
    let area = Area { left: 76.0, right: WIDTH - 16.0, top: 40.0, bottom: HEIGHT - 46.0 };
    let x = Scale::logarithmic((sizes.0 as f64, sizes.1 as f64), (area.left, area.right));
    let y = Scale::logarithmic((low * 0.9, high * 1.1), (area.bottom, area.top));
    let x_ticks: Vec<(f64, String)> = (0..48_u32)
        .map(|power| 1_u64 << power)
        .filter(|size| (sizes.0..=sizes.1).contains(size))
        .map(|size| (size as f64, size_words(size)))
        .collect();
    let y_ticks: Vec<(f64, String)> = [1.0, 2.0, 5.0]
        .into_iter()
        .flat_map(|step| [0.1, 1.0, 10.0, 100.0, 1000.0, 10_000.0].map(|power| step * power))
        .filter(|tick| (low * 0.9..=high * 1.1).contains(tick))
        .map(|tick| (tick, format!("{tick}")))
        .collect();
    let reported = reported(record, curves, sizes);
    let shapes = html! {
        (axis_y(area, &y, &y_ticks, "ns"))
        (caches(&reported, area, &x))
        @for (index, curve) in curves.iter().enumerate() {
            @let places: Vec<(f64, f64)> = curve.points.iter().map(|(size, ns)| (x.at(*size as f64), y.at(*ns))).collect();
            path class={ "look" (index % LOOKS) } d=(path(&places)) { title { (curve.name) } }
        }
        (axis_x(area, &x, &x_ticks, "size of the buffer"))
    };
    let names = curves.iter().enumerate().map(|(index, curve)| (format!("look{}", index % LOOKS), curve.name.clone()));
    let of_caches = (!reported.is_empty()).then(|| ("limit".to_owned(), "cache size by the kernel".to_owned()));
    let names: Vec<(String, String)> = names.chain(of_caches).collect();
    let title = "Latency of one random read by the size of the buffer";
    Some(Plot { key: names, ..Plot::of(WorkloadId::MemoryLatency.as_str(), title, HEIGHT, shapes) })
}

/// Sizes and names of the caches that the kernel reports for the measured CPUs.
fn reported(record: &Record, curves: &[Curve], sizes: (u64, u64)) -> Vec<(u64, String)> {
    let mut reported: Vec<(u64, String)> = Vec::new();
    for cpu in curves.iter().filter_map(|curve| curve.cpu) {
        for cache in view::data_caches(record, cpu) {
            let entry = (cache.size_bytes, format!("L{} {}", cache.level, size_words(cache.size_bytes)));
            if (sizes.0..=sizes.1).contains(&cache.size_bytes) && !reported.contains(&entry) {
                reported.push(entry);
            }
        }
    }
    reported.sort();
    reported
}

/// Draws the sizes of caches.
fn caches(reported: &[(u64, String)], area: Area, x: &Scale) -> Markup {
    html! {
        @for (index, (size, name)) in reported.iter().enumerate() {
            @let at = x.at(*size as f64);
            line.limit x1=(n(at)) x2=(n(at)) y1=(n(area.top)) y2=(n(area.bottom)) {}
            (word(at - 4.0, area.top + 10.0 + 15.0 * (index % 4) as f64, "end", name))
        }
    }
}

fn latency_table(curves: &[Curve]) -> Markup {
    let mut sizes: Vec<u64> = curves.iter().flat_map(|curve| curve.points.iter().map(|(size, _)| *size)).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let at = |curve: &Curve, size: u64| curve.points.iter().find(|(known, _)| *known == size).map(|(_, ns)| *ns);
    let columns: Vec<Column<'_>> =
        std::iter::once(table_number("Size")).chain(curves.iter().map(|curve| table_number(&curve.name))).collect();
    let row = |size: &u64| {
        let values = curves.iter().map(|curve| maybe(at(curve, *size).map(|ns| format!("{ns:.1}"))));
        std::iter::once(cell(size_words(*size))).chain(values).collect::<Vec<_>>()
    };
    let rows: Vec<_> = sizes.iter().map(row).collect();
    table("Latency in ns", &columns, &rows)
}

/// Bandwidth: place, operation, name of the routine, best repetition in MB/s.
struct Rate {
    place: String,
    operation: MemoryOperation,
    routine: String,
    mb_per_s: f64,
    is_libc: bool,
}

fn rates(record: &Record) -> Vec<Rate> {
    let mut rates: Vec<Rate> = Vec::new();
    for step in &record.steps {
        let Outcome::Done(StepMeasurement::Bandwidth(bandwidth)) = &step.outcome else {
            continue;
        };
        for row in &bandwidth.rows {
            if let Some(best) = row.bytes_per_s.iter().max() {
                let (place, routine) = (place(record, step), facts::plain(&row.routine));
                let is_libc = step.workload == WorkloadId::MemoryLibc;
                rates.push(Rate { place, operation: row.operation, routine, mb_per_s: *best as f64 / 1e6, is_libc });
            }
        }
    }
    // Stable sort: places keep the order in which they were measured.
    let order: Vec<String> = rates.iter().map(|rate| rate.place.clone()).collect();
    rates.stable_sort_by_key(|rate| order.iter().position(|known| *known == rate.place));
    rates
}

/// Best of each place and operation, for the C library and for all routines.
fn best(rates: &[Rate]) -> Vec<&Rate> {
    let mut best: Vec<&Rate> = Vec::new();
    for rate in rates.iter().filter(|rate| rate.operation != MemoryOperation::Other) {
        let same = |known: &Rate| {
            known.place == rate.place && known.operation == rate.operation && known.is_libc == rate.is_libc
        };
        match best.iter_mut().find(|known| same(known)) {
            Some(known) if rate.mb_per_s > known.mb_per_s => *known = rate,
            Some(_) => {}
            None => best.push(rate),
        }
    }
    best
}

fn bandwidth(subject: &Subject<'_>) -> Option<Markup> {
    let rates = rates(subject.facts);
    let most = rates.iter().map(|rate| rate.mb_per_s).reduce(f64::max)?;
    let best = best(&rates);
    Some(html! {
        @if !best.is_empty() { (rate_table("Fastest routine for each CPU and operation", &best, most)) }
        details open[best.is_empty()] {
            summary { "All " (rates.len()) " routines" }
            (rate_table("Best repetition of each routine", &rates.iter().collect::<Vec<_>>(), most))
        }
    })
}

/// Bar plot of all routines and places.
fn bandwidth_plot(rates: &[Rate]) -> Option<Plot> {
    let bar = |rate: &Rate| Bar {
        name: format!("{}, {}: {}", rate.place, rate.operation.as_str(), rate.routine),
        words: facts::with_unit(rate.mb_per_s, "MB/s"),
        look: "bar",
        from_to: (0.0, rate.mb_per_s),
    };
    let all: Vec<Bar> = rates.iter().map(bar).collect();
    bars(WorkloadId::MemoryBandwidth.as_str(), "Memory bandwidth, best repetition of each routine", "MB/s", &all)
}

fn rate_table(caption: &str, rates: &[&Rate], most: f64) -> Markup {
    let columns = [text("CPU"), text("Operation"), text("Routine"), table_number("MB/s"), text("Of the highest")];
    let row = |rate: &&Rate| {
        let routine = html! { (rate.routine) @if rate.is_libc { " (C library)" } };
        let bar = html! { i.rate style={ "width:" (n(240.0 * rate.mb_per_s / most)) "px" } {} };
        let operation = cell(rate.operation.as_str());
        vec![cell(&rate.place), operation, routine, cell(number(rate.mb_per_s, "MB/s")), bar]
    };
    let rows: Vec<_> = rates.iter().map(row).collect();
    table(caption, &columns, &rows)
}
