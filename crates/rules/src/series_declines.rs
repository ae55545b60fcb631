//! Rule: series-declines. A score that is repeated over minutes, such as a miner's, falls.

use super::Rule;
use super::place::step_place;
use facts::{EvidenceSource, Facts, Finding, Quantity, Severity};
use record::RuleId;

pub(super) const RULE: Rule = Rule::new(RuleId::own("series-declines"), check);

/// Medians of the beginning and the end differ by less than 1.5 % on boards that keep their clock.
const LOSS_PERCENT_MIN: f64 = 3.0;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let declines = facts.series_trends().iter();
    declines
        .filter(|trend| trend.loss_percent >= LOSS_PERCENT_MIN)
        .map(|trend| {
            Finding::new(
                RULE.id,
                Severity::Degraded,
                "The {name} score dropped by {loss} during the run, from {early} to {late}.",
            )
            .with("name", Quantity::Text(trend.name.clone()))
            .with("loss", Quantity::Percent(trend.loss_percent))
            .with("early", Quantity::Score(trend.early, trend.unit.clone()))
            .with("late", Quantity::Score(trend.late, trend.unit.clone()))
            .of([trend.step])
            .seen_by(EvidenceSource::Scores)
            .at(step_place(facts, trend.step))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{own_run, series, with_step};
    use crate::tests::sentences;
    use record::{Variant, WorkloadId};

    #[test]
    fn falling_series_is_named() {
        let falling = series(&[3.0, 21.18, 21.0, 20.0, 19.0, 18.0, 17.9, 17.92]);
        let record = with_step(own_run(), WorkloadId::Cpuminer, Variant::ONLY, &[], (0.0, 300.0), falling);
        let found = sentences(RULE.id, &record);
        assert!(found[0].starts_with("The cpuminer score dropped by 15 % during the run"));
    }

    #[test]
    fn late_start_is_no_fall() {
        let steady = series(&[3.0, 8.7, 8.71, 8.7, 8.69, 8.71]);
        let record = with_step(own_run(), WorkloadId::Cpuminer, Variant::ONLY, &[], (0.0, 300.0), steady);
        assert_eq!(sentences(RULE.id, &record), [""; 0]);
    }
}
