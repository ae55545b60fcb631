//! Rule: governor. A governor other than `performance` was at work during the run.

use super::Rule;
use super::limited_by_setting;
use facts::stats::mean;
use facts::{Facts, Finding, Place, Quantity, Severity, view};
use record::{ChannelId, Policy, RuleId};

pub(super) const RULE: Rule = Rule::new(RuleId::own("governor"), check);

/// Governors that react to load take tenths of a second to raise the clock; more than this is lost score.
const LOSS_PERCENT_MIN: f64 = 3.0;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    // The bash script sets the governor itself and does not log it.
    if view::is_log(facts) {
        return Vec::new();
    }
    let mut findings: Vec<Finding> = Vec::new();
    for policy in &facts.machine.policies {
        let Some(governor) = view::governor_during_run(facts, policy) else { continue };
        if governor == "performance" || limited_by_setting::holds(facts, policy) {
            continue;
        }
        let place = Place::Field(format!("machine.policies[{}]", policy.policy));
        let lost = lost_percent(facts, policy).filter(|lost| *lost >= LOSS_PERCENT_MIN);
        let found = finding(governor, policy.cpus.clone(), lost).at(place);
        match findings.iter_mut().find(|known| is_same_but_cpus(known, &found)) {
            Some(known) => add_cpus(known, found),
            None => findings.push(found),
        }
    }
    findings
}

fn finding(governor: String, cpus: Vec<u32>, lost: Option<f64>) -> Finding {
    let finding = match lost {
        Some(lost) => Finding::new(
            RULE.id,
            Severity::Degraded,
            "Governor {governor} kept {cpus} {lost} below the highest clock under load.",
        )
        .with("lost", Quantity::Percent(lost)),
        None => Finding::new(
            RULE.id,
            Severity::Info,
            "Governor {governor} was active on {cpus}; short and single-threaded workloads may score lower than with \
             performance.",
        ),
    };
    finding.with("governor", Quantity::Text(governor)).with("cpus", Quantity::Cpus(cpus))
}

/// Harmless governors of many policies share one sentence.
fn is_same_but_cpus(a: &Finding, b: &Finding) -> bool {
    a.severity == Severity::Info && b.severity == Severity::Info && a.value("governor") == b.value("governor")
}

fn add_cpus(known: &mut Finding, more: Finding) {
    let mut cpus: Vec<u32> = Vec::new();
    for finding in [&*known, &more] {
        if let Some(Quantity::Cpus(some)) = finding.value("cpus") {
            cpus.extend(some);
        }
    }
    cpus.sort_unstable();
    cpus.dedup();
    known.values.retain(|(name, _)| *name != "cpus");
    known.values.push(("cpus", Quantity::Cpus(cpus)));
    known.places.extend(more.places);
}

/// Difference between the highest clock and the claimed clock while all CPUs were loaded.
fn lost_percent(facts: &Facts<'_>, policy: &Policy) -> Option<f64> {
    let channel = facts.samples.channel(&ChannelId::claimed(policy.policy))?;
    let cpus = view::cpu_count(facts)?;
    let loaded = facts.phases();
    let readings = loaded
        .iter()
        .filter(|phase| phase.is_full_load(cpus))
        .flat_map(|phase| view::gauge(facts, channel, phase.window));
    let claimed = mean(&readings.map(|reading| reading.value as f64).collect::<Vec<_>>())?;
    let top = channel.values.iter().flatten().max()?;
    Some(100.0 * (1.0 - claimed / (*top).max(1) as f64))
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{compression, gauge_channel, own_run, with_step};
    use crate::tests::sentences;
    use record::{ChannelId, Fact, RestoreOutcome, SettingChange, Unit, Variant, WorkloadId};

    #[test]
    fn governor_is_judged_by_what_it_did() {
        let mut record = with_step(own_run(), WorkloadId::SevenZip, Variant::MULTI, &[], (0.0, 2.0), compression(1));
        record.machine.policies[0].governor = Fact::Known("ondemand".into());
        let slow = [1_800_000, 408_000, 408_000, 408_000];
        let slowed = gauge_channel(record.clone(), ChannelId::claimed(0), Unit::Kilohertz, &slow);
        assert_eq!(
            sentences(RULE.id, &slowed),
            ["Governor ondemand kept CPUs 0-3 58 % below the highest clock under load."]
        );
        let mut two_clusters = record.clone();
        two_clusters.machine.policies[0].cpus = vec![0, 1];
        let mut second = two_clusters.machine.policies[0].clone();
        (second.policy, second.cpus) = (2, vec![2, 3]);
        two_clusters.machine.policies.push(second);
        for record in [&record, &two_clusters] {
            let found = sentences(RULE.id, record);
            assert_eq!(found.len(), 1);
            assert!(found[0].contains("was active on CPUs 0-3;"));
        }
        record.settings.push(SettingChange {
            path: "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor".into(),
            old: "ondemand".into(),
            new: "performance".into(),
            read_back: Fact::Known("performance".into()),
            at_ms: None,
            restored: RestoreOutcome::Done,
            disturbed: false,
        });
        assert_eq!(sentences(RULE.id, &record), [""; 0]);
    }
}
