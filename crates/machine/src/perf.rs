//! Cycle counters and CPU time of a thread or of programs it starts (`perf_event_open`).
//!
//! Cycles divided by the counted time is the actual clock under load, measured by the CPU itself. Every kind of core
//! has its own PMU (big.LITTLE, hybrid x86), so one counter is opened per kind. Counting does not use sampling,
//! interrupts or buffers. Manual: <https://man7.org/linux/man-pages/man2/perf_event_open.2.html>.

use crate::Root;
use crate::syscall::{PerfAttributes, perf_event_open};
use record::{Missing, MissingReason, Reading};
use std::os::fd::OwnedFd;

mod pmu;
mod whole_cpu;

pub use whole_cpu::CpuCycles;

use pmu::{CALL, Pmu, READ_TIMES, core_pmus, refused, values};

const TYPE_SOFTWARE: u32 = 1;
const SOFTWARE_TASK_CLOCK: u64 = 1;

/// Flag bits of [`PerfAttributes`].
mod flag {
    pub(super) const DISABLED: u64 = 1 << 0;
    pub(super) const INHERIT: u64 = 1 << 1;
    pub(super) const EXCLUDE_KERNEL: u64 = 1 << 5;
    pub(super) const EXCLUDE_HV: u64 = 1 << 6;
    pub(super) const ENABLE_ON_EXEC: u64 = 1 << 12;
}

/// Tasks whose cycles are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// The calling thread and threads it starts later.
    ThisThread,
    /// Programs that the calling thread starts later, each from its `exec`, with their children; not the calling thread
    /// itself. Counted on reads and after they have ended.
    ProgramsStarted,
    /// All threads of a running process, and their future children.
    Process(u32),
}

/// Open counters.
#[derive(Debug)]
pub struct Counters {
    cycles: Reading<Vec<CycleCounter>>,
    task_clock: Reading<Vec<OwnedFd>>,
    kernel_included: bool,
}

/// Cycle counters for one kind of core, one per thread.
#[derive(Debug)]
struct CycleCounter {
    pmu: Pmu,
    counters: Vec<OwnedFd>,
}

/// Counts so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Totals {
    /// Cycles by kind of core.
    pub cycles: Reading<Vec<Cycles>>,
    /// CPU time in nanoseconds.
    pub task_clock_ns: Reading<u64>,
    /// True if kernel mode is included: needs root or a `perf_event_paranoid` below 2.
    pub kernel_included: bool,
}

/// Cycles on one kind of core.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cycles {
    /// Name of the PMU, such as `armv8_cortex_a76` or `cpu`.
    pub pmu: String,
    /// CPU list of the PMU; empty if it applies to all CPUs.
    pub cpus: String,
    /// Cycles, not scaled: with several kinds of core, a counter stops while the thread runs elsewhere, which looks
    /// like multiplexing but is not.
    pub cycles: u64,
    /// Counted time in nanoseconds; cycles divided by this is the clock.
    pub counted_ns: u64,
}

impl Counters {
    /// Opens the available counters. [`Counters::read`] reports missing ones.
    pub fn open(root: &Root, target: Target) -> Self {
        if !root.is_system() {
            let missing = Missing::unsupported(CALL, "cycles can be counted on the running system only");
            return Self { cycles: Err(missing.clone()), task_clock: Err(missing), kernel_included: false };
        }
        match Self::open_as(root, target, true) {
            Self { task_clock: Err(missing), .. } if missing.why == MissingReason::Denied => {
                Self::open_as(root, target, false)
            }
            everything => everything,
        }
    }

    /// As [`Counters::open`] without kernel mode, for loops in user mode only.
    pub fn open_user(root: &Root, target: Target) -> Self {
        if root.is_system() { Self::open_as(root, target, false) } else { Self::open(root, target) }
    }

    fn open_as(root: &Root, target: Target, kernel_included: bool) -> Self {
        let tasks = tasks(root, target);
        let cycles = tasks.clone().and_then(|tasks| open_cycles(root, target, &tasks, kernel_included));
        let (kind, config) = (TYPE_SOFTWARE, SOFTWARE_TASK_CLOCK);
        let task_clock = tasks.and_then(|tasks| open_each(kind, config, target, &tasks, kernel_included));
        Self { cycles, task_clock, kernel_included }
    }

    /// Reads the counters without stopping them.
    pub fn read(&self) -> Totals {
        let cycles = self
            .cycles
            .as_ref()
            .map_err(Clone::clone)
            .and_then(|counters| counters.iter().map(CycleCounter::read).collect());
        let task_clock = self.task_clock.as_ref().map_err(Clone::clone);
        Totals {
            cycles,
            task_clock_ns: task_clock.and_then(|counters| Ok(sum(counters)?.0)),
            kernel_included: self.kernel_included,
        }
    }
}

impl Totals {
    /// Total cycles on all kinds of core.
    ///
    /// # Errors
    /// The reason why they are not counted.
    pub fn cycles_total(&self) -> Reading<u64> {
        let cycles = self.cycles.as_ref().map_err(Clone::clone)?;
        Ok(cycles.iter().map(|cycles| cycles.cycles).sum())
    }
}

impl Cycles {
    /// Average clock in the counted time, in kHz; `None` without counts.
    pub fn khz(&self) -> Option<u64> {
        let khz = u128::from(self.cycles) * 1_000_000 / u128::from(self.counted_ns).max(1);
        (self.counted_ns > 0).then_some(khz as u64)
    }
}

impl CycleCounter {
    fn read(&self) -> Reading<Cycles> {
        let (cycles, counted_ns) = sum(&self.counters)?;
        Ok(Cycles { pmu: self.pmu.name.clone(), cpus: self.pmu.cpus.clone(), cycles, counted_ns })
    }
}

/// Threads to count; 0 is the calling one.
fn tasks(root: &Root, target: Target) -> Reading<Vec<i32>> {
    match target {
        Target::ThisThread | Target::ProgramsStarted => Ok(vec![0]),
        Target::Process(pid) => {
            let names = root.list(&format!("/proc/{pid}/task"))?;
            Ok(names.iter().filter_map(|name| name.parse().ok()).collect())
        }
    }
}

fn open_cycles(root: &Root, target: Target, tasks: &[i32], kernel_included: bool) -> Reading<Vec<CycleCounter>> {
    let counters = core_pmus(root).into_iter().map(|pmu| {
        let counters = open_each(pmu.kind, pmu.config, target, tasks, kernel_included)?;
        Ok(CycleCounter { pmu, counters })
    });
    counters.collect()
}

fn open_each(kind: u32, config: u64, target: Target, tasks: &[i32], kernel_included: bool) -> Reading<Vec<OwnedFd>> {
    let mut flags = flag::INHERIT | flag::EXCLUDE_HV;
    if target == Target::ProgramsStarted {
        flags |= flag::DISABLED | flag::ENABLE_ON_EXEC;
    }
    if !kernel_included {
        flags |= flag::EXCLUDE_KERNEL;
    }
    let attributes = PerfAttributes { kind, config, read_format: READ_TIMES, flags, ..PerfAttributes::default() };
    let mut counters = Vec::new();
    for task in tasks {
        match perf_event_open(&attributes, *task, None) {
            Ok(counter) => counters.push(counter),
            // The thread has ended.
            Err(libc::ESRCH) if *task != 0 => {}
            Err(errno) => return Err(refused(errno)),
        }
    }
    if counters.is_empty() {
        return Err(refused(libc::ESRCH));
    }
    Ok(counters)
}

/// Sum of values and of counted times.
fn sum(counters: &[OwnedFd]) -> Reading<(u64, u64)> {
    let mut total = (0, 0);
    for counter in counters {
        let mut bytes = [0; 24];
        let count = rustix::io::read(counter, &mut bytes).map_err(|e| refused(e.raw_os_error()))?;
        if count != bytes.len() {
            return Err(refused(libc::EIO));
        }
        let (value, _enabled_ns, running_ns) = values(&bytes);
        total = (total.0 + value, total.1 + running_ns);
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_is_cycles_over_counted_time() {
        let mut cycles =
            Cycles { pmu: "cpu".into(), cpus: String::new(), cycles: 2_400_000_000, counted_ns: 1_000_000_000 };
        assert_eq!(cycles.khz(), Some(2_400_000));
        cycles.counted_ns = 0;
        assert_eq!(cycles.khz(), None);
    }

    #[test]
    fn board_file_has_no_counters() {
        let root = Root::from_board("").unwrap();
        let totals = Counters::open(&root, Target::ThisThread).read();
        assert!(totals.cycles.is_err() && totals.task_clock_ns.is_err());
    }
}
