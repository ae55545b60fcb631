//! Rule: limit-lifted. A limit or a governor of the owner held the clock before the run. The run lifted it, so the
//! machine is usually slower than its scores.
//!
//! Settings requested by the user (`MaxKHz`, two sides) and governors that follow the load are not findings.

use super::Rule;
use super::limited_by_setting::{LOSS_PERCENT_MIN, asked_khz, holds_a_clock};
use facts::{Facts, Finding, Place, Quantity, Severity};
use record::{Policy, RuleId, SettingChange};

pub(super) const RULE: Rule = Rule::new(RuleId::own("limit-lifted"), check);

/// A setting that restricted the CPUs of some policies before the run.
#[derive(Debug, Clone, PartialEq)]
struct OwnerSetting {
    governor: Option<String>,
    /// Clock of the CPUs under the setting, if known.
    khz: Option<u32>,
    /// Limit during the run.
    top_khz: u32,
}

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    if !facts.run.sides.is_empty() || asked_khz(facts).is_some() {
        return Vec::new();
    }
    let mut findings: Vec<(OwnerSetting, Vec<u32>, usize)> = Vec::new();
    for policy in &facts.machine.policies {
        for (index, lifted) in [limit(facts, policy), governor(facts, policy)].into_iter().flatten() {
            match findings.iter_mut().find(|(known, ..)| *known == lifted) {
                Some((_, cpus, _)) => cpus.extend(&policy.cpus),
                None => findings.push((lifted, policy.cpus.clone(), index)),
            }
        }
    }
    findings.into_iter().map(|(lifted, cpus, index)| finding(lifted, cpus).at(Place::Setting(index))).collect()
}

fn finding(lifted: OwnerSetting, mut cpus: Vec<u32>) -> Finding {
    let template = "The owner's [governor {governor}, which holds {cpus} at {limit}, was replaced for this run; at \
                    {limit} expect about {change}|governor {governor}, which holds the clock of {cpus}, was replaced \
                    for this run; with it expect lower scores|limit of {limit} on {cpus} was lifted to {top} for this \
                    run; at {limit} expect about {change}].";
    cpus.sort_unstable();
    let top_khz = lifted.top_khz;
    Finding::new(RULE.id, Severity::Info, template)
        .confidence(99)
        .with("cpus", Quantity::Cpus(cpus))
        .with("top", Quantity::Khz(top_khz))
        .with_known("governor", lifted.governor.map(Quantity::Text))
        .with_known("limit", lifted.khz.map(Quantity::Khz))
        .with_known("change", lifted.khz.map(|khz| Quantity::Percent(-loss(khz, top_khz))))
}

/// Loss of a score that is proportional to the clock, in percent.
fn loss(khz: u32, top_khz: u32) -> f64 {
    100.0 * f64::from(top_khz.saturating_sub(khz)) / f64::from(top_khz.max(1))
}

/// First change of a policy file, which contains the owner's value.
fn first_change<'a>(facts: &'a Facts<'a>, policy: &Policy, file: &str) -> Option<(usize, &'a SettingChange)> {
    let path = format!("/policy{}/{file}", policy.policy);
    facts.settings.iter().enumerate().find(|(_, change)| change.path.ends_with(&path))
}

fn khz(text: &str) -> Option<u32> {
    text.trim().parse().ok()
}

/// Highest clock that the run permitted for this policy.
fn top_khz(facts: &Facts<'_>, policy: &Policy) -> Option<u32> {
    let change = first_change(facts, policy, "scaling_max_freq");
    let set = change.and_then(|(_, change)| khz(change.read_back.known()?));
    set.max(policy.limit_khz_max.known().copied())
}

fn limit(facts: &Facts<'_>, policy: &Policy) -> Option<(usize, OwnerSetting)> {
    let (index, change) = first_change(facts, policy, "scaling_max_freq")?;
    let limit_khz = khz(&change.old).filter(|khz| policy.limit_khz_max.known() == Some(khz))?;
    let top_khz = top_khz(facts, policy)?;
    let lifted = OwnerSetting { governor: None, khz: Some(limit_khz), top_khz };
    (loss(limit_khz, top_khz) >= LOSS_PERCENT_MIN).then_some((index, lifted))
}

fn governor(facts: &Facts<'_>, policy: &Policy) -> Option<(usize, OwnerSetting)> {
    let (index, change) = first_change(facts, policy, "scaling_governor")?;
    let name = change.old.trim();
    let is_replaced = change.read_back.known().is_some_and(|now| now.trim() != name);
    if !is_replaced || !holds_a_clock(policy, name) {
        return None;
    }
    let top_khz = top_khz(facts, policy)?;
    // `userspace` keeps the clock written to it, `powersave` the lowest one.
    let khz = match first_change(facts, policy, "scaling_setspeed") {
        Some((_, change)) if name == "userspace" => khz(&change.old),
        _ if name == "powersave" => policy.limit_khz_min.known().copied(),
        _ => None,
    };
    let is_less = khz.is_none_or(|khz| loss(khz, top_khz) >= LOSS_PERCENT_MIN);
    is_less.then(|| (index, OwnerSetting { governor: Some(name.to_owned()), khz, top_khz }))
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{own_run, setting_change};
    use crate::tests::sentences;
    use record::{Fact, Record};

    fn with_change(mut record: Record, file: &str, old: &str, new: &str) -> Record {
        record.settings.push(setting_change(&format!("/sys/devices/system/cpu/cpufreq/{file}"), old, new));
        record
    }

    fn run(driver: &str) -> Record {
        let mut record = own_run();
        record.machine.policies.truncate(1);
        let policy = &mut record.machine.policies[0];
        policy.cpus = vec![0, 1];
        policy.limit_khz_max = Fact::Known(1_416_000);
        policy.limit_khz_min = Fact::Known(408_000);
        policy.driver = Fact::Known(driver.into());
        record
    }

    #[test]
    fn lifted_limit_is_told_with_its_consequence() {
        let record = with_change(run("cpufreq-dt"), "policy0/scaling_max_freq", "1416000", "1800000");
        let sentence = "The owner's limit of 1416 MHz on CPUs 0-1 was lifted to 1800 MHz for this run; at 1416 MHz \
                        expect about -21 %.";
        assert_eq!(sentences(RULE.id, &record), [sentence]);
        let mut asked = record.clone();
        asked.run.options = vec!["MaxKHz=1800000".into()];
        assert_eq!(sentences(RULE.id, &asked), [""; 0]);
        // An OPP sweep lowers it, and returns to the lifted value.
        let lowered = with_change(run("cpufreq-dt"), "policy0/scaling_max_freq", "1416000", "408000");
        assert_eq!(sentences(RULE.id, &lowered), [""; 0]);
        // The value at the start of the run was not the owner's.
        let cooled = with_change(run("cpufreq-dt"), "policy0/scaling_max_freq", "1008000", "1800000");
        assert_eq!(sentences(RULE.id, &cooled), [""; 0]);
    }

    #[test]
    fn governor_that_held_a_clock_is_told_with_its_consequence() {
        let held = |governor: &str, driver: &str| {
            with_change(run(driver), "policy0/scaling_governor", governor, "performance")
        };
        assert_eq!(
            sentences(RULE.id, &held("powersave", "cpufreq-dt")),
            ["The owner's governor powersave, which holds CPUs 0-1 at 408 MHz, was replaced for this run; at 408 MHz \
              expect about -71 %."]
        );
        let userspace = held("userspace", "cpufreq-dt");
        assert_eq!(
            sentences(RULE.id, &userspace),
            ["The owner's governor userspace, which holds the clock of CPUs 0-1, was replaced for this run; with it \
              expect lower scores."]
        );
        let with_speed = with_change(userspace, "policy0/scaling_setspeed", "816000", "1416000");
        assert_eq!(
            sentences(RULE.id, &with_speed),
            ["The owner's governor userspace, which holds CPUs 0-1 at 816 MHz, was replaced for this run; at 816 MHz \
              expect about -42 %."]
        );
        assert_eq!(sentences(RULE.id, &held("powersave", "intel_pstate")), [""; 0]);
        assert_eq!(sentences(RULE.id, &held("schedutil", "cpufreq-dt")), [""; 0]);
    }

    #[test]
    fn alike_policies_are_told_once() {
        let mut record = run("cpufreq-dt");
        let mut second = record.machine.policies[0].clone();
        (second.policy, second.cpus) = (4, vec![4, 5]);
        record.machine.policies.push(second);
        let record = with_change(record, "policy0/scaling_max_freq", "1416000", "1800000");
        let record = with_change(record, "policy4/scaling_max_freq", "1416000", "1800000");
        let found = sentences(RULE.id, &record);
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("on CPUs 0-1,4-5 was"), "{found:?}");
    }
}
