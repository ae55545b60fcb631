//! Sampling interval within a CPU time budget. Pure arithmetic.

use super::Options;
use super::failure::Failure;

/// Number of ticks to average before the interval changes.
const WINDOW_TICKS: u64 = 8;

/// Controls the interval.
#[derive(Debug)]
pub(super) struct Pace {
    asked_ns: u64,
    interval_ns: u64,
    budget_ppm: u64,
    /// The interval of the user is kept; its cost is reported once.
    is_kept: bool,
    window_ticks: u64,
    window_cpu_ns: u64,
    warm: bool,
}

impl Pace {
    pub(super) fn new(options: &Options) -> Self {
        let asked_ns = options.interval.as_nanos() as u64;
        Self {
            asked_ns,
            interval_ns: asked_ns,
            budget_ppm: u64::from(options.budget_ppm.max(1)),
            is_kept: options.keeps_interval,
            window_ticks: 0,
            window_cpu_ns: 0,
            warm: false,
        }
    }

    pub(super) fn interval_ns(&self) -> u64 {
        self.interval_ns
    }

    /// Accounts the cost of a tick; returns a note if the interval became longer, or is too expensive and kept.
    pub(super) fn after_tick(&mut self, cpu_ns: u64) -> Option<Failure> {
        // The first tick has cold caches and reads all sources.
        if !std::mem::replace(&mut self.warm, true) {
            return None;
        }
        self.window_ticks += 1;
        self.window_cpu_ns += cpu_ns;
        if self.window_ticks < WINDOW_TICKS {
            return None;
        }
        let tick_cpu_ns = self.window_cpu_ns / self.window_ticks;
        (self.window_ticks, self.window_cpu_ns) = (0, 0);
        let before_ns = self.interval_ns;
        let fitting_ns = interval_ns(self.asked_ns, before_ns, tick_cpu_ns, self.budget_ppm);
        let is_longer = fitting_ns > before_ns;
        if self.is_kept {
            // Once: the budget is not a limit any more.
            self.budget_ppm = if is_longer { u64::MAX } else { self.budget_ppm };
            let cpu_ppm = tick_cpu_ns.saturating_mul(1_000_000) / self.asked_ns.max(1);
            return is_longer.then_some(Failure::Expensive(cpu_ppm));
        }
        self.interval_ns = fitting_ns;
        is_longer.then_some(Failure::SlowedDown(fitting_ns / 1_000_000))
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
    use std::time::Duration;

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
        let options = Options { interval: Duration::from_millis(100), ..Options::default() };
        let mut pace = Pace::new(&options);
        assert_eq!(pace.after_tick(1_000_000_000), None);
        for _ in 0..WINDOW_TICKS {
            assert_eq!(pace.after_tick(100_000), None);
        }
        let slowed: Vec<Failure> = (0..WINDOW_TICKS).filter_map(|_| pace.after_tick(400_000)).collect();
        assert_eq!(slowed, [Failure::SlowedDown(200)]);
        assert_eq!(pace.interval_ns(), 200_000_000);
    }

    #[test]
    fn kept_interval_reports_its_cost_once() {
        let interval = Duration::from_millis(100);
        let mut pace = Pace::new(&Options { interval, keeps_interval: true, ..Options::default() });
        let notes: Vec<Failure> = (0..10 * WINDOW_TICKS).filter_map(|_| pace.after_tick(400_000)).collect();
        assert_eq!(notes, [Failure::Expensive(4000)]);
        assert_eq!(pace.interval_ns(), 100_000_000);
    }
}
