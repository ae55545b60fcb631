//! CPU time of a step by what became of it. The parts add up to its duration times the CPUs that it could use.
//!
//! Each part is limited to what the parts before it leave: counters of the step are exact, those of the machine include
//! other programs.

use super::cpu_use::CpuUse;
use super::online::OnlineCpus;
use super::others::{cpu_ns, cpus_of_others, waited_ns};
use super::phases::busy_cpus_expected;
use super::samples::{counter_steps, counter_total, gauge, is_log};
use crate::Facts;
use crate::stats::mean;
use record::{
    ChannelId, ControlGroupChannel, MeasuredChannel, Outcome, Resource, StallKind, Step, StepMeasurement, Total, Window,
};

/// Use of CPU time by a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimePart {
    /// Ran in user mode.
    User,
    /// Ran in the kernel.
    System,
    /// The hypervisor ran another guest.
    Stolen,
    /// A quota of the control group withheld the CPU.
    Quota,
    /// Waited for a CPU that ran another task.
    OtherTasks,
    /// Waited for memory (reclaim, swap).
    Memory,
    /// Waited for storage.
    Storage,
    /// Neither ran nor waited for a resource that the kernel counts: stopped or frozen.
    Stopped,
    /// Waited for its own threads.
    OwnThreads,
    /// Not explained by any counter.
    Unknown,
}

impl TimePart {
    /// Name of the part among the values of a finding.
    pub fn key(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::System => "system",
            Self::Stolen => "stolen",
            Self::Quota => "quota",
            Self::OtherTasks => "other_tasks",
            Self::Memory => "memory",
            Self::Storage => "storage",
            Self::Stopped => "stopped",
            Self::OwnThreads => "own_threads",
            Self::Unknown => "unknown",
        }
    }

    /// The part in a sentence, after its duration.
    pub fn words(self) -> &'static str {
        match self {
            Self::User => "in user mode",
            Self::System => "in the kernel",
            Self::Stolen => "stolen by the hypervisor",
            Self::Quota => "withheld by the quota",
            Self::OtherTasks => "waiting for a CPU",
            Self::Memory => "waiting for memory",
            Self::Storage => "waiting for storage",
            Self::Stopped => "stopped or frozen",
            Self::OwnThreads => "waiting for its own threads",
            Self::Unknown => "unknown",
        }
    }

    /// True if the step lost this time to something outside of it.
    pub fn is_loss(self) -> bool {
        !matches!(self, Self::User | Self::System | Self::OwnThreads | Self::Unknown)
    }
}

/// CPU time of a step by what became of it.
#[derive(Debug, Clone, PartialEq)]
pub struct StepTime {
    /// Duration times the CPUs that the step could use, in milliseconds.
    pub available_ms: f64,
    /// Parts above zero in milliseconds; their sum is `available_ms`.
    pub parts: Vec<(TimePart, f64)>,
}

impl StepTime {
    fn left_ms(&self) -> f64 {
        (self.available_ms - self.parts.iter().map(|(_, ms)| *ms).total::<f64>()).max(0.0)
    }

    fn add(&mut self, part: TimePart, ms: f64) {
        let ms = ms.min(self.left_ms());
        if ms > 0.0 {
            self.parts.push((part, ms));
        }
    }

    /// One part in milliseconds.
    pub fn part_ms(&self, part: TimePart) -> f64 {
        self.parts.iter().filter(|(known, _)| *known == part).map(|(_, ms)| *ms).total()
    }

    /// Time lost to something outside of the step, in milliseconds.
    pub fn lost_ms(&self) -> f64 {
        self.parts.iter().filter(|(part, _)| part.is_loss()).map(|(_, ms)| *ms).total()
    }
}

/// CPU time of a step by part; `None` if the time that it ran is unknown.
pub fn step_time(facts: &Facts<'_>, step: &Step) -> Option<StepTime> {
    let online = OnlineCpus::of(facts)?;
    let elapsed_ms = step.window.elapsed_ms() as f64;
    let cpus = f64::from(busy_cpus_expected(step)).min(online.mean(step.window));
    let mut time = StepTime { available_ms: elapsed_ms * cpus, parts: Vec::new() };
    if elapsed_ms <= 0.0 {
        return None;
    }
    let uses = facts.cpu_use(&step.window);
    // Milliseconds of all CPUs together.
    let of_machine = |share: fn(&CpuUse) -> f64| {
        let cpus: Vec<f64> =
            uses.iter().map(|usage| share(usage) / 100.0 * f64::from(online.at(usage.at_ms))).collect();
        mean(&cpus).map_or(0.0, |cpus| (cpus * elapsed_ms).max(0.0))
    };
    if is_log(facts) {
        let own_ms = usage_percent(step)? / 100.0 * elapsed_ms;
        let (user_ms, system_ms) = (of_machine(|usage| usage.user), of_machine(|usage| usage.system + usage.irq));
        let ran_ms = (user_ms + system_ms).max(f64::MIN_POSITIVE);
        time.add(TimePart::User, own_ms * user_ms / ran_ms);
        time.add(TimePart::System, own_ms * system_ms / ran_ms);
        time.add(TimePart::OtherTasks, of_machine(|usage| usage.busy) - own_ms);
    } else {
        add_counted(facts, &online, step, cpus, &mut time)?;
    }
    let is_threaded = cpus > 1.0;
    time.add(TimePart::Storage, if is_threaded { of_machine(|usage| usage.iowait) } else { 0.0 });
    for (part, ms) in standstills(facts, step.window) {
        time.add(part, ms * cpus);
    }
    let idle_ms = of_machine(|usage| 100.0 - usage.busy - usage.iowait - usage.steal);
    time.add(TimePart::OwnThreads, if is_threaded { idle_ms } else { 0.0 });
    time.add(TimePart::Unknown, time.left_ms());
    Some(time)
}

/// Adds the counters of the step, of its control group and of the machine.
fn add_counted(facts: &Facts<'_>, online: &OnlineCpus, step: &Step, cpus: f64, time: &mut StepTime) -> Option<()> {
    let elapsed_ms = step.window.elapsed_ms() as f64;
    let ran_ms = cpu_ns(step)? / 1e6;
    let system_ms = step.counters.system_ms.known().map_or(0.0, |ms| *ms as f64).min(ran_ms);
    time.add(TimePart::User, ran_ms - system_ms);
    time.add(TimePart::System, system_ms);
    let uses = facts.cpu_use(&step.window);
    let stolen: Vec<f64> = uses.iter().map(|usage| usage.steal / 100.0 * f64::from(online.at(usage.at_ms))).collect();
    time.add(TimePart::Stolen, mean(&stolen).unwrap_or(0.0) * elapsed_ms);
    let growth = |id: ChannelId| {
        let channel = facts.samples.channel(&id)?;
        counter_total(facts, channel, step.window).map(|value| value as f64)
    };
    let quota_ms = growth(ChannelId::ControlGroup(ControlGroupChannel::ThrottledTime)).unwrap_or(0.0) / 1e6;
    time.add(TimePart::Quota, quota_ms);
    // Threads that share CPUs wait for each other as well, and so does a group without quota left.
    let waited_ms = (waited_ns(step).unwrap_or(0.0) / 1e6 - quota_ms).max(0.0);
    let others_ms = cpus_of_others(facts, online, step).map(|cpus| cpus * elapsed_ms);
    let is_alone = step.threads == 1;
    time.add(TimePart::OtherTasks, if is_alone { waited_ms } else { waited_ms.min(others_ms.unwrap_or(0.0)) });
    // In microseconds during which every task of the machine was stalled. Swapping waits for storage, too.
    let stalled_ms = |of| growth(ChannelId::Pressure(of, StallKind::Full)).map_or(0.0, |us| us / 1e3 * cpus);
    let memory_ms = stalled_ms(Resource::Memory);
    time.add(TimePart::Memory, memory_ms);
    time.add(TimePart::Storage, stalled_ms(Resource::Io) - memory_ms);
    Some(())
}

fn usage_percent(step: &Step) -> Option<f64> {
    let Outcome::Done(StepMeasurement::Compression(done)) = &step.outcome else { return None };
    let rows = done.compressing.iter().chain(&done.decompressing);
    let used: Vec<f64> = rows.map(|row| f64::from(row.usage_percent)).filter(|used| *used > 0.0).collect();
    mean(&used)
}

/// Shortest standstill that counts: threads that end between two readings lose up to a second of their time.
const STANDSTILL_MS_MIN: i64 = 1_800;
/// Share of an interval below which a thread stands still.
const STANDSTILL_SHARE: f64 = 0.1;

/// Intervals in which the measured threads neither ran nor waited for a CPU, in milliseconds, each by what some task of
/// the machine waited for meanwhile.
fn standstills(facts: &Facts<'_>, window: Window) -> Vec<(TimePart, f64)> {
    let samples = &facts.samples;
    let measured = |of| samples.channel(&ChannelId::MeasuredThreads(of));
    let (Some(cpu), Some(delay)) = (measured(MeasuredChannel::Cpu), measured(MeasuredChannel::RunDelay)) else {
        return Vec::new();
    };
    let rows: Vec<(i64, i64)> = gauge(facts, cpu, window)
        .iter()
        .filter_map(|reading| {
            let waited = delay.values.get(reading.row).copied().flatten()?;
            Some((reading.at_ms, reading.value.saturating_add(waited)))
        })
        .collect();
    let mut spans: Vec<Window> = Vec::new();
    for pair in rows.windows(2) {
        let [(from_ms, before), (to_ms, after)] = [pair[0], pair[1]];
        let moved_ms = after.saturating_sub(before) as f64 / 1e6;
        if moved_ms >= STANDSTILL_SHARE * to_ms.saturating_sub(from_ms) as f64 {
            continue;
        }
        match spans.last_mut().filter(|span| span.end_ms == from_ms) {
            Some(span) => span.end_ms = to_ms,
            None => spans.push(Window { start_ms: from_ms, end_ms: to_ms, ..Window::default() }),
        }
    }
    spans.retain(|span| span.elapsed_ms() >= STANDSTILL_MS_MIN);
    let part_of = |span: &Window| {
        let is_stalled = |of| {
            let channel = samples.channel(&ChannelId::Pressure(of, StallKind::Some));
            let us = channel.map_or(0, |channel| counter_steps(facts, channel, *span).iter().map(|s| s.value).total());
            us as f64 / 1e3 >= span.elapsed_ms() as f64 / 2.0
        };
        match (is_stalled(Resource::Memory), is_stalled(Resource::Io)) {
            (true, _) => TimePart::Memory,
            (false, true) => TimePart::Storage,
            (false, false) => TimePart::Stopped,
        }
    };
    spans.iter().map(|span| (part_of(span), span.elapsed_ms() as f64)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{compression, counter, own_run, with_step};
    use record::{CpuTime, Fact, Record, Unit, Variant, WorkloadId};

    const CPU: ChannelId = ChannelId::MeasuredThreads(MeasuredChannel::Cpu);
    const DELAY: ChannelId = ChannelId::MeasuredThreads(MeasuredChannel::RunDelay);
    const QUOTA: ChannelId = ChannelId::ControlGroup(ControlGroupChannel::ThrottledTime);
    const IO: ChannelId = ChannelId::Pressure(Resource::Io, StallKind::Some);
    const MEMORY: ChannelId = ChannelId::Pressure(Resource::Memory, StallKind::Full);

    /// Ten seconds of one thread, with its CPU time and its time in the queue in milliseconds.
    fn run(cpu_ms: u64, delay_ms: u64) -> Record {
        let mut record = with_step(own_run(), WorkloadId::SevenZip, Variant::SINGLE, &[0], (0.0, 10.0), compression(1));
        let counters = &mut record.steps[0].counters;
        counters.user_ms = Fact::Known(cpu_ms - 100);
        counters.system_ms = Fact::Known(100);
        counters.run_delay_ns = Fact::Known(delay_ms * 1_000_000);
        record
    }

    /// A counter that grows evenly to `total` within ten seconds, but not between these rows.
    fn grown(record: Record, id: ChannelId, unit: Unit, total: i64, still: std::ops::Range<i64>) -> Record {
        let mut value = 0;
        let rows = (0..=20).map(|row| {
            value += if row == 0 || still.contains(&row) { 0 } else { total / (20 - (still.end - still.start)) };
            value
        });
        counter(record, id, unit, &rows.collect::<Vec<_>>())
    }

    #[test]
    fn parts_add_up_and_name_what_took_the_time() {
        let still = |record, range| {
            let record = grown(record, CPU, Unit::Nanoseconds, 8_000_000_000, range);
            grown(record, DELAY, Unit::Nanoseconds, 0, 0..0)
        };
        let pressed = |record, id| grown(record, id, Unit::Microseconds, 2_000_000, 0..0);
        let cases: Vec<(Record, &[(TimePart, f64)])> = vec![
            (run(9_900, 100), &[(TimePart::OtherTasks, 100.0)]),
            (run(8_000, 0), &[(TimePart::Unknown, 2_000.0)]),
            (run(8_000, 1_500), &[(TimePart::OtherTasks, 1_500.0), (TimePart::Unknown, 500.0)]),
            (run(12_000, 9_000), &[]),
            (still(run(8_000, 0), 5..9), &[(TimePart::Stopped, 2_000.0)]),
            (still(run(8_000, 0), 5..7), &[(TimePart::Unknown, 2_000.0)]),
            (
                grown(still(run(8_000, 0), 5..9), IO, Unit::Microseconds, 10_000_000, 0..0),
                &[(TimePart::Storage, 2_000.0)],
            ),
            (pressed(run(7_000, 0), MEMORY), &[(TimePart::Memory, 2_000.0), (TimePart::Unknown, 1_000.0)]),
            (grown(run(7_000, 3_000), QUOTA, Unit::Nanoseconds, 3_000_000_000, 0..0), &[(TimePart::Quota, 3_000.0)]),
        ];
        for (index, (record, expected)) in cases.iter().enumerate() {
            let time = step_time(&Facts::of(record), &record.steps[0]).unwrap();
            let sum: f64 = time.parts.iter().map(|(_, ms)| *ms).total();
            assert!((sum - time.available_ms).abs() < 1e-6, "{index}: {time:?}");
            let others = time.parts.iter().filter(|(part, _)| !matches!(part, TimePart::User | TimePart::System));
            assert_eq!(others.copied().collect::<Vec<_>>(), *expected, "{index}: {time:?}");
        }
    }

    #[test]
    fn threads_wait_for_each_other_and_guests_for_their_host() {
        let mut record = with_step(own_run(), WorkloadId::SevenZip, Variant::MULTI, &[], (0.0, 10.0), compression(1));
        record.steps[0].threads = 4;
        record.steps[0].counters.user_ms = Fact::Known(30_000);
        record.steps[0].counters.system_ms = Fact::Known(0);
        let record = grown(record, ChannelId::all_cpus(CpuTime::User), Unit::Ticks, 3_000, 0..0);
        let record = grown(record, ChannelId::all_cpus(CpuTime::Idle), Unit::Ticks, 600, 0..0);
        let record = grown(record, ChannelId::all_cpus(CpuTime::Steal), Unit::Ticks, 400, 0..0);
        let time = step_time(&Facts::of(&record), &record.steps[0]).unwrap();
        let seconds = |part| (time.part_ms(part) / 1000.0).round();
        assert_eq!(
            [TimePart::User, TimePart::Stolen, TimePart::OwnThreads, TimePart::Unknown].map(seconds),
            [30.0, 4.0, 6.0, 0.0]
        );
        assert_eq!(time.lost_ms().round(), 4_000.0);
    }
}
