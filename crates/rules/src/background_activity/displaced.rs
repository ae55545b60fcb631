//! Single threads of 7-zip that shared their CPU, by its own column of CPU use.

use super::super::place::step_place;
use super::RULE;
use facts::stats::mean;
use facts::view::{self, Phase};
use facts::{EvidenceSource, Facts, Finding, Quantity, Severity};
use record::{Compression, Step};

/// Minimum CPU time that the thread lacked, in percent; published logs of machines with several CPUs lack up to 8.
const LACK_PERCENT_MIN: f64 = 10.0;
/// CPU use from which a thread had its CPU to itself, in percent.
const WHOLE_PERCENT_MIN: f64 = 97.0;

/// Single thread of a log's 7-zip that got a part of its CPU only.
pub(super) fn check(facts: &Facts<'_>) -> Option<Finding> {
    if !view::is_log(facts) || view::cpu_count(facts)? < 2 {
        return None;
    }
    let single = view::compressions(facts).filter(|(_, step, _)| step.threads == 1);
    let used = single.filter_map(|(index, step, done)| Some((used_percent(done)?, index, step)));
    let (used, index, step): (f64, usize, &Step) = used.min_by(|a, b| a.0.total_cmp(&b.0))?;
    let template = "{step} got {last_use} of its CPU: {others} on that CPU had the rest.";
    (used <= 100.0 - LACK_PERCENT_MIN).then(|| {
        Finding::new(RULE.id, Severity::Degraded, template)
            .confidence(90)
            .with("step", Quantity::Text(view::step_name(step)))
            .with("last_use", Quantity::Percent(used))
            .with("others", Quantity::Text(view::others_words(facts).to_owned()))
            .of([index])
            .seen_by(EvidenceSource::CpuTime)
            .at(step_place(facts, index))
    })
}

/// True if all threads of a phase are known to have had a CPU to themselves.
pub(super) fn has_whole_cpu(facts: &Facts<'_>, phase: &Phase) -> bool {
    let of_phase = |(index, ..): &(usize, &Step, &Compression)| phase.steps.contains(index);
    let used = view::compressions(facts).filter(of_phase).map(|(_, _, done)| used_percent(done));
    let used: Vec<Option<f64>> = used.collect();
    used.len() == phase.steps.len() && used.iter().all(|used| used.is_some_and(|used| used >= WHOLE_PERCENT_MIN))
}

/// Mean CPU use over both halves of a run, in percent of one CPU.
fn used_percent(done: &Compression) -> Option<f64> {
    let rows = done.compressing.iter().chain(&done.decompressing);
    mean(&rows.map(|row| f64::from(row.usage_percent)).filter(|used| *used > 0.0).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use crate::test_support::{compression, compression_by_use, gauge_channel, log, with_step};
    use facts::Cause;
    use record::{AllCpus, ChannelId, CpuPercent, Record, StepMeasurement, Unit, Variant, WorkloadId};

    fn causes(record: Record) -> Vec<(Cause, Vec<String>)> {
        let of = |diagnosis: &facts::Diagnosis| {
            (diagnosis.cause, diagnosis.holds_for.iter().map(|score| score.words().to_owned()).collect())
        };
        explain::explain(record).assessment.diagnoses.iter().map(of).collect()
    }

    /// Adds three runs of four threads that used this much of the CPUs.
    fn with_multi(record: Record, usage_percent: u32) -> Record {
        [10.0, 12.0, 14.0].into_iter().fold(record, |record, start| {
            let mut run = compression_by_use(10 * usage_percent, usage_percent);
            if let StepMeasurement::Compression(done) = &mut run {
                done.benchmark_threads = Some(4);
            }
            with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], (start, start + 1.9), run)
        })
    }

    /// A task on the CPU of the thread takes its time, wherever CPUs are free.
    #[test]
    fn a_thread_that_got_half_of_its_cpu_shared_it() {
        for (used, expected) in [(51, vec![Cause::Background]), (94, vec![])] {
            let measured = compression_by_use(500, used);
            let record = with_step(log("0.9.65"), WorkloadId::SevenZip, Variant::SINGLE, &[0], (0.0, 5.0), measured);
            let found: Vec<Cause> = causes(with_multi(record, 390)).into_iter().map(|(cause, _)| cause).collect();
            assert_eq!(found, expected, "{used} %");
        }
    }

    /// One of four CPUs is busy with another program all the time: the single thread has a free CPU, those on all CPUs
    /// share.
    #[test]
    fn a_busy_thread_harms_loads_on_all_cpus_and_no_thread_with_a_whole_cpu() {
        let measured = compression_by_use(1_000, 100);
        let record = with_step(log("0.9.72"), WorkloadId::SevenZip, Variant::SINGLE, &[0], (0.0, 5.0), measured);
        let record = with_step(record, WorkloadId::OpenSsl, Variant::ONLY, &[0], (5.0, 10.0), compression(1));
        let record = with_multi(record, 350);
        let busy: Vec<i64> = (0..34).map(|row| if row < 20 { 50 } else { 99 }).collect();
        let id = ChannelId::AllCpus(AllCpus::Percent(CpuPercent::Busy));
        let found = causes(gauge_channel(record, id, Unit::Percent, &busy));
        let [(Cause::Background, scores)] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(scores, &["openssl", "7-zip on all CPUs"], "{found:?}");
    }
}
