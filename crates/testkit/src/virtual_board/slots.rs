//! True clocks: one control group with a CPU quota for every CPU, and the threads of the command sorted
//! into the group of the CPU they run on.
//!
//! A clock is a duty cycle, full speed and pauses, not a slow core: readings shorter than a few periods
//! see the host's clock; see Documentation/scheduler/sched-bwc.rst. Which files of which version of control groups
//! that takes is not decided here.

use super::groups::{Drive, Groups, MOUNT};
use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A share that differs by less than this is not written: every write forgives the time that was
/// overdrawn.
const SHARE_STEP: f64 = 0.01;
/// Waiting that is told later: about a turn of pauses.
const DUE_S_MAX: f64 = 0.04;

/// A thread that has run and waited for less than this in a step is not moved.
const MOVED_NS_MIN: u64 = 2_000_000;

/// Groups of one board, removed when dropped.
pub(super) struct Slots {
    name: String,
    groups: Groups,
    cpus: Vec<u32>,
    /// True if the drive is limited, which takes a group of its own.
    has_drive: bool,
    /// Nanoseconds that each group has used, when last looked at.
    used_ns: BTreeMap<u32, u64>,
    /// Nanoseconds that each thread has run or waited for its turn, when last looked at.
    busy_ns: BTreeMap<u32, u64>,
    /// Seconds for which each CPU was wanted and that are not yet told.
    due_s: BTreeMap<u32, f64>,
    /// The share of each CPU that was written.
    shares: BTreeMap<u32, f64>,
}

/// Why a board cannot run here; none if it can.
pub(super) fn lacking() -> Option<String> {
    Groups::find(Path::new(MOUNT)).err()
}

impl Slots {
    /// Makes the groups of a board with this name. Left over ones of boards that were killed go first.
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

    /// The lists of threads to which a new process adds itself.
    pub(super) fn entrances(&self) -> Vec<PathBuf> {
        let first = self.cpus.first().copied().unwrap_or(0);
        self.groups.entrances(&self.name, first, self.has_drive)
    }

    /// Gives a CPU this share of the host's clock.
    pub(super) fn set_share(&mut self, cpu: u32, share: f64) -> io::Result<()> {
        let before = self.shares.get(&cpu).copied();
        if before.is_some_and(|before| (share / before - 1.0).abs() < SHARE_STEP) {
            return Ok(());
        }
        self.groups.set_quota(&self.name, cpu, share)?;
        self.shares.insert(cpu, share);
        Ok(())
    }

    /// Threads of the command, by the group they are in.
    fn threads(&self) -> Vec<(u32, u32)> {
        let of = |cpu: u32| {
            let list = &self.groups.threads(&self.name, cpu)[0];
            let tasks = std::fs::read_to_string(list).unwrap_or_default();
            let threads = tasks.lines().filter_map(|thread| thread.parse().ok());
            threads.map(|thread| (cpu, thread)).collect::<Vec<(u32, u32)>>()
        };
        self.cpus.iter().flat_map(|cpu| of(*cpu)).collect()
    }

    /// Moves running threads into the group of the CPU they run on, and says for how many seconds each
    /// CPU was wanted since last asked: by threads that ran or waited for their turn or their quota.
    pub(super) fn sort_threads(&mut self) -> BTreeMap<u32, f64> {
        let mut wanted_s = BTreeMap::new();
        let mut busy_ns = BTreeMap::new();
        for (slot, thread) in self.threads() {
            let Some(now) = busy(thread) else { continue };
            let before = self.busy_ns.get(&thread).copied();
            let grown_ns = now.saturating_sub(before.unwrap_or(now));
            *wanted_s.entry(slot).or_default() += grown_ns as f64 / 1e9;
            busy_ns.insert(thread, now);
            // One that hardly runs may stay: moving costs more than it uses.
            if before.is_some() && grown_ns < MOVED_NS_MIN {
                continue;
            }
            let Some(cpu) = running_on(thread).filter(|cpu| *cpu != slot && self.cpus.contains(cpu)) else {
                continue;
            };
            for list in self.groups.threads(&self.name, cpu) {
                // A thread that has ended meanwhile is no trouble.
                let _ = std::fs::write(list, thread.to_string());
            }
        }
        self.busy_ns = busy_ns;
        wanted_s
    }

    /// For how much of `dt_s` a CPU was wanted. The kernel counts waiting when it is over: what is more than
    /// a step can hold belongs to the ones before and is told in the next.
    pub(super) fn due_s(&mut self, cpu: u32, wanted_s: f64, dt_s: f64) -> f64 {
        let due = self.due_s.entry(cpu).or_default();
        *due += wanted_s;
        let told = due.min(dt_s);
        *due = (*due - told).min(DUE_S_MAX);
        told
    }

    /// Names of what runs on the board.
    pub(super) fn names(&self) -> Vec<String> {
        let name = |thread| std::fs::read_to_string(format!("/proc/{thread}/comm")).ok();
        let threads = self.threads().into_iter();
        threads.filter_map(|(_, thread)| Some(name(thread)?.trim().to_owned())).collect()
    }

    /// CPU time that a group used since last asked, in seconds.
    pub(super) fn used_s(&mut self, cpu: u32) -> f64 {
        let now = self.groups.used_ns(&self.name, cpu).unwrap_or(0);
        let before = self.used_ns.insert(cpu, now).unwrap_or(now);
        now.saturating_sub(before) as f64 / 1e9
    }

    /// Kills everything still in a group.
    pub(super) fn kill_all(&self) {
        for (_, thread) in self.threads() {
            kill(&thread.to_string());
        }
    }
}

impl Drop for Slots {
    fn drop(&mut self) {
        self.kill_all();
        // A killed process leaves its group a moment later.
        for _ in 0..100 {
            if remove(&self.groups, &self.name) {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }
}

/// Nanoseconds for which a thread has run or waited in a queue; the first two fields of
/// /proc/PID/schedstat (Documentation/scheduler/sched-stats.rst).
fn busy(thread: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{thread}/schedstat")).ok()?;
    let mut fields = text.split_whitespace().map(str::parse::<u64>);
    Some(fields.next()?.ok()? + fields.next()?.ok()?)
}

/// The CPU of a thread that is running or waits for its quota; fields 3 and 39 of /proc/PID/stat.
fn running_on(thread: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{thread}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    (*fields.first()? == "R").then_some(())?;
    fields.get(36)?.parse().ok()
}

/// Removes the groups of one board; false if one is still in use.
fn remove(groups: &Groups, name: &str) -> bool {
    let mut all = true;
    for folder in groups.folders(name) {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        let slots = entries.filter_map(Result::ok).filter(|entry| entry.path().is_dir());
        slots.for_each(|slot| all &= std::fs::remove_dir(slot.path()).is_ok());
        all &= std::fs::remove_dir(&folder).is_ok();
    }
    all
}

fn remove_left_over(groups: &Groups) {
    let Ok(entries) = std::fs::read_dir(groups.top()) else {
        return;
    };
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

fn kill(thread: &str) {
    // One that has ended meanwhile is no trouble.
    let _ = std::process::Command::new("kill").args(["-9", thread]).status();
}
