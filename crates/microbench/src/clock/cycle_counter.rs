//! Clock from a cycle counter of the CPU: a second method that shares only the wall clock with the first.
//!
//! The caller reads the counter, which needs a system call. The counter is read outside each window; the cycles counted
//! there are negligible (some 100 ns of 500 µs).

use super::chain::CHAIN;
use super::estimate::{Estimate, Window, estimate};
use crate::timer::now_ns;

const WINDOWS: usize = 12;
const WINDOW_NS: u64 = 500_000;

/// Cycles per time while the chain runs at about `khz`: the highest rate that several windows support. Takes 6 ms.
/// `None` if the counter stands still or `cycles` returns `None`.
pub fn count(khz: u32, mut cycles: impl FnMut() -> Option<u64>) -> Option<Estimate> {
    let turns = CHAIN.turns(WINDOW_NS, khz) as usize;
    let mut windows = Vec::with_capacity(WINDOWS);
    for _ in 0..WINDOWS {
        let before = cycles()?;
        let start_ns = now_ns();
        (CHAIN.run)(turns);
        let elapsed_ns = now_ns() - start_ns;
        windows.push(Window { operations: cycles()?.saturating_sub(before), elapsed_ns });
    }
    estimate(&windows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counter_rate() {
        // Counter of 2.4 cycles per nanosecond of real time.
        let found = count(1_000_000, || Some(now_ns() * 24 / 10)).unwrap();
        let off = f64::from(found.best_khz) / 2_400_000.0 - 1.0;
        // Such a counter also counts during reads, so it can only seem faster.
        assert!((0.0..0.5).contains(&(off + 0.0001)), "{found:?}");
    }

    #[test]
    fn stopped_counter_gives_no_reading() {
        assert_eq!(count(1_000_000, || Some(7)), None);
        assert_eq!(count(1_000_000, || None), None);
        let mut left = 5u32;
        let ends = || {
            left -= 1;
            (left > 0).then(now_ns)
        };
        assert_eq!(count(1_000_000, ends), None);
    }
}
