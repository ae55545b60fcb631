//! Checks of the use of CPUs: isolated CPUs, and interrupts on one slow core.

use super::{first, place};
use crate::tables::Rule;
use facts::{Facts, Finding, Quantity, Severity, view};
use record::{Interrupt, RuleId};

pub(crate) const KEPT_AWAY: Rule = Rule::at_rest(RuleId::own("cpus-kept-away"), kept_away);
pub(crate) const INTERRUPTS: Rule = Rule::at_rest(RuleId::own("interrupts-on-one-cpu"), interrupts);

/// Minimum number of interrupts since boot that counts as load.
const INTERRUPTS_MIN: u64 = 100_000;
/// Share of the interrupts in percent from which one CPU handles them all.
const ONE_CPU_PERCENT: u32 = 90;

fn kept_away(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(cpu_use) = first(facts).map(|survey| &survey.cpu_use) else { return Vec::new() };
    let mut found = Vec::new();
    let online: Vec<u32> = facts.machine.cpus.iter().filter(|cpu| cpu.online).map(|cpu| cpu.cpu).collect();
    if !cpu_use.isolated.is_empty() {
        found.push(
            Finding::new(
                KEPT_AWAY.id,
                Severity::Degraded,
                "{cpus} are isolated (isolcpus); only tasks pinned to them use them.",
            )
            .confidence(97)
            .with("cpus", Quantity::Cpus(cpu_use.isolated.clone())),
        );
    }
    let lacking: Vec<u32> = online.iter().copied().filter(|cpu| !cpu_use.allowed.contains(cpu)).collect();
    if !cpu_use.allowed.is_empty() && !lacking.is_empty() {
        found.push(
            Finding::new(KEPT_AWAY.id, Severity::Degraded, "This process may not use {cpus}.")
                .confidence(97)
                .with("cpus", Quantity::Cpus(lacking)),
        );
    }
    for set in cpu_use.cpusets.iter().take(8) {
        found.push(
            Finding::new(KEPT_AWAY.id, Severity::Info, "Tasks in cgroup {group} may use {cpus} only.")
                .confidence(97)
                .with("group", Quantity::Text(set.path.clone()))
                .with("cpus", Quantity::Cpus(set.cpus.clone())),
        );
    }
    found.into_iter().map(|finding| finding.at(place("cpu_use"))).collect()
}

fn interrupts(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(cpu_use) = first(facts).map(|survey| &survey.cpu_use) else { return Vec::new() };
    // With one core type all CPUs are equal, and moving work has a cost.
    if !view::core_types(facts).len() > 1 {
        return Vec::new();
    }
    let slow = slow_cpus(facts);
    let on_slow = |interrupt: &&Interrupt| {
        interrupt.count >= INTERRUPTS_MIN && interrupt.cpu_percent >= ONE_CPU_PERCENT && slow.contains(&interrupt.cpu)
    };
    let busiest = cpu_use.interrupts.iter().find(on_slow);
    busiest
        .map(|interrupt| {
            Finding::new(
                INTERRUPTS.id,
                Severity::Info,
                "Interrupt {number} ({names}): {count} interrupts, {percent} on CPU {cpu}, a slow core; the device is \
                 slower when that core is busy.",
            )
            .confidence(if cpu_use.irqbalance { 50 } else { 70 })
            .with("number", Quantity::Count(interrupt.number.into()))
            .with("names", Quantity::Text(interrupt.names.clone()))
            .with("count", Quantity::Count(interrupt.count.try_into().unwrap_or(i64::MAX)))
            .with("percent", Quantity::Percent(interrupt.cpu_percent.into()))
            .with("cpu", Quantity::Count(interrupt.cpu.into()))
            .at(place("cpu_use.interrupts"))
        })
        .into_iter()
        .collect()
}

/// CPUs of the cluster with the lowest highest clock.
fn slow_cpus(facts: &Facts<'_>) -> Vec<u32> {
    let machine = &facts.machine;
    let top = |policy: Option<u32>| {
        let found = machine.policies.iter().find(|known| Some(known.policy) == policy)?;
        found.clock_khz_max.known().copied()
    };
    let clocked = machine.clusters.iter().filter_map(|cluster| Some((top(cluster.policy)?, cluster)));
    let slowest = clocked.min_by_key(|(khz, _)| *khz);
    slowest.map(|(_, cluster)| cluster.cpus.clone()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn isolated_cpus() {
        check(|_, s| s.cpu_use.isolated = vec![2, 3], &["cpus-kept-away !"]);
        check(|_, s| s.cpu_use.allowed = vec![0, 1], &["cpus-kept-away !"]);
        check(|_, s| s.cpu_use.allowed = vec![0, 1, 2, 3], &[]);
        check(|r, _| r.machine.cpus[3].online = false, &["offline-cpus !"]);
    }
}
