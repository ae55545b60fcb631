//! Rule: topology-unclear. The kernel does not say which CPUs share a clock.

use super::Rule;
use facts::{Facts, Finding, Place, Quantity, Severity};
use record::RuleId;

pub(super) const RULE: Rule = Rule::new(RuleId::own("topology-unclear"), check);

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let policies = facts.machine.policies.iter().enumerate();
    let unclear = policies.filter(|(_, policy)| !policy.cpus_unclear.is_empty());
    let found = unclear.map(|(at, policy)| {
        let finding = Finding::new(
            RULE.id,
            Severity::Info,
            "The kernel's CPU list of policy{policy} is wrong: {why}. Assuming {cpus}; the clusters shown may be wrong.",
        );
        let why = Quantity::Text(policy.cpus_unclear.join(", "));
        let place = Place::Field(format!("machine.policies[{at}]"));
        let finding = finding.with("policy", Quantity::Count(policy.policy.into()));
        let finding = finding.with("why", why).at(place);
        finding.with("cpus", Quantity::Cpus(policy.cpus.clone()))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::own_run;
    use crate::tests::sentences;

    #[test]
    fn impossible_cpu_list_is_reported() {
        let mut record = own_run();
        assert_eq!(sentences(RULE.id, &record), [""; 0]);
        let policy = &mut record.machine.policies[0];
        policy.cpus = vec![0, 1];
        policy.cpus_unclear = vec!["it lists no CPUs".into()];
        let expected = "The kernel's CPU list of policy0 is wrong: it lists no CPUs. Assuming CPUs 0-1; the clusters \
                        shown may be wrong.";
        assert_eq!(sentences(RULE.id, &record), [expected]);
    }
}
