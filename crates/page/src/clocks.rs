//! Section: the clock of each cluster, as the kernel claims it and as it was measured, cold and hot, and the OPPs.

use crate::draw::wide;
use crate::{Section, Subject};
use explain::view::{self, ClusterClock};
use maud::{Markup, html};
use record::{Record, Variant};

pub(crate) const SECTION: Section = Section { id: "clocks", title: "Clocks", body };

fn body(subject: &Subject<'_>) -> Option<Markup> {
    let record = subject.record;
    if record.machine.emulated_by().is_some() {
        return None;
    }
    let cold = view::cluster_clocks(record, &Variant::COLD);
    let points = opps(record);
    if cold.is_empty() && points.is_empty() {
        return None;
    }
    let hot: Vec<ClusterClock> = [Variant::HOT_LOADED, Variant::HOT_AFTER]
        .iter()
        .flat_map(|variant| view::cluster_clocks(record, variant))
        .collect();
    let lowest_hot = |cpu: u32| hot.iter().filter(|clock| clock.cpu == cpu).map(|clock| clock.measured_khz).min();
    Some(html! {
        @if !cold.is_empty() {
            (wide("Clock of each cluster", &html! { table {
                caption { "Clock of each cluster in MHz: highest OPP claimed by the kernel, measured cold, measured hot" }
                thead {
                    tr {
                        th scope="col" { "CPUs" } th scope="col" { "Core type" } th.number scope="col" { "Claimed" }
                        th.number scope="col" { "Cold" } th.number scope="col" { "Hot" } th.number scope="col" { "Hot, of claimed" }
                    }
                }
                tbody {
                    @for clock in &cold {
                        @let hot = lowest_hot(clock.cpu);
                        tr {
                            th scope="row" { (explain::cpu_list(&clock.cluster_cpus)) }
                            td { (core_type(record, clock.cpu)) }
                            td.number { (mhz(clock.claimed_khz)) } td.number { (mhz(Some(clock.measured_khz))) }
                            td.number { (mhz(hot)) } td.number { (share(hot, clock.claimed_khz)) }
                        }
                    }
                }
            } }))
        }
        @if points.len() > cold.len() { (opp_table(&points)) }
    })
}

/// OPPs that were asked for one by one: CPU, OPP, measured.
fn opps(record: &Record) -> Vec<(u32, u32, Option<u32>)> {
    let passes = view::clock_passes(record, &Variant::COLD);
    let points = passes.flat_map(|(_, clocks)| &clocks.points);
    points.filter_map(|point| Some((point.cpu, point.opp_khz?, view::measured_khz(point)))).collect()
}

fn opp_table(points: &[(u32, u32, Option<u32>)]) -> Markup {
    html! {
        details {
            summary { "Every OPP: claimed and measured" }
            (wide("OPPs", &html! { table {
                thead {
                    tr {
                        th.number scope="col" { "CPU" } th.number scope="col" { "OPP in MHz" } th.number scope="col" { "Measured in MHz" }
                        th.number scope="col" { "Measured, of the OPP" }
                    }
                }
                tbody {
                    @for (cpu, opp, measured) in points {
                        tr {
                            td.number { (cpu) } td.number { (mhz(Some(*opp))) } td.number { (mhz(*measured)) }
                            td.number { (share(*measured, Some(*opp))) }
                        }
                    }
                }
            } }))
        }
    }
}

/// Core type of a CPU; a dash where it is not known.
pub(crate) fn core_type(record: &Record, cpu: u32) -> String {
    let found = record.machine.cpus.iter().find(|known| known.cpu == cpu);
    let known = found.and_then(|cpu| cpu.core_type.known()).or_else(|| {
        let cluster = record.machine.clusters.iter().find(|cluster| cluster.cpus.contains(&cpu));
        cluster.and_then(|cluster| cluster.core_type.known())
    });
    known.map_or_else(|| "-".into(), |name| explain::plain(name))
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
