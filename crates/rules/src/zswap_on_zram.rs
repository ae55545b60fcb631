//! Rule: zswap-on-zram. Memory that swaps to zram is compressed twice.

use super::{Precondition, Rule, Subject};
use facts::{Facts, Finding, Place, Quantity, Severity, view};
use record::{RuleId, SwapKind};

pub(super) const RULE: Rule =
    Rule { subjects: &[Subject::Storage], when: Precondition::Both, ..Rule::new(RuleId::own("zswap-on-zram"), check) };

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let zswap = facts.machine.zswap.known().filter(|zswap| is_on(zswap));
    let has_zram = view::swap_devices(facts).iter().any(|swap| swap.kind == SwapKind::Zram);
    // Compression costs nothing while nothing is swapped.
    let has_swapped = facts.swap_growth().is_none_or(|growth| growth.after_kib > growth.before_kib);
    let found = zswap.filter(|_| has_zram && has_swapped).map(|zswap| {
        let finding = Finding::new(
            RULE.id,
            Severity::Info,
            "Zswap ({zswap}) is enabled on top of zram; swapping is slower than with either alone.",
        );
        finding.confidence(97).with("zswap", Quantity::Text(zswap.clone())).at(Place::Field("machine.zswap".into()))
    });
    found.into_iter().collect()
}

/// The kernel's own words are `Y` and `N`; a Record may also name the compressor, or say `off`.
fn is_on(zswap: &str) -> bool {
    !matches!(zswap.trim().to_lowercase().as_str(), "" | "n" | "no" | "0" | "off" | "disabled")
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{own_run, state, swap};
    use crate::tests::sentences;
    use record::{Fact, SwapKind};

    #[test]
    fn both_together_are_named_where_memory_was_swapped() {
        for (zswap, kind, used_kib, expected) in [
            ("lzo", SwapKind::Zram, 500, 1),
            ("lzo", SwapKind::Zram, 0, 0),
            ("off", SwapKind::Zram, 500, 0),
            ("lzo", SwapKind::Disk, 500, 0),
        ] {
            let mut record = own_run();
            record.machine.zswap = Fact::Known(zswap.into());
            for used_kib in [0, used_kib] {
                let mut moment = state(None);
                moment.swaps = Fact::Known(vec![swap("/dev/x", kind, used_kib)]);
                record.states.push(moment);
            }
            assert_eq!(sentences(RULE.id, &record).len(), expected, "{zswap} {kind:?} {used_kib}");
        }
    }
}
