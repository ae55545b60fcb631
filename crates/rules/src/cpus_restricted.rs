//! Rule: cpus-restricted. The run could not use every CPU, or not their boost clocks.

use super::{Precondition, Rule, Subject};
use facts::{Facts, Finding, Place, Quantity, Severity};
use record::RuleId;

pub(super) const RULE: Rule =
    Rule { subjects: &[Subject::Clock], when: Precondition::Run, ..Rule::new(RuleId::own("cpus-restricted"), check) };

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let denied = facts.gate.known().map_or(&[][..], |gate| &gate.denied_cpus);
    let bound = (!denied.is_empty()).then(|| {
        let sentence = "The program was not allowed on {cpus}. Scores on all CPUs are those of the others.";
        let finding = Finding::new(RULE.id, Severity::Degraded, sentence).confidence(95);
        finding.with("cpus", Quantity::Cpus(denied.to_vec())).at(Place::Field("gate.denied_cpus".into()))
    });
    let boost = facts.is_boost_off().then(|| {
        let sentence = "Boost is off: no CPU ran above its base clock.";
        Finding::new(RULE.id, Severity::Info, sentence).confidence(95).at(Place::Field("machine.features".into()))
    });
    bound.into_iter().chain(boost).collect()
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::own_run;
    use crate::tests::sentences;
    use record::{Fact, Gate, NamedValue};

    #[test]
    fn affinity_and_boost_are_named() {
        let mut record = own_run();
        assert_eq!(sentences(RULE.id, &record), [""; 0]);
        record.gate = Fact::Known(Gate { denied_cpus: vec![2, 3], ..Gate::default() });
        let boost = NamedValue { name: "boost".into(), value: "0".into(), from: String::new() };
        record.machine.features.push(boost);
        assert_eq!(
            sentences(RULE.id, &record),
            [
                "The program was not allowed on CPUs 2-3. Scores on all CPUs are those of the others.",
                "Boost is off: no CPU ran above its base clock.",
            ]
        );
    }
}
