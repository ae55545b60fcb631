//! Rule: io-wait. CPUs idled while a task waited for storage.
//!
//! The workloads do not use storage: such waits come from another task, or from swap.

use super::place::samples_place;
use super::{CPU_AND_MEMORY, Rule};
use facts::stats::mean;
use facts::view::Phase;
use facts::{EvidenceSource, Facts, Finding, Quantity, Severity};
use record::{ChannelId, CpuTime, RuleId};

pub(super) const RULE: Rule = Rule { loads: CPU_AND_MEMORY, ..Rule::new(RuleId::own("io-wait"), check) };

/// A sample this high is one task that mostly waits, on a board with 4 to 8 CPUs.
const PEAK_PERCENT_MIN: f64 = 5.0;
/// Mean over a phase on all CPUs that lowers its scores.
const DEGRADED_MEAN_PERCENT: f64 = 2.0;
/// Same for single-threaded phases: other tasks may wait at the same time.
const DEGRADED_SINGLE_PERCENT: f64 = 5.0;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let phases = &facts.phases_bound_by(RULE.loads);
    let of_phases: Vec<PhaseWait> = phases.iter().filter_map(|phase| of_phase(facts, phase)).collect();
    let Some(worst) = of_phases.iter().max_by(|a, b| a.peak.total_cmp(&b.peak)) else { return Vec::new() };
    if worst.peak < PEAK_PERCENT_MIN {
        return Vec::new();
    }
    let held = |of: &&PhaseWait| {
        let limit = if of.phase.busy_cpus > 1 { DEGRADED_MEAN_PERCENT } else { DEGRADED_SINGLE_PERCENT };
        of.peak >= PEAK_PERCENT_MIN && of.average >= limit
    };
    let held: Vec<&PhaseWait> = of_phases.iter().filter(held).collect();
    let (severity, shown) = match held.iter().max_by(|a, b| a.average.total_cmp(&b.average)) {
        Some(shown) => (Severity::Degraded, *shown),
        None => (Severity::Info, worst),
    };
    let steps = if held.is_empty() {
        shown.phase.steps.clone()
    } else {
        held.iter().flat_map(|of| of.phase.steps.iter().copied()).collect()
    };
    let iowait = ChannelId::all_cpus(CpuTime::Iowait);
    let template = if held.is_empty() {
        "During {phase}, I/O wait reached {peak} of CPU time; its average over it, {average}, is too low to show in scores."
    } else {
        "During {phase}, I/O wait reached {peak} of CPU time ({average} on average over it)."
    };
    let window = shown.phase.window;
    vec![
        Finding::new(RULE.id, severity, template)
            .with("phase", Quantity::Text(shown.phase.name.clone()))
            .with("peak", Quantity::Percent(shown.peak))
            .with("average", Quantity::Percent(shown.average))
            .with("samples", Quantity::Count(shown.high as i64))
            .of(steps)
            .during(window.start_ms, window.end_ms)
            .seen_by(EvidenceSource::CpuTime)
            .at(samples_place(facts, &iowait, shown.at_ms, shown.at_ms)),
    ]
}

/// I/O wait in one phase, in percent of all CPUs.
struct PhaseWait<'a> {
    phase: &'a Phase,
    peak: f64,
    at_ms: i64,
    average: f64,
    /// Number of high samples.
    high: usize,
}

fn of_phase<'a>(facts: &Facts<'_>, phase: &'a Phase) -> Option<PhaseWait<'a>> {
    let uses = facts.cpu_use(&phase.window);
    let values: Vec<f64> = uses.iter().map(|usage| usage.iowait).collect();
    let worst = uses.iter().max_by(|a, b| a.iowait.total_cmp(&b.iowait))?;
    let high = values.iter().filter(|value| **value >= PEAK_PERCENT_MIN).count();
    Some(PhaseWait { phase, peak: worst.iowait, at_ms: worst.at_ms, average: mean(&values)?, high })
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{compression, gauge_channel, log, with_step};
    use crate::tests::sentences;
    use record::{AllCpus, ChannelId, CpuPercent, Unit, Variant, WorkloadId};

    #[test]
    fn waiting_for_storage_is_named() {
        for (iowait, expected) in [([9, 0, 0, 0], 0), ([0, 33, 0, 2], 1)] {
            let record = with_step(log("0.4"), WorkloadId::SevenZip, Variant::SINGLE, &[0], (0.0, 2.0), compression(1));
            let record =
                gauge_channel(record, ChannelId::AllCpus(AllCpus::Percent(CpuPercent::Busy)), Unit::Percent, &[25; 4]);
            let record =
                gauge_channel(record, ChannelId::AllCpus(AllCpus::Percent(CpuPercent::Iowait)), Unit::Percent, &iowait);
            assert_eq!(sentences(RULE.id, &record).len(), expected);
        }
    }
}
