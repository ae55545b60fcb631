//! Rule: scores-unstable. The runs on all CPUs differ without falling from the first to the last.

use super::Rule;
use super::place::step_place;
use facts::view::{Difference, Halves};
use facts::{EvidenceSource, Facts, Finding, Quantity, Severity, view};
use record::RuleId;

pub(super) const RULE: Rule = Rule::new(RuleId::own("scores-unstable"), check);

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
    let difference = view::differs(runs);
    let by_others = view::others_with_the_rest(facts, &steps).zip(used_by_others(facts, &steps, runs));
    let by_others = by_others.filter(|_| difference == Difference::Use);
    let template = match difference {
        Difference::Use if by_others.is_some() => {
            "Multi-core runs vary by {spread} ({scores} MIPS): the threads of the slowest run got {last_use} instead of {first_use} of \
             CPU time, and {others} had the rest."
        }
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
             done in each second of it."
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
        .seen_by(EvidenceSource::Scores)
        .at_all(steps.iter().map(|step| step_place(facts, *step)));
    let finding = match difference {
        Difference::CompressionUse | Difference::Use => finding.with("use", of_runs(runs, |run| run.compressing_use)),
        Difference::CompressionRate | Difference::Rate => {
            finding.with("rate", of_runs(runs, |run| run.compressing_rate))
        }
        Difference::Unknown => finding,
    };
    vec![match by_others {
        Some((others, [least, most])) => finding
            .with("first_use", Quantity::Percent(most))
            .with("last_use", Quantity::Percent(least))
            .with("others", Quantity::Text(others.to_owned())),
        None => finding,
    }]
}

/// Idle time beyond that of the best run, in points, from which the threads waited instead of being displaced.
const IDLE_POINTS_MAX: f64 = 1.0;

/// Minimum and maximum CPU use of a run, in percent of one CPU, if the CPUs were as busy on average as in the best run:
/// then other tasks used the time that the slower run lacked.
fn used_by_others(facts: &Facts<'_>, steps: &[usize], runs: &[Halves]) -> Option<[f64; 2]> {
    let uses = runs.iter().map(Halves::mean_use);
    let least = uses.clone().reduce(f64::min)?;
    let most = uses.reduce(f64::max)?;
    let best = most / f64::from(view::cpu_count(facts)?);
    (view::mean_busy_percent(facts, steps)? >= best - IDLE_POINTS_MAX).then_some([least, most])
}

/// Value of each run: `473, 411, 502`.
pub(super) fn of_runs(runs: &[Halves], value: fn(&Halves) -> f64) -> Quantity {
    Quantity::numbers(runs.iter().map(|run| value(run).round()), "", 0)
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{compression, compression_by_use, gauge_channel, log, own_run, with_step};
    use crate::tests::sentences;
    use record::{AllCpus, ChannelId, CpuPercent, Unit, Variant, WorkloadId};

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

    /// A lower CPU use of one run is attributed to other programs only if no CPU was idle.
    #[test]
    fn a_run_beside_another_program_lacked_cpu_time() {
        for (slow_use, busy, cause) in [
            (285, 98, facts::Cause::Background),
            (285, 85, facts::Cause::NotVisible),
            (370, 98, facts::Cause::NotVisible),
        ] {
            let mut record = log("0.9.72");
            for (start, (score, used)) in (0..).zip([(3_920, 370), (3_020, slow_use), (3_930, 371)]) {
                let window = (2.0 * f64::from(start), 2.0 * f64::from(start) + 1.9);
                let run = compression_by_use(score, used);
                record = with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], window, run);
            }
            let id = ChannelId::AllCpus(AllCpus::Percent(CpuPercent::Busy));
            let record = gauge_channel(record, id, Unit::Percent, &[busy; 12]);
            let explained = explain::explain(record);
            let causes = explained.assessment.diagnoses.iter().map(|diagnosis| diagnosis.cause);
            assert_eq!(causes.collect::<Vec<_>>(), [cause], "{slow_use} of {busy} %");
        }
    }

    #[test]
    fn equal_runs_and_declines_are_not() {
        assert_eq!(check([5000, 5050, 5020]), [""; 0]);
        assert_eq!(check([6000, 5500, 5000]), [""; 0]);
    }
}
