//! Observes a running sbc-bench: output, CPU time, memory.

use crate::workspace::ChildProcess;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// Resources used by a process so far.
#[derive(Debug, Clone, Copy)]
pub(super) struct Usage {
    /// Time of the reading since the start.
    pub(super) elapsed: Duration,
    /// CPU time of all its threads, in nanoseconds.
    pub(super) cpu_ns: u64,
    /// Largest resident set, in KiB.
    pub(super) resident_kib_max: u64,
    /// Minor page faults.
    pub(super) faults: u64,
}

/// Fails if a monitor has ended by itself.
pub(super) fn is_running(monitor: &mut ChildProcess) -> Result<()> {
    ensure!(monitor.0.try_wait()?.is_none(), "the monitor ended by itself");
    Ok(())
}

/// A monitor with its output.
pub(super) struct MonitorProcess {
    started: Instant,
    monitor: ChildProcess,
    lines: BufReader<ChildStdout>,
}

impl MonitorProcess {
    /// Starts `sbc-bench -m INTERVAL`.
    pub(super) fn monitor(binary: &Path, interval: &str) -> Result<Self> {
        let started = Instant::now();
        let mut child = Command::new(binary)
            .args(["-m", interval])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| binary.display().to_string())?;
        let lines = child.stdout.take().context("no standard output")?;
        Ok(Self { started, monitor: ChildProcess(child), lines: BufReader::new(lines) })
    }

    /// Waits for the next line with a sample and returns its time since the start.
    pub(super) fn next_sample(&mut self) -> Result<Duration> {
        loop {
            let mut line = String::new();
            let length = self.lines.read_line(&mut line)?;
            ensure!(length > 0, "the monitor ended by itself");
            if is_sample(&line) {
                return Ok(self.started.elapsed());
            }
        }
    }

    /// Resources used so far.
    pub(super) fn usage(&self) -> Result<Usage> {
        let pid = self.monitor.0.id();
        let status = read(&format!("/proc/{pid}/status"))?;
        let mut cpu_ns = 0;
        for task in Path::new(&format!("/proc/{pid}/task")).read_dir()? {
            let path = task?.path().join("schedstat");
            cpu_ns += on_cpu_ns(&read(&path.to_string_lossy())?)?;
        }
        let faults = faults(&read(&format!("/proc/{pid}/stat"))?)?;
        Ok(Usage { elapsed: self.started.elapsed(), cpu_ns, resident_kib_max: kib(&status, "VmHWM:")?, faults })
    }

    /// Ends it. Fails if it has ended by itself.
    pub(super) fn end(mut self) -> Result<()> {
        is_running(&mut self.monitor)
    }
}

/// Current resident memory of a process.
pub(super) fn resident_kib(pid: u32) -> Result<u64> {
    kib(&read(&format!("/proc/{pid}/status"))?, "VmRSS:")
}

/// Peak resident memory of a process.
pub(super) fn peak_kib(pid: u32) -> Result<u64> {
    kib(&read(&format!("/proc/{pid}/status"))?, "VmHWM:")
}

/// CPU time of the thread with this name, in nanoseconds.
pub(super) fn thread_cpu_ns(pid: u32, name: &str) -> Result<Option<u64>> {
    for task in Path::new(&format!("/proc/{pid}/task")).read_dir()? {
        let task = task?.path();
        let of_task = |file: &str| read(&task.join(file).to_string_lossy());
        // A thread may end between listing and reading it.
        let Ok(comm) = of_task("comm") else { continue };
        if comm.trim_end() == name {
            return Ok(Some(on_cpu_ns(&of_task("schedstat")?)?));
        }
    }
    Ok(None)
}

/// Folders of Records: root's log folder and the state folders of a user.
pub(super) fn record_folders() -> Vec<PathBuf> {
    let mut folders = vec![PathBuf::from("/var/log")];
    let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from);
    let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".local/state"));
    if let Some(state) = state.or(home) {
        folders.push(state.join("sbc-bench"));
        folders.push(state);
    }
    folders
}

fn read(path: &str) -> Result<String> {
    fs::read_to_string(path).with_context(|| path.to_owned())
}

/// Whether a line is a sample, which starts with the time of day.
fn is_sample(line: &str) -> bool {
    line.trim_start().starts_with(|first: char| first.is_ascii_digit())
}

/// CPU time in `schedstat` of a task: the first of its three numbers.
/// See <https://docs.kernel.org/scheduler/sched-stats.html>.
fn on_cpu_ns(text: &str) -> Result<u64> {
    let first = text.split_whitespace().next().context("schedstat is empty")?;
    Ok(first.parse()?)
}

/// Minor page faults in `stat` of a process: the eighth field after the name, which may contain anything.
/// See proc_pid_stat(5).
fn faults(stat: &str) -> Result<u64> {
    let fields = stat.rsplit_once(')').context("stat has no name")?.1;
    Ok(fields.split_whitespace().nth(7).context("stat is too short")?.parse()?)
}

/// Parses a field of `/proc/PID/status` in KiB.
fn kib(status: &str, field: &str) -> Result<u64> {
    let value =
        status.lines().find_map(|line| line.strip_prefix(field)).with_context(|| format!("no {field} in status"))?;
    Ok(value.trim().trim_end_matches(" kB").parse()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_process_are_parsed() {
        let status = "Name:\tsbc-bench\nVmHWM:\t    4312 kB\nVmRSS:\t    4100 kB\n";
        assert_eq!(kib(status, "VmHWM:").unwrap(), 4312);
        assert_eq!(kib(status, "VmRSS:").unwrap(), 4100);
        assert!(kib("Name:\tkthreadd\n", "VmRSS:").is_err());
        assert_eq!(on_cpu_ns("9812345 1203 17\n").unwrap(), 9_812_345);
        assert!(on_cpu_ns("").is_err());
        assert_eq!(faults("812 (a) b) S 1 812 812 0 -1 4194560 377 0 2 0 1 5 0").unwrap(), 377);
        assert!(faults("812 (a) S 1").is_err());
    }

    #[test]
    fn samples_are_told_from_headers() {
        assert!(is_sample("09:12:33: 1800MHz  0.25   3%\n"));
        assert!(!is_sample("Time       cpu0    load %cpu\n"));
        assert!(!is_sample("\n"));
    }

    #[test]
    fn own_resident_memory() {
        assert!(resident_kib(std::process::id()).unwrap() > 0);
    }

    #[test]
    fn threads_are_found_by_name() {
        let here = std::process::id();
        let named = std::thread::Builder::new().name("stream".into());
        let of_itself = named.spawn(move || thread_cpu_ns(here, "stream").unwrap());
        assert!(of_itself.unwrap().join().unwrap().is_some());
        // Threads that end during the reading do not match.
        let thread = || std::thread::Builder::new();
        let ending = thread().spawn(move || (0..2000).for_each(|_| thread().spawn(|| ()).unwrap().join().unwrap()));
        (0..200).for_each(|_| assert_eq!(thread_cpu_ns(here, "none of ours").unwrap(), None));
        ending.unwrap().join().unwrap();
    }
}
