//! Rule: stolen-time. The hypervisor took CPU time away.

use super::{Rule, Subject};
use facts::stats::mean;
use facts::{Facts, Finding, Place, Quantity, Severity};
use record::{ChannelId, CpuTime, RuleId};

pub(super) const RULE: Rule = Rule {
    subjects: &[Subject::Clock, Subject::Memory, Subject::CoreToCore],
    ..Rule::new(RuleId::own("stolen-time"), check)
};

/// Smaller values are indistinguishable from noise in a score.
const MEAN_PERCENT_MIN: f64 = 0.5;
/// Threshold for lower scores.
const DEGRADED_PERCENT: f64 = 2.0;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let mut stolen = Vec::new();
    for phase in facts.phases() {
        let uses = facts.cpu_use(&phase.window);
        stolen.extend(uses.iter().map(|usage| (usage.steal, usage.at_ms)));
    }
    let values: Vec<f64> = stolen.iter().map(|(steal, _)| *steal).collect();
    let worst = stolen.iter().max_by(|a, b| a.0.total_cmp(&b.0));
    let (Some(average), Some((peak, at_ms))) = (mean(&values), worst) else { return Vec::new() };
    if average < MEAN_PERCENT_MIN {
        return Vec::new();
    }
    let severity = if average >= DEGRADED_PERCENT { Severity::Degraded } else { Severity::Info };
    let finding = Finding::new(
        RULE.id,
        severity,
        "Steal time was {average} on average, {peak} at most: the hypervisor gave the CPUs to other guests.",
    );
    vec![
        finding
            .confidence(97)
            .with("average", Quantity::Percent(average))
            .with("peak", Quantity::Percent(*peak))
            .at(Place::Samples { channel: ChannelId::all_cpus(CpuTime::Steal), start_ms: *at_ms, end_ms: *at_ms }),
    ]
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{compression, counter, own_run, with_step};
    use crate::tests::sentences;
    use record::{ChannelId, CpuTime, Unit, Variant, WorkloadId};

    #[test]
    fn stolen_time_is_measured_and_named() {
        for (steal, expected) in [(8, 1), (0, 0)] {
            let record = with_step(own_run(), WorkloadId::OpenSsl, Variant::ONLY, &[0], (0.0, 2.0), compression(1));
            let ticks = |each: i64| (0..=4).map(|row| row * each).collect::<Vec<_>>();
            let record = counter(record, ChannelId::all_cpus(CpuTime::Idle), Unit::Ticks, &ticks(200 - steal));
            let record = counter(record, ChannelId::all_cpus(CpuTime::Steal), Unit::Ticks, &ticks(steal));
            assert_eq!(sentences(RULE.id, &record).len(), expected);
        }
    }
}
