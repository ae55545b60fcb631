//! Loss of CPU time to a quota, to the host of a virtual machine, or to other programs.

use super::loss::Loss;
use super::score::{Run, Score};
use super::waiting;
use facts::stats::mean;
use facts::view::{self, TimePart, cpu_ns, cpus_of_others, waited_ns};
use facts::{Cause, EvidenceSource, Facts, Method};
use record::{ChannelId, ControlGroupChannel, Total, WorkBound};
use rules::cpu_quota::throttled_time;
use rules::steady_cpus_of_others;

/// Loss of a score by CPU time that a cause used, if it was counted.
pub(super) fn loss(facts: &Facts<'_>, score: &Score<'_>, cause: Cause) -> Option<Loss> {
    let taken: Vec<f64> = score
        .runs
        .iter()
        .filter_map(|run| match cause {
            Cause::CpuQuota => withheld(facts, score, run),
            Cause::StolenTime => stolen(facts, score, run),
            Cause::Stopped => stopped(facts, run),
            _ => used_by_others(facts, score, run),
        })
        .collect();
    let by = if cause == Cause::CpuQuota { EvidenceSource::Pressure(QUOTA) } else { EvidenceSource::CpuTime };
    Some(Loss::of_share(1.0 - mean(&taken)?.clamp(0.0, 1.0), Method::CpuTime, by))
}

/// Loss of a score on all CPUs of a log to tasks that ran all the time: the scheduler gives all threads an equal share.
pub(super) fn loss_by_sharing(facts: &Facts<'_>, score: &Score<'_>) -> Option<Loss> {
    let threads = f64::from(score.busy_cpus);
    let others = steady_cpus_of_others(facts).filter(|_| score.is_on_all(facts))?;
    Some(Loss::of_share(threads / (threads + others), Method::CpuTime, EvidenceSource::CpuTime))
}

const QUOTA: ChannelId = ChannelId::ControlGroup(ControlGroupChannel::ThrottledTime);

/// Fraction of CPU time withheld by a quota.
fn withheld(facts: &Facts<'_>, score: &Score<'_>, run: &Run<'_>) -> Option<f64> {
    let channel = facts.samples.channel(&QUOTA)?;
    let steps = view::counter_steps(facts, channel, run.window);
    let elapsed_ms: i64 = steps.last()?.at_ms - run.window.start_ms;
    let throttled_ns: f64 = steps.iter().map(|step| step.value as f64).total();
    let elapsed_ns = elapsed_ms.max(1) as f64 * 1e6;
    let all_ns = elapsed_ns * f64::from(score.busy_cpus);
    // Threads that wait for each other request less than the whole time.
    let wanted_ns = cpu_ns(run.step).map(|own_ns| own_ns + throttled_ns).filter(|wanted_ns| *wanted_ns < all_ns);
    Some(throttled_ns / wanted_ns.unwrap_or(all_ns))
}

/// Fraction of CPU time used by other guests. Rows of logs show no less than a few percent of it.
fn stolen(facts: &Facts<'_>, score: &Score<'_>, run: &Run<'_>) -> Option<f64> {
    let online = score.online.as_ref()?;
    let uses = facts.cpu_use(&run.window);
    let steal = uses.iter().map(|usage| usage.steal / 100.0 * f64::from(online.at(usage.at_ms)));
    let share = mean(&steal.collect::<Vec<_>>())? / score.cpus_there(run);
    (share > 0.0 || !view::is_log(facts)).then_some(share)
}

/// Share of its CPU time during which it was stopped.
fn stopped(facts: &Facts<'_>, run: &Run<'_>) -> Option<f64> {
    let time = view::step_time(facts, run.step)?;
    Some(time.part_ms(TimePart::Stopped) / time.available_ms)
}

/// Fraction of CPU time used by other programs: busy time without that of the step and of the sampling. A single
/// thread, and a program of unknown demand, lost the time that it waited for a CPU. A quota makes this
/// indistinguishable.
fn used_by_others(facts: &Facts<'_>, score: &Score<'_>, run: &Run<'_>) -> Option<f64> {
    if throttled_time(facts).is_some() {
        return None;
    }
    let elapsed_ns = run.window.elapsed_ms().max(1) as f64 * 1e6;
    let own_ns = cpu_ns(run.step)?;
    if score.busy_cpus == 1 {
        let waited_ns = waited_ns(run.step)?;
        return Some(waited_ns.min((elapsed_ns - own_ns).max(0.0)) / elapsed_ns);
    }
    let is_unknown = WorkBound::of(&run.step.workload, &run.step.variant) == WorkBound::Unknown;
    if is_unknown && let Some(waited_ns) = waited_ns(run.step) {
        return Some(waited_ns / (elapsed_ns * f64::from(score.busy_cpus)));
    }
    let there = score.cpus_there(run);
    let others = cpus_of_others(facts, score.online.as_ref()?, run.step)? / there;
    // Other programs may have used time that the threads spent waiting for each other. Threads beyond the number of
    // CPUs wait for each other as well.
    let alone = there / f64::from(score.busy_cpus);
    let displaced = waited_ns(run.step).map(|waited_ns| (1.0 - own_ns / (waited_ns + own_ns) / alone).max(0.0));
    let by_use = || Some(1.0 - waiting::kept_by_use(score, run, waiting::DECOMPRESSING_PERCENT)?);
    Some(displaced.or_else(by_use).map_or(others, |displaced| others.min(displaced)))
}

#[cfg(test)]
mod tests {
    use crate::test_support::{counter, own_run, with_step};
    use record::{
        ChannelId, CpuTime, Fact, Gate, MeasuredChannel, Record, Score, Scores, StepMeasurement, Unit, Variant,
        WorkloadId,
    };

    /// Record of a command that ran for ten seconds on a busy machine.
    fn command(own_s: f64, waited_s: f64) -> Record {
        let row = Score { name: String::new(), value: 10.0, unit: "s".into(), higher_is_better: false };
        let measured = StepMeasurement::Scores(Scores { rows: vec![row], ..Scores::default() });
        let mut record = with_step(own_run(), "made-up", Variant::own("made-up"), &[], (0.0, 10.0), measured);
        let cpus = record.machine.cpus.len() as i64;
        record = counter(record, ChannelId::all_cpus(CpuTime::User), Unit::Ticks, &[0, 500 * cpus, 1000 * cpus]);
        record = counter(record, ChannelId::all_cpus(CpuTime::Idle), Unit::Ticks, &[0; 3]);
        record.steps[0].threads = 0;
        let counters = &mut record.steps[0].counters;
        counters.task_clock_ns = Fact::Known((own_s * 1e9) as u64);
        counters.run_delay_ns = Fact::Known((waited_s * 1e9) as u64);
        counters.user_ms = Fact::Known((own_s * 1e3) as u64);
        counters.system_ms = Fact::Known(0);
        let gate = Gate { forced: true, passed: false, busy_hundredths_percent: 9_900, ..Gate::default() };
        record.gate = Fact::Known(gate);
        record
    }

    #[test]
    fn a_command_loses_to_others_no_more_than_it_waited() {
        for (own_s, waited_s, lost) in [(0.001, 0.005, 0.0), (2.0, 3.0, 30.0), (2.0, 8.0, 80.0), (5.0, 15.0, 75.0)] {
            let record = command(own_s, waited_s);
            let explained = crate::diagnosis::explain(&record);
            let taken: f64 =
                explained.assessment.ledgers.iter().map(|ledger| ledger.lost().as_percent()).fold(0.0, f64::max);
            assert!(
                (taken - lost).abs() < 0.6,
                "{own_s} s of CPU time, {waited_s} s waited: {taken} % instead of {lost} %"
            );
        }
    }

    #[test]
    fn a_program_that_stood_still_lost_that_time() {
        let measured = crate::test_support::compression(1000);
        let mut record = with_step(own_run(), WorkloadId::SevenZip, Variant::SINGLE, &[0], (0.0, 10.0), measured);
        let counters = &mut record.steps[0].counters;
        counters.user_ms = Fact::Known(7_400);
        counters.system_ms = Fact::Known(0);
        counters.run_delay_ns = Fact::Known(0);
        let ran: Vec<i64> =
            (0..=20).map(|row: i64| if row < 10 { row } else { (row - 5).max(9) } * 500_000_000).collect();
        record = counter(record, ChannelId::MeasuredThreads(MeasuredChannel::Cpu), Unit::Nanoseconds, &ran);
        record = counter(record, ChannelId::MeasuredThreads(MeasuredChannel::RunDelay), Unit::Nanoseconds, &[0; 21]);
        let explained = crate::diagnosis::explain(&record);
        let ledgers = &explained.assessment.ledgers;
        let lost = ledgers.iter().map(|ledger| ledger.lost().as_percent()).fold(0.0, f64::max);
        assert!((lost - 25.0).abs() < 0.6, "{lost} %");
    }
}
