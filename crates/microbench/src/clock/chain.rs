//! Chains of dependent operations and the time windows in which they run.

use super::estimate::{Estimate, Window, estimate};
use crate::arch::{self, CHAIN_OPERATIONS, FLOAT_OPERATIONS, MULTIPLY_OPERATIONS};
use crate::timer::now_ns;

/// Windows of each of the two check chains.
pub(super) const CHECK_WINDOWS: usize = 10;

/// A chain of dependent operations.
pub(super) struct Chain {
    pub(super) run: fn(usize),
    pub(super) operations: u64,
}

impl Chain {
    /// Turns that fill a window at this rate.
    pub(super) fn turns(&self, window_ns: u64, khz: u32) -> u64 {
        (window_ns * u64::from(khz) / 1_000_000 / self.operations).max(1)
    }

    /// Windows back to back; each begins with the timer reading that ended the previous one.
    pub(super) fn windows(&self, window_ns: u64, khz: u32, count: usize, into: &mut Vec<Window>) {
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

    /// Approximate rate: doubles the turns until they take a quarter of a window. The best of three attempts counts,
    /// because one interruption would make all windows far too short.
    pub(super) fn pace(&self, window_ns: u64) -> u32 {
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

    /// Runs a single window.
    pub(super) fn window(&self, turns: u64) -> Window {
        let start_ns = now_ns();
        (self.run)(turns as usize);
        Window { operations: turns * self.operations, elapsed_ns: now_ns() - start_ns }
    }

    /// Cycles per operation of this chain at the given clock; `None` if no windows agreed.
    pub(super) fn cycles(&self, window_ns: u64, clock_khz: u32, windows: &mut Vec<Window>) -> Option<f64> {
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

/// Chain that measures the clock.
pub(super) const CHAIN: Chain = Chain { run: |turns| _ = arch::chain(turns), operations: CHAIN_OPERATIONS };
/// Chains that check the reading.
pub(super) const MULTIPLY: Chain =
    Chain { run: |turns| _ = arch::multiply_chain(turns), operations: MULTIPLY_OPERATIONS };
pub(super) const FLOAT: Chain = Chain { run: |turns| _ = arch::float_chain(turns), operations: FLOAT_OPERATIONS };
