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
/// Steal time of a run that shows other guests, in percent.
const STEAL_PERCENT_MIN: f64 = 2.0;
/// More than one CPU, in percent of one.
const ONE_CPU_PERCENT: f64 = 110.0;

/// Threads of a log's 7-zip that lacked CPU time in every run, which no run shows against another.
pub(super) fn check(facts: &Facts<'_>, steady_cpus: Option<f64>) -> Option<Finding> {
    let threads = view::compressions(facts).filter_map(|(_, _, done)| done.benchmark_threads).max()?;
    let count = facts.machine.cpus.len() as u32;
    let used_threads = in_pairs(threads.min(count));
    let runs = facts.halves();
    let used = runs.iter().map(|run| run.decompressing_use).reduce(f64::max)?;
    let most = used / f64::from(used_threads);
    let usual = view::usual_decompressing_percent(facts);
    // Threads that got one CPU were pinned to it.
    let is_pinned = used <= ONE_CPU_PERCENT && count > 1;
    let missing = usual - most;
    let has_swapped = facts.swap_growth().is_some_and(|growth| growth.after_kib > growth.before_kib);
    // Memory takes no more of the CPU time than the rows show.
    let is_of_memory = |waited: &view::CpuWait| waited.iowait_percent + waited.system_percent >= missing;
    let is_of_memory = has_swapped && facts.waited_for_memory().as_ref().is_some_and(is_of_memory);
    // Steal time in the rows has its own rule.
    let steps: Vec<usize> = facts.multi_totals().iter().map(|(step, _)| *step).collect();
    let is_stolen = view::mean_steal_percent(facts, &steps).is_some_and(|percent| percent >= STEAL_PERCENT_MIN);
    let has_reason = is_of_memory || is_stolen || !facts.lost_cpus().is_empty() || !view::is_log(facts);
    if missing < LESS_USE_POINTS_MIN && steady_cpus.is_none() || is_pinned || has_reason {
        return None;
    }
    let busy = view::mean_busy_percent(facts, &steps)?;
    let own = mean(&runs.iter().map(Halves::mean_use).collect::<Vec<_>>())?;
    let own = own / f64::from(count);
    let steal = view::steal_of_log(facts).filter(|steal| steal.percent_min >= STEAL_PERCENT_MIN);
    let is_by_others = busy - own >= OTHERS_PERCENT_MIN && steal.is_none();
    if missing < LESS_USE_POINTS_MIN && !is_by_others {
        return None;
    }
    let is_capped = !is_by_others && steal.is_none() && is_capped(facts, &steps);
    let is_withheld = !is_by_others && steal.is_none() && view::is_shared(facts);
    let template = if steal.is_some() {
        "Steal time was {steal} of all CPU time from the start of the log to its end, and 7-zip on all CPUs used {own} of the \
         CPUs: the hypervisor gave CPU time to other guests in every run."
    } else if is_capped {
        "The threads of 7-zip on all CPUs used {last_use} of the CPUs for every dictionary of every run while they \
         decompressed, and the rest was idle: a limit of CPU time, as by a quota or a mask of CPUs."
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
        Some(steal) => finding.with("steal", Quantity::Percent(steal.percent)).confidence(90),
        None if is_capped => finding.with("withheld", Quantity::Percent(missing)),
        None if is_withheld => {
            let finding = finding.with("withheld", Quantity::Percent(missing));
            finding.with_known("guest", facts.machine.virtualisation.known().cloned().map(Quantity::Text))
        }
        None if is_by_others => finding,
        None => finding.with("idle", Quantity::Percent(100.0 - busy)),
    };
    Some(finding.seen_by(EvidenceSource::CpuTime).at_all(steps.iter().map(|step| step_place(facts, *step))))
}

/// Number of threads that 7-zip keeps busy. It compresses with pairs of threads; the last of an odd number stays idle.
fn in_pairs(threads: u32) -> u32 {
    if threads > 1 { threads & !1 } else { threads }
}

/// Minimum number of such rows.
const CAPPED_ROWS_MIN: usize = 6;
/// Maximum distance between rows of threads at a limit of CPU time, in percent.
const CAPPED_SPREAD_PERCENT: f64 = 1.5;

/// True if all dictionaries of all runs decompressed with the same CPU use: other tasks come and go, a limit stays.
fn is_capped(facts: &Facts<'_>, steps: &[usize]) -> bool {
    let runs = view::compressions(facts).filter(|(index, ..)| steps.contains(index));
    let rows = runs.flat_map(|(_, _, done)| &done.decompressing);
    let used: Vec<f64> = rows.map(|row| f64::from(row.usage_percent)).collect();
    let is_constant = view::spread_percent(&used).is_some_and(|spread| spread <= CAPPED_SPREAD_PERCENT);
    is_constant && used.len() >= CAPPED_ROWS_MIN
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

    /// 7-zip leaves one of three CPUs idle.
    #[test]
    fn threads_are_pairs() {
        assert_eq!([1, 2, 3, 4, 7].map(super::in_pairs), [1, 2, 2, 4, 6]);
    }

    fn iostat(steal: &str) -> LogBlock {
        let text =
            format!("avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n 20.27 0.00 0.05 0.00 {steal} 58.3");
        LogBlock { line: 1, heading: "iostat".into(), text }
    }
}
