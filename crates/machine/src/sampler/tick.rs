//! A tick, and the size of its buffer.

use crate::timeline::{monotonic_ns, thread_cpu_ns};

/// Size of the buffer for one file; all files fit, except `/proc/stat` of machines with many CPUs.
pub(super) const BUFFER_BYTES: usize = 16 << 10;
/// Maximum length of a line of `/proc/stat` (ten numbers of 20 digits would be 210).
pub(super) const BUFFER_BYTES_PER_CPU: usize = 160;

/// A tick of the sampler.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tick {
    /// Time on the timeline.
    pub(super) now_ns: u64,
    /// Time until the next tick.
    pub(super) interval_ns: u64,
    /// True on a fake timeline, which does not advance during reads.
    pub(super) fake: bool,
    /// True for the last tick.
    pub(super) last: bool,
}

impl Tick {
    /// Wall time, to measure the duration of a read.
    pub(super) fn wall_ns(&self) -> u64 {
        if self.fake { 0 } else { monotonic_ns() }
    }

    /// CPU time of the calling thread.
    pub(super) fn cpu_ns(&self) -> u64 {
        if self.fake { 0 } else { thread_cpu_ns() }
    }
}
