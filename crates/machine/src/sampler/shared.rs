//! What the thread that samples shares with its owner: the block of rows that were not fetched yet.

use super::Sampler;
use super::block::Block;
use rustix::thread::set_current_timer_slack;
use std::num::NonZeroU64;
use std::sync::{Mutex, MutexGuard};

/// How late the kernel may wake the thread in order to bundle timers. The default is 50 µs.
const TIMER_SLACK_NS: u64 = 1_000;

/// The block, for both.
#[derive(Debug)]
pub(super) struct Shared {
    block: Mutex<Block>,
}

impl Shared {
    pub(super) fn of(block: Block) -> Self {
        Self { block: Mutex::new(block) }
    }

    /// The lock is held for a copy of one row or an exchange of pointers, never longer.
    pub(super) fn lock(&self) -> MutexGuard<'_, Block> {
        self.block.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    pub(super) fn take_over(&self, sampler: &mut Sampler) {
        let mut block = self.lock();
        block.push(sampler.at_ms, &sampler.row);
        block.push_gaps(&mut sampler.gaps);
        // Its sources are empty, so that nothing is allocated.
        block.cost = sampler.cost();
        for (kept, cost) in block.sources.iter_mut().zip(sampler.source_costs()) {
            *kept = (cost.reads, cost.read_ns);
        }
    }
}

/// Lets the calling thread wake up in time, as one that samples has to.
pub fn raise_priority() {
    // Without the right to it, ticks come later under load, which the channel of the delay shows.
    let _ = crate::syscall::run_first();
    // Without it, ticks come up to 50 µs later: nothing that needs to be told.
    let _ = set_current_timer_slack(NonZeroU64::new(TIMER_SLACK_NS));
}
