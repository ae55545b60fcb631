//! Load: keeps a core busy until stopped, for readings of other cores in parallel and for heat.
//!
//! It neither measures nor pins; callers start and pin a thread per CPU, and divide the operations by the time to get a
//! rate.

use crate::arch::{self, CHAIN_OPERATIONS};
use std::sync::atomic::{AtomicBool, Ordering};

/// Kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Load {
    /// Dependent integer operations, as for the clock: cores are busy, but hardly warmer than idle cores at the same
    /// clock. Reduces clocks only through limits for several active cores.
    Integer,
    /// Multiply-adds on the widest available unit (AVX-512, AVX2, NEON ...): maximum heat and power, and on some
    /// processors a lower clock of its own.
    Widest,
}

/// Turns between two checks of the flag: 16,000 operations of the integer chain, 10 to 100 µs.
const TURNS: usize = 64;

/// Works until `stop` is true. Returns the number of operations: integer operations, or floating-point operations (a
/// multiply-add counts as two per lane).
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

/// Runs `turns` turns of [`Load::Widest`] and returns the floating-point operations, for callers that read a clock in
/// between.
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
