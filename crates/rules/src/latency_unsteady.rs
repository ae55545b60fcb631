//! Rule: latency-unsteady. Memory latency of some sizes did not repeat.
//!
//! Each size is measured in several rounds some time apart. Another user of the same cache or memory
//! affects some rounds and not others. Sizes at the edge of
//! a cache vary by a few percent on a quiet machine, too, so that one of them alone proves nothing.

use super::Rule;
use super::place::step_place;
use facts::{Facts, Finding, Quantity, Severity};
use record::{LatencyRow, Outcome, RuleId, StepMeasurement};

pub(super) const RULE: Rule = Rule::new(RuleId::own("latency-unsteady"), check);

/// Minimum difference between the two lowest rounds.
const APART_PERCENT: f64 = 5.0;
/// Minimum number of sizes with that difference.
const SIZES_MIN: usize = 2;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let steps = facts.steps.iter().enumerate();
    let found = steps.filter_map(|(index, step)| {
        let Outcome::Done(StepMeasurement::Latency(latency)) = &step.outcome else { return None };
        let apart = |row: &&LatencyRow| row.rounds_apart_percent.is_some_and(|p| p > APART_PERCENT);
        let apart: Vec<&LatencyRow> = latency.rows.iter().filter(apart).collect();
        (apart.len() >= SIZES_MIN).then_some((index, apart))
    });
    let Some((index, apart)) = found.max_by_key(|(_, apart)| apart.len()) else { return Vec::new() };
    let worst = apart.iter().filter_map(|row| row.rounds_apart_percent);
    let worst = worst.reduce(f64::max).unwrap_or_default();
    let kib = |row: &LatencyRow| Quantity::Kib(row.size_bytes / 1024);
    let finding = Finding::new(
        RULE.id,
        Severity::Info,
        "Memory latency from {smallest} to {largest} was not reproducible: the best two rounds differ by up to \
         {worst}. Another program or another guest on the same host shares this cache or memory.",
    );
    vec![
        finding
            .confidence(70)
            .with("smallest", kib(apart[0]))
            .with("largest", kib(apart[apart.len() - 1]))
            .with("worst", Quantity::Percent(worst))
            .at(step_place(facts, index)),
    ]
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{own_run, with_step};
    use crate::tests::sentences;
    use record::{Latency, LatencyRow, Record, StepMeasurement, Variant, WorkloadId};

    fn latencies(apart_percent: &[Option<f64>]) -> Record {
        let rows = apart_percent.iter().enumerate();
        let rows = rows.map(|(place, apart_percent)| LatencyRow {
            size_bytes: 4096 << place,
            ns: vec![Some(5.0)],
            rounds_apart_percent: *apart_percent,
            line: None,
        });
        let latency = Latency { columns: vec!["1xPTR".into()], rows: rows.collect(), ..Latency::default() };
        let measured = StepMeasurement::Latency(latency);
        with_step(own_run(), WorkloadId::MemoryLatency, Variant::ONLY, &[0], (1.0, 2.0), measured)
    }

    #[test]
    fn sizes_that_did_not_repeat_are_told() {
        for (apart_percent, expected) in [
            (&[None, None][..], None),
            (&[Some(0.1), Some(4.0), Some(0.3)], None),
            (&[Some(0.1), Some(30.0), Some(0.3)], None),
            (
                &[Some(0.1), Some(30.0), Some(120.0), Some(0.3)],
                Some("from 8 KiB to 16 KiB was not reproducible: the best two rounds differ by up to 120 %"),
            ),
        ] {
            let found = sentences(RULE.id, &latencies(apart_percent));
            assert_eq!(found.len(), usize::from(expected.is_some()), "{found:?}");
            for (sentence, expected) in found.iter().zip(expected) {
                assert!(sentence.contains(expected), "{sentence}");
            }
        }
    }
}
