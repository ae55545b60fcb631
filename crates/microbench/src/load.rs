//! Load: keeps a core busy until told to stop, for readings of other cores in parallel and for heat.
//!
//! It measures nothing and pins nothing; callers start a thread per CPU, pin it, and divide the
//! operations by the time if they want a rate.

use crate::arch::{self, CHAIN_OPERATIONS};
use std::sync::atomic::{AtomicBool, Ordering};

/// What keeps the core busy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Load {
    /// Integer operations, one at a time, as the clock is measured with: cores are busy, but hardly
    /// warmer than idle ones at the same clock. Lowers no clock except by the limits for several
    /// cores.
    Integer,
    /// Multiply-adds on the widest unit found (AVX-512, AVX2, NEON ...): the most heat and power, and
    /// on some processors a lower clock of its own.
    Widest,
}

/// Turns between two looks at the flag: 16,000 operations of the integer chain, 10 to 100 µs.
const TURNS: usize = 64;

/// Works until `stop` is true. Returns the operations done: integer operations, or floating-point
/// operations (a multiply-add counts as two, each lane on its own).
pub fn spin(stop: &AtomicBool, load: Load) -> u64 {
    let mut operations = 0u64;
    while !stop.load(Ordering::Relaxed) {
        operations += match load {
            Load::Integer => {
                arch::chain(TURNS);
                TURNS as u64 * CHAIN_OPERATIONS
            }
            Load::Widest => arch::heat(TURNS * 4),
        };
    }
    operations
}

/// Does `turns` turns of [`Load::Widest`] and returns the floating-point operations: for callers that
/// look at a clock in between.
pub fn heat(turns: usize) -> u64 {
    arch::heat(turns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn load_runs_until_stopped() {
        for load in [Load::Integer, Load::Widest] {
            assert_eq!(spin(&AtomicBool::new(true), load), 0);
            let stop = AtomicBool::new(false);
            let operations = std::thread::scope(|scope| {
                let worker = scope.spawn(|| spin(&stop, load));
                std::thread::sleep(std::time::Duration::from_millis(50));
                stop.store(true, Ordering::Relaxed);
                worker.join().unwrap()
            });
            assert!(operations > 0, "{load:?}");
        }
    }
}
