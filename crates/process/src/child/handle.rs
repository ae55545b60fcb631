//! Processes held by a descriptor (pidfd_open(2)), so that a signal never reaches a later process with the same id.

use machine::processes::started_ticks;
use machine::{Group, Root};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, kill_process, pidfd_open, pidfd_send_signal, waitid,
};
use std::os::fd::{AsFd, OwnedFd};

/// Process that existed when it was opened.
#[derive(Debug)]
pub(crate) struct ProcessHandle {
    pid: Pid,
    by: Identity,
}

/// Distinguishes the process from a later one with the same id.
#[derive(Debug)]
enum Identity {
    Descriptor(OwnedFd),
    /// Start time, checked again before a signal: on kernels before 5.3, and if no more files can be opened.
    Start(Root, Option<u64>),
}

impl ProcessHandle {
    /// Opens the process with this id.
    fn of(root: &Root, pid: u32) -> Option<Self> {
        let number = pid;
        let pid = Pid::from_raw(i32::try_from(pid).ok()?)?;
        let by = match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(descriptor) => Identity::Descriptor(descriptor),
            Err(Errno::SRCH) => return None,
            Err(_) => Identity::Start(root.clone(), started_ticks(root, number)),
        };
        Some(Self { pid, by })
    }

    /// Process id.
    pub(super) fn pid(&self) -> u32 {
        self.pid.as_raw_nonzero().get().unsigned_abs()
    }

    /// Sends a signal; no other process gets it if this one is gone.
    #[expect(clippy::disallowed_methods, reason = "it was just asked who has the number")]
    pub(super) fn signal(&self, signal: Signal) {
        let _ = match &self.by {
            Identity::Descriptor(descriptor) => pidfd_send_signal(descriptor, signal),
            Identity::Start(root, started) if *started == started_ticks(root, self.pid()) => {
                kill_process(self.pid, signal)
            }
            Identity::Start(..) => Ok(()),
        };
    }

    /// Reaps it, if it is a child of this process and has ended.
    pub(super) fn reap(&self) {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
        let by_number = || waitid(WaitId::Pid(self.pid), options);
        // A process that has not ended is found again by the caller.
        let _ = match &self.by {
            Identity::Descriptor(descriptor) => {
                match waitid(WaitId::PidFd(descriptor.as_fd()), options) {
                    // Linux 5.3 has descriptors but cannot wait for them.
                    Err(Errno::INVAL) => by_number(),
                    taken => taken,
                }
            }
            Identity::Start(..) => by_number(),
        };
    }
}

/// Opens the processes that meet a condition, which is checked again after opening: only then does it apply to the
/// opened process.
pub(super) fn open_matching(
    root: &Root,
    pids: Vec<u32>,
    is_it: impl Fn(u32) -> bool,
) -> impl Iterator<Item = ProcessHandle> {
    pids.into_iter().filter_map(move |pid| {
        let held = is_it(pid).then(|| ProcessHandle::of(root, pid))??;
        is_it(pid).then_some(held)
    })
}

/// Processes of a group, at most `count_max`.
pub(super) fn members(root: &Root, group: &Group, count_max: usize) -> Vec<ProcessHandle> {
    let first = group.processes().into_iter();
    let held = first.filter_map(|pid| ProcessHandle::of(root, pid));
    let mut held: Vec<ProcessHandle> = held.take(count_max).collect();
    if !held.is_empty() {
        // The id of a process that has ended since may belong to another one.
        let still = group.processes();
        held.retain(|held| still.contains(&held.pid()));
    }
    held
}

/// Sends a signal to each process that still exists.
pub(crate) fn signal_all(processes: &[ProcessHandle], signal: Signal) {
    processes.iter().for_each(|process| process.signal(signal));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Child, Command};

    fn sleep() -> Child {
        Command::new("sleep").arg("600").spawn().unwrap()
    }

    /// Child with the id of an ended process; `None` if the kernel does not let the test choose it.
    fn with_number(number: u32) -> Option<Child> {
        for _ in 0..200 {
            let before = (number - 1).to_string();
            std::fs::write("/proc/sys/kernel/ns_last_pid", before).ok()?;
            let mut child = sleep();
            if child.id() == number {
                return Some(child);
            }
            child.kill().unwrap();
            child.wait().unwrap();
        }
        None
    }

    #[test]
    fn reused_pid_is_not_signalled() {
        let root = Root::system();
        for is_old_kernel in [false, true] {
            let mut first = sleep();
            let number = first.id();
            let mut held = ProcessHandle::of(&root, number).unwrap();
            if is_old_kernel {
                // Start times have a resolution of 10 ms.
                std::thread::sleep(std::time::Duration::from_millis(30));
                held.by = Identity::Start(root.clone(), started_ticks(&root, number));
            }
            held.signal(Signal::KILL);
            first.wait().unwrap();
            let Some(mut second) = with_number(number) else {
                return testkit::skip("root and ns_last_pid are needed to use a number again");
            };
            held.signal(Signal::KILL);
            held.reap();
            std::thread::sleep(std::time::Duration::from_millis(50));
            let lives = second.try_wait().unwrap().is_none();
            second.kill().unwrap();
            second.wait().unwrap();
            assert!(lives, "old kernel: {is_old_kernel}");
        }
    }

    #[test]
    fn processes_that_changed_before_they_were_held_are_omitted() {
        let root = Root::system();
        let mut child = sleep();
        let asked = std::cell::Cell::new(0);
        let once = |_| {
            asked.set(asked.get() + 1);
            asked.get() < 2
        };
        let found = open_matching(&root, vec![child.id(), 0, u32::MAX], once).count();
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(found, 0);
    }
}
