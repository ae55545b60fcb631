//! Measures the clock of the CPU that the calling thread runs on.
//!
//! A chain of dependent one-cycle operations runs in many short windows. The fastest windows were not interrupted, so
//! their rate is the clock; the rate of all windows together is the clock that programs get. The caller pins the thread
//! in advance and reads the kernel's own value if it needs one.

mod chain;
mod cycle_counter;
mod emulation;
mod estimate;
mod ramp;
mod reading;

pub use cycle_counter::count;
pub use emulation::{EmulationSign, emulated, emulation_sign};
pub use estimate::{AGREEMENT, Estimate, SUPPORT, SUPPORTERS, Window, estimate};
pub use ramp::Ramp;
pub use reading::ClockReading;

use crate::timer::{self, now_ns};
use chain::{CHAIN, CHECK_WINDOWS, Chain, FLOAT, MULTIPLY};

/// Duration and resolution of a reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockPlan {
    /// Length of a window in nanoseconds. Extended if the timer is too coarse or too slow.
    pub window_ns: u64,
    /// Number of windows, at least three.
    pub windows: u32,
    /// Pre-heating ends if the rate has not risen for this time. Must exceed the interval of a governor's decisions, or
    /// a low clock before the first decision looks settled.
    pub settle_ns: u64,
    /// Maximum time of pre-heating; 0 disables it.
    pub preheat_ns_max: u64,
}

impl Default for ClockPlan {
    /// About 8 ms of windows after at least 20 ms of pre-heating: `ondemand` decides every 10 ms on
    /// most boards, `schedutil` more often.
    fn default() -> Self {
        Self { window_ns: 100_000, windows: 60, settle_ns: 20_000_000, preheat_ns_max: 200_000_000 }
    }
}

impl ClockPlan {
    /// Plan for a reading of less than 5 ms on a CPU that was busy until now: 3.4 ms of windows, 1 ms for the two check
    /// chains, and the time to calibrate their lengths.
    pub fn warm() -> Self {
        Self { windows: 34, preheat_ns_max: 0, ..Self::default() }
    }

    /// Plan for a reading of `total_ns` on a CPU whose time is throttled in slices (a quota or a duty cycle). Should
    /// span several periods: 300 ms is three of the usual quota period.
    pub fn lasting(total_ns: u64) -> Self {
        let plan = Self::default();
        let windows = (total_ns / plan.window_ns).clamp(3, 100_000) as u32;
        Self { windows, ..plan }
    }
}

/// Shorter than the windows of the clock, so that the checks add little to a reading.
const CHECK_WINDOW_NS: u64 = 50_000;

/// Measures the clock of the CPU that the calling thread runs on.
///
/// Takes about `window_ns * windows` plus 1 ms, after pre-heating.
pub fn measure(plan: &ClockPlan) -> ClockReading {
    let count = plan.windows.max(SUPPORTERS as u32) as usize;
    let mut windows = Vec::with_capacity(count);
    let mut check = Vec::with_capacity(CHECK_WINDOWS);
    let window_ns = usable_window_ns(plan.window_ns, timer::cost());

    let (pace_khz, ramp_us) = preheat(&CHAIN, window_ns, plan);
    let (start_ns, start_cpu_ns) = (now_ns(), timer::thread_cpu_ns());
    CHAIN.windows(window_ns, pace_khz, count, &mut windows);
    let (cpu_ns, wall_ns) = (timer::thread_cpu_ns() - start_cpu_ns, now_ns() - start_ns);
    let clock = estimate(&windows).unwrap_or_default();
    let check_ns = CHECK_WINDOW_NS.max(window_ns / 2);
    let mut cycles =
        |chain: &Chain| clock.supported.then(|| chain.cycles(check_ns, clock.best_khz, &mut check)).flatten();
    let multiply_ratio = cycles(&MULTIPLY);
    let float_ratio = cycles(&FLOAT);
    ClockReading {
        count: count as u32,
        best_khz: clock.best_khz,
        supported: clock.supported,
        sustained_khz: clock.sustained_khz,
        agreeing_permille: clock.agreeing_permille,
        preempted_permille: (wall_ns.saturating_sub(cpu_ns) * 1000 / wall_ns.max(1)) as u32,
        elapsed_us: ((now_ns() - start_ns) / 1000) as u32,
        multiply_ratio,
        float_ratio,
        ramp_us,
        window_ns,
        windows_khz: windows.iter().map(Window::khz).collect(),
    }
}

/// Shortest window that the timer permits: a tick and a reading stay below 0.05 % of it, so that three windows can
/// agree within 0.1 %.
fn usable_window_ns(wanted_ns: u64, timer: timer::TimerCost) -> u64 {
    wanted_ns.max(timer.step_ns.max(timer.reading_ns) * 2000).min(20_000_000)
}

/// Runs the chain until its rate stops rising. Returns the rate for planning windows, and the ramp.
fn preheat(chain: &Chain, window_ns: u64, plan: &ClockPlan) -> (u32, Option<u32>) {
    if plan.preheat_ns_max == 0 {
        return (chain.pace(window_ns), None);
    }
    let mut ramp = Ramp::with_capacity((plan.preheat_ns_max / window_ns).min(100_000) as usize + 1);
    let start_ns = now_ns();
    let mut khz = chain.pace(window_ns);
    loop {
        let turns = chain.turns(window_ns, khz);
        let begin_ns = now_ns();
        let window = chain.window(turns);
        let end_ns = now_ns();
        ramp.push(begin_ns - start_ns, window);
        khz = khz.max(window.khz());
        if ramp.settled(end_ns - start_ns, plan.settle_ns) {
            return (khz, ramp.time_to_full_us());
        }
        if end_ns - start_ns >= plan.preheat_ns_max {
            return (khz, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timer::TimerCost;

    #[test]
    fn windows_grow_with_a_coarse_or_slow_timer() {
        let check = |step_ns, reading_ns, expected| {
            assert_eq!(usable_window_ns(100_000, TimerCost { step_ns, reading_ns }), expected);
        };
        check(25, 25, 100_000);
        check(41, 30, 100_000);
        check(250, 60, 500_000);
        check(1_200, 1_200, 2_400_000);
        check(10_000_000, 50, 20_000_000);
    }

    #[test]
    fn reading_is_complete() {
        let plan = ClockPlan { windows: 5, preheat_ns_max: 1_000_000, ..ClockPlan::default() };
        let reading = measure(&plan);
        assert_eq!(reading.count, 5);
        assert_eq!(reading.windows_khz.len(), 5);
        assert!(reading.best_khz >= *reading.windows_khz.iter().min().unwrap());
        assert!(reading.best_khz <= *reading.windows_khz.iter().max().unwrap());
        assert!(reading.sustained_khz <= *reading.windows_khz.iter().max().unwrap());
        assert!(reading.preempted_permille <= 1000);
        assert!(u64::from(reading.elapsed_us) * 1000 >= 5 * reading.window_ns / 4);
        assert!(reading.agreeing_permille >= 200, "at least the best window agrees with itself");
    }

    #[test]
    fn plan_never_has_fewer_than_three_windows() {
        let plan = ClockPlan { windows: 0, preheat_ns_max: 0, ..ClockPlan::default() };
        assert_eq!(measure(&plan).count, 3);
        assert_eq!(ClockPlan::lasting(200_000_000).windows, 2000);
    }
}
