//! Section: advertised and measured clock of each cluster, cold and hot, and the OPPs.

use crate::draw::table::{cell, number, table, text};
use crate::draw::{Area, LOOKS, Plot, Scale, WIDTH, axis_x, axis_y, linear_ticks, n, named, path};
use crate::{Section, Subject};
use facts::view::{self, ClusterClock};
use maud::{Markup, html};
use record::{Record, StableSort, Variant};

pub(crate) const SECTION: Section = Section {
    plots: |subject| opp_plot(subject.facts, &opps(subject.facts)).into_iter().collect(),
    ..Section::folded("clocks", "Clocks", body)
};

/// Height of the OPP plot, in SVG units.
const HEIGHT: f64 = 380.0;

fn body(subject: &Subject<'_>) -> Option<Markup> {
    let facts = subject.facts;
    if facts.machine.emulated_by().is_some() {
        return None;
    }
    let cold = facts.cluster_clocks(&Variant::COLD);
    let points = opps(facts);
    if cold.is_empty() && points.is_empty() {
        return None;
    }
    let hot: Vec<ClusterClock> =
        [Variant::HOT_LOADED, Variant::HOT_AFTER].iter().flat_map(|variant| facts.cluster_clocks(variant)).collect();
    let lowest_hot = |cpu: u32| hot.iter().filter(|clock| clock.cpu == cpu).map(|clock| clock.measured_khz).min();
    Some(html! {
        @if !cold.is_empty() {
            (clock_table(facts, &cold, &lowest_hot))
        }
        @if let Some(plot) = opp_plot(facts, &points) { (plot.on_page()) }
        @if points.len() > cold.len() { (opp_table(&points)) }
    })
}

/// OPPs of the sweep: CPU, OPP, measured clock.
fn opps(record: &Record) -> Vec<(u32, u32, Option<u32>)> {
    let passes = view::clock_passes(record, &Variant::COLD);
    let points = passes.flat_map(|(_, clocks)| &clocks.points);
    points.filter_map(|point| Some((point.cpu, point.opp_khz?, view::measured_khz(point)))).collect()
}

/// Plot of measured clocks against OPPs, with the line on which both are equal. `None` unless a cluster was measured at
/// several OPPs.
fn opp_plot(record: &Record, points: &[(u32, u32, Option<u32>)]) -> Option<Plot> {
    let mut curves: Vec<(u32, Vec<(f64, f64)>)> = Vec::new();
    for (cpu, opp, measured) in points {
        let Some(measured) = measured else { continue };
        let point = (f64::from(*opp) / 1e3, f64::from(*measured) / 1e3);
        match curves.iter_mut().find(|(known, _)| known == cpu) {
            Some((_, curve)) => curve.push(point),
            None => curves.push((*cpu, vec![point])),
        }
    }
    curves.retain(|(_, curve)| curve.len() > 1);
    curves.iter_mut().for_each(|(_, curve)| curve.stable_sort_by(|a, b| a.0.total_cmp(&b.0)));
    let values = || curves.iter().flat_map(|(_, curve)| curve).flat_map(|(opp, measured)| [*opp, *measured]);
    let ticks = linear_ticks((values().reduce(f64::min)?, values().reduce(f64::max)?), 6);
    let ends = (*ticks.first()?, *ticks.last()?);
    let area = Area { left: 76.0, right: WIDTH - 24.0, top: 30.0, bottom: HEIGHT - 46.0 };
    let (x, y) = (Scale::linear(ends, (area.left, area.right)), Scale::linear(ends, (area.bottom, area.top)));
    let named = named(&ticks);
    let places = |curve: &[(f64, f64)]| curve.iter().map(|(opp, own)| (x.at(*opp), y.at(*own))).collect::<Vec<_>>();
    let shapes = html! {
        (axis_y(area, &y, &named, "MHz"))
        path.limit d=(path(&[(x.at(ends.0), y.at(ends.0)), (x.at(ends.1), y.at(ends.1))])) { title { "measured = OPP" } }
        @for (index, (_, curve)) in curves.iter().enumerate() {
            path class={ "look" (index % LOOKS) } d=(path(&places(curve))) {}
            @for ((px, py), (opp, own)) in places(curve).iter().zip(curve) {
                circle.dot cx=(n(*px)) cy=(n(*py)) r="3" { title { (format!("OPP {opp:.0} MHz: {own:.0} MHz")) } }
            }
        }
        (axis_x(area, &x, &named, "OPP in MHz; measured clock upwards"))
    };
    let name = |cpu: u32| format!("CPU {cpu} ({})", core_type(record, cpu));
    let key = curves.iter().enumerate().map(|(index, (cpu, _))| (format!("look{}", index % LOOKS), name(*cpu)));
    let key = key.chain([("limit".to_owned(), "measured = OPP".to_owned())]).collect();
    Some(Plot { key, ..Plot::of("opps", "Measured clock at each OPP", HEIGHT, shapes) })
}

fn clock_table(record: &Record, cold: &[ClusterClock], lowest_hot: &dyn Fn(u32) -> Option<u32>) -> Markup {
    let columns = [
        text("CPUs"),
        text("Core type"),
        number("Advertised"),
        number("Cold"),
        number("Hot"),
        number("Hot, of advertised"),
    ];
    let row = |clock: &ClusterClock| {
        let hot = lowest_hot(clock.cpu);
        vec![
            cell(record::cpu_list(&clock.cluster_cpus)),
            cell(core_type(record, clock.cpu)),
            cell(mhz(clock.claimed_khz)),
            cell(mhz(Some(clock.measured_khz))),
            cell(mhz(hot)),
            cell(share(hot, clock.claimed_khz)),
        ]
    };
    let rows: Vec<_> = cold.iter().map(row).collect();
    table("Clock of each cluster in MHz: advertised by the kernel, measured cold, measured hot", &columns, &rows)
}

fn opp_table(points: &[(u32, u32, Option<u32>)]) -> Markup {
    let columns = [number("CPU"), number("OPP in MHz"), number("Measured in MHz"), number("Measured, of the OPP")];
    let row = |(cpu, opp, measured): &(u32, u32, Option<u32>)| {
        vec![cell(cpu), cell(mhz(Some(*opp))), cell(mhz(*measured)), cell(share(*measured, Some(*opp)))]
    };
    let rows: Vec<_> = points.iter().map(row).collect();
    html! {
        details {
            summary { "Every OPP and its measured clock" }
            (table("", &columns, &rows))
        }
    }
}

/// Core type of a CPU; a dash if unknown.
pub(crate) fn core_type(record: &Record, cpu: u32) -> String {
    let found = record.machine.cpus.iter().find(|known| known.cpu == cpu);
    let known = found.and_then(|cpu| cpu.core_type.known()).or_else(|| {
        let cluster = record.machine.clusters.iter().find(|cluster| cluster.cpus.contains(&cpu));
        cluster.and_then(|cluster| cluster.core_type.known())
    });
    known.map_or_else(|| "-".into(), |name| facts::plain(name))
}

fn mhz(khz: Option<u32>) -> String {
    khz.map_or("-".into(), |khz| format!("{:.0}", f64::from(khz) / 1e3))
}

fn share(part: Option<u32>, whole: Option<u32>) -> String {
    match (part, whole.filter(|whole| *whole > 0)) {
        (Some(part), Some(whole)) => format!("{:.1} %", 100.0 * f64::from(part) / f64::from(whole)),
        _ => "-".into(),
    }
}
