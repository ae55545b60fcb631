//! Rule: libc-slow. The machine's C library uses only part of the memory bandwidth.
//!
//! Programs copy with the `memcpy` of their distribution, which may be older than the core. If our loop is much faster
//! on the same core, the cause is neither the board nor its settings.

use super::place::step_place;
use super::{Rule, Subject};
use facts::{Facts, Figure, Finding, Quantity, Severity};
use record::{RuleId, WorkloadId};

pub(super) const RULE: Rule = Rule { subjects: &[Subject::Memory], ..Rule::new(RuleId::own("libc-slow"), check) };

/// Differences in size and placement of buffers alone account for a few percent.
const GAIN_PERCENT_MIN: f64 = 15.0;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let figures = facts.figures();
    let is_sound = |figure: &&Figure| figure.is_main && figure.not_comparable.is_none();
    let of = |id| figures.iter().filter(is_sound).filter(move |figure| figure.key.is_of(id));
    let pairs = of(WorkloadId::MemoryLibc).filter_map(|libc| {
        let is_twin = |own: &&Figure| own.key.name() == libc.key.name() && own.core == libc.core;
        let own = of(WorkloadId::MemoryBandwidth).find(is_twin)?;
        let gain_percent = 100.0 * (own.value / libc.value - 1.0);
        (gain_percent > GAIN_PERCENT_MIN).then_some((libc, own, gain_percent))
    });
    // Copied memory is also filled: the largest gain represents both.
    let Some((libc, own, gain_percent)) = pairs.max_by(|(_, _, a), (_, _, b)| a.total_cmp(b)) else {
        return Vec::new();
    };
    let score = |figure: &Figure| Quantity::Score(figure.value, figure.unit.clone());
    let finding = Finding::new(
        RULE.id,
        Severity::Info,
        "This memory can do {gain} more than the C library gets out of it: {figure} is {value}, the best loop of \
         sbc-bench reaches {best}. A newer C library may know this core better.",
    );
    vec![
        finding
            .with("gain", Quantity::Percent(gain_percent))
            .with("figure", Quantity::Text(libc.name()))
            .with("value", score(libc))
            .with("best", score(own))
            .at(step_place(facts, libc.step)),
    ]
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{own_run, with_step};
    use facts::Finding;
    use record::{Bandwidth, BandwidthRow, MemoryOperation, StepMeasurement, Variant, WorkloadId};

    fn sentences(own_mb_per_s: u64) -> Vec<String> {
        let row = |mb_per_s: u64| BandwidthRow {
            routine: "copy".into(),
            operation: MemoryOperation::Copy,
            bytes_per_s: vec![mb_per_s * 1_000_000; 3],
            printed_deviation_percent: None,
            line: None,
        };
        let measured =
            |mb_per_s| StepMeasurement::Bandwidth(Bandwidth { rows: vec![row(mb_per_s)], ..Bandwidth::default() });
        let only = Variant::ONLY;
        let own = measured(own_mb_per_s);
        let mut record = with_step(own_run(), WorkloadId::MemoryBandwidth, only.clone(), &[0], (1.0, 2.0), own);
        record = with_step(record, WorkloadId::MemoryLibc, only, &[0], (2.0, 3.0), measured(2000));
        RULE.found(&facts::Facts::of(&record)).iter().map(Finding::sentence).collect()
    }

    #[test]
    fn a_library_that_leaves_much_is_named() {
        let found = sentences(2720);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("This memory can do 36 % more than the C library gets out of it: "), "{found:?}");
        assert!(found[0].contains("is 2000 MB/s, the best loop of sbc-bench reaches 2720 MB/s"), "{found:?}");
        assert_eq!(sentences(2290), [""; 0]);
        assert_eq!(sentences(1500), [""; 0]);
    }
}
