//! Rule: virtualised. The run was made in a virtual machine or container.

use super::{Check, Rule, When};
use crate::{Finding, Place, Quantity, Severity};
use record::{Record, RuleId};

pub(super) const RULE: Rule = Rule {
    id: RuleId::own("virtualised"),
    about: "The system is a virtual machine or container.",
    link: "https://www.freedesktop.org/software/systemd/man/latest/systemd-detect-virt.html",
    check: Check::Record(check),
    when: When::Both,
    ..Rule::PLAIN
};

fn check(record: &Record) -> Vec<Finding> {
    let kind = record.machine.virtualisation.known();
    let found = kind.filter(|kind| !matches!(kind.as_str(), "" | "none")).map(|kind| {
        Finding::new(
            RULE.id,
            Severity::Info,
            "The system runs inside {kind}: clocks, temperatures and throttling of the host are not visible.",
        )
        .sure(97)
        .with("kind", Quantity::Text(kind.clone()))
        .at(Place::Field("machine.virtualisation".into()))
    });
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::tests::sentences;
    use crate::test_support::own_run;
    use record::Fact;

    #[test]
    fn only_guests_are_named() {
        for (kind, expected) in [("kvm", 1), ("none", 0)] {
            let mut record = own_run();
            record.machine.virtualisation = Fact::Known(kind.into());
            assert_eq!(sentences(RULE.id, &record).len(), expected);
        }
    }
}
