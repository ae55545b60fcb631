//! Rule: background-activity. Other tasks used the CPUs during workloads.
//!
//! While one thread measures, all other CPUs should idle. CPU time beyond the workload's own thread and the sampling
//! costs cache, memory bandwidth and power.

mod displaced;
mod starved;

use super::place::{samples_place, step_place};
use super::{ANY_COMPUTING, Rule, cpu_quota};
use facts::stats::mean;
use facts::view::{self, CpuUse, OnlineCpus, Phase};
use facts::{EvidenceSource, Facts, Finding, Place, Quantity, Severity, Share};
use record::{ChannelId, CpuTime, RuleId, SetClock, Step, Total};
use std::cmp::Ordering;

pub(super) const RULE: Rule = Rule { loads: ANY_COMPUTING, ..Rule::new(RuleId::own("background-activity"), check) };

/// Mean use by others over a phase, in CPUs. A quiet distribution uses less than 0.02.
const MEAN_CPUS_MIN: f64 = 0.1;
/// A single sample this busy, in CPUs, is an event such as a package update.
const PEAK_CPUS_MIN: f64 = 0.25;
/// Maximum relative to the mean from which it is reported.
const PEAK_TIMES_MIN: f64 = 1.1;
/// Minimum number of such samples in a run; a single one is not reported.
const PEAKS_MIN: usize = 2;
/// Mean over a phase that invalidates its scores, if it is also a significant share of the machine.
const INVALID_CPUS: f64 = 0.5;
/// Minimum share of all CPUs for that.
const INVALID_PERCENT: f64 = 10.0;
/// A pinned thread that had to wait for its CPU this long was displaced by others.
const WAITED_PERCENT_MIN: f64 = 2.0;
/// Share of all CPUs that others took from a workload on all CPUs. Samples miss the first and last half second of a
/// step, so a smaller share is uncertain.
const TAKEN_PERCENT_MIN: f64 = 4.0;
/// Share that invalidates the score of such a workload.
const TAKEN_PERCENT_INVALID: f64 = 20.0;
/// Minimum duration of steps on all CPUs for this check.
const FULL_LOAD_MS_MIN: i64 = 10_000;
/// Minimum number of busy rows of a log, ...
const ROWS_MIN: usize = 3;
/// ... and as a share of the rows of the phase: a minute of activity affects only results of that minute.
const ROWS_SHARE_MIN: f64 = 0.3;
/// Shorter steps are too coarse for tick counters.
const STEP_MS_MIN: i64 = 1_000;

/// CPU use by other tasks in every single-threaded phase from which they ran all the time, in CPUs.
const STEADY_CPUS_MIN: f64 = 0.5;
/// Share of the CPUs from which others take memory bandwidth and caches from a thread with a CPU of its own.
const SHARED_MEMORY_SHARE_MAX: f64 = 0.25;
/// Minimum number of such phases.
const STEADY_PHASES_MIN: usize = 2;

/// CPU use by other tasks in one phase.
struct OtherTasks<'a> {
    phase: &'a Phase,
    mean_cpus: f64,
    peak_cpus: f64,
    peaks: usize,
    /// True if it lasted for a significant part of the phase.
    is_lasting: bool,
    percent: f64,
    /// True if the thread of the phase is known to have lacked no CPU time, and few others used the memory.
    has_whole_cpu: bool,
    at_peak_ms: i64,
}

impl OtherTasks<'_> {
    /// True if the scores of the phase can be lower because of the other tasks.
    fn is_harmed(&self) -> bool {
        self.mean_cpus >= MEAN_CPUS_MIN && !self.has_whole_cpu
    }
}

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let phases = &facts.phases_bound_by(RULE.loads);
    let online = OnlineCpus::of(facts);
    let mut others = of_single_threads(facts, phases);
    let steady_cpus = steady_cpus(&others);
    others.retain(|others| others.mean_cpus >= MEAN_CPUS_MIN || others.peaks > 0);
    let peaks: usize = others.iter().map(|others| others.peaks).total();
    let worst = others
        .iter()
        .max_by(|a, b| {
            (a.is_harmed(), a.mean_cpus).partial_cmp(&(b.is_harmed(), b.mean_cpus)).unwrap_or(Ordering::Equal)
        })
        .filter(|worst| worst.mean_cpus >= MEAN_CPUS_MIN || peaks >= PEAKS_MIN);
    let mut findings: Vec<Finding> = worst.map(|worst| used_by_others(facts, worst, &others)).into_iter().collect();
    findings.extend(waited_for_cpu(facts, phases));
    findings.extend(displaced::check(facts));
    findings.extend(starved::check(facts, steady_cpus));
    findings.extend(online.and_then(|online| crowded(facts, &online, phases)));
    findings
}

fn of_single_threads<'a>(facts: &Facts<'_>, phases: &'a [Phase]) -> Vec<OtherTasks<'a>> {
    let Some(online) = OnlineCpus::of(facts) else { return Vec::new() };
    let single = phases.iter().filter(|phase| phase.is_single_threaded());
    single.filter_map(|phase| others(facts, &online, phase)).collect()
}

/// Number of CPUs that other tasks kept busy in all these phases, if they never paused: then they ran beside the loads on
/// all CPUs as well, where rows show no difference.
fn steady_cpus(single: &[OtherTasks]) -> Option<f64> {
    let least = single.iter().map(|others| others.mean_cpus).reduce(f64::min)?;
    (single.len() >= STEADY_PHASES_MIN && least >= STEADY_CPUS_MIN).then_some(least)
}

/// The same for the phases of a log; `None` for own runs, which count the CPU time of others.
pub fn steady_cpus_of_others(facts: &Facts<'_>) -> Option<f64> {
    let phases = &facts.phases_bound_by(RULE.loads);
    steady_cpus(&of_single_threads(facts, phases)).filter(|_| view::is_log(facts))
}

fn others<'a>(facts: &Facts<'_>, online: &OnlineCpus, phase: &'a Phase) -> Option<OtherTasks<'a>> {
    let cpus = f64::from(view::cpu_count(facts)?);
    let own_cost = view::own_cost_percent(facts).unwrap_or(0.0);
    let uses = facts.cpu_use(&phase.window);
    // Shares refer to the CPUs that are online.
    let at = |usage: &CpuUse| f64::from(online.at(usage.at_ms));
    let excess = |usage: &CpuUse| {
        let there = at(usage);
        ((usage.busy + usage.iowait - own_cost) * there / 100.0 - 1.0).max(0.0)
    };
    // CPUs in I/O wait are unused; the workload's own thread may be the one that waits.
    let io = |usage: &CpuUse| usage.iowait * at(usage) / 100.0;
    let cpus_used: Vec<f64> = uses.iter().map(|usage| (excess(usage) - io(usage)).max(0.0)).collect();
    let busy_rows = cpus_used.iter().filter(|used| **used >= MEAN_CPUS_MIN).count();
    let peak = cpus_used.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let mean_cpus = mean(&cpus_used)?;
    Some(OtherTasks {
        phase,
        mean_cpus,
        peak_cpus: peak.1,
        peaks: cpus_used.iter().filter(|used| **used >= PEAK_CPUS_MIN).count(),
        is_lasting: busy_rows >= ROWS_MIN && busy_rows as f64 >= ROWS_SHARE_MIN * uses.len() as f64,
        percent: 100.0 * mean_cpus / cpus,
        has_whole_cpu: mean_cpus <= SHARED_MEMORY_SHARE_MAX * cpus && displaced::has_whole_cpu(facts, phase),
        at_peak_ms: uses[peak.0].at_ms,
    })
}

fn used_by_others(facts: &Facts<'_>, worst: &OtherTasks, others: &[OtherTasks]) -> Finding {
    let computing = worst.mean_cpus;
    // The monitor of the bash script uses a steady 0.1 to 0.2 CPUs itself on slow boards.
    let is_large = computing >= INVALID_CPUS && worst.percent >= INVALID_PERCENT;
    let is_lasting = !view::is_log(facts) || worst.is_lasting;
    let severity = if worst.has_whole_cpu {
        Severity::Info
    } else if is_large && is_lasting {
        Severity::Invalid
    } else if computing >= MEAN_CPUS_MIN && is_lasting && !(view::is_log(facts) && worst.peaks == 0) {
        Severity::Degraded
    } else {
        Severity::Info
    };
    let cpus = |value: f64| Quantity::Percent(100.0 * value);
    let places = others.iter().map(|other| {
        let window = other.phase.window;
        let idle = ChannelId::all_cpus(CpuTime::Idle);
        samples_place(facts, &idle, window.start_ms, window.end_ms)
    });
    // All affected phases, or else the reported one.
    let is_harmed = |other: &&OtherTasks| other.is_harmed() && (!view::is_log(facts) || other.is_lasting);
    let mut steps: Vec<usize> = others.iter().filter(is_harmed).flat_map(|other| other.phase.steps.clone()).collect();
    if steps.is_empty() {
        steps.clone_from(&worst.phase.steps);
    }
    let named = view::process_words(&view::busy_processes(facts, &steps));
    let has_peak = worst.peak_cpus >= PEAK_TIMES_MIN * worst.mean_cpus;
    let template = if computing >= 1.0 {
        "During {phase}, other tasks kept {cpus} CPUs busy on average[ and {peak_cpus} at most][: {named}]."
    } else {
        "During {phase}, other tasks used {mean} of one CPU[ on average and {peak} at most][: {named}]."
    };
    Finding::new(RULE.id, severity, template)
        .with("phase", Quantity::Text(worst.phase.name.clone()))
        .with("mean", cpus(worst.mean_cpus))
        .with_known("peak", (worst.peak_cpus - worst.mean_cpus >= 0.01).then(|| cpus(worst.peak_cpus)))
        .with("cpus", Quantity::ratio(worst.mean_cpus, 1))
        .with_known("peak_cpus", has_peak.then(|| Quantity::ratio(worst.peak_cpus, 1)))
        .with("named", Quantity::Text(named))
        .with("share", Quantity::Percent(worst.percent))
        .with("peak_at", Quantity::Ms(worst.at_peak_ms))
        .with("phases", Quantity::Count(others.len() as i64))
        .of(steps)
        .during(worst.phase.window.start_ms, worst.phase.window.end_ms)
        .seen_by(EvidenceSource::CpuTime)
        .at_all(places)
}

/// CPU time that others took from workloads on all CPUs: all busy time without the CPU time
/// that the kernel charged to the workload itself.
fn crowded(facts: &Facts<'_>, online: &OnlineCpus, phases: &[Phase]) -> Option<Finding> {
    let cpus = view::cpu_count(facts)?;
    if cpu_quota::throttled_time(facts).is_some() {
        return None;
    }
    let taken = steps_of(facts, phases).filter_map(|(index, step)| {
        let elapsed_ms = step.window.elapsed_ms();
        if view::busy_cpus_expected(step) < cpus || elapsed_ms < FULL_LOAD_MS_MIN {
            return None;
        }
        Some((100.0 * view::cpus_of_others(facts, online, step)? / online.mean(step.window), index))
    });
    let (percent, index) = taken.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let share = Share::percent(percent)?;
    let severity = match percent {
        percent if percent >= TAKEN_PERCENT_INVALID => Severity::Invalid,
        percent if percent >= TAKEN_PERCENT_MIN => Severity::Degraded,
        _ => return None,
    };
    let step = &facts.steps[index];
    let named = view::process_words(&view::busy_processes(facts, &[index]));
    let template = "Other tasks used {share} of all CPU time during {step} (run {run})[: {named}].";
    Some(
        Finding::new(RULE.id, severity, template)
            .confidence(85)
            .with("named", Quantity::Text(named))
            .with("share", Quantity::Share(share))
            .with("step", Quantity::Text(view::step_name(step)))
            .with("run", Quantity::Count(i64::from(step.repetition) + 1))
            .of([index])
            .seen_by(EvidenceSource::CpuTime)
            .at(step_place(facts, index)),
    )
}

fn steps_of<'a>(facts: &'a Facts<'a>, phases: &'a [Phase]) -> impl Iterator<Item = (usize, &'a Step)> {
    let indices = phases.iter().flat_map(|phase| &phase.steps);
    indices.map(|index| (*index, &facts.steps[*index]))
}

/// Threads that were runnable but waited for their CPU. A quota causes such waits, too. The counter is the sum over all
/// threads of a program, which also wait for each other, so the CPU time of the step limits it.
fn waited_for_cpu(facts: &Facts<'_>, phases: &[Phase]) -> Option<Finding> {
    if cpu_quota::throttled_time(facts).is_some() {
        return None;
    }
    let waited = steps_of(facts, phases).filter_map(|(index, step)| {
        if matches!(step.set_clock, Some(SetClock::SharePercent(_))) {
            return None;
        }
        let elapsed_ms = step.window.elapsed_ms();
        let elapsed_ns = elapsed_ms as f64 * 1e6;
        let without_ns = view::cpu_ns(step).map_or(f64::MAX, |own| (elapsed_ns - own).max(0.0));
        let waited_ns = view::waited_ns(step)?.min(without_ns);
        let is_alone = step.threads == 1 && step.cpus.len() == 1 && elapsed_ms >= STEP_MS_MIN;
        let share = is_alone.then(|| Share::of(waited_ns, elapsed_ns))?;
        Some((share?, index))
    });
    let (share, index) = waited.max_by(|a, b| a.0.as_percent().total_cmp(&b.0.as_percent()))?;
    (share.as_percent() >= WAITED_PERCENT_MIN).then(|| {
        // The program on this CPU is unknown.
        let named = view::process_words(&view::busy_processes(facts, &[index]));
        let template = "{step} was preempted for {share} of its time by other tasks on its CPU.[ Busy on any CPU at \
                        that time: {named}.]";
        Finding::new(RULE.id, Severity::Degraded, template)
            .with("named", Quantity::Text(named))
            .with("step", Quantity::Text(view::step_name(&facts.steps[index])))
            .with("share", Quantity::Share(share))
            .of([index])
            .seen_by(EvidenceSource::CpuTime)
            .at(step_place(facts, index))
            .at(Place::Field(format!("steps[{index}].counters.run_delay_ns")))
    })
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{compression, counter, gauge_channel, log, own_run, with_message, with_step};
    use crate::tests::{findings_of, sentences};
    use facts::Severity;
    use record::{AllCpus, BusyProcess, ChannelId, CpuPercent, CpuTime, Fact, Record, Unit, Variant, WorkloadId};

    /// Ten seconds of one thread on four CPUs, with this many ticks per second of other tasks.
    fn run(others: i64) -> Record {
        let record = with_step(own_run(), WorkloadId::MemoryLatency, Variant::ONLY, &[0], (0.0, 10.0), compression(1));
        let per_half_second = |ticks: i64| (0..=20).map(|row| row * ticks).collect::<Vec<_>>();
        let user = per_half_second(50 + others / 2);
        let idle = per_half_second(150 - others / 2);
        let record = counter(record, ChannelId::all_cpus(CpuTime::User), Unit::Ticks, &user);
        counter(record, ChannelId::all_cpus(CpuTime::Idle), Unit::Ticks, &idle)
    }

    #[test]
    fn workload_is_not_background() {
        assert_eq!(sentences(RULE.id, &run(0)), [""; 0]);
        assert_eq!(sentences(RULE.id, &run(4)), [""; 0]);
    }

    #[test]
    fn other_tasks_are_named_and_judged_by_size() {
        let found = findings_of(RULE.id, &run(20));
        assert_eq!(found[0].severity, Severity::Degraded);
        assert_eq!(found[0].sentence(), "During memory latency, other tasks used 20 % of one CPU.");
        assert_eq!(findings_of(RULE.id, &run(100))[0].severity, Severity::Invalid);
    }

    #[test]
    fn busy_processes_are_named_where_the_run_saw_them() {
        let mut record = run(20);
        record.steps[0].busiest = vec![BusyProcess { pid: 412, name: "apt".into(), hundredths_percent: 1_950 }];
        assert_eq!(
            findings_of(RULE.id, &record)[0].sentence(),
            "During memory latency, other tasks used 20 % of one CPU: apt (PID 412, 20 % of \
             one CPU)."
        );
    }

    #[test]
    fn more_than_a_cpu_is_told_in_cpus() {
        assert_eq!(
            findings_of(RULE.id, &run(150))[0].sentence(),
            "During memory latency, other tasks kept 1.5 CPUs busy on average."
        );
    }

    #[test]
    fn average_since_boot_in_a_log_does_not_count() {
        for (rows, expected) in [([80, 25, 25, 25], 0), ([25, 40, 40, 25], 1)] {
            let record = with_step(log("0.9.72"), WorkloadId::OpenSsl, Variant::ONLY, &[0], (0.0, 2.0), compression(1));
            let record =
                gauge_channel(record, ChannelId::AllCpus(AllCpus::Percent(CpuPercent::Busy)), Unit::Percent, &rows);
            assert_eq!(findings_of(RULE.id, &record).len(), expected);
        }
    }

    /// A burst of a few seconds is not reported as the loss of a phase of minutes.
    #[test]
    fn a_short_burst_in_a_log_harms_nothing() {
        for (rows, expected) in [
            ([0, 25, 25, 60, 60, 25, 25, 25, 25, 25], Severity::Info),
            ([0, 25, 40, 40, 40, 40, 25, 25, 25, 25], Severity::Degraded),
        ] {
            let record = with_step(log("0.9.72"), WorkloadId::OpenSsl, Variant::ONLY, &[0], (0.0, 5.0), compression(1));
            let record =
                gauge_channel(record, ChannelId::AllCpus(AllCpus::Percent(CpuPercent::Busy)), Unit::Percent, &rows);
            assert_eq!(findings_of(RULE.id, &record)[0].severity, expected, "{rows:?}");
        }
    }

    /// Half of two CPUs is one CPU, which the workload uses.
    #[test]
    fn shares_are_of_the_cpus_that_are_there() {
        let check = |expected: usize, messages: &[&str]| {
            let record = with_step(log("0.9.8"), WorkloadId::OpenSsl, Variant::ONLY, &[0], (1.0, 5.0), compression(1));
            let record =
                gauge_channel(record, ChannelId::AllCpus(AllCpus::Percent(CpuPercent::Busy)), Unit::Percent, &[50; 10]);
            let record = messages.iter().fold(record, |record, message| with_message(record, message));
            assert_eq!(findings_of(RULE.id, &record).len(), expected, "{messages:?}");
        };
        check(1, &[]);
        check(0, &["CPU2: shutdown", "CPU3: shutdown"]);
    }

    #[test]
    fn lost_cpu_time_under_full_load() {
        for (own_s, expected) in [(79.0, None), (74.0, Some(Severity::Degraded))] {
            let all = with_step(own_run(), WorkloadId::SevenZip, Variant::MULTI, &[], (0.0, 20.0), compression(1));
            let ticks: Vec<i64> = (0..=40).map(|row| row * 200).collect();
            let mut record = counter(all, ChannelId::all_cpus(CpuTime::User), Unit::Ticks, &ticks);
            record = counter(record, ChannelId::all_cpus(CpuTime::Idle), Unit::Ticks, &[0; 41]);
            record.steps[0].counters.user_ms = Fact::Known((own_s * 1000.0) as u64);
            record.steps[0].counters.system_ms = Fact::Known(0);
            let found = findings_of(RULE.id, &record);
            assert_eq!(found.first().map(|finding| finding.severity), expected);
        }
    }

    /// 7-zip threads that share one CPU wait for each other, not for other tasks.
    #[test]
    fn waiting_threads_are_not_preempted() {
        for (own_s, expected) in [(Some(9.9), 0), (Some(9.0), 1), (None, 0)] {
            let mut record = run(0);
            let counters = &mut record.steps[0].counters;
            counters.run_delay_ns = Fact::Known(13_500_000_000);
            if let Some(own_s) = own_s {
                counters.task_clock_ns = Fact::Known((own_s * 1e9) as u64);
            }
            let found = sentences(RULE.id, &record);
            assert_eq!(found.len(), expected, "{own_s:?}: {found:?}");
            assert!(found.iter().all(|sentence| sentence.contains(" 10 % ")), "{found:?}");
        }
    }

    #[test]
    fn preemption_is_reported() {
        let mut record = run(0);
        record.steps[0].counters.run_delay_ns = Fact::Known(500_000_000);
        assert_eq!(
            sentences(RULE.id, &record),
            ["memory latency was preempted for 5.0 % of its time by other tasks on its CPU."]
        );
    }
}
