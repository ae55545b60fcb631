//! Rule: emulated. The CPU is emulated, so no figure is that of a real CPU.

use super::{Precondition, Rule, Subject};
use facts::{Facts, Finding, Place, Quantity, Severity};
use record::RuleId;

pub(super) const RULE: Rule = Rule {
    subjects: &[Subject::Clock, Subject::Memory, Subject::CoreToCore],
    when: Precondition::Both,
    ..Rule::new(RuleId::own("emulated"), check)
};

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(sign) = facts.machine.emulated_by() else { return Vec::new() };
    let finding = Finding::new(
        RULE.id,
        Severity::Invalid,
        "This CPU is emulated ({sign}): it has no clock, and nothing measured here is a score.",
    );
    vec![
        finding
            .confidence(99)
            .with("sign", Quantity::Text(sign.to_owned()))
            .at(Place::Field("machine.emulation".into())),
    ]
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::own_run;
    use crate::tests::sentences;
    use record::{Fact, Missing, NOT_EMULATED};

    #[test]
    fn only_what_shows_an_emulator_is_named() {
        for (emulation, expected) in [
            (Fact::Known("it signs as QEMU TCG".to_owned()), 1),
            (Fact::Known(NOT_EMULATED.to_owned()), 0),
            (Missing::unsupported("", "nobody asked").into(), 0),
        ] {
            let mut record = own_run();
            record.machine.emulation = emulation;
            assert_eq!(sentences(RULE.id, &record).len(), expected, "{:?}", record.machine.emulation);
        }
    }
}
