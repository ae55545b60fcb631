//! Rule: clock-chain-odd. A multiplication takes a fractional number of cycles at the measured clock.
//!
//! Known cores take 1 to 5 whole cycles. Otherwise the chain of the clock did not run at one operation per cycle, or
//! the clock changed between the two chains: the reading is then not a clock.

use super::place::step_place;
use super::{Rule, Subject};
use facts::{Facts, Finding, Quantity, Severity, view};
use record::{RuleId, Variant};

pub(super) const RULE: Rule = Rule { subjects: &[Subject::Clock], ..Rule::new(RuleId::own("clock-chain-odd"), check) };

/// Both chains are accurate to 0.2 %; the remainder permits small changes of the clock.
const TOLERANCE: f64 = 0.03;
/// Slowest multiplication of all cores that can run this program.
const CYCLES_MAX: f64 = 8.0;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let mut odd: Vec<(u32, f64, usize)> = Vec::new();
    let mut readings = 0;
    for variant in [Variant::COLD, Variant::COLD_CORES] {
        for (step, clocks) in view::clock_passes(facts, &variant) {
            for point in &clocks.points {
                let Some(ratio) = point.windows.as_ref().and_then(|w| w.multiply_ratio) else { continue };
                readings += 1;
                if !is_whole(ratio) {
                    odd.push((point.cpu, ratio, step));
                }
            }
        }
    }
    let Some((cpu, ratio, step)) = odd.first() else { return Vec::new() };
    let finding = Finding::new(
        RULE.id,
        Severity::Info,
        "{odd} of {readings} clock readings are inconsistent: {ratio} cycles per multiplication on CPU {cpu} (must be \
         a whole number).",
    );
    vec![
        finding
            .confidence(80)
            .with("odd", Quantity::Count(odd.len() as i64))
            .with("readings", Quantity::Count(readings))
            .with("ratio", Quantity::ratio(*ratio, 2))
            .with("cpu", Quantity::Count((*cpu).into()))
            .at(step_place(facts, *step)),
    ]
}

/// True for a number of cycles that a multiplication can take.
fn is_whole(ratio: f64) -> bool {
    (ratio - ratio.round()).abs() <= TOLERANCE * ratio.round() && (1.0..=CYCLES_MAX).contains(&ratio.round())
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{own_run, point, with_clocks};
    use crate::tests::sentences;
    use record::Variant;

    #[test]
    fn fractional_cycles_are_reported() {
        for (ratio, expected) in [
            (Some(3.0), 0),
            (Some(2.98), 0),
            (Some(1.02), 0),
            (Some(4.1), 0),
            (Some(3.6), 1),
            (Some(0.6), 1),
            (Some(0.3), 1),
            (Some(30.0), 1),
            (None, 0),
        ] {
            let mut reading = point(0, 1_800_000, 1_800_000);
            reading.windows.as_mut().unwrap().multiply_ratio = ratio;
            let record = with_clocks(own_run(), Variant::COLD, vec![reading]);
            let found = sentences(RULE.id, &record);
            assert_eq!(found.len(), expected, "{ratio:?}: {found:?}");
        }
    }
}
