//! Rule: io-wait. CPUs idled because something waited for storage.
//!
//! The workloads need no storage: such waiting is another task, or swap.

use super::place::samples_place;
use super::{CPU_AND_MEMORY, Check, Rule};
use crate::stats::mean;
use crate::view::{self, Phase};
use crate::{Finding, Quantity, Severity};
use record::{ChannelId, CpuTime, Record, RuleId};

pub(super) const RULE: Rule = Rule {
    id: RuleId::own("io-wait"),
    about: "CPUs were idle waiting for storage.",
    link: "https://docs.kernel.org/filesystems/proc.html#miscellaneous-kernel-statistics-in-proc-stat",
    check: Check::Loads(CPU_AND_MEMORY, check),
    ..Rule::PLAIN
};

/// A sample this high is one task that waits most of its time on a board with 4 to 8 CPUs.
const PEAK_PERCENT_MIN: f64 = 5.0;
/// Mean over the whole run from which it held the run back.
const DEGRADED_MEAN_PERCENT: f64 = 2.0;

fn check(record: &Record, phases: &[Phase]) -> Vec<Finding> {
    let mut seen: Vec<(f64, i64, String)> = Vec::new();
    for phase in phases {
        let uses = view::cpu_use(record, phase.window);
        seen.extend(uses.iter().map(|usage| (usage.iowait, usage.at_ms, phase.name.clone())));
    }
    let values: Vec<f64> = seen.iter().map(|(iowait, _, _)| *iowait).collect();
    let worst = seen.iter().max_by(|a, b| a.0.total_cmp(&b.0));
    let (Some(average), Some((peak, at_ms, phase))) = (mean(&values), worst) else {
        return Vec::new();
    };
    if *peak < PEAK_PERCENT_MIN {
        return Vec::new();
    }
    let severity = if average >= DEGRADED_MEAN_PERCENT { Severity::Degraded } else { Severity::Info };
    let finding = Finding::new(
        RULE.id,
        severity,
        "During {phase}, I/O wait reached {peak} of CPU time ({average} on average over the run).",
    );
    let high = values.iter().filter(|value| **value >= PEAK_PERCENT_MIN).count();
    let iowait = ChannelId::all_cpus(CpuTime::Iowait);
    vec![
        finding
            .with("phase", Quantity::Text(phase.clone()))
            .with("peak", Quantity::Percent(*peak))
            .with("average", Quantity::Percent(average))
            .with("samples", Quantity::Count(high as i64))
            .at(samples_place(record, &iowait, *at_ms, *at_ms)),
    ]
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::tests::sentences;
    use crate::test_support::{compression, gauge_channel, log, with_step};
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
