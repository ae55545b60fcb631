//! Rule: offline-cpus. CPUs of the machine were offline from the start.

use super::{Precondition, Rule, Subject};
use facts::{Facts, Finding, Place, Quantity, Severity};
use record::RuleId;

pub(super) const RULE: Rule =
    Rule { subjects: &[Subject::Clock], when: Precondition::Both, ..Rule::new(RuleId::own("offline-cpus"), check) };

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let by_machine = facts.machine.cpus.iter().filter(|cpu| !cpu.online).map(|cpu| cpu.cpu);
    let by_gate = facts.gate.known().map_or(&[][..], |gate| &gate.offline_cpus);
    let mut cpus: Vec<u32> = by_machine.chain(by_gate.iter().copied()).collect();
    cpus.sort_unstable();
    cpus.dedup();
    if cpus.is_empty() {
        return Vec::new();
    }
    let finding =
        Finding::new(RULE.id, Severity::Degraded, "Offline: {cpus}. Scores on all CPUs are those of the others.");
    vec![finding.confidence(99).with("cpus", Quantity::Cpus(cpus)).at(Place::Field("machine.cpus".into()))]
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::own_run;
    use crate::tests::sentences;

    #[test]
    fn offline_cpus_are_named() {
        let mut record = own_run();
        assert_eq!(sentences(RULE.id, &record), [""; 0]);
        record.machine.cpus[3].online = false;
        assert_eq!(sentences(RULE.id, &record), ["Offline: CPU 3. Scores on all CPUs are those of the others."]);
    }
}
