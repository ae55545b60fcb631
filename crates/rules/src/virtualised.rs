//! Rule: virtualised. The run was made in a virtual machine or container.

use super::{Precondition, Rule};
use facts::{Facts, Finding, Place, Quantity, Severity, view};
use record::{Channel, ChannelId, RuleId, Variant};
use std::collections::BTreeSet;

pub(super) const RULE: Rule = Rule { when: Precondition::Both, ..Rule::new(RuleId::own("virtualised"), check) };

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let kind = facts.machine.virtualisation.known();
    let found = kind.filter(|kind| !matches!(kind.as_str(), "" | "none")).map(|kind| {
        Finding::new(RULE.id, Severity::Info, sees(facts, kind))
            .confidence(97)
            .with("kind", Quantity::Text(kind.clone()))
            .at(Place::Field("machine.virtualisation".into()))
    });
    found.into_iter().collect()
}

/// True if a hypervisor keeps the temperatures of the machine from its guest.
pub(super) fn hides_temperatures(facts: &Facts<'_>) -> bool {
    view::is_guest(facts) && facts.soc_temperature().is_none()
}

/// Some hypervisors are part of the firmware and hide nothing; containers hide no clock.
fn sees(facts: &Facts<'_>, kind: &str) -> &'static str {
    if view::CONTAINERS.contains(&kind) {
        return "The system runs in a container ({kind}): other programs of the host may use the same CPUs unseen.";
    }
    let has_clocks = view::channels(facts, ChannelId::is_any_claim).any(has_moved) || obeys(facts);
    match (facts.soc_temperature().is_some(), has_clocks) {
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

/// True if CPUs run at the OPPs that are set: what sets clocks is in reach of the system then.
fn obeys(facts: &Facts<'_>) -> bool {
    let passes = view::clock_passes(facts, &Variant::COLD);
    let points = passes.flat_map(|(_, clocks)| &clocks.points);
    let reached = points.filter_map(|point| {
        let (opp_khz, khz) = (point.opp_khz?, view::measured_khz(point)?);
        (khz.abs_diff(opp_khz) <= opp_khz / OPP_PART).then_some(opp_khz)
    });
    reached.collect::<BTreeSet<u32>>().len() >= OPPS_MIN
}

/// Largest distance of a clock from an OPP, as a fraction, that counts as equal.
const OPP_PART: u32 = 20;
/// A single matching OPP may be the only clock.
const OPPS_MIN: usize = 3;

/// A constant clock may be any value.
fn has_moved(channel: &Channel) -> bool {
    let mut values = channel.values.iter().flatten();
    values.next().is_some_and(|first| values.any(|value| value != first))
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{gauge_channel, own_run, point, with_clocks};
    use crate::tests::sentences;
    use record::{ChannelId, Fact, Unit, Variant};

    #[test]
    fn only_guests_are_named() {
        for (kind, expected) in [("kvm", 1), ("none", 0)] {
            let mut record = own_run();
            record.machine.virtualisation = Fact::Known(kind.into());
            assert_eq!(sentences(RULE.id, &record).len(), expected);
        }
    }

    #[test]
    fn hidden_facts_depend_on_the_hypervisor() {
        let board = || gauge_channel(own_run(), ChannelId::Soc, Unit::Millicelsius, &[40_000, 50_000]);
        let opps = |khz: [u32; 3]| {
            let points = khz.map(|khz| point(0, khz, khz - 1_000));
            with_clocks(board(), Variant::COLD, points.to_vec())
        };
        for (record, kind, expected) in [
            (opps([300_000, 900_000, 1_800_000]), "vm-other", "that shows the clocks and temperatures"),
            (opps([1_800_000; 3]), "vm-other", "clocks and throttling of the host are not shown"),
            (own_run(), "kvm", "clocks, temperatures and throttling of the host are not shown"),
            (own_run(), "docker on kvm", "clocks, temperatures and throttling of the host are not shown"),
            (own_run(), "docker", "runs in a container (docker): other programs"),
        ] {
            let mut record = record;
            record.machine.virtualisation = Fact::Known(kind.into());
            let found = sentences(RULE.id, &record);
            assert!(found[0].contains(expected), "{kind}: {found:?}");
        }
    }
}
