//! Section: settings before, during and after the run, and unavailable settings.

use crate::draw::wide;
use crate::{Section, Subject};
use maud::{Markup, html};
use record::{Fact, NotRestored, RestoreOutcome, SettingChange};

pub(crate) const SECTION: Section = Section::of("settings", "Settings", body);

fn body(subject: &Subject<'_>) -> Option<Markup> {
    let facts = subject.facts;
    let policies = &facts.machine.policies;
    if facts.settings.is_empty() && facts.unmet_settings.is_empty() && policies.is_empty() {
        return None;
    }
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
                                th scope="row" { (policy.policy) } td { (record::cpu_list(&policy.cpus)) }
                                td { (text(&policy.driver)) } td { (text(&policy.governor)) }
                                td.number { (range(&policy.limit_khz_min, &policy.limit_khz_max)) }
                                td.number { (range(&policy.clock_khz_min, &policy.clock_khz_max)) }
                                td.number { @if policy.opps_khz.is_empty() { "-" } @else { (policy.opps_khz.len()) } }
                            }
                        }
                    }
                }
            }))
        }
        @if !facts.settings.is_empty() {
            (wide("Settings that were changed", &html! {
                table {
                    caption { "Changed for the run" }
                    thead { tr { th scope="col" { "File" } th scope="col" { "Before" } th scope="col" { "During" } th scope="col" { "After" } } }
                    tbody {
                        @for file in changed(&facts.settings) {
                            tr {
                                th scope="row" { (facts::plain(file.path)) } td { (facts::plain(file.before)) }
                                td { (facts::plain(&file.during.join(", "))) } td { (file.after) }
                            }
                        }
                    }
                }
            }))
        }
        @if !facts.unmet_settings.is_empty() {
            h3 { "Settings that were not applied" }
            ul.notes { @for unmet in &facts.unmet_settings { li { (facts::plain(&unmet.path)) } } }
        }
    })
}

/// File that was changed once or several times.
struct ChangedFile<'a> {
    path: &'a str,
    before: &'a str,
    /// Values during the run, in order.
    during: Vec<&'a str>,
    after: String,
}

/// Merges changes by file, because an OPP sweep sets the same limit for each OPP.
fn changed(settings: &[SettingChange]) -> Vec<ChangedFile<'_>> {
    let mut files: Vec<ChangedFile<'_>> = Vec::new();
    for change in settings {
        let set = if change.disturbed && change.read_back.known().is_none() {
            "not available"
        } else {
            change.read_back.known().unwrap_or(&change.new)
        };
        match files.iter_mut().find(|known| known.path == change.path) {
            Some(known) => {
                if known.during.last() != Some(&set) {
                    known.during.push(set);
                }
                if change.restored != RestoreOutcome::Done {
                    known.after = after(change);
                }
            }
            None => files.push(ChangedFile {
                path: &change.path,
                before: &change.old,
                during: vec![set],
                after: after(change),
            }),
        }
    }
    files
}

/// Both ends of a range of clocks in MHz; a dash if both are unknown.
fn range(low: &Fact<u32>, high: &Fact<u32>) -> String {
    let mhz = |end: &Fact<u32>| end.known().map_or("?".into(), |khz| format!("{:.0}", f64::from(*khz) / 1e3));
    match (low.known(), high.known()) {
        (None, None) => "-".to_owned(),
        _ => format!("{} to {}", mhz(low), mhz(high)),
    }
}

fn text(fact: &Fact<String>) -> String {
    fact.known().map_or("-".into(), |text| facts::plain(text))
}

fn after(change: &SettingChange) -> String {
    facts::plain(&NotRestored::of_change(change).map_or(change.old.clone(), |left| left.in_short()))
}
