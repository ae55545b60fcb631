//! What `/proc` tells about a running program: where it ran, what it used. Read on the beat while
//! it runs and once between its end and its reaping, when the kernel still keeps its totals.
//!
//! `wait4` would give the totals too, but needs `unsafe`, which this crate forbids, and
//! `RUSAGE_CHILDREN` mixes all children that ever ran.
//! Source: `Documentation/filesystems/proc.rst` and `proc_pid_stat(5)`.

use machine::Root;
use record::{Fact, Missing, Reading};
use std::collections::BTreeMap;

/// `/proc/PID/stat` counts in ticks of `USER_HZ`, which is 100 on every architecture built here.
const TICK_MS: u64 = 10;
/// More threads than this are not looked at on each beat, so that watching stays cheap.
const THREADS_MAX: usize = 64;

/// What a program used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Usage {
    /// CPU time in user mode in milliseconds, children it waited for included; resolution 10 ms.
    pub user_ms: Fact<u64>,
    /// CPU time in the kernel in milliseconds, likewise.
    pub system_ms: Fact<u64>,
    /// Largest resident set in KiB, as of the last beat before its end (`VmHWM`).
    pub peak_resident_kib: Fact<u64>,
    /// Time on a CPU of all its threads in nanoseconds, as of the last beat of each.
    pub task_clock_ns: Fact<u64>,
    /// Time runnable but waiting for a CPU of all its threads in nanoseconds, likewise.
    pub run_delay_ns: Fact<u64>,
}

/// Follows one process.
#[derive(Debug)]
pub(super) struct Observer<'a> {
    root: &'a Root,
    pid: u32,
    seen_on: Vec<u32>,
    usage: Usage,
    /// Latest `(on a CPU, waiting)` in nanoseconds of each thread.
    schedule: BTreeMap<String, (u64, u64)>,
}

impl<'a> Observer<'a> {
    pub(super) fn new(root: &'a Root, pid: u32) -> Self {
        Self { root, pid, seen_on: Vec::new(), usage: Usage::default(), schedule: BTreeMap::new() }
    }

    /// Looks at the program while it runs.
    pub(super) fn look(&mut self) {
        let pid = self.pid;
        let threads = self.root.list(&format!("/proc/{pid}/task"));
        for thread in threads.into_iter().flatten().take(THREADS_MAX) {
            let path = format!("/proc/{pid}/task/{thread}/stat");
            if let Ok(stat) = self.root.read(&path).and_then(|text| parse_stat(&path, &text)) {
                self.seen_on.push(stat.cpu);
            }
            self.look_at_schedule(thread);
        }
        self.seen_on.sort_unstable();
        self.seen_on.dedup();
        let path = format!("/proc/{pid}/status");
        match self.root.read(&path).and_then(|text| parse_peak(&path, &text)) {
            Ok(kib) => self.usage.peak_resident_kib = Fact::Known(kib),
            // A program that is just ending has no memory any more; what was seen before stands.
            Err(missing) if self.usage.peak_resident_kib.known().is_none() => {
                self.usage.peak_resident_kib = missing.into();
            }
            Err(_) => {}
        }
    }

    fn look_at_schedule(&mut self, thread: String) {
        let path = format!("/proc/{}/task/{thread}/schedstat", self.pid);
        if let Ok(times) = self.root.read(&path).and_then(|text| parse_schedstat(&path, &text)) {
            self.schedule.insert(thread, times);
        }
    }

    /// Takes the totals of a program that has ended and is not yet reaped.
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
            let times = || self.schedule.values();
            self.usage.task_clock_ns = Fact::Known(times().map(|(on_cpu, _)| on_cpu).sum());
            self.usage.run_delay_ns = Fact::Known(times().map(|(_, waiting)| waiting).sum());
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

/// `/proc/PID/stat`: the name in brackets may hold blanks and brackets, so fields are counted
/// from the last bracket on.
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
pub(crate) fn parse_schedstat(path: &str, text: &str) -> Reading<(u64, u64)> {
    let mut fields = text.split_whitespace().map(str::parse);
    match (fields.next(), fields.next()) {
        (Some(Ok(on_cpu)), Some(Ok(waiting))) => Ok((on_cpu, waiting)),
        _ => Err(Missing::garbled(path, text)),
    }
}

/// What the kernel says of a program, whose name is of its own choice: for fuzzing.
pub(crate) fn foreign(text: &str) {
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
