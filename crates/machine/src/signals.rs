//! What signals do to this process, where only the kernel can say: which of them were ignored before it began,
//! whether it can be continued once it is stopped. Nothing is handled here.

use crate::processes::{self, Job};
use crate::{Root, syscall};
use rustix::io::Errno;
use rustix::termios::tcgetpgrp;
use std::os::fd::AsFd;

/// More generations than any shell, `sudo` and `env` in a row have.
const ANCESTORS_MAX: usize = 32;

/// True if the parent wants this signal ignored, as `nohup` does.
pub fn is_ignored(signal: i32) -> bool {
    syscall::is_ignored(signal)
}

/// The calling thread goes on in the background of a terminal, even when it reads or writes there: reading fails
/// (`EIO`), writing succeeds (signal(7): SIGTTIN, SIGTTOU).
pub fn never_stop_here() {
    syscall::block(&[libc::SIGTTIN, libc::SIGTTOU]);
}

/// True if a shell looks after this process, which can let it go on after Ctrl-Z: an ancestor in the same
/// session and another process group. Without one (`ssh -t board sbc-bench`, `setsid`) the kernel itself
/// stops nobody (credentials(7), orphaned process groups).
///
/// Everything is read from `/proc`: a session or a group that began outside of this container (`docker exec`) has
/// the number 0, which functions of libraries take for a mistake.
pub fn can_be_continued(root: &Root) -> bool {
    let Some(own) = processes::process_job(root, std::process::id()) else {
        return false;
    };
    let mut ancestor = own;
    for _ in 0..ANCESTORS_MAX {
        let Some(next) = processes::process_job(root, ancestor.parent) else {
            return false;
        };
        match next {
            Job { session, .. } if session != own.session => return false,
            Job { group, .. } if group != own.group => return true,
            _ => ancestor = next,
        }
    }
    false
}

/// True if this process is in front of this terminal: a background process that reads from it is stopped. Groups
/// of another container cannot be told apart; then it is.
pub fn is_in_front(root: &Root, terminal: impl AsFd) -> bool {
    let Some(own) = processes::process_job(root, std::process::id()) else {
        return false;
    };
    match tcgetpgrp(terminal) {
        Ok(front) => u32::try_from(front.as_raw_pid()) == Ok(own.group),
        Err(Errno::OPNOTSUPP) => own.group == 0,
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Processes by their number, parent, group and session; the last one is this one.
    fn check(processes: &[[u32; 4]], expected: bool) {
        let own = std::process::id();
        let mut board = String::new();
        for (index, [pid, parent, group, session]) in processes.iter().enumerate() {
            let pid = match index + 1 == processes.len() {
                true => own,
                false => *pid,
            };
            board += &format!("== /proc/{pid}/stat\n{pid} (a) b) S {parent} {group} {session} 0\n");
        }
        let root = Root::from_board(&board).unwrap();
        assert_eq!(can_be_continued(&root), expected, "{processes:?}");
    }

    #[test]
    fn job_control_shell_is_detected() {
        // A shell, and its job; a job below sudo; the session of another container, where all numbers are 0.
        check(&[[10, 1, 10, 10], [0, 10, 11, 10]], true);
        check(&[[10, 1, 10, 10], [12, 10, 12, 10], [0, 12, 12, 10]], true);
        check(&[[1, 0, 0, 0], [0, 1, 7, 0]], true);
        // A session of its own; a group whose parent is gone; nobody but itself.
        check(&[[10, 1, 10, 10], [0, 10, 11, 11]], false);
        check(&[[10, 1, 9, 9], [0, 10, 11, 11]], false);
        check(&[[0, 0, 0, 0]], false);
        // A process that is its own parent ends the loop.
        check(&[[10, 10, 5, 5], [0, 10, 5, 5]], false);
    }
}
