//! Section: settings before, during and after the run, and those that could not be had.

use crate::draw::wide;
use crate::{Section, Subject};
use maud::{Markup, html};
use record::Restored;

pub(crate) const SECTION: Section = Section::of("settings", "Settings", body);

fn body(subject: &Subject<'_>) -> Option<Markup> {
    let record = subject.record;
    let policies = &record.machine.policies;
    if record.settings.is_empty() && record.unmet_settings.is_empty() && policies.is_empty() {
        return None;
    }
    let known =
        |fact: &record::Fact<u32>| fact.known().map_or("-".into(), |khz| format!("{:.0}", f64::from(*khz) / 1e3));
    Some(html! {
        @if !policies.is_empty() {
            (wide("cpufreq policies", &html! {
                table {
                    caption { "cpufreq policies before the run, clocks in MHz" }
                    thead {
                        tr {
                            th scope="col" { "Policy" } th scope="col" { "CPUs" } th scope="col" { "Driver" } th scope="col" { "Governor" }
                            th.number scope="col" { "Limits" } th.number scope="col" { "Hardware" } th.number scope="col" { "OPPs" }
                        }
                    }
                    tbody {
                        @for policy in policies {
                            tr {
                                th scope="row" { (policy.policy) } td { (explain::cpu_list(&policy.cpus)) }
                                td { (text(&policy.driver)) } td { (text(&policy.governor)) }
                                td.number { (known(&policy.limit_khz_min)) " to " (known(&policy.limit_khz_max)) }
                                td.number { (known(&policy.clock_khz_min)) " to " (known(&policy.clock_khz_max)) }
                                td.number { @if policy.opps_khz.is_empty() { "-" } @else { (policy.opps_khz.len()) } }
                            }
                        }
                    }
                }
            }))
        }
        @if !record.settings.is_empty() {
            (wide("Settings that were changed", &html! {
                table {
                    caption { "Changed for the run" }
                    thead { tr { th scope="col" { "File" } th scope="col" { "Before" } th scope="col" { "During" } th scope="col" { "After" } } }
                    tbody {
                        @for change in &record.settings {
                            tr {
                                th scope="row" { (explain::plain(&change.path)) } td { (explain::plain(&change.old)) }
                                td { (explain::plain(change.read_back.known().unwrap_or(&change.new))) } td { (after(&change.old, &change.restored)) }
                            }
                        }
                    }
                }
            }))
        }
        @if !record.unmet_settings.is_empty() {
            h3 { "Settings that were not applied" }
            ul.notes { @for unmet in &record.unmet_settings { li { (explain::plain(&unmet.path)) } } }
        }
    })
}

fn text(fact: &record::Fact<String>) -> String {
    fact.known().map_or("-".into(), |text| explain::plain(text))
}

fn after(old: &str, restored: &Restored) -> String {
    match restored {
        Restored::Done => explain::plain(old),
        Restored::Pending => "not restored yet".into(),
        Restored::LeftAlone(found) => explain::plain(&format!("{found}, set by another process")),
        Restored::Failed(why) => explain::plain(&format!("not restored: {why}")),
    }
}
