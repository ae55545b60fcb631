//! Readings of kernel counters of threads and programs, and their sums. `counters` opens them.

use machine::Root;
use record::{Fact, Missing};

/// Final reading of a kernel counter of one thread or process.
#[derive(Debug, Clone, Default)]
pub struct CounterReading {
    /// CPU cycles in user mode.
    pub cycles: Fact<u64>,
    /// Time on a CPU in nanoseconds.
    pub task_clock_ns: Fact<u64>,
}

/// Reads open counters once, at the end.
pub type ReadCounters = Box<dyn FnOnce() -> CounterReading + Send>;

/// Opens counters of a thread or process by id, including its future threads.
pub type OpenCounters = fn(&Root, u32) -> ReadCounters;

/// The sum, or the first missing value.
pub(super) fn sum(facts: Vec<Fact<u64>>) -> Fact<u64> {
    let mut total = 0;
    for fact in facts {
        match fact {
            Fact::Known(value) => total += value,
            missing => return missing,
        }
    }
    Fact::Known(total)
}

/// Reading of runs without counters.
pub(super) fn not_counted() -> CounterReading {
    let missing = Missing::unsupported("perf_event_open", "cycle counters were not requested");
    CounterReading { cycles: missing.into(), ..CounterReading::default() }
}
