//! Signal state of this process that only the kernel knows: signals ignored before its start, and whether it can be
//! continued after a stop. Signals are handled elsewhere.

use crate::processes::{self, Job};
use crate::{Root, syscall};
use rustix::io::Errno;
use rustix::termios::tcgetpgrp;
use std::os::fd::AsFd;

/// Maximum number of ancestors, more than shells, `sudo` and `env` in a row.
const ANCESTORS_MAX: usize = 32;

/// True if the parent ignores this signal, as `nohup` does.
pub fn is_ignored(signal: i32) -> bool {
    syscall::is_ignored(signal)
}

/// Lets the calling thread continue in the background of a terminal even if it reads or writes: reads fail (`EIO`),
/// writes succeed (signal(7): SIGTTIN, SIGTTOU).
pub fn never_stop_here() {
    syscall::block(&[libc::SIGTTIN, libc::SIGTTOU]);
}

/// True if a shell can continue this process after Ctrl-Z: an ancestor in the same session and another process group.
/// Without one (`ssh -t board sbc-bench`, `setsid`) the kernel does not stop the process (credentials(7), orphaned
/// process groups).
///
/// Everything is read from `/proc`: a session or a group from outside this container (`docker exec`) has the number 0,
/// which library functions treat as an error.
pub fn can_be_continued(root: &Root) -> bool {
    let Some(own) = processes::process_job(root, std::process::id()) else { return false };
    let mut ancestor = own;
    for _ in 0..ANCESTORS_MAX {
        let Some(next) = processes::process_job(root, ancestor.parent) else { return false };
        match next {
            Job { session, .. } if session != own.session => return false,
            Job { group, .. } if group != own.group => return true,
            _ => ancestor = next,
        }
    }
    false
}

/// True while SIGSTOP is pending for this process. Once a thread has taken it, the caller stops before it continues,
/// which may take long on a busy machine. `None` if `/proc` does not report it (proc_pid_status(5)).
pub fn is_stop_pending(root: &Root) -> Option<bool> {
    let status = root.read(&format!("/proc/{}/status", std::process::id())).ok()?;
    let mask = status.lines().find_map(|line| line.strip_prefix("ShdPnd:"))?;
    let mask = u128::from_str_radix(mask.trim(), 16).ok()?;
    Some(mask & (1 << (libc::SIGSTOP - 1)) != 0)
}

/// True if this process is in the foreground of this terminal: a background process is stopped when it reads. True as
/// well if the groups belong to another container and cannot be compared.
pub fn is_in_front(root: &Root, terminal: impl AsFd) -> bool {
    let Some(own) = processes::process_job(root, std::process::id()) else { return false };
    match tcgetpgrp(terminal) {
        Ok(front) => u32::try_from(front.as_raw_pid()) == Ok(own.group),
        Err(Errno::OPNOTSUPP) => own.group == 0,
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Processes as number, parent, group and session; the last one is this process.
    fn check(processes: &[[u32; 4]], expected: bool) {
        let own = std::process::id();
        let mut board = String::new();
        for (index, [pid, parent, group, session]) in processes.iter().enumerate() {
            let pid = if index + 1 == processes.len() { own } else { *pid };
            board += &format!("== /proc/{pid}/stat\n{pid} (a) b) S {parent} {group} {session} 0\n");
        }
        let root = Root::from_board(&board).unwrap();
        assert_eq!(can_be_continued(&root), expected, "{processes:?}");
    }

    #[test]
    fn pending_stop_is_detected() {
        let check = |line: &str, expected| {
            let board = format!("== /proc/{}/status\nName:\ta\n{line}\nSigBlk:\t0\n", std::process::id());
            assert_eq!(is_stop_pending(&Root::from_board(&board).unwrap()), expected, "{line}");
        };
        check(&format!("ShdPnd:\t{:016x}", 1_u64 << (libc::SIGSTOP - 1)), Some(true));
        check("ShdPnd:\tffffffffffffffff", Some(true));
        check(&format!("ShdPnd:\t{:016x}", !(1_u64 << (libc::SIGSTOP - 1))), Some(false));
        check("SigPnd:\t0000000000040000", None);
        check("ShdPnd:\tx", None);
    }

    #[test]
    fn job_control_shell_is_detected() {
        // A shell and its job; a job below sudo; the session of another container, where all numbers are 0.
        check(&[[10, 1, 10, 10], [0, 10, 11, 10]], true);
        check(&[[10, 1, 10, 10], [12, 10, 12, 10], [0, 12, 12, 10]], true);
        check(&[[1, 0, 0, 0], [0, 1, 7, 0]], true);
        // A session of its own; a group whose parent is gone; a process without ancestors.
        check(&[[10, 1, 10, 10], [0, 10, 11, 11]], false);
        check(&[[10, 1, 9, 9], [0, 10, 11, 11]], false);
        check(&[[0, 0, 0, 0]], false);
        // A process that is its own parent must end the loop.
        check(&[[10, 10, 5, 5], [0, 10, 5, 5]], false);
    }
}
