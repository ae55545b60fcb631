//! Ends processes that a program leaves behind after leaving its group (daemons, `setsid`).
//!
//! This process replaces init for them (`PR_SET_CHILD_SUBREAPER`, prctl(2)): a process that loses its parent becomes
//! its child and can be found. This needs no privileges.

use super::handle::{ProcessHandle, members, open_matching, signal_all};
use machine::processes::{all, children_of, is_gone, namespace, started_ticks, with_ancestors};
use machine::{Group, Root};
use rustix::process::{Signal, getpid, set_child_subreaper};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Maximum wait for a killed process that is stuck in the kernel.
const LIMIT: Duration = Duration::from_secs(2);
const NAP: Duration = Duration::from_millis(1);
/// Maximum number of processes held and ended at once; each takes a file descriptor.
const AT_ONCE: usize = 256;
/// Number of passes, because programs may start others in between.
const LOOKS: usize = 3;

/// Variable that programs inherit, so that orphans can be distinguished from other programs. Its value is the PID
/// namespace of the run, its process id there, and a number for each program: `pid:[4026531836]-1234-0`.
pub(crate) const MARK: &str = "SBC_BENCH_PROGRAM";

/// Prefix of the value for all programs of this process.
fn mark_of(root: &Root, owner: u32) -> String {
    format!("{}-{owner}-", namespace(root))
}

/// Descendants of one program.
#[derive(Debug)]
pub(super) struct Descendants {
    root: Root,
    mark: String,
}

impl Descendants {
    /// Marks the programs of a command, and makes this process the parent of their orphans.
    pub(super) fn mark(command: &mut Command) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        // Before Linux 3.4 orphans go to init and remain.
        let _ = set_child_subreaper(Some(getpid()));
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let root = Root::system();
        let value = format!("{}{number}", mark_of(&root, std::process::id()));
        command.env(MARK, &value);
        let mark = format!("{MARK}={value}");
        Self { root, mark }
    }

    /// Ends orphans and all other processes in the group, and those that become orphans thereby, until none is left.
    /// Called after the program itself was reaped.
    pub(super) fn end(&self, group: Option<&Group>) {
        let find = || {
            let own = std::process::id();
            let children = children_of(&self.root, own);
            let children = open_matching(&self.root, children, |pid| self.is_marked(pid));
            let mut left: Vec<ProcessHandle> = children.take(AT_ONCE).collect();
            left.extend(group.into_iter().flat_map(|group| members(&self.root, group, AT_ONCE)));
            // A thread of this process may be in the group, next to the program.
            left.retain(|process| process.pid() != own);
            left
        };
        end_all_and(find, ProcessHandle::reap);
    }

    /// True for a process with the mark. A zombie has no environment, so it cannot be recognised; it is reaped at the
    /// end of this process at the latest.
    fn is_marked(&self, pid: u32) -> bool {
        has_variable(&self.root, pid, |variable| variable == self.mark.as_bytes())
    }
}

/// Ends all found processes, and those found afterwards, until none is left. Their parents reap them.
fn end_all(find: impl FnMut() -> Vec<ProcessHandle>) {
    end_all_and(find, |_| {});
}

fn end_all_and(mut find: impl FnMut() -> Vec<ProcessHandle>, then: impl Fn(&ProcessHandle)) {
    let until = Instant::now() + LIMIT;
    loop {
        let left = find();
        if left.is_empty() || Instant::now() > until {
            return;
        }
        signal_all(&left, Signal::KILL);
        left.iter().for_each(&then);
        std::thread::sleep(NAP);
    }
}

/// Ends all programs of a killed process, by its mark.
pub(crate) fn kill_descendants(root: &Root, owner: u32) {
    let mark = format!("{MARK}={}", mark_of(root, owner));
    let is_marked = |pid: u32| has_variable(root, pid, |v| v.starts_with(mark.as_bytes()));
    end_all(|| open_matching(root, all(root), is_marked).take(AT_ONCE).collect());
}

/// Ends the processes in a group whose owner is gone, except for ancestors of this process.
pub(crate) fn end_members_of(root: &Root, group: &Group) {
    let spared = with_ancestors(root);
    end_all(|| {
        let mut left = members(root, group, AT_ONCE);
        left.retain(|process| !spared.contains(&process.pid()));
        left
    });
}

/// Programs that a live process has started and their descendants, without its guard.
fn descendants_of(root: &Root, owner: u32) -> Vec<ProcessHandle> {
    let mark = format!("{MARK}={}", mark_of(root, owner));
    let is_marked = |pid| has_variable(root, pid, |v| v.starts_with(mark.as_bytes()));
    let mut found: Vec<ProcessHandle> = open_matching(root, children_of(root, owner), is_marked).collect();
    let mut next = 0;
    while let Some(parent) = found.get(next).map(ProcessHandle::pid) {
        next += 1;
        let children = children_of(root, parent).into_iter();
        let is_new = |child: &u32| found.iter().all(|known| known.pid() != *child);
        let new: Vec<u32> = children.filter(is_new).collect();
        let is_child = |pid| children_of(root, parent).contains(&pid);
        found.extend(open_matching(root, new, is_child));
    }
    found
}

/// Stops the programs of a live process and their descendants; returns them.
pub(crate) fn stop_programs_of(root: &Root, owner: u32) -> Vec<ProcessHandle> {
    let mut stopped: Vec<ProcessHandle> = Vec::new();
    for _ in 0..LOOKS {
        let mut new = descendants_of(root, owner);
        new.retain(|new| stopped.iter().all(|known| known.pid() != new.pid()));
        if new.is_empty() {
            break;
        }
        signal_all(&new, Signal::STOP);
        stopped.extend(new);
    }
    stopped
}

/// Ends all programs of this process if there is no time to wait.
pub fn end_programs() {
    kill_descendants(&Root::system(), std::process::id());
}

/// Ends the programs of dead runs without a guard and returns their names. Ancestors of this process are spared.
///
/// A process with the id of such a run is a later one if it was started after the program.
pub(crate) fn kill_orphans(root: &Root) -> Vec<String> {
    let spared = with_ancestors(root);
    let namespace = namespace(root);
    let is_orphan = |pid: u32| !spared.contains(&pid) && is_orphan(root, &namespace, pid);
    let mut ended: Vec<(u32, String)> = Vec::new();
    end_all(|| {
        let left: Vec<ProcessHandle> = open_matching(root, all(root), is_orphan).take(AT_ONCE).collect();
        for pid in left.iter().map(ProcessHandle::pid) {
            if ended.iter().all(|(known, _)| *known != pid) {
                let name = root.read_value(&format!("/proc/{pid}/comm"));
                ended.push((pid, name.unwrap_or_else(|_| format!("PID {pid}"))));
            }
        }
        left
    });
    ended.into_iter().map(|(_, name)| name).collect()
}

/// True for a program of a dead run in this PID namespace.
fn is_orphan(root: &Root, namespace: &str, pid: u32) -> bool {
    let Some(owner) = owner_of(root, namespace, pid) else { return false };
    if is_gone(owner) {
        return true;
    }
    match (started_ticks(root, owner), started_ticks(root, pid)) {
        (Some(owner), Some(program)) => owner > program,
        (None, _) | (_, None) => false,
    }
}

/// Process that started the program, by its mark; `None` for programs of other PID namespaces (containers), where ids
/// denote other processes.
fn owner_of(root: &Root, namespace: &str, pid: u32) -> Option<u32> {
    let environment = root.read_bytes(&format!("/proc/{pid}/environ")).ok()?;
    let mut variables = environment.split(|byte| *byte == 0);
    let mark = variables.find_map(|v| v.strip_prefix(MARK.as_bytes())?.strip_prefix(b"="))?;
    let mut parts = std::str::from_utf8(mark).ok()?.split('-');
    parts.next().filter(|space| *space == namespace)?;
    parts.next()?.parse().ok()
}

/// True if the initial environment of the process contains such a variable.
fn has_variable(root: &Root, pid: u32, is_it: impl Fn(&[u8]) -> bool) -> bool {
    let environment = root.read_bytes(&format!("/proc/{pid}/environ"));
    let environment = environment.unwrap_or_default();
    environment.split(|byte| *byte == 0).any(is_it)
}
