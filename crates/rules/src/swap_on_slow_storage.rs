//! Rule: swap-on-slow-storage. Swap is configured on an SD card, eMMC or hard disk.

use super::{Precondition, Rule, Subject};
use facts::{Facts, Finding, Place, Quantity, Severity, view};
use record::{RuleId, SwapKind};

pub(super) const RULE: Rule = Rule {
    subjects: &[Subject::Storage],
    when: Precondition::Both,
    ..Rule::new(RuleId::own("swap-on-slow-storage"), check)
};

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let slow = view::swap_devices(facts).iter().filter_map(|swap| {
        let storage = match swap.kind {
            SwapKind::SdCard => "an SD card or eMMC",
            SwapKind::RotatingDisk => "a hard disk",
            SwapKind::Zram | SwapKind::Disk | SwapKind::Unknown => return None,
        };
        let finding =
            Finding::new(RULE.id, Severity::Info, "Swap {path} is on {storage}; using it will stall the system.");
        Some(
            finding
                .with("path", Quantity::Text(swap.path.clone()))
                .with("storage", Quantity::Text(storage.into()))
                .at(Place::Field("states".into())),
        )
    });
    slow.collect()
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{own_run, state, swap};
    use crate::tests::sentences;
    use record::{Fact, SwapKind};

    #[test]
    fn slow_storage_is_named_and_memory_is_not() {
        for (path, kind, expected) in [("/var/swap", SwapKind::SdCard, 1), ("/dev/zram0", SwapKind::Zram, 0)] {
            let mut record = own_run();
            let mut moment = state(None);
            moment.swaps = Fact::Known(vec![swap(path, kind, 0)]);
            record.states.push(moment);
            assert_eq!(sentences(RULE.id, &record).len(), expected);
        }
    }
}
