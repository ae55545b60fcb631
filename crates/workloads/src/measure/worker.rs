//! One thread of built-in work: pins it, reads its counters and the CPUs that it ran on.

use super::counter_reading::{CounterReading, OpenCounters, not_counted};
use machine::{Root, timeline};
use process::child::{move_to, parse_schedstat};
use record::{Fact, Reading};
use rustix::thread::{gettid, sched_getcpu};

/// Result of one thread.
pub(super) struct ThreadResult<T> {
    pub(super) result: T,
    pub(super) counted: CounterReading,
    pub(super) run_delay_ns: Fact<u64>,
    pub(super) seen_on: [u32; 2],
}

impl<T> ThreadResult<T> {
    /// Runs work in the calling thread, which must be a new one because its affinity is not restored.
    pub(super) fn run(
        root: &Root,
        cpus: &[u32],
        open: Option<OpenCounters>,
        work: impl FnOnce() -> T,
    ) -> Result<Self, String> {
        if !cpus.is_empty() {
            move_to(cpus)?;
        }
        let thread = gettid().as_raw_pid() as u32;
        let counting = open.map(|open| open(root, thread));
        let delay_before = run_delay_ns(root, thread);
        let clock_before = timeline::thread_cpu_ns();
        let cpu_before = sched_getcpu() as u32;
        let result = work();
        let cpu_after = sched_getcpu() as u32;
        let clock_ns = timeline::thread_cpu_ns() - clock_before;
        let delay = run_delay_ns(root, thread).and_then(|after| Ok(after.saturating_sub(delay_before?)));
        let mut counted = counting.map_or_else(not_counted, |read| read());
        if counted.task_clock_ns.known().is_none() {
            counted.task_clock_ns = Fact::Known(clock_ns);
        }
        Ok(Self { result, counted, run_delay_ns: delay.into(), seen_on: [cpu_before, cpu_after] })
    }
}

fn run_delay_ns(root: &Root, thread: u32) -> Reading<u64> {
    let path = format!("/proc/self/task/{thread}/schedstat");
    parse_schedstat(&path, &root.read(&path)?).map(|(_, waiting)| waiting)
}
