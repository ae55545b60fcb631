//! Use of each core, from the tick counters of own runs.

use super::samples::counter_total;
use record::{Record, Window};

/// Columns of one CPU that are no work.
const NO_WORK: [&str; 2] = ["idle", "iowait"];
/// Columns of one CPU that are: `guest` is within `user`. Machines with many CPUs have `busy` only.
const WORK: [&str; 7] = ["user", "nice", "system", "irq", "softirq", "steal", "busy"];

/// Use of each core in percent over all windows together, by number of the core. Cores whose counters
/// did not move are left out.
pub fn core_use(record: &Record, windows: &[Window]) -> Vec<(u32, f64)> {
    let total = |cpu: u32, columns: &[&str]| {
        let of_column = |column: &&str| {
            let channel = record.samples.channel(&format!("cpu{cpu}.{column}"))?;
            let growth = |window: &Window| counter_total(record, channel, *window);
            Some(windows.iter().filter_map(growth).sum::<i64>())
        };
        columns.iter().filter_map(of_column).sum::<i64>()
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
    let moments: Vec<i64> = record
        .samples
        .at_ms
        .iter()
        .copied()
        .filter(|at| window.contains(*at))
        .collect();
    let mut rows = Vec::new();
    let mut start = moments.first().copied();
    for at in moments {
        let Some(from) = start else { break };
        // Ticks are 10 ms: anything shorter than a second is too coarse to be read.
        if at - from < 1000 {
            continue;
        }
        let second = Window {
            start_ms: from,
            end_ms: at,
            ..Window::default()
        };
        rows.push((at, core_use(record, &[second])));
        start = Some(at);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{counter, own_run, window};
    use record::Unit;

    #[test]
    fn ticks_become_percent() {
        let mut record = counter(own_run(), "cpu0.user", Unit::Ticks, &[0, 50, 100, 150, 200]);
        record = counter(record, "cpu0.idle", Unit::Ticks, &[0, 0, 0, 50, 100]);
        record = counter(record, "cpu1.idle", Unit::Ticks, &[0, 50, 100, 150, 200]);
        let all = window(0.0, 2.0);
        assert_eq!(core_use(&record, &[all]), [(0, 200.0 / 3.0), (1, 0.0)]);
        let seconds = core_use_by_second(&record, all);
        assert_eq!(seconds.len(), 2);
        assert_eq!(seconds[0], (1000, vec![(0, 100.0), (1, 0.0)]));
        assert_eq!(seconds[1].1[0], (0, 50.0));
        assert_eq!(core_use_by_second(&own_run(), all), []);
    }
}
