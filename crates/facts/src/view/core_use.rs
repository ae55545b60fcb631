//! Use of each core, from the tick counters of own runs.

use super::samples::{counter_total, gauge};
use record::{Channel, ChannelId, CpuTime, Record, Total, Window};
use std::collections::{BTreeSet, HashMap};

/// Idle times of one CPU.
const NO_WORK: [CpuTime; 2] = [CpuTime::Idle, CpuTime::Iowait];
/// Busy times of one CPU. `guest` is part of `user`; machines with many CPUs have `busy` only.
const WORK: [CpuTime; 7] =
    [CpuTime::User, CpuTime::Nice, CpuTime::System, CpuTime::Irq, CpuTime::Softirq, CpuTime::Steal, CpuTime::Busy];

/// Use of each core in percent over all windows together, by number of the core. Cores whose counters
/// did not move are left out.
pub fn core_use(record: &Record, windows: &[Window]) -> Vec<(u32, f64)> {
    let total = |cpu: u32, times: &[CpuTime]| {
        let of_time = |time: &CpuTime| {
            let id = ChannelId::cpu_time(cpu, *time);
            let channel = record.samples.channel(&id)?;
            let growth = |window: &Window| counter_total(record, channel, *window);
            Some(windows.iter().filter_map(growth).total::<i64>())
        };
        times.iter().filter_map(of_time).total::<i64>()
    };
    let cpus = record.machine.cpus.iter().map(|cpu| cpu.cpu);
    cpus.filter_map(|cpu| {
        let (work, no_work) = (total(cpu, &WORK), total(cpu, &NO_WORK));
        let all = work + no_work;
        (all > 0).then(|| (cpu, 100.0 * work as f64 / all as f64))
    })
    .collect()
}

/// Use of each core in percent, second by second within a window: `(end of the second, use by core)`.
pub fn core_use_by_second(record: &Record, window: Window) -> Vec<(i64, Vec<(u32, f64)>)> {
    let seconds = Seconds::of(record, window);
    let mut rows: Vec<(i64, Vec<(u32, f64)>)> = seconds.ends.iter().map(|at_ms| (*at_ms, Vec::new())).collect();
    let mut channels = HashMap::new();
    for channel in &record.samples.channels {
        channels.entry(&channel.id).or_insert(channel);
    }
    let mut known = BTreeSet::new();
    for cpu in record.machine.cpus.iter().map(|cpu| cpu.cpu) {
        let of = |times: &[CpuTime]| -> Vec<&Channel> {
            let of_time = |time: &CpuTime| channels.get(&ChannelId::cpu_time(cpu, *time));
            times.iter().filter_map(of_time).copied().collect()
        };
        let (work, no_work) = (of(&WORK), of(&NO_WORK));
        if !known.insert(cpu) || work.is_empty() && no_work.is_empty() {
            continue;
        }
        let (work, no_work) = (seconds.totals(record, &work), seconds.totals(record, &no_work));
        for ((_, row), (work, no_work)) in rows.iter_mut().zip(work.iter().zip(no_work)) {
            let all = work.saturating_add(no_work);
            if all > 0 {
                row.push((cpu, 100.0 * *work as f64 / all as f64));
            }
        }
    }
    rows
}

/// Where seconds end among the rows of samples. A Record of a long run has as many seconds as rows: they are
/// gone through once for each counter, not once for each second.
struct Seconds {
    window: Window,
    /// End of each second, which is the start of the next.
    ends: Vec<i64>,
    /// For each row of samples, the second that it ends or belongs to, if any.
    of_row: Vec<Option<usize>>,
    /// First row of each second.
    begins: Vec<usize>,
}

impl Seconds {
    fn of(record: &Record, window: Window) -> Self {
        let mut seconds = Self {
            window,
            ends: Vec::new(),
            of_row: Vec::with_capacity(record.samples.at_ms.len()),
            begins: Vec::new(),
        };
        let mut start: Option<(usize, i64)> = None;
        for (row, at_ms) in record.samples.at_ms.iter().copied().enumerate() {
            let is_within = window.contains(at_ms);
            // The first row begins the first second and ends none.
            seconds.of_row.push((is_within && start.is_some()).then_some(seconds.ends.len()));
            let (from, from_ms) = match start {
                Some(start) => start,
                None if is_within => *start.insert((row, at_ms)),
                None => continue,
            };
            // Ticks are 10 ms: intervals below a second are too coarse.
            if is_within && at_ms.saturating_sub(from_ms) >= 1000 {
                seconds.ends.push(at_ms);
                seconds.begins.push(from);
                start = Some((row, at_ms));
            }
        }
        seconds
    }

    /// Total growth of the counters in each second.
    fn totals(&self, record: &Record, channels: &[&Channel]) -> Vec<i64> {
        let mut totals = vec![0_i64; self.ends.len()];
        for channel in channels {
            let mut before: Option<(usize, i64)> = None;
            for reading in gauge(record, channel, self.window) {
                let second = self.of_row[reading.row].filter(|second| *second < totals.len());
                if let (Some(second), Some((row, value))) = (second, before)
                    && row >= self.begins[second]
                    && reading.value >= value
                {
                    let growth = reading.value.saturating_sub(value);
                    totals[second] = totals[second].saturating_add(growth);
                }
                before = Some((reading.row, reading.value));
            }
        }
        totals
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{counter, own_run, window};
    use record::Unit;

    const USER: ChannelId = ChannelId::cpu_time(0, CpuTime::User);
    const IDLE: ChannelId = ChannelId::cpu_time(0, CpuTime::Idle);

    #[test]
    fn ticks_become_percent() {
        let mut record = counter(own_run(), USER, Unit::Ticks, &[0, 50, 100, 150, 200]);
        record = counter(record, IDLE, Unit::Ticks, &[0, 0, 0, 50, 100]);
        let idle = ChannelId::cpu_time(1, CpuTime::Idle);
        record = counter(record, idle, Unit::Ticks, &[0, 50, 100, 150, 200]);
        let all = window(0.0, 2.0);
        assert_eq!(core_use(&record, &[all]), [(0, 200.0 / 3.0), (1, 0.0)]);
        let seconds = core_use_by_second(&record, all);
        assert_eq!(seconds.len(), 2);
        assert_eq!(seconds[0], (1000, vec![(0, 100.0), (1, 0.0)]));
        assert_eq!(seconds[1].1[0], (0, 50.0));
        assert_eq!(core_use_by_second(&own_run(), all), []);
    }

    #[test]
    fn seconds_hold_what_lies_in_them() {
        // Half a second each; an unknown value at the end of a second is unknown for both seconds.
        let values = [0, 50, 100, 150, 200, 250, 300];
        let mut record = counter(own_run(), USER, Unit::Ticks, &values);
        record = counter(record, IDLE, Unit::Ticks, &[0; 7]);
        record.samples.channels[0].values[2] = None;
        let rows = core_use_by_second(&record, window(0.0, 3.0));
        let ends: Vec<i64> = rows.iter().map(|(at_ms, _)| *at_ms).collect();
        assert_eq!(ends, [1000, 2000, 3000]);
        let seconds = Seconds::of(&record, window(0.0, 3.0));
        let user = record.samples.channel(&USER).unwrap();
        assert_eq!(seconds.totals(&record, &[user]), [50, 50, 100]);
    }

    #[test]
    fn core_use_is_linear() {
        let seconds = 40_000;
        let mut record = own_run();
        record.samples.channels.clear();
        record.samples.at_ms = (0..=seconds).map(|second| second * 1000).collect();
        let ticks: Vec<Option<i64>> = (0..=seconds).map(|second| Some(second * 100)).collect();
        let mut channel = Channel::new(USER, Unit::Ticks, record::ChannelKind::Counter);
        channel.values = ticks;
        record.samples.channels.push(channel);
        let rows = core_use_by_second(&record, crate::view::whole_run());
        assert_eq!(rows.len(), seconds as usize);
        assert!(rows.iter().all(|(_, used)| used == &[(0, 100.0)]));
    }
}
