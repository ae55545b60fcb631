//! What a program leaves behind when it ends: processes that left its group (daemons, `setsid`).
//!
//! This process takes the place of init for them (`PR_SET_CHILD_SUBREAPER`, prctl(2)): whoever loses
//! its parent becomes its child, can be found as such, and is ended. No rights are needed for it.

use machine::processes::{children_of, is_gone};
use machine::{Group, Root};
use rustix::process::{
    Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, waitpid,
};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// A killed process that is stuck in the kernel is not waited for any longer.
const LIMIT: Duration = Duration::from_secs(2);
const NAP: Duration = Duration::from_millis(1);
/// While one looks, a program can start another one.
const LOOKS: usize = 3;

/// Programs inherit this variable, so that an orphan can be told from those of other programs.
pub(crate) const MARK: &str = "SBC_BENCH_PROGRAM";

/// The descendants of one program.
#[derive(Debug)]
pub(super) struct Descendants {
    root: Root,
    mark: String,
}

impl Descendants {
    /// Marks what the command will start; its orphans become children of this process.
    pub(super) fn mark(command: &mut Command) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        // Kernels before 3.4 have no such thing; there, orphans go to init and stay.
        let _ = set_child_subreaper(Some(getpid()));
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let value = format!("{}-{number}", std::process::id());
        command.env(MARK, &value);
        Self {
            root: Root::system(),
            mark: format!("{MARK}={value}"),
        }
    }

    /// Ends the orphans, whatever else is in the group, and those that become orphans by that, until
    /// none is left. To be called when the program itself is reaped.
    pub(super) fn end(&self, group: Option<&Group>) {
        let until = Instant::now() + LIMIT;
        loop {
            let mut left = children_of(&self.root, std::process::id());
            left.retain(|pid| self.is_marked(*pid));
            left.extend(group.map(Group::processes).unwrap_or_default());
            // A thread of ours may work in the group, beside the program.
            left.retain(|pid| *pid != std::process::id());
            if left.is_empty() || Instant::now() > until {
                return;
            }
            for pid in left.into_iter().filter_map(|pid| Pid::from_raw(pid as i32)) {
                let _ = kill_process(pid, Signal::KILL);
                let _ = waitpid(Some(pid), WaitOptions::NOHANG);
            }
            std::thread::sleep(NAP);
        }
    }

    /// A process that has ended has no environment any more; the kernel keeps no trace of whose it
    /// was. It is reaped at the end of this process at the latest.
    fn is_marked(&self, pid: u32) -> bool {
        has_variable(&self.root, pid, |variable| variable == self.mark.as_bytes())
    }
}

/// Ends everything that the programs of a process have left when the process itself was killed: what
/// bears its mark, and what is in its group. Returns how many that were.
pub(crate) fn end_all_of(root: &Root, owner: u32, group: Option<&Group>) -> usize {
    let mark = format!("{MARK}={owner}-");
    let is_marked = |pid: &u32| has_variable(root, *pid, |v| v.starts_with(mark.as_bytes()));
    let until = Instant::now() + LIMIT;
    let mut ended: Vec<u32> = Vec::new();
    loop {
        let all = root.list("/proc").unwrap_or_default();
        let mut left: Vec<u32> = all.iter().filter_map(|name| name.parse().ok()).collect();
        left.retain(is_marked);
        left.extend(group.map(Group::processes).unwrap_or_default());
        if left.is_empty() || Instant::now() > until {
            ended.sort_unstable();
            ended.dedup();
            return ended.len();
        }
        for pid in &left {
            if let Some(pid) = Pid::from_raw(*pid as i32) {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
        ended.extend(left);
        std::thread::sleep(NAP);
    }
}

/// The programs that a living process has started, and everything below them; its guard is none of them.
fn descendants_of(root: &Root, owner: u32) -> Vec<u32> {
    let mark = format!("{MARK}={owner}-");
    let mut found = children_of(root, owner);
    found.retain(|pid| has_variable(root, *pid, |v| v.starts_with(mark.as_bytes())));
    let mut next = 0;
    while let Some(pid) = found.get(next).copied() {
        next += 1;
        let children = children_of(root, pid).into_iter();
        let new: Vec<u32> = children.filter(|child| !found.contains(child)).collect();
        found.extend(new);
    }
    found
}

/// Stops the programs of a living process, and everything below them; which that were.
pub(crate) fn stop_programs_of(root: &Root, owner: u32) -> Vec<u32> {
    let mut stopped: Vec<u32> = Vec::new();
    for _ in 0..LOOKS {
        let mut new = descendants_of(root, owner);
        new.retain(|pid| !stopped.contains(pid));
        if new.is_empty() {
            break;
        }
        signal_all(&new, Signal::STOP);
        stopped.extend(new);
    }
    stopped
}

/// Ends all programs of this process, for an end that cannot wait.
pub fn end_programs() {
    end_all_of(&Root::system(), std::process::id(), None);
}

/// Sends a signal to each of them; those that are gone are gone.
pub(crate) fn signal_all(pids: &[u32], signal: Signal) {
    for pid in pids.iter().filter_map(|pid| Pid::from_raw(*pid as i32)) {
        let _ = kill_process(pid, signal);
    }
}

/// Ends the programs of runs that are dead, on which no guard can look any more, and tells their names.
///
/// A process that has the number of such a run is a later one: it was started after the program.
pub(crate) fn end_orphans(root: &Root) -> Vec<String> {
    let until = Instant::now() + LIMIT;
    let mut ended: Vec<(u32, String)> = Vec::new();
    loop {
        let all = root.list("/proc").unwrap_or_default();
        let mut left: Vec<u32> = all.iter().filter_map(|name| name.parse().ok()).collect();
        left.retain(|pid| *pid != std::process::id() && is_orphan(root, *pid));
        if left.is_empty() || Instant::now() > until {
            return ended.into_iter().map(|(_, name)| name).collect();
        }
        for pid in left {
            if ended.iter().all(|(known, _)| *known != pid) {
                let name = root.read_value(&format!("/proc/{pid}/comm"));
                ended.push((pid, name.unwrap_or_else(|_| format!("PID {pid}"))));
            }
            if let Some(pid) = Pid::from_raw(pid as i32) {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
        std::thread::sleep(NAP);
    }
}

/// True for a program of a run that is dead.
fn is_orphan(root: &Root, pid: u32) -> bool {
    let Some(owner) = owner_of(root, pid) else {
        return false;
    };
    if is_gone(owner) {
        return true;
    }
    match (started_ticks(root, owner), started_ticks(root, pid)) {
        (Some(owner), Some(program)) => owner > program,
        (None, _) | (_, None) => false,
    }
}

/// The process that started the program, by its mark. Numbers of other PID namespaces (containers) mean other
/// processes, so their programs have none here.
fn owner_of(root: &Root, pid: u32) -> Option<u32> {
    let environment = root.read_bytes(&format!("/proc/{pid}/environ")).ok()?;
    let mut variables = environment.split(|byte| *byte == 0);
    let mark = variables.find_map(|v| v.strip_prefix(MARK.as_bytes())?.strip_prefix(b"="))?;
    let (owner, _) = std::str::from_utf8(mark).ok()?.split_once('-')?;
    let namespace = |pid: &str| root.link(&format!("/proc/{pid}/ns/pid")).ok();
    let is_ours = namespace(&pid.to_string()) == namespace("self");
    owner.parse().ok().filter(|_| is_ours)
}

/// When a process was started, in ticks since the boot: field 22 of `proc_pid_stat(5)`.
fn started_ticks(root: &Root, pid: u32) -> Option<u64> {
    let stat = root.read(&format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(22 - 3)?.parse().ok()
}

/// True if the environment that the process was started with has such a variable.
fn has_variable(root: &Root, pid: u32, is_it: impl Fn(&[u8]) -> bool) -> bool {
    let environment = root.read_bytes(&format!("/proc/{pid}/environ"));
    let environment = environment.unwrap_or_default();
    environment.split(|byte| *byte == 0).any(is_it)
}
