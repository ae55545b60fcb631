//! State shared by the sampling thread and its owner: rows that were not fetched yet.

use super::Sampler;
use super::block::Block;
use rustix::thread::set_current_timer_slack;
use std::num::NonZeroU64;
use std::sync::{Mutex, MutexGuard};

/// Timer slack of the kernel in nanoseconds. The default is 50 µs.
const TIMER_SLACK_NS: u64 = 1_000;

/// Shared block.
#[derive(Debug)]
pub(super) struct Shared {
    block: Mutex<Block>,
}

impl Shared {
    pub(super) fn of(block: Block) -> Self {
        Self { block: Mutex::new(block) }
    }

    /// The lock is held only to copy a row or exchange pointers.
    pub(super) fn lock(&self) -> MutexGuard<'_, Block> {
        self.block.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    pub(super) fn take_over(&self, sampler: &mut Sampler) {
        let mut block = self.lock();
        block.push(sampler.at_ms, &sampler.row);
        block.push_gaps(&mut sampler.gaps);
        // `sources` is empty, so this does not allocate.
        block.cost = sampler.cost();
        for (kept, cost) in block.sources.iter_mut().zip(sampler.source_costs()) {
            *kept = (cost.reads, cost.read_ns);
        }
    }
}

/// Reduces wake-up delays of the calling thread, as sampling requires.
pub fn raise_priority() {
    // Without permission, ticks are delayed under load, which the delay channel shows.
    let _ = crate::syscall::run_first();
    // On failure ticks are up to 50 µs later, which is negligible.
    let _ = set_current_timer_slack(NonZeroU64::new(TIMER_SLACK_NS));
}
