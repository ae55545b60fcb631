//! Section: settings before, during and after the run, and unavailable settings.

use crate::draw::table::{cell, maybe, number, table, text};
use crate::{Section, Subject};
use maud::{Markup, html};
use record::{Fact, NotRestored, Policy, RestoreOutcome, SettingChange};

pub(crate) const SECTION: Section = Section::folded("settings", "Settings", body);

fn body(subject: &Subject<'_>) -> Option<Markup> {
    let facts = subject.facts;
    let policies = &facts.machine.policies;
    if facts.settings.is_empty() && facts.unmet_settings.is_empty() && policies.is_empty() {
        return None;
    }
    Some(html! {
        @if !policies.is_empty() {
            (policy_table(policies))
        }
        @if !facts.settings.is_empty() {
            (changed_table(&facts.settings))
        }
        @if !facts.unmet_settings.is_empty() {
            h3 { "Settings that were not applied" }
            ul.notes { @for unmet in &facts.unmet_settings { li { (facts::plain(&unmet.path)) } } }
        }
    })
}

fn policy_table(policies: &[Policy]) -> Markup {
    let columns = [
        text("Policy"),
        text("CPUs"),
        text("Driver"),
        text("Governor"),
        number("Limits"),
        number("Hardware"),
        number("OPPs"),
    ];
    let row = |policy: &Policy| {
        vec![
            cell(policy.policy),
            cell(record::cpu_list(&policy.cpus)),
            cell(words(&policy.driver)),
            cell(words(&policy.governor)),
            cell(range(&policy.limit_khz_min, &policy.limit_khz_max)),
            cell(range(&policy.clock_khz_min, &policy.clock_khz_max)),
            maybe(Some(policy.opps_khz.len()).filter(|count| *count > 0)),
        ]
    };
    let rows: Vec<_> = policies.iter().map(row).collect();
    table("cpufreq policies before the run, clocks in MHz", &columns, &rows)
}

fn changed_table(settings: &[SettingChange]) -> Markup {
    let row = |file: ChangedFile<'_>| {
        let during = facts::plain(&file.during.join(", "));
        vec![cell(facts::plain(file.path)), cell(facts::plain(file.before)), cell(during), cell(file.after)]
    };
    let rows: Vec<_> = changed(settings).into_iter().map(row).collect();
    table("Changed for the run", &[text("File"), text("Before"), text("During"), text("After")], &rows)
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

fn words(fact: &Fact<String>) -> String {
    fact.known().map_or("-".into(), |text| facts::plain(text))
}

fn after(change: &SettingChange) -> String {
    facts::plain(&NotRestored::of_change(change).map_or(change.old.clone(), |left| left.in_short()))
}
