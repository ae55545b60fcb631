//! CPU affinity of a monitor: CPUs that a pinned load does not use. The monitor wakes up before any load, so otherwise
//! it would keep interrupting the CPU on which it last slept. Runs know the measured CPUs; a monitor has to observe
//! utilisation.

use super::thread_affinity::allowed;
use crate::threads::cpu_set;
use record::{Channel, ChannelId, CpuTime};
use rustix::thread::sched_setaffinity;

/// Interval of the check in milliseconds: long enough for ticks of 10 ms, and with negligible cost.
const CHECK_INTERVAL_MS: i64 = 2000;
/// Idle share in percent below which a CPU counts as busy.
const IDLE_PERCENT_MIN: i64 = 50;
/// Length of a kernel tick in milliseconds (`USER_HZ`).
const TICK_MS: i64 = 10;

/// Keeps the calling thread off busy CPUs.
#[derive(Debug)]
pub struct IdleCpuAffinity {
    /// Allowed CPUs with the columns of their idle times.
    cpus: Vec<(u32, usize)>,
    /// Idle times at the last check, in ticks.
    idle: Vec<i64>,
    looked_ms: i64,
    /// Current affinity.
    place: Vec<u32>,
}

impl IdleCpuAffinity {
    /// Creates it for the calling thread and rows of these channels.
    pub fn new(channels: &[Channel]) -> Self {
        let column = |cpu: &u32| {
            let id = ChannelId::cpu_time(*cpu, CpuTime::Idle);
            channels.iter().position(|channel| channel.id == id)
        };
        let place = allowed();
        let cpus: Vec<(u32, usize)> = place.iter().filter_map(|cpu| Some((*cpu, column(cpu)?))).collect();
        Self { idle: vec![0; cpus.len()], cpus, looked_ms: i64::MIN, place }
    }

    /// Checks the latest values periodically, and changes the affinity if needed. Returns the new CPUs if it changed.
    pub fn check(&mut self, latest: &[i64], at_ms: i64) -> Option<&[u32]> {
        if at_ms < self.looked_ms.saturating_add(CHECK_INTERVAL_MS) {
            return None;
        }
        let idle_cpus = self.idle_cpus(latest, at_ms);
        if !idle_cpus.is_empty()
            && idle_cpus != self.place
            && let Some(set) = cpu_set(&idle_cpus)
        {
            // On failure (a CPU went offline) the affinity stays until the next check.
            let _ = sched_setaffinity(None, &set);
            self.place = idle_cpus;
            return Some(&self.place);
        }
        None
    }

    /// CPUs that were idle enough since the last check; all of them if none was.
    fn idle_cpus(&mut self, latest: &[i64], at_ms: i64) -> Vec<u32> {
        let span_ms = at_ms.saturating_sub(self.looked_ms);
        let is_first = self.looked_ms == i64::MIN;
        self.looked_ms = at_ms;
        let mut idle_cpus = Vec::with_capacity(self.cpus.len());
        for ((cpu, column), before) in self.cpus.iter().zip(&mut self.idle) {
            let now = latest.get(*column).copied().unwrap_or(0);
            let idle_ms = now.saturating_sub(*before).saturating_mul(TICK_MS);
            *before = now;
            if !is_first && idle_ms.saturating_mul(100) >= span_ms.saturating_mul(IDLE_PERCENT_MIN) {
                idle_cpus.push(*cpu);
            }
        }
        if idle_cpus.is_empty() {
            idle_cpus.extend(self.cpus.iter().map(|(cpu, _)| *cpu));
        }
        idle_cpus
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(idle_ticks: [i64; 2], expected: &[u32]) {
        let mut aside =
            IdleCpuAffinity { cpus: vec![(0, 0), (1, 1)], idle: vec![0; 2], looked_ms: i64::MIN, place: vec![0, 1] };
        assert_eq!(aside.idle_cpus(&[1000, 1000], 0), [0, 1], "nothing is known yet");
        let latest = idle_ticks.map(|ticks| 1000 + ticks);
        assert_eq!(aside.idle_cpus(&latest, 2000), expected, "{idle_ticks:?}");
    }

    #[test]
    fn affinity_moves_to_idle_cpus() {
        check([0, 200], &[1]);
        check([190, 10], &[0]);
        check([200, 200], &[0, 1]);
        // Both CPUs are equally busy.
        check([0, 0], &[0, 1]);
    }
}
