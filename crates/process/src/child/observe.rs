//! Observes a running program in `/proc`: its CPUs and resources. Read periodically, and once between its end and its
//! reaping, when the kernel still has the totals.
//!
//! `wait4` also returns totals but needs `unsafe`, which this crate forbids, and `RUSAGE_CHILDREN` mixes all children.
//! Source: `Documentation/filesystems/proc.rst` and `proc_pid_stat(5)`.

use machine::Root;
use record::{Fact, Missing, Reading};
use std::collections::BTreeMap;

/// `/proc/PID/stat` counts in ticks of `USER_HZ`, which is 100 on every architecture built here.
const TICK_MS: u64 = 10;
/// Maximum number of threads inspected at once, to limit the cost.
const THREADS_MAX: usize = 64;
/// Minimum share of the CPU time of observed threads; the last interval of each thread is missing.
const SEEN_MIN: f64 = 0.75;
/// CPU time below the resolution of the kernel's ticks.
const TICKS_MS: u64 = 20;

/// Resources used by a program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Usage {
    /// CPU time in user mode including children it waited for, in milliseconds; resolution 10 ms.
    pub user_ms: Fact<u64>,
    /// Likewise, in kernel mode.
    pub system_ms: Fact<u64>,
    /// Largest resident set in KiB at the last observation (`VmHWM`).
    pub peak_resident_kib: Fact<u64>,
    /// CPU time of all its threads in nanoseconds, at the last observation of each.
    pub task_clock_ns: Fact<u64>,
    /// Time that its threads and the processes it started were runnable but waiting for a CPU, in nanoseconds; missing
    /// if too much was not observed.
    pub run_delay_ns: Fact<u64>,
}

/// Observes one process.
#[derive(Debug)]
pub(super) struct Observer<'a> {
    root: &'a Root,
    pid: u32,
    seen_on: Vec<u32>,
    usage: Usage,
    /// Latest `(CPU time, waiting time)` of each thread, in nanoseconds.
    schedule: BTreeMap<String, (u64, u64)>,
    /// Likewise of the processes it started.
    started: BTreeMap<String, (u64, u64)>,
}

impl<'a> Observer<'a> {
    pub(super) fn new(root: &'a Root, pid: u32) -> Self {
        Self {
            root,
            pid,
            seen_on: Vec::new(),
            usage: Usage::default(),
            schedule: BTreeMap::new(),
            started: BTreeMap::new(),
        }
    }

    /// Observes the running program.
    pub(super) fn look(&mut self) {
        let pid = self.pid;
        let threads = self.root.list(&format!("/proc/{pid}/task"));
        let mut started = Vec::new();
        for thread in threads.into_iter().flatten().take(THREADS_MAX) {
            let path = format!("/proc/{pid}/task/{thread}/stat");
            if let Ok(stat) = self.root.read(&path).and_then(|text| parse_stat(&path, &text)) {
                self.seen_on.push(stat.cpu);
            }
            started.extend(children_of(self.root, &format!("/proc/{pid}/task/{thread}")));
            self.look_at_schedule(thread);
        }
        self.look_at_started(started);
        self.seen_on.sort_unstable();
        self.seen_on.dedup();
        let path = format!("/proc/{pid}/status");
        match self.root.read(&path).and_then(|text| parse_peak(&path, &text)) {
            Ok(kib) => self.usage.peak_resident_kib = Fact::Known(kib),
            // An exiting program has no memory; the previous value stays.
            Err(missing) if self.usage.peak_resident_kib.known().is_none() => {
                self.usage.peak_resident_kib = missing.into();
            }
            Err(_) => {}
        }
    }

    fn look_at_schedule(&mut self, thread: String) {
        if let Some(times) = schedule_of(self.root, &format!("/proc/{}/task/{thread}", self.pid)) {
            self.schedule.insert(thread, times);
        }
    }

    /// Observes processes it started, if the kernel lists children (`proc_pid_children(5)`). Reading the parent of
    /// every process would disturb the measurement.
    fn look_at_started(&mut self, mut processes: Vec<u32>) {
        let mut looked = 0;
        while let Some(pid) = processes.pop() {
            for thread in self.root.list(&format!("/proc/{pid}/task")).into_iter().flatten() {
                if looked == THREADS_MAX {
                    return;
                }
                looked += 1;
                let folder = format!("/proc/{pid}/task/{thread}");
                if let Some(times) = schedule_of(self.root, &folder) {
                    self.started.insert(thread, times);
                }
                processes.extend(children_of(self.root, &folder));
            }
        }
    }

    /// Waiting time, if most of the CPU time belongs to observed threads.
    fn run_delay_ns(&self) -> Fact<u64> {
        let seen = || self.schedule.values().chain(self.started.values());
        let seen_ns: u64 = seen().map(|(on_cpu, _)| on_cpu).sum();
        let charged_ms =
            self.usage.user_ms.known().copied().unwrap_or(0) + self.usage.system_ms.known().copied().unwrap_or(0);
        if charged_ms as f64 * SEEN_MIN > (seen_ns / 1_000_000 + TICKS_MS) as f64 {
            Missing::unsupported("/proc/PID/schedstat", "it started processes that ended between two looks").into()
        } else {
            Fact::Known(seen().map(|(_, waiting)| waiting).sum())
        }
    }

    /// Returns the totals of a program that has ended and is not reaped.
    pub(super) fn close(mut self) -> (Vec<u32>, Usage) {
        let path = format!("/proc/{}/stat", self.pid);
        let stat = self.root.read(&path).and_then(|text| parse_stat(&path, &text));
        if let Ok(stat) = &stat {
            self.seen_on.push(stat.cpu);
            self.seen_on.sort_unstable();
            self.seen_on.dedup();
        }
        self.usage.user_ms = stat.as_ref().map(|stat| stat.user_ms).map_err(Missing::clone).into();
        self.usage.system_ms = stat.map(|stat| stat.system_ms).into();
        self.look_at_schedule(self.pid.to_string());
        if self.schedule.is_empty() {
            let missing = Missing::absent(format!("/proc/{}/schedstat", self.pid));
            self.usage.task_clock_ns = missing.clone().into();
            self.usage.run_delay_ns = missing.into();
        } else {
            self.usage.task_clock_ns = Fact::Known(self.schedule.values().map(|(on_cpu, _)| on_cpu).sum());
            self.usage.run_delay_ns = self.run_delay_ns();
        }
        (self.seen_on, self.usage)
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Stat {
    user_ms: u64,
    system_ms: u64,
    cpu: u32,
}

/// Times of a thread, by its directory.
fn schedule_of(root: &Root, folder: &str) -> Option<(u64, u64)> {
    let path = format!("{folder}/schedstat");
    root.read(&path).and_then(|text| parse_schedstat(&path, &text)).ok()
}

/// Processes started by a thread, by its directory.
fn children_of(root: &Root, folder: &str) -> Vec<u32> {
    let children = root.read(&format!("{folder}/children")).unwrap_or_default();
    children.split_whitespace().filter_map(|child| child.parse().ok()).collect()
}

/// Parses `/proc/PID/stat`. The name in parentheses may contain blanks and parentheses, so fields are counted from the
/// last one.
fn parse_stat(path: &str, text: &str) -> Reading<Stat> {
    let fields: Vec<&str> = match text.rsplit_once(')') {
        Some((_, rest)) => rest.split_whitespace().collect(),
        None => Vec::new(),
    };
    // Field 3 of the manual is the first one after the name.
    let number = |field: usize| -> Option<u64> { fields.get(field - 3)?.parse().ok() };
    let stat = || {
        Some(Stat {
            user_ms: number(14)?.saturating_add(number(16)?).saturating_mul(TICK_MS),
            system_ms: number(15)?.saturating_add(number(17)?).saturating_mul(TICK_MS),
            cpu: u32::try_from(number(39)?).ok()?,
        })
    };
    stat().ok_or_else(|| Missing::garbled(path, text))
}

/// `VmHWM` of `/proc/PID/status`, in KiB.
fn parse_peak(path: &str, text: &str) -> Reading<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let value = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    value.ok_or_else(|| Missing::unsupported(path, "the program has already exited"))
}

/// `/proc/PID/task/TID/schedstat`: time on a CPU, time waiting, number of time slices.
pub fn parse_schedstat(path: &str, text: &str) -> Reading<(u64, u64)> {
    let mut fields = text.split_whitespace().map(str::parse);
    match (fields.next(), fields.next()) {
        (Some(Ok(on_cpu)), Some(Ok(waiting))) => Ok((on_cpu, waiting)),
        _ => Err(Missing::garbled(path, text)),
    }
}

/// Parses arbitrary files of a process, for fuzzing.
pub fn foreign(text: &str) {
    drop(parse_stat("stat", text));
    drop(parse_peak("status", text));
    drop(parse_schedstat("schedstat", text));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stat_line_with_odd_process_name() {
        let text = "77 (a) b (c) S 1 77 77 0 -1 4194304 101 0 0 0 12 3 5 1 20 0 1 0 100 1000 50 \
                    18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 6 0 0 0 0 0 0 0 0 0 0 0 0 0\n";
        let expected = Stat { user_ms: 170, system_ms: 40, cpu: 6 };
        assert_eq!(parse_stat("/proc/77/stat", text), Ok(expected));
        for bad in ["", "77", "77 (x) S 1", "77 (x"] {
            assert!(parse_stat("/proc/77/stat", bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn peak_and_schedule_are_read() {
        let status = "Name:\tx\nVmPeak:\t  900 kB\nVmHWM:\t  512 kB\n";
        assert_eq!(parse_peak("s", status), Ok(512));
        assert!(parse_peak("s", "Name:\tx\nState:\tZ (zombie)\n").is_err());
        assert_eq!(parse_schedstat("s", "5000 70 3\n"), Ok((5000, 70)));
        assert!(parse_schedstat("s", "5000\n").is_err());
    }

    /// A shell with two programs that computed for three seconds each and waited as long; and one with much unobserved
    /// work.
    #[test]
    fn waiting_of_started_processes_counts() {
        for (charged_ticks, expected_ns) in [(600, Some(6_000_070_000)), (2_000, None)] {
            let stat = format!(
                "1 (sh) S 1 1 1 0 -1 4194304 101 0 0 0 1 0 {charged_ticks} 0 20 0 1 0 100 1000 50 18446744073709551615 \
                                1 1 0 0 0 0 0 0 0 0 0 0 17 6 0 0 0 0 0 0 0 0 0 0 0 0 0"
            );
            let board = format!(
                "== /proc/1/stat\n{stat}\n== /proc/1/task/1/stat\n{stat}\n== /proc/1/task/1/schedstat\n1000000 70000 3\n\
                 == /proc/1/task/1/children\n7 8 \n== /proc/7/task/7/schedstat\n3000000000 4000000000 9\n\
                 == /proc/8/task/8/schedstat\n3000000000 2000000000 9\n"
            );
            let root = Root::from_board(&board).unwrap();
            let mut observer = Observer::new(&root, 1);
            observer.look();
            let (_, usage) = observer.close();
            assert_eq!(usage.run_delay_ns.known().copied(), expected_ns);
            assert_eq!(usage.task_clock_ns, Fact::Known(1_000_000));
        }
    }

    #[test]
    fn missing_proc_gives_missing_usage() {
        let root = Root::from_board("").unwrap();
        let mut observer = Observer::new(&root, 1);
        observer.look();
        let (seen_on, usage) = observer.close();
        assert!(seen_on.is_empty());
        for fact in [usage.user_ms, usage.peak_resident_kib, usage.run_delay_ns] {
            assert!(fact.missing().is_some());
        }
    }
}
