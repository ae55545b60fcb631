//! Rule: scores-unstable. The runs on all CPUs differ without falling from the first to the last.

use super::Rule;
use super::place::step_place;
use facts::view::{Difference, Halves};
use facts::{Facts, Finding, Quantity, Severity, Witness, view};
use record::RuleId;

pub(super) const RULE: Rule = Rule::new(RuleId::own("scores-unstable"), "Multi-core runs vary without a trend.", check);

/// Runs of 7-zip on a quiet, cool board differ by less than 2 %, on a busy desktop by 3 %.
const SPREAD_PERCENT_MIN: f64 = 4.0;
/// Threshold at which the mean of the runs is unreliable.
const DEGRADED_PERCENT: f64 = 7.0;
/// A drop of at least this is a decline, which has its own rule.
const DECLINE_PERCENT: f64 = 3.0;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let totals = facts.multi_totals();
    let scores: Vec<f64> = totals.iter().map(|(_, mips)| *mips).collect();
    let fall = view::fall_percent(&scores).unwrap_or(0.0);
    let spread = view::spread_percent(&scores).filter(|spread| *spread >= SPREAD_PERCENT_MIN);
    let Some(spread) = spread.filter(|_| fall < DECLINE_PERCENT) else { return Vec::new() };
    let severity = if spread >= DEGRADED_PERCENT { Severity::Degraded } else { Severity::Info };
    let runs = facts.halves();
    let steps: Vec<usize> = totals.iter().map(|(step, _)| *step).collect();
    let differs = view::differs(runs);
    let template = match differs {
        Difference::CompressionUse => {
            "Multi-core runs vary by {spread} ({scores} MIPS): only compression differs, and its CPU use with it ({use} %). It \
             waited; its CPUs were not slower."
        }
        Difference::CompressionRate => {
            "Multi-core runs vary by {spread} ({scores} MIPS): only compression differs, at equal CPU use ({rate} MIPS for \
             each CPU). It needs more of the memory than decompression does."
        }
        Difference::Use => {
            "Multi-core runs vary by {spread} ({scores} MIPS), and their CPU use with them (compression {use} %), not the work \
             done in each second of it[: {others} had the rest]."
        }
        Difference::Rate => {
            "Multi-core runs vary by {spread} ({scores} MIPS) at equal CPU use: each second of CPU time did less work \
             (compression {rate} MIPS for each CPU), so memory or clocks were slower."
        }
        Difference::Unknown => "Multi-core runs vary by {spread} ({scores} MIPS); what was read does not show why.",
    };
    let finding = Finding::new(RULE.id, severity, template)
        .confidence(95)
        .with("spread", Quantity::Percent(spread))
        .with("scores", Quantity::numbers(scores.iter().copied(), "", 0))
        .of(steps.iter().copied())
        .seen_by(Witness::Scores)
        .at_all(steps.iter().map(|step| step_place(facts, *step)));
    let others = || view::others_with_the_rest(facts, &steps).map(|others| Quantity::Text(others.to_owned()));
    vec![match differs {
        Difference::CompressionUse => finding.with("use", of_runs(runs, |run| run.compressing_use)),
        Difference::Use => finding.with("use", of_runs(runs, |run| run.compressing_use)).with_known("others", others()),
        Difference::CompressionRate | Difference::Rate => {
            finding.with("rate", of_runs(runs, |run| run.compressing_rate))
        }
        Difference::Unknown => finding,
    }]
}

/// Value of each run: `473, 411, 502`.
pub(super) fn of_runs(runs: &[Halves], value: fn(&Halves) -> f64) -> Quantity {
    Quantity::numbers(runs.iter().map(|run| value(run).round()), "", 0)
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{compression, own_run, with_step};
    use crate::tests::sentences;
    use record::{Variant, WorkloadId};

    fn check(scores: [u32; 3]) -> Vec<String> {
        let mut record = own_run();
        for score in scores {
            record = with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], (0.0, 1.0), compression(score));
        }
        sentences(RULE.id, &record)
    }

    #[test]
    fn differing_runs_are_named() {
        assert_eq!(
            check([5901, 5794, 6340]),
            ["Multi-core runs vary by 8.6 % (5901, 5794, 6340 MIPS); what was read does not show why."]
        );
        assert!(check([12_257, 13_611, 13_819])[0].ends_with("what was read does not show why."));
    }

    #[test]
    fn equal_runs_and_declines_are_not() {
        assert_eq!(check([5000, 5050, 5020]), [""; 0]);
        assert_eq!(check([6000, 5500, 5000]), [""; 0]);
    }
}
