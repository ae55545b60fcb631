//! Lists processes with their parents, and checks whether they are alive (proc_pid_stat(5), pid_namespaces(7)).

use super::stat::parse_process;
use crate::Root;
use rustix::io::Errno;
use rustix::process::{Pid, getppid, test_kill_process};

/// Children of a process, including zombies.
///
/// The kernel lists the children of each thread (`proc_pid_children(5)`, needs `CONFIG_PROC_CHILDREN`), but may omit
/// one while another ends, so the list is read until two reads agree. Without it the parent of every process is read.
pub fn children_of(root: &Root, parent: u32) -> Vec<u32> {
    if !has_own_numbers(root) {
        return Vec::new();
    }
    let mut before = None;
    for _ in 0..LISTS_MAX {
        let Some(listed) = listed_children(root, parent) else { break };
        if before.as_ref() == Some(&listed) {
            return listed;
        }
        before = Some(listed);
    }
    children_by_parent(root, parent)
}

/// All processes by id; empty if `/proc` belongs to another PID namespace (`unshare --pid` without a mount of its own),
/// because signals would then reach other processes.
pub fn all(root: &Root) -> Vec<u32> {
    if !has_own_numbers(root) {
        return Vec::new();
    }
    let names = root.list("/proc").unwrap_or_default();
    names.iter().filter_map(|name| name.parse().ok()).collect()
}

/// False if `/proc` is known to belong to another PID namespace, where ids denote other processes.
pub fn has_own_numbers(root: &Root) -> bool {
    let own = std::process::id().to_string();
    !(root.is_system() && root.link("/proc/self").is_ok_and(|pid| pid != own))
}

/// This process and all of its ancestors.
pub fn with_ancestors(root: &Root) -> Vec<u32> {
    let mut found = vec![std::process::id()];
    if !has_own_numbers(root) {
        found.extend(getppid().map(|pid| pid.as_raw_nonzero().get().unsigned_abs()));
        return found;
    }
    while found.len() < ANCESTORS_MAX
        && let Some(job) = found.last().and_then(|pid| process_job(root, *pid))
        && job.parent != 0
    {
        found.push(job.parent);
    }
    found
}

/// PID namespace of this process, which distinguishes containers, in the kernel's notation (`pid:[4026531836]`,
/// pid_namespaces(7)); empty without one.
pub fn namespace(root: &Root) -> String {
    let link = || root.link("/proc/self/ns/pid").ok();
    (0..LISTS_MAX).find_map(|_| link()).unwrap_or_default()
}

/// Maximum number of ancestors.
const ANCESTORS_MAX: usize = 256;
/// Maximum number of differing reads, after which the parents of all processes are read.
const LISTS_MAX: usize = 5;

fn listed_children(root: &Root, parent: u32) -> Option<Vec<u32>> {
    let mut children = Vec::new();
    for thread in root.list(&format!("/proc/{parent}/task")).ok()? {
        let path = format!("/proc/{parent}/task/{thread}/children");
        match root.read(&path) {
            Ok(text) => children.extend(text.split_whitespace().filter_map(|pid| pid.parse::<u32>().ok())),
            // The kernel lacks the list, or the thread has just ended and its children were reparented.
            Err(_) => return None,
        }
    }
    children.sort_unstable();
    Some(children)
}

fn children_by_parent(root: &Root, parent: u32) -> Vec<u32> {
    let names = root.list("/proc").unwrap_or_default();
    let pids = names.iter().filter_map(|name| name.parse::<u32>().ok());
    pids.filter(|pid| {
        let text = root.read(&format!("/proc/{pid}/stat")).unwrap_or_default();
        parse_job(&text).is_some_and(|job| job.parent == parent)
    })
    .collect()
}

/// Parent, process group and session of a process; 0 for those in another container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Job {
    /// Parent process.
    pub(crate) parent: u32,
    /// Process group, which a terminal stops and continues together.
    pub(crate) group: u32,
    /// Session.
    pub(crate) session: u32,
}

/// True only if the kernel reports that the process does not exist. Unreadable files must not count as death, because
/// callers then kill the children of the process.
pub fn is_gone(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_none_or(|pid| test_kill_process(pid) == Err(Errno::SRCH))
}

/// State of a process as in `proc_pid_stat(5)`: `T` is stopped. `None` if it is gone.
pub fn state_of(root: &Root, pid: u32) -> Option<char> {
    if !has_own_numbers(root) {
        return None;
    }
    let stat = root.read(&format!("/proc/{pid}/stat")).ok()?;
    let (_, after) = stat.rsplit_once(')')?;
    after.trim_start().chars().next()
}

/// Start time of a process in ticks since boot, which distinguishes it from later ones with the same id.
pub fn started_ticks(root: &Root, pid: u32) -> Option<u64> {
    let stat = root.read(&format!("/proc/{pid}/stat")).ok()?;
    parse_process(&stat).map(|process| process.started)
}

/// Job of a process; `None` if it does not exist.
pub(crate) fn process_job(root: &Root, pid: u32) -> Option<Job> {
    parse_job(&root.read(&format!("/proc/{pid}/stat")).ok()?)
}

/// Parses the fourth, fifth and sixth field of `/proc/PID/stat`.
fn parse_job(text: &str) -> Option<Job> {
    let (_, after) = text.rsplit_once(')')?;
    let mut fields = after.split_whitespace().skip(1);
    let mut next = || fields.next()?.parse().ok();
    Some(Job { parent: next()?, group: next()?, session: next()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_are_known_by_their_parent() {
        let stat =
            |pid: u32, name: &str, parent: u32| format!("== /proc/{pid}/stat\n{pid} ({name}) S {parent} 1 1 0 -1\n");
        let board = [stat(7, "a", 1), stat(8, "b) S 1 (", 7), stat(9, "c", 7)].concat();
        let root = Root::from_board(&board).unwrap();
        assert_eq!((state_of(&root, 7), state_of(&root, 77)), (Some('S'), None));
        let mut children = children_of(&root, 7);
        children.sort_unstable();
        assert_eq!(children, [8, 9]);
        // With the kernel's list other processes are not read.
        let lists = "== /proc/7/task/7/children\n12 8 \n== /proc/7/task/10/children\n\n";
        let root = Root::from_board(&(board + lists)).unwrap();
        assert_eq!(children_of(&root, 7), [8, 12]);
    }

    #[test]
    fn this_process_has_itself_and_its_parent_in_one_namespace() {
        let root = Root::system();
        let (own, above) = (std::process::id(), with_ancestors(&root));
        assert_eq!(above[0], own);
        assert_eq!(Some(above[1]), process_job(&root, own).map(|job| job.parent));
        assert!(all(&root).contains(&own));
        assert!(started_ticks(&root, own) >= started_ticks(&root, above[1]));
        assert!(namespace(&root).starts_with("pid:["));
        // Boards lack this link.
        assert_eq!(namespace(&Root::from_board("== /proc/stat\ncpu\n").unwrap()), "");
    }
}
