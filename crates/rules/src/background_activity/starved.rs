//! Threads of 7-zip that lacked CPU time in every run of a log, and what had it: other tasks, other guests, or a quota.

use super::super::place::step_place;
use super::RULE;
use facts::stats::mean;
use facts::view::{self, Halves};
use facts::{EvidenceSource, Facts, Finding, Quantity, Severity};

/// Minimum deficit of CPU use of decompressing threads, in points; 99 of 100 valid logs differ by less.
const LESS_USE_POINTS_MIN: f64 = 13.5;
/// Minimum CPU time beyond that of 7-zip, in percent of all CPUs. Sampling and kernel work for 7-zip account for less than 4
/// in 98 of 100 valid logs.
const OTHERS_PERCENT_MIN: f64 = 6.0;
/// Growth of the average steal time since boot that shows other guests, in points.
const STEAL_POINTS_MIN: f64 = 2.0;
/// More than one CPU, in percent of one.
const ONE_CPU_PERCENT: f64 = 110.0;

/// Threads of a log's 7-zip that lacked CPU time in every run, which no run shows against another.
pub(super) fn check(facts: &Facts<'_>) -> Option<Finding> {
    let threads = view::compressions(facts).filter_map(|(_, _, done)| done.benchmark_threads).max()?;
    let count = facts.machine.cpus.len() as u32;
    let runs = facts.halves();
    let used = runs.iter().map(|run| run.decompressing_use).reduce(f64::max)?;
    let most = used / f64::from(threads.min(count));
    let usual = view::usual_decompressing_percent(facts);
    // Threads that got one CPU were pinned to it.
    let is_pinned = used <= ONE_CPU_PERCENT && count > 1;
    let missing = usual - most;
    let has_swapped = facts.swap_growth().is_some_and(|growth| growth.after_kib > growth.before_kib);
    // Memory takes no more of the CPU time than the rows show.
    let is_of_memory = |waited: &view::CpuWait| waited.iowait_percent + waited.system_percent >= missing;
    let is_of_memory = has_swapped && facts.waited_for_memory().as_ref().is_some_and(is_of_memory);
    let has_reason = is_of_memory || !facts.lost_cpus().is_empty() || !view::is_log(facts);
    if missing < LESS_USE_POINTS_MIN || is_pinned || has_reason {
        return None;
    }
    let steps: Vec<usize> = facts.multi_totals().iter().map(|(step, _)| *step).collect();
    let busy = view::mean_busy_percent(facts, &steps)?;
    let own = mean(&runs.iter().map(Halves::mean_use).collect::<Vec<_>>())?;
    let own = own / f64::from(count);
    let steal = view::steal_of_log(facts).filter(|steal| steal.after - steal.before >= STEAL_POINTS_MIN);
    let is_by_others = busy - own >= OTHERS_PERCENT_MIN && steal.is_none();
    let is_withheld = !is_by_others && steal.is_none() && view::is_shared(facts);
    let template = if steal.is_some() {
        "Steal time since boot rose from {before} to {steal}, and 7-zip on all CPUs used {own} of the CPUs: the hypervisor \
         gave CPU time to other guests in every run."
    } else if is_withheld {
        "The threads of 7-zip on all CPUs used {last_use} of the CPUs at most while they decompressed, in every run, where \
         {usual} is usual; the CPUs were {busy} busy inside {guest}: CPU time was withheld, as by a quota."
    } else if is_by_others {
        "The CPUs were {busy} busy and 7-zip on all CPUs used {own} of them: {others} had the rest in every run."
    } else {
        "The threads of 7-zip on all CPUs used {last_use} of the CPUs at most while they decompressed, in every run, where \
         {usual} is usual; the CPUs were {busy} busy."
    };
    let finding = Finding::new(RULE.id, Severity::Degraded, template)
        .confidence(75)
        .with("last_use", Quantity::Percent(most))
        .with("usual", Quantity::Percent(usual))
        .with("busy", Quantity::Percent(busy))
        .with("own", Quantity::Percent(own))
        .with("others", Quantity::Text(view::others_words(facts).to_owned()))
        .of(steps.iter().copied());
    let finding = match steal {
        Some(steal) => finding
            .with("before", Quantity::Percent(steal.before))
            .with("steal", Quantity::Percent(steal.after))
            .confidence(90),
        None if is_withheld => {
            finding.with_known("guest", facts.machine.virtualisation.known().cloned().map(Quantity::Text))
        }
        None if is_by_others => finding,
        None => finding.with("idle", Quantity::Percent(100.0 - busy)),
    };
    Some(finding.seen_by(EvidenceSource::CpuTime).at_all(steps.iter().map(|step| step_place(facts, *step))))
}

#[cfg(test)]
mod tests {
    use crate::test_support::{compression_by_use, gauge_channel, log, with_step};
    use record::{
        AllCpus, ChannelId, Compression, CpuPercent, Fact, LogBlock, Source, StepMeasurement, Unit, Variant, WorkloadId,
    };

    /// CPU time that a hypervisor or a quota took is not attributed to other programs.
    #[test]
    fn threads_that_lacked_cpu_time_name_who_had_it() {
        let check = |steal: &str, kind: &str, busy: i64, cause: facts::Cause| {
            let mut record = log("0.7.4");
            for start in [0.0, 2.0, 4.0] {
                let run = compression_by_use(3_000, 220);
                let run = match run {
                    StepMeasurement::Compression(done) => {
                        StepMeasurement::Compression(Compression { benchmark_threads: Some(4), ..done })
                    }
                    other => other,
                };
                record = with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], (start, start + 1.9), run);
            }
            record.machine.virtualisation = Fact::Known(kind.into());
            let Source::Log(log) = &mut record.source else { unreachable!() };
            log.blocks = ["0.00", steal].map(iostat).to_vec();
            let id = ChannelId::AllCpus(AllCpus::Percent(CpuPercent::Busy));
            let record = gauge_channel(record, id, Unit::Percent, &[busy; 12]);
            let explained = explain::explain(record);
            let causes = explained.assessment.diagnoses.iter().map(|diagnosis| diagnosis.cause);
            assert_eq!(causes.collect::<Vec<_>>(), [cause], "{steal} {kind} {busy}");
        };
        check("21.32", "kvm", 98, facts::Cause::StolenTime);
        check("0.00", "kvm", 57, facts::Cause::CpuQuota);
        check("0.00", "none", 98, facts::Cause::Background);
        check("0.00", "none", 57, facts::Cause::NotVisible);
    }

    fn iostat(steal: &str) -> LogBlock {
        let text =
            format!("avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n 20.27 0.00 0.05 0.00 {steal} 58.3");
        LogBlock { line: 1, heading: "iostat".into(), text }
    }
}
