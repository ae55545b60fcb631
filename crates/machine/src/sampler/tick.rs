//! One tick, the room it reads into, and what reading a source cost.

use crate::timeline::{monotonic_ns, thread_cpu_ns};

/// Room for the answer of one file: every file but `/proc/stat` of machines with many CPUs fits.
pub(super) const BUFFER_BYTES: usize = 16 << 10;
/// A line of `/proc/stat` is at most so long (ten numbers of 20 digits would be 210).
pub(super) const BUFFER_BYTES_PER_CPU: usize = 160;

/// What reading one source cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceCost<'a> {
    /// The file or device.
    pub path: &'a str,
    /// How often it was read.
    pub reads: u64,
    /// Wall time of all reads with parsing, in nanoseconds.
    pub read_ns: u64,
}

/// One tick of the sampler.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tick {
    /// When it is, on the timeline.
    pub(super) now_ns: u64,
    /// Time until the next.
    pub(super) interval_ns: u64,
    /// On a fake timeline no time passes while something is read.
    pub(super) fake: bool,
    /// Nothing is read after it.
    pub(super) last: bool,
}

impl Tick {
    /// Wall time for the duration of a read.
    pub(super) fn wall_ns(&self) -> u64 {
        if self.fake { 0 } else { monotonic_ns() }
    }

    /// CPU time of the calling thread.
    pub(super) fn cpu_ns(&self) -> u64 {
        if self.fake { 0 } else { thread_cpu_ns() }
    }
}

impl From<SourceCost<'_>> for record::SourceCost {
    fn from(cost: SourceCost<'_>) -> Self {
        Self { source: cost.path.to_owned(), reads: cost.reads, read_ns: cost.read_ns }
    }
}
