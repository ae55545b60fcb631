//! Rule: system-time. The kernel itself used much CPU time while the benchmark ran.
//!
//! The workloads compute in user mode. Much kernel time means drivers, compressed swap, file
//! systems or interrupts of others.

use super::place::samples_place;
use super::{CPU_AND_MEMORY, Check, Rule};
use crate::stats::mean;
use crate::view::{self, Phase};
use crate::{Finding, Quantity, Severity};
use record::{ChannelId, CpuTime, Record, RuleId};

pub(super) const RULE: Rule = Rule {
    id: RuleId::own("system-time"),
    about: "High kernel CPU time during the benchmarks.",
    link: "https://docs.kernel.org/filesystems/proc.html#miscellaneous-kernel-statistics-in-proc-stat",
    check: Check::Loads(CPU_AND_MEMORY, check),
    ..Rule::PLAIN
};

/// One sample this high is an event worth naming; workloads need 1 to 5 % for page faults.
const PEAK_PERCENT_MIN: f64 = 10.0;
/// Mean over all phases; workloads that mostly compute need less than 1 %.
const MEAN_PERCENT_MIN: f64 = 2.0;
/// Mean from which scores are held back.
const DEGRADED_PERCENT: f64 = 4.0;
/// What the monitor of the bash program uses on slow boards itself, in percent of one CPU.
const MONITOR_OF_LOGS_PERCENT: f64 = 8.0;

fn check(record: &Record, phases: &[Phase]) -> Vec<Finding> {
    let mut seen: Vec<(f64, i64, String)> = Vec::new();
    for phase in phases {
        let Some(own) = own_percent(record, phase) else {
            continue;
        };
        let uses = view::cpu_use(record, phase.window);
        seen.extend(uses.iter().map(|usage| {
            let others = (usage.system - own).max(0.0);
            (others, usage.at_ms, phase.name.clone())
        }));
    }
    let values: Vec<f64> = seen.iter().map(|(system, _, _)| *system).collect();
    let worst = seen.iter().max_by(|a, b| a.0.total_cmp(&b.0));
    let (Some(average), Some((peak, at_ms, phase))) = (mean(&values), worst) else {
        return Vec::new();
    };
    // Own workloads have peaks of their own, which a mean does not take away.
    let has_peak = view::is_log(record) && *peak >= PEAK_PERCENT_MIN;
    if average < MEAN_PERCENT_MIN && !has_peak {
        return Vec::new();
    }
    let monitor = match (view::is_log(record), view::cpu_count(record)) {
        (true, Some(cpus)) => MONITOR_OF_LOGS_PERCENT / f64::from(cpus),
        _ => 0.0,
    };
    let severity = if average >= DEGRADED_PERCENT + monitor { Severity::Degraded } else { Severity::Info };
    let finding = Finding::new(
        RULE.id,
        severity,
        "Kernel overhead was {average} of CPU time on average and {peak} at most (during {phase}), not counting the \
         workloads' own system calls.",
    );
    let system = ChannelId::all_cpus(CpuTime::System);
    vec![
        finding
            .with("average", Quantity::Percent(average))
            .with("peak", Quantity::Percent(*peak))
            .with("phase", Quantity::Text(phase.clone()))
            .at(samples_place(record, &system, *at_ms, *at_ms)),
    ]
}

/// Kernel time of the workload itself, which asks for memory, in percent of all CPUs. Zero in logs,
/// whose workloads are known to ask for little; none where it was not counted.
fn own_percent(record: &Record, phase: &Phase) -> Option<f64> {
    if view::is_log(record) {
        return Some(0.0);
    }
    let cpus = f64::from(view::cpu_count(record)?);
    let mut own_ms = 0.0;
    for step in &phase.steps {
        own_ms += *record.steps[*step].counters.system_ms.known()? as f64;
    }
    Some(100.0 * own_ms / (phase.window.elapsed_ms().max(1) as f64 * cpus))
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::tests::sentences;
    use crate::test_support::{compression, gauge_channel, log, with_step};
    use record::{AllCpus, ChannelId, CpuPercent, Unit, Variant, WorkloadId};

    #[test]
    fn much_kernel_time_is_named() {
        for (system, expected) in [([0, 1, 1, 0], 0), ([0, 1, 38, 0], 1), ([50, 1, 1, 0], 0)] {
            let record = with_step(log("0.9.59"), WorkloadId::OpenSsl, Variant::ONLY, &[0], (0.0, 2.0), compression(1));
            let record =
                gauge_channel(record, ChannelId::AllCpus(AllCpus::Percent(CpuPercent::Busy)), Unit::Percent, &[25; 4]);
            let record =
                gauge_channel(record, ChannelId::AllCpus(AllCpus::Percent(CpuPercent::System)), Unit::Percent, &system);
            assert_eq!(sentences(RULE.id, &record).len(), expected);
        }
    }
}
