//! Section: settings before, during and after the run, and unavailable settings.

use crate::draw::table::{cell, number, table, text};
use crate::{Section, Subject};
use maud::{Markup, html};
use record::{Fact, Policy, RestoreOutcome, SettingChange, UnrestoredSetting};

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
    let settings = |policy: &Policy| {
        let opps = policy.opps_khz.len();
        [
            words(&policy.driver),
            words(&policy.governor),
            range(&policy.limit_khz_min, &policy.limit_khz_max),
            range(&policy.clock_khz_min, &policy.clock_khz_max),
            if opps > 0 { opps.to_string() } else { String::new() },
        ]
    };
    // Servers have a policy for each CPU.
    let alike = policies.chunk_by(|a, b| settings(a) == settings(b));
    let row = |policies: &[Policy]| {
        let numbers: Vec<u32> = policies.iter().map(|policy| policy.policy).collect();
        let cpus: Vec<u32> = policies.iter().flat_map(|policy| policy.cpus.iter().copied()).collect();
        let first = policies.first().map(settings).unwrap_or_default();
        [record::cpu_list(&numbers), record::cpu_list(&cpus)].into_iter().chain(first).map(cell).collect::<Vec<_>>()
    };
    let rows: Vec<_> = alike.map(row).collect();
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
    facts::plain(&UnrestoredSetting::of_change(change).map_or(change.old.clone(), |left| left.in_short()))
}
