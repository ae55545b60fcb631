//! True clocks: one cgroup with a CPU quota per CPU; threads of the command are moved to the cgroup of the CPU that
//! they run on.
//!
//! The clock is a duty cycle of full speed and pauses, so readings shorter than a few periods see the host's clock; see
//! Documentation/scheduler/sched-bwc.rst. `groups` knows the files of both cgroup versions.

use super::groups::{Drive, Groups, MOUNT};
use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Minimum change of a share that is written, because every write resets the overdrawn time.
const SHARE_STEP: f64 = 0.01;
/// Maximum delay of accounted waiting time: about two periods.
const DUE_S_MAX: f64 = 0.04;

/// Threads that ran and waited for less than this in a step are not moved.
const MOVED_NS_MIN: u64 = 2_000_000;

/// Cgroups of a board, removed on drop.
pub(super) struct Slots {
    name: String,
    groups: Groups,
    cpus: Vec<u32>,
    /// Whether the drive is limited, which requires a separate cgroup.
    has_drive: bool,
    /// Last CPU time of each cgroup, in nanoseconds.
    used_ns: BTreeMap<u32, u64>,
    /// Last run and wait time of each thread, in nanoseconds.
    busy_ns: BTreeMap<u32, u64>,
    /// Demanded seconds of each CPU that are not yet returned.
    due_s: BTreeMap<u32, f64>,
    /// Last written share of each CPU.
    shares: BTreeMap<u32, f64>,
}

/// Reason why a board cannot run here; `None` if it can.
pub(super) fn lacking() -> Option<String> {
    Groups::find(Path::new(MOUNT)).err()
}

impl Slots {
    /// Creates the cgroups of a board, after removing those of killed boards.
    pub(super) fn new(name: &str, cpus: &[u32], drive_bytes_per_s: Option<u64>) -> io::Result<Self> {
        let groups = Groups::find(Path::new(MOUNT)).map_err(io::Error::other)?;
        remove_left_over(&groups);
        let slots = Self {
            name: name.to_owned(),
            groups,
            cpus: cpus.to_vec(),
            has_drive: drive_bytes_per_s.is_some(),
            used_ns: BTreeMap::new(),
            busy_ns: BTreeMap::new(),
            due_s: BTreeMap::new(),
            shares: BTreeMap::new(),
        };
        let device = std::fs::metadata(std::env::temp_dir())?.dev();
        let drive = drive_bytes_per_s.map(|bytes_per_s| Drive {
            major: rustix::fs::major(device),
            minor: rustix::fs::minor(device),
            bytes_per_s,
        });
        slots.groups.make(&slots.name, cpus, drive.as_ref())?;
        Ok(slots)
    }

    /// Files to which a new process writes its id.
    pub(super) fn entrances(&self) -> Vec<PathBuf> {
        let first = self.cpus.first().copied().unwrap_or(0);
        self.groups.entrances(&self.name, first, self.has_drive)
    }

    /// Sets a CPU to this share of the host's clock.
    pub(super) fn set_share(&mut self, cpu: u32, share: f64) -> io::Result<()> {
        let before = self.shares.get(&cpu).copied();
        if before.is_some_and(|before| (share / before - 1.0).abs() < SHARE_STEP) {
            return Ok(());
        }
        self.groups.set_quota(&self.name, cpu, share)?;
        self.shares.insert(cpu, share);
        Ok(())
    }

    /// Threads of the command with the CPU of their cgroup.
    fn threads(&self) -> Vec<(u32, u32)> {
        let of = |cpu: u32| {
            let list = &self.groups.threads(&self.name, cpu)[0];
            let tasks = std::fs::read_to_string(list).unwrap_or_default();
            let threads = tasks.lines().filter_map(|thread| thread.parse().ok());
            threads.map(|thread| (cpu, thread)).collect::<Vec<(u32, u32)>>()
        };
        self.cpus.iter().flat_map(|cpu| of(*cpu)).collect()
    }

    /// Moves running threads to the cgroup of the CPU they run on. Returns the seconds for which each CPU was demanded
    /// since the last call, by threads that ran or waited for a CPU or their quota.
    pub(super) fn sort_threads(&mut self) -> BTreeMap<u32, f64> {
        let mut wanted_s = BTreeMap::new();
        let mut busy_ns = BTreeMap::new();
        for (slot, thread) in self.threads() {
            let Some(now) = busy(thread) else { continue };
            let before = self.busy_ns.get(&thread).copied();
            let grown_ns = now.saturating_sub(before.unwrap_or(now));
            *wanted_s.entry(slot).or_default() += grown_ns as f64 / 1e9;
            busy_ns.insert(thread, now);
            // A thread that hardly runs is not moved, because moving costs more than it uses.
            if before.is_some() && grown_ns < MOVED_NS_MIN {
                continue;
            }
            let Some(cpu) = running_on(thread).filter(|cpu| *cpu != slot && self.cpus.contains(cpu)) else { continue };
            for list in self.groups.threads(&self.name, cpu) {
                // The thread may have ended.
                let _ = std::fs::write(list, thread.to_string());
            }
        }
        self.busy_ns = busy_ns;
        wanted_s
    }

    /// Time of `dt_s` for which a CPU was demanded. The kernel accounts waiting when it ends: time that exceeds the
    /// step belongs to earlier steps and is returned in the next one.
    pub(super) fn due_s(&mut self, cpu: u32, wanted_s: f64, dt_s: f64) -> f64 {
        let due = self.due_s.entry(cpu).or_default();
        *due += wanted_s;
        let told = due.min(dt_s);
        *due = (*due - told).min(DUE_S_MAX);
        told
    }

    /// Names of processes on the board.
    pub(super) fn names(&self) -> Vec<String> {
        let name = |thread| std::fs::read_to_string(format!("/proc/{thread}/comm")).ok();
        let threads = self.threads().into_iter();
        threads.filter_map(|(_, thread)| Some(name(thread)?.trim().to_owned())).collect()
    }

    /// CPU time that a cgroup used since the last call, in seconds.
    pub(super) fn used_s(&mut self, cpu: u32) -> f64 {
        let now = self.groups.used_ns(&self.name, cpu).unwrap_or(0);
        let before = self.used_ns.insert(cpu, now).unwrap_or(now);
        now.saturating_sub(before) as f64 / 1e9
    }

    /// Kills all processes in the cgroups.
    pub(super) fn kill_all(&self) {
        for (_, thread) in self.threads() {
            kill(&thread.to_string());
        }
    }
}

impl Drop for Slots {
    fn drop(&mut self) {
        self.kill_all();
        // A killed process leaves its cgroup with a delay.
        for _ in 0..100 {
            if remove(&self.groups, &self.name) {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }
}

/// Nanoseconds for which a thread has run or waited in a queue; the first two fields of /proc/PID/schedstat
/// (Documentation/scheduler/sched-stats.rst).
fn busy(thread: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{thread}/schedstat")).ok()?;
    let mut fields = text.split_whitespace().map(str::parse::<u64>);
    Some(fields.next()?.ok()? + fields.next()?.ok()?)
}

/// CPU of a thread that is running or waits for its quota; fields 3 and 39 of /proc/PID/stat.
fn running_on(thread: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{thread}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    (*fields.first()? == "R").then_some(())?;
    fields.get(36)?.parse().ok()
}

/// Removes the cgroups of one board; false if one is still in use.
fn remove(groups: &Groups, name: &str) -> bool {
    let mut all = true;
    for folder in groups.folders(name) {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        let slots = entries.filter_map(Result::ok).filter(|entry| entry.path().is_dir());
        slots.for_each(|slot| all &= std::fs::remove_dir(slot.path()).is_ok());
        all &= std::fs::remove_dir(&folder).is_ok();
    }
    all
}

fn remove_left_over(groups: &Groups) {
    let Ok(entries) = std::fs::read_dir(groups.top()) else { return };
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name().to_string_lossy().into_owned();
        if super::names::is_left_over(&name) {
            let slots = std::fs::read_dir(entry.path()).into_iter().flatten();
            for slot in slots.filter_map(Result::ok) {
                let tasks = std::fs::read_to_string(slot.path().join(groups.list()));
                tasks.unwrap_or_default().lines().for_each(kill);
            }
            remove(groups, &name);
        }
    }
}

pub(super) fn kill(thread: &str) {
    // The thread may have ended.
    let _ = std::process::Command::new("kill").args(["-9", thread]).status();
}
