//! CPU use over a window, from tick counters of own runs or printed percentages of logs.

use super::governors::is_other_governor;
use super::guest::is_guest;
use super::samples::{counter_steps, gauge, is_log};
use crate::Facts;
use crate::stats::mean;
use record::{AllCpus, ChannelId, ControlGroupChannel, CpuPercent, CpuTime, LogMonitorChannel, Record, Total, Window};

/// Use of all CPUs together over one interval, in percent of those online.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CpuUse {
    /// End of the interval.
    pub at_ms: i64,
    /// Everything but idle, waiting for I/O and stolen time.
    pub busy: f64,
    /// User mode, niced included.
    pub user: f64,
    /// Kernel mode without interrupts.
    pub system: f64,
    /// Idle with a task waiting for I/O.
    pub iowait: f64,
    /// Interrupts, including soft interrupts.
    pub irq: f64,
    /// Taken by the hypervisor. Logs have no column for it, but count it in the total.
    pub steal: f64,
}

/// Shortest interval that is evaluated. Ticks are 10 ms: half a second of one CPU has a resolution of 2 %, too coarse
/// for thresholds of a few percent.
const INTERVAL_MS: i64 = 1_000;

/// CPU use within a window, interval by interval.
pub(crate) fn cpu_use(record: &Record, window: Window) -> Vec<CpuUse> {
    let idle = ChannelId::all_cpus(CpuTime::Idle);
    if record.samples.channel(&idle).is_some() { from_ticks(record, window) } else { from_percentages(record, window) }
}

/// Mean CPU time that was not idle during these steps, in percent of all CPUs.
pub fn mean_busy_percent(facts: &Facts<'_>, steps: &[usize]) -> Option<f64> {
    mean_of_steps(facts, steps, |usage| usage.busy)
}

/// Mean steal time during these steps, in percent of all CPUs.
pub fn mean_steal_percent(facts: &Facts<'_>, steps: &[usize]) -> Option<f64> {
    mean_of_steps(facts, steps, |usage| usage.steal)
}

fn mean_of_steps(facts: &Facts<'_>, steps: &[usize], value: fn(&CpuUse) -> f64) -> Option<f64> {
    let windows = steps.iter().filter_map(|step| facts.steps.get(*step)).map(|step| step.window);
    mean(&windows.flat_map(|window| facts.cpu_use(&window)).map(|usage| value(&usage)).collect::<Vec<_>>())
}

/// CPU time that was not idle, in percent of all CPUs, for every row of the samples; `None` where unknown. A single row
/// only separates load from idling.
pub(crate) fn busy_percent_at(record: &Record) -> Vec<Option<f64>> {
    percent_without(record, &[CpuTime::IDLE, CpuTime::IOWAIT])
}

/// CPU time without these kinds, in percent of all CPUs, for every row.
fn percent_without(record: &Record, kinds: &[usize]) -> Vec<Option<f64>> {
    let samples = &record.samples;
    if let Some(busy) = samples.channel(&percent(CpuPercent::Busy)) {
        return busy.values.iter().map(|busy| busy.map(|busy| busy as f64)).collect();
    }
    let mut found = vec![None; samples.at_ms.len()];
    let growth = ticks_by_row(record, super::whole_run());
    for (busy, ticks) in found.iter_mut().zip(&growth) {
        let total: i64 = ticks.iter().total();
        let without: i64 = kinds.iter().map(|kind| ticks[*kind]).total();
        *busy = (total > 0).then(|| 100.0 * (total - without) as f64 / total as f64);
    }
    found
}

/// Busy time plus I/O wait and time withheld by a quota. The governor `performance` keeps the clock of a waiting CPU,
/// so its clock readings count as readings under load.
pub(crate) fn loaded_percent_at(facts: &Facts<'_>) -> Vec<Option<f64>> {
    if is_log(facts) || is_other_governor(facts) {
        return facts.busy_percent_at().clone();
    }
    let mut found = percent_without(facts, &[CpuTime::IDLE]);
    let quota = facts.samples.channel(&ChannelId::ControlGroup(ControlGroupChannel::ThrottledTime));
    let (Some(channel), Some(cpus)) = (quota, cpu_count(facts)) else {
        return found;
    };
    let at_ms = &facts.samples.at_ms;
    for step in counter_steps(facts, channel, super::whole_run()) {
        let before_ms = step.row.checked_sub(1).and_then(|row| at_ms.get(row));
        let elapsed_ms = before_ms.map_or(0, |before_ms| step.at_ms - before_ms);
        if let Some(Some(loaded)) = found.get_mut(step.row).filter(|_| elapsed_ms > 0) {
            let withheld = step.value as f64 / (elapsed_ms as f64 * 1e6 * f64::from(cpus));
            *loaded = (*loaded + 100.0 * withheld).clamp(0.0, 100.0);
        }
    }
    found
}

/// Number of online CPUs; `None` if unknown.
pub fn cpu_count(record: &Record) -> Option<u32> {
    let online = record.machine.cpus.iter().filter(|cpu| cpu.online).count();
    (online > 0).then_some(online as u32)
}

/// CPU cost of sampling in percent of all CPUs; `None` if not measured (logs).
pub fn own_cost_percent(record: &Record) -> Option<f64> {
    let cost = &record.samples.cost;
    let cpus = cpu_count(record)?;
    (cost.elapsed_ns > 0).then(|| 100.0 * cost.cpu_ns as f64 / cost.elapsed_ns as f64 / f64::from(cpus))
}

fn ticks_by_row(record: &Record, window: Window) -> Vec<[i64; CpuTime::OF_KERNEL.len()]> {
    let rows = record.samples.at_ms.len();
    let mut growth = vec![[0_i64; CpuTime::OF_KERNEL.len()]; rows];
    for (kind, time) in CpuTime::OF_KERNEL.iter().enumerate() {
        let Some(channel) = record.samples.channel(&ChannelId::all_cpus(*time)) else {
            continue;
        };
        for step in counter_steps(record, channel, window) {
            growth[step.row][kind] = step.value;
        }
    }
    growth
}

fn from_ticks(record: &Record, window: Window) -> Vec<CpuUse> {
    let growth = ticks_by_row(record, window);
    let mut uses = Vec::new();
    let mut sums = [0_i64; CpuTime::OF_KERNEL.len()];
    let mut began_ms: Option<i64> = None;
    for (at_ms, ticks) in record.samples.at_ms.iter().zip(&growth) {
        if !window.contains(*at_ms) {
            continue;
        }
        let began = *began_ms.get_or_insert(*at_ms);
        sums.iter_mut().zip(ticks).for_each(|(sum, more)| *sum = sum.saturating_add(*more));
        if at_ms.saturating_sub(began) >= INTERVAL_MS {
            uses.extend(from_sums(*at_ms, &sums));
            sums = [0; CpuTime::OF_KERNEL.len()];
            began_ms = Some(*at_ms);
        }
    }
    uses
}

fn from_sums(at_ms: i64, sums: &[i64; CpuTime::OF_KERNEL.len()]) -> Option<CpuUse> {
    let total: i64 = sums.iter().total();
    let percent = |ticks: f64| 100.0 * ticks / total as f64;
    // As floating point, because a foreign Record may contain any number.
    let [user, nice, system, _, iowait, irq, softirq, steal] = sums.map(|ticks| ticks as f64);
    (total > 0).then(|| CpuUse {
        at_ms,
        busy: percent(user + nice + system + irq + softirq),
        user: percent(user + nice),
        system: percent(system),
        iowait: percent(iowait),
        irq: percent(irq + softirq),
        steal: percent(steal),
    })
}

/// Maximum difference between the total of the bash monitor and the sum of its columns by rounding, in points. It is 3
/// in published logs; the rest is steal time, which the total includes.
const COLUMNS_ROUNDING_POINTS: f64 = 4.0;
/// The same as a typical value.
const COLUMNS_ROUNDED_OFF_POINTS: f64 = 1.0;

/// Steal time in a row of the bash monitor.
fn steal_of_row(total: f64, columns: f64) -> f64 {
    let rest = total - columns;
    if rest > COLUMNS_ROUNDING_POINTS { rest - COLUMNS_ROUNDED_OFF_POINTS } else { 0.0 }
}

fn percent(of: CpuPercent) -> ChannelId {
    ChannelId::AllCpus(AllCpus::Percent(of))
}

fn from_percentages(record: &Record, window: Window) -> Vec<CpuUse> {
    let Some(busy) = record.samples.channel(&percent(CpuPercent::Busy)) else {
        return Vec::new();
    };
    use CpuPercent::{Iowait, Irq, Nice, System, User};
    let [user, nice, system, iowait, irq] = [User, Nice, System, Iowait, Irq].map(|of| {
        let channel = record.samples.channel(&percent(of));
        channel.map_or(&[][..], |channel| &channel.values)
    });
    let value = |column: &[Option<i64>], row: usize| column.get(row).copied().flatten().unwrap_or(0) as f64;
    let mut readings = gauge(record, busy, window);
    // The bash monitor's first row after each heading is the average since boot. Logs mark it.
    let first_row = ChannelId::LogMonitor(LogMonitorChannel::FirstRow);
    match record.samples.channel(&first_row) {
        Some(marks) => readings.retain(|reading| marks.values.get(reading.row) != Some(&Some(1))),
        None if is_log(record) && !readings.is_empty() => drop(readings.remove(0)),
        None => {}
    }
    // Counters of CPUs that go offline give impossible shares.
    readings.retain(|reading| (0..=100).contains(&reading.value));
    let can_be_stolen = is_guest(record) && !user.is_empty();
    let uses = readings.into_iter().map(|reading| {
        let row = reading.row;
        let (iowait, total) = (value(iowait, row), reading.value as f64);
        let user_and_nice = value(user, row) + value(nice, row);
        let (system, irq) = (value(system, row), value(irq, row));
        let columns = user_and_nice + system + iowait + irq;
        let steal = if can_be_stolen { steal_of_row(total, columns) } else { 0.0 };
        CpuUse {
            at_ms: reading.at_ms,
            // The bash monitor counts waiting for I/O and steal time as busy.
            busy: (total - iowait - steal).max(0.0),
            user: user_and_nice,
            system,
            iowait,
            irq,
            steal,
        }
    });
    uses.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{counter, gauge_channel, log, own_run};
    use crate::view::whole_run;
    use record::{Fact, Unit};

    #[test]
    fn ticks_become_shares_of_a_second() {
        let mut record = own_run();
        for (time, values) in [
            (CpuTime::User, [0, 50, 100, 150, 200]),
            (CpuTime::System, [0, 0, 20, 20, 20]),
            (CpuTime::Idle, [0, 150, 280, 430, 530]),
            (CpuTime::Steal, [0, 0, 0, 0, 50]),
        ] {
            record = counter(record, ChannelId::all_cpus(time), Unit::Ticks, &values);
        }
        let uses = cpu_use(&record, whole_run());
        assert_eq!(uses.len(), 2);
        assert_eq!((uses[0].busy, uses[0].system), (30.0, 5.0));
        assert!((uses[1].busy - 100.0 * 100.0 / 400.0).abs() < 1e-9);
        assert_eq!(uses[1].steal, 12.5);
    }

    #[test]
    fn total_of_a_log_beyond_its_columns_is_steal_time() {
        let mut record = log("0.9.72");
        for (of, values) in [(CpuPercent::Busy, [0, 93, 93]), (CpuPercent::User, [0, 72, 90])] {
            record = gauge_channel(record, percent(of), Unit::Percent, &values);
        }
        let uses = |record: &Record| {
            cpu_use(record, whole_run()).iter().map(|used| (used.busy, used.steal)).collect::<Vec<_>>()
        };
        assert_eq!(uses(&record), [(93.0, 0.0); 2]);
        record.machine.virtualisation = Fact::Known("kvm".into());
        assert_eq!(uses(&record), [(73.0, 20.0), (93.0, 0.0)]);
    }

    #[test]
    fn first_row_of_a_log_is_an_average_since_boot() {
        let mut record = log("0.9.72");
        for (of, values) in [(CpuPercent::Busy, [90, 25, 30]), (CpuPercent::Iowait, [0, 0, 5])] {
            record = gauge_channel(record, percent(of), Unit::Percent, &values);
        }
        let busy: Vec<f64> = cpu_use(&record, whole_run()).iter().map(|u| u.busy).collect();
        assert_eq!(busy, [25.0, 25.0]);
    }
}
