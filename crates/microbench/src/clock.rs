//! The clock of the CPU that the calling thread is on, measured and not read from anywhere.
//!
//! A chain of dependent one-cycle operations runs in many short windows. The fastest windows had the
//! CPU to themselves, so their rate is the clock; all windows together tell what a program gets.
//! The caller pins the thread beforehand and asks the kernel for its own opinion, if it wants one.

mod counted;
mod emulation;
mod estimate;
mod ramp;

pub use counted::count;
pub use emulation::{EmulationSign, emulation_sign};
pub use estimate::{AGREEMENT, Estimate, SUPPORT, SUPPORTERS, Window, estimate};
pub use ramp::Ramp;

use crate::arch::{self, CHAIN_OPERATIONS, FLOAT_OPERATIONS, MULTIPLY_OPERATIONS};
use crate::timer::{self, now_ns};

/// How long to look, and how closely.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockPlan {
    /// Length of a window in nanoseconds. It is made longer where the timer is too coarse or too
    /// slow for it.
    pub window_ns: u64,
    /// Number of windows, at least three.
    pub windows: u32,
    /// Pre-heating ends when the rate has not risen for so long. It must exceed the interval at
    /// which a governor decides, or a low clock before its first decision passes for settled.
    pub settle_ns: u64,
    /// Pre-heating ends in any case after so long; 0 does without it.
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
    /// A reading of less than 5 ms for a CPU that has been busy until now: 3.4 ms of windows, 1 ms for
    /// the two chains that serve as a check, and what it takes to find out their lengths.
    pub fn warm() -> Self {
        Self { windows: 34, preheat_ns_max: 0, ..Self::default() }
    }

    /// A reading of `total_ns` for a CPU whose time is withheld in slices (a quota, or a duty cycle),
    /// so that several whole periods fall into it. Make it some periods long: 300 ms is three of the
    /// usual quota period.
    pub fn lasting(total_ns: u64) -> Self {
        let plan = Self::default();
        let windows = (total_ns / plan.window_ns).clamp(3, 100_000) as u32;
        Self { windows, ..plan }
    }
}

/// A reading of the clock, and everything that it rests on.
#[derive(Debug, Clone, PartialEq)]
pub struct ClockReading {
    /// Number of windows.
    pub count: u32,
    /// The clock in kHz: the highest rate that three windows support within 0.1 %.
    pub best_khz: u32,
    /// False if no three windows agreed so closely: the measurement was disturbed, and `best_khz` is
    /// the best that could be made of it.
    pub supported: bool,
    /// All operations over all time from the first window to the last, in kHz: the clock that a
    /// program gets the use of. Lower than `best_khz` when time is stolen, preempted or withheld.
    pub sustained_khz: u32,
    /// Share of windows within 0.5 % of `best_khz`, in thousandths.
    pub agreeing_permille: u32,
    /// Share of the time of all windows in which this thread was not on a CPU, in thousandths:
    /// others of this system had it. What else is missing went to interrupts, or a hypervisor took it.
    pub preempted_permille: u32,
    /// Time from the first to the last window of the reading with its checks, in microseconds.
    pub elapsed_us: u32,
    /// Cycles of a dependent multiplication by this clock: close to a whole number (1 to 5 on known
    /// cores) if the chain does run at one operation a cycle. None if the measurement was disturbed.
    pub multiply_ratio: Option<f64>,
    /// Cycles of a dependent floating-point multiplication by this clock: 3 to 8 on most cores, 10 to 18
    /// on the slowest, far more in software. None if the measurement was disturbed.
    pub float_ratio: Option<f64>,
    /// Time from the start to the first window at full clock, in microseconds: how long governor and
    /// hardware took. None without pre-heating, or if the rate still rose at its end.
    pub ramp_us: Option<u32>,
    /// Length that the windows really were meant to have, in nanoseconds.
    pub window_ns: u64,
    /// Rate of every window in the order taken, in kHz.
    pub windows_khz: Vec<u32>,
}

/// Windows of each of the two chains that only serve as a check.
const CHECK_WINDOWS: usize = 10;
/// They are shorter than those of the clock, so that they add little to a reading.
const CHECK_WINDOW_NS: u64 = 50_000;

/// Measures the clock of the CPU that the calling thread runs on.
///
/// Takes about `window_ns * windows` plus 1 ms, and before that the time of pre-heating.
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

/// The window that the timer allows: both a tick and a reading stay below 0.05 % of it, so that three
/// windows can agree within 0.1 %.
fn usable_window_ns(wanted_ns: u64, timer: timer::TimerCost) -> u64 {
    wanted_ns.max(timer.step_ns.max(timer.reading_ns) * 2000).min(20_000_000)
}

/// A chain of dependent operations.
struct Chain {
    run: fn(usize),
    operations: u64,
}

impl Chain {
    /// Turns that fill a window at that rate.
    fn turns(&self, window_ns: u64, khz: u32) -> u64 {
        (window_ns * u64::from(khz) / 1_000_000 / self.operations).max(1)
    }

    /// Windows back to back; each begins with the timer reading that ended the one before it.
    fn windows(&self, window_ns: u64, khz: u32, count: usize, into: &mut Vec<Window>) {
        let turns = self.turns(window_ns, khz);
        let operations = turns * self.operations;
        let mut start_ns = now_ns();
        for _ in 0..count {
            (self.run)(turns as usize);
            let end_ns = now_ns();
            into.push(Window { operations, elapsed_ns: end_ns - start_ns });
            start_ns = end_ns;
        }
    }

    /// The rate to within some percent: doubles the turns until they take a quarter of a window. The
    /// best of three counts, because one interruption would else make all windows far too short.
    fn pace(&self, window_ns: u64) -> u32 {
        (self.run)(1);
        let mut turns = 1;
        loop {
            let tries = [(); 3].map(|()| self.window(turns));
            let fastest = tries.into_iter().min_by_key(|window| window.elapsed_ns);
            if let Some(window) = fastest.filter(|window| window.elapsed_ns * 4 >= window_ns) {
                return window.khz().max(1);
            }
            turns *= 2;
        }
    }

    /// One window on its own.
    fn window(&self, turns: u64) -> Window {
        let start_ns = now_ns();
        (self.run)(turns as usize);
        Window { operations: turns * self.operations, elapsed_ns: now_ns() - start_ns }
    }

    /// Cycles that one operation of this chain takes at that clock; none if the windows never agreed.
    fn cycles(&self, window_ns: u64, clock_khz: u32, windows: &mut Vec<Window>) -> Option<f64> {
        const TRIES: u32 = 3;
        for _ in 0..TRIES {
            windows.clear();
            self.windows(window_ns, self.pace(window_ns), CHECK_WINDOWS, windows);
            if let Some(Estimate { best_khz, supported: true, .. }) = estimate(windows) {
                return Some(f64::from(clock_khz) / f64::from(best_khz));
            }
        }
        None
    }
}

/// Chain of the clock.
const CHAIN: Chain = Chain { run: |turns| _ = arch::chain(turns), operations: CHAIN_OPERATIONS };
/// The two chains that serve as a check.
const MULTIPLY: Chain = Chain { run: |turns| _ = arch::multiply_chain(turns), operations: MULTIPLY_OPERATIONS };
const FLOAT: Chain = Chain { run: |turns| _ = arch::float_chain(turns), operations: FLOAT_OPERATIONS };

/// Runs the chain until its rate stops rising. Returns the rate to plan windows by, and the ramp.
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
    fn a_reading_is_whole() {
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
    fn a_plan_never_has_fewer_than_three_windows() {
        let plan = ClockPlan { windows: 0, preheat_ns_max: 0, ..ClockPlan::default() };
        assert_eq!(measure(&plan).count, 3);
        assert_eq!(ClockPlan::lasting(200_000_000).windows, 2000);
    }
}
