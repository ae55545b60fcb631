//! Rule: stolen-time. The hypervisor took CPU time away.

use super::place::samples_place;
use super::{Rule, Subject};
use facts::lines::listed;
use facts::stats::mean;
use facts::view::Phase;
use facts::{Facts, Finding, Quantity, Severity};
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
    let steal_of = |phase: &Phase| -> Vec<(f64, i64)> {
        facts.cpu_use(&phase.window).iter().map(|usage| (usage.steal, usage.at_ms)).collect()
    };
    let average = |stolen: &[(f64, i64)]| mean(&stolen.iter().map(|(steal, _)| *steal).collect::<Vec<_>>());
    // Guests beside this one may come and go, so each phase counts by itself.
    let is_harmed = |phase: &&Phase| average(&steal_of(phase)).is_some_and(|percent| percent >= DEGRADED_PERCENT);
    let harmed: Vec<&Phase> = facts.phases().iter().filter(is_harmed).collect();
    let (severity, shown) = if harmed.is_empty() {
        (Severity::Info, facts.phases().iter().collect())
    } else {
        (Severity::Degraded, harmed)
    };
    let stolen: Vec<(f64, i64)> = shown.iter().flat_map(|phase| steal_of(phase)).collect();
    let Some((peak, at_ms)) = stolen.iter().copied().max_by(|a, b| a.0.total_cmp(&b.0)) else { return Vec::new() };
    let Some(average) = average(&stolen).filter(|average| *average >= MEAN_PERCENT_MIN) else { return Vec::new() };
    let mut names: Vec<String> = shown.iter().map(|phase| phase.name.clone()).collect();
    names.dedup();
    let (channel, steps) = (ChannelId::all_cpus(CpuTime::Steal), shown.iter().flat_map(|phase| phase.steps.clone()));
    let finding = Finding::new(
        RULE.id,
        severity,
        "[During {phases}, steal time|Steal time] was {average} on average, {peak} at most: the hypervisor gave the CPUs to other \
         guests.",
    )
    .confidence(97)
    .with("average", Quantity::Percent(average))
    .with("peak", Quantity::Percent(peak))
    .at(samples_place(facts, &channel, at_ms, at_ms));
    let is_everywhere = shown.len() == facts.phases().len();
    vec![if is_everywhere { finding } else { finding.with("phases", Quantity::Text(listed(&names))).of(steps) }]
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
