//! Rule: stolen-time. The hypervisor took CPU time away.

use super::place::samples_place;
use super::{Rule, Subject};
use facts::lines::listed;
use facts::stats::mean;
use facts::view::{self, Phase};
use facts::{EvidenceSource, Facts, Finding, Quantity, Severity};
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
    let peak = stolen.iter().copied().max_by(|a, b| a.0.total_cmp(&b.0));
    let (Some((peak, at_ms)), Some(average)) = (peak, average(&stolen).filter(|percent| *percent >= MEAN_PERCENT_MIN))
    else {
        return of_log(facts).into_iter().collect();
    };
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

/// Steal time of a log whose monitoring has no column for it. It lowered scores only where one of them fell.
fn of_log(facts: &Facts<'_>) -> Option<Finding> {
    let steal = view::steal_of_log(facts).filter(|steal| steal.percent_min >= DEGRADED_PERCENT)?;
    let severity = if facts.declines().is_empty() { Severity::Info } else { Severity::Degraded };
    let template = "Steal time was {steal} of all CPU time from the start of the log to its end: the hypervisor gave the CPUs to \
                    other guests.";
    let finding =
        Finding::new(RULE.id, severity, template).confidence(90).with("steal", Quantity::Percent(steal.percent));
    Some(finding.seen_by(EvidenceSource::CpuTime).of(facts.declines().iter().flat_map(|decline| decline.steps.clone())))
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{compression, counter, log, own_run, with_step};
    use crate::tests::{findings_of, sentences};
    use facts::Severity;
    use record::{ChannelId, CpuTime, LogBlock, Source, Unit, Variant, WorkloadId};

    /// Logs without a column for steal time have the averages of iostat. It harms where a score fell.
    #[test]
    fn steal_time_of_a_log_is_named() {
        for (steal, mips, expected) in [
            ("21.32", [1000, 900], Some(Severity::Degraded)),
            ("21.32", [1000, 1000], Some(Severity::Info)),
            ("0.02", [1000, 900], None),
        ] {
            let mut record = log("0.7.4");
            for (start_s, mips) in [(0.0, mips[0]), (2.0, mips[1])] {
                let window = (start_s, start_s + 1.9);
                record = with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], window, compression(mips));
            }
            let Source::Log(log) = &mut record.source else { unreachable!() };
            let block = |steal: &str| {
                let text = format!("avg-cpu: %user %nice %system %iowait %steal %idle\n 20 0 0 0 {steal} 58");
                LogBlock { line: 1, heading: "iostat".into(), text }
            };
            log.blocks = ["0.00", steal].map(block).to_vec();
            let found = findings_of(RULE.id, &record);
            assert_eq!(found.first().map(|finding| finding.severity), expected, "{steal} {mips:?}");
        }
    }

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
