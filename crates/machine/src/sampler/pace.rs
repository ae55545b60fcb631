//! Sampling interval within a CPU time budget. Pure arithmetic.

use std::time::Duration;

/// Number of ticks to average before the interval changes.
const WINDOW_TICKS: u64 = 8;

/// Controls the interval.
#[derive(Debug)]
pub(super) struct Pace {
    asked_ns: u64,
    interval_ns: u64,
    budget_ppm: u64,
    window_ticks: u64,
    window_cpu_ns: u64,
    warm: bool,
}

impl Pace {
    pub(super) fn new(asked: Duration, budget_ppm: u32) -> Self {
        let asked_ns = asked.as_nanos() as u64;
        Self {
            asked_ns,
            interval_ns: asked_ns,
            budget_ppm: u64::from(budget_ppm.max(1)),
            window_ticks: 0,
            window_cpu_ns: 0,
            warm: false,
        }
    }

    pub(super) fn interval_ns(&self) -> u64 {
        self.interval_ns
    }

    /// Accounts the cost of a tick; true if the interval became longer.
    pub(super) fn after_tick(&mut self, cpu_ns: u64) -> bool {
        // The first tick has cold caches and reads all sources.
        if !std::mem::replace(&mut self.warm, true) {
            return false;
        }
        self.window_ticks += 1;
        self.window_cpu_ns += cpu_ns;
        if self.window_ticks < WINDOW_TICKS {
            return false;
        }
        let tick_cpu_ns = self.window_cpu_ns / self.window_ticks;
        (self.window_ticks, self.window_cpu_ns) = (0, 0);
        let before_ns = self.interval_ns;
        self.interval_ns = interval_ns(self.asked_ns, before_ns, tick_cpu_ns, self.budget_ppm);
        self.interval_ns > before_ns
    }
}

/// Interval at which ticks of this cost stay within the budget: a multiple of the requested one. Shortened only if half
/// of the present interval is sufficient.
fn interval_ns(asked_ns: u64, present_ns: u64, tick_cpu_ns: u64, budget_ppm: u64) -> u64 {
    let needed_ns = tick_cpu_ns.saturating_mul(1_000_000) / budget_ppm;
    let fitting_ns = asked_ns.saturating_mul(needed_ns.div_ceil(asked_ns).max(1));
    if needed_ns > present_ns || needed_ns.saturating_mul(2) <= present_ns { fitting_ns } else { present_ns }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interval_follows_the_cost() {
        let us = 1_000;
        let ms = 1_000_000;
        // (requested, present, cost of a tick, expected), at 0.2 % of one core
        for (asked, present, cost, expected) in [
            (500 * ms, 500 * ms, 100 * us, 500 * ms),
            (500 * ms, 500 * ms, 1000 * us, 500 * ms),
            (500 * ms, 500 * ms, 1001 * us, 1000 * ms),
            (100 * ms, 100 * ms, 900 * us, 500 * ms),
            (100 * ms, 500 * ms, 600 * us, 500 * ms),
            (100 * ms, 500 * ms, 450 * us, 300 * ms),
            (100 * ms, 500 * ms, 10 * us, 100 * ms),
            (100 * ms, 500 * ms, 0, 100 * ms),
        ] {
            let got = interval_ns(asked, present, cost, 2000);
            assert_eq!(got, expected, "asked {asked}, present {present}, cost {cost}");
        }
    }

    #[test]
    fn first_tick_does_not_count() {
        let mut pace = Pace::new(Duration::from_millis(100), 2000);
        assert!(!pace.after_tick(1_000_000_000));
        for _ in 0..WINDOW_TICKS {
            assert!(!pace.after_tick(100_000));
        }
        let slowed: Vec<bool> = (0..WINDOW_TICKS).map(|_| pace.after_tick(400_000)).collect();
        assert_eq!(slowed.iter().filter(|slowed| **slowed).count(), 1);
        assert_eq!(pace.interval_ns(), 200_000_000);
    }
}
