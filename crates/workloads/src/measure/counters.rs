//! Opens cycle counters of a workload's threads.

use crate::measure::context::{CounterReading, ReadCounters};
use machine::Root;
use machine::perf::{Counters, Target};

/// Counters of a process, or of the calling thread if the id is its own, including future threads. Missing counters are
/// reported when they are read.
pub fn open(root: &Root, id: u32) -> ReadCounters {
    let own = rustix::thread::gettid().as_raw_pid() as u32;
    let target = if id == own { Target::ThisThread } else { Target::Process(id) };
    let counters = Counters::open(root, target);
    Box::new(move || {
        let totals = counters.read();
        CounterReading { cycles: totals.cycles_total().into(), task_clock_ns: totals.task_clock_ns.into() }
    })
}
