//! Rule: virtualised. The run was made in a virtual machine or container.

use super::{Check, Rule, When};
use crate::{Finding, Place, Quantity, Severity, view};
use record::{Channel, ChannelId, Record, RuleId};

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
        Finding::new(RULE.id, Severity::Info, sees(record))
            .sure(97)
            .with("kind", Quantity::Text(kind.clone()))
            .at(Place::Field("machine.virtualisation".into()))
    });
    found.into_iter().collect()
}

/// Some hypervisors are a part of the firmware and hide nothing.
fn sees(record: &Record) -> &'static str {
    let has_clocks = view::channels(record, ChannelId::is_any_claim).any(has_moved);
    match (view::soc_temperature(record).is_some(), has_clocks) {
        (true, true) => {
            "The system runs under a hypervisor ({kind}) that shows the clocks and temperatures of the machine."
        }
        (true, false) => "The system runs inside {kind}: clocks and throttling of the host are not shown.",
        (false, true) => "The system runs inside {kind}: temperatures of the host are not shown.",
        (false, false) => {
            "The system runs inside {kind}: clocks, temperatures and throttling of the host are not shown."
        }
    }
}

/// A clock that stands still may be any number.
fn has_moved(channel: &Channel) -> bool {
    let mut values = channel.values.iter().flatten();
    values.next().is_some_and(|first| values.any(|value| value != first))
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
