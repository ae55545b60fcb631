//! Which governors were at work during a run.

use super::samples::is_log;
use record::{Policy, Record};

/// True if an own run left another governor than `performance` at work on any policy.
pub fn is_other_governor(record: &Record) -> bool {
    let mut policies = record.machine.policies.iter();
    let other = |policy| governor_during_run(record, policy).is_some_and(|name| name != "performance");
    !is_log(record) && policies.any(other)
}

/// Governor after the run's own changes; `None` if unknown.
pub fn governor_during_run(record: &Record, policy: &Policy) -> Option<String> {
    let path = format!("policy{}/scaling_governor", policy.policy);
    let mut changes = record.settings.iter().filter(|change| change.path.ends_with(&path));
    let governor = match changes.next_back() {
        // The governor before the change does not show the effect of the change.
        Some(change) => change.read_back.known(),
        None => policy.governor.known(),
    };
    governor.map(|governor| governor.trim().to_owned())
}

/// The governors that were at work, each once.
pub(crate) fn governors_during_run(record: &Record) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in record.machine.policies.iter().filter_map(|policy| governor_during_run(record, policy)) {
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}
