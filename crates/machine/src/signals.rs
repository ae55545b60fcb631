//! What signals do to this process, where only the kernel can say: which of them were ignored before it began,
//! whether somebody could let it go on once it is stopped. Nothing is handled here.

use crate::{Root, processes, syscall};
use rustix::process::{Pid, getpgid, getpgrp, getppid, getsid};

/// More generations than any shell, `sudo` and `env` in a row have.
const ANCESTORS_MAX: usize = 32;

/// True if whoever started this program wants this signal ignored, as `nohup` does.
pub fn is_ignored(signal: i32) -> bool {
    syscall::is_ignored(signal)
}

/// The calling thread goes on in the background of a terminal, whatever it reads or writes there: reading fails
/// (`EIO`), writing succeeds (signal(7): SIGTTIN, SIGTTOU).
pub fn never_stop_here() {
    syscall::block(&[libc::SIGTTIN, libc::SIGTTOU]);
}

/// True if a shell looks after this process, which can let it go on after Ctrl-Z: an ancestor in the same
/// session and another process group. Without one (`ssh -t board sbc-bench`, `setsid`) the kernel itself
/// stops nobody (credentials(7), orphaned process groups).
pub fn can_be_continued(root: &Root) -> bool {
    let Ok(session) = getsid(None) else {
        return false;
    };
    let mut ancestor = getppid();
    for _ in 0..ANCESTORS_MAX {
        let Some(pid) = ancestor else {
            return false;
        };
        if getsid(Some(pid)) != Ok(session) {
            return false;
        }
        match getpgid(Some(pid)) {
            Ok(group) if group != getpgrp() => return true,
            Ok(_) => {}
            Err(_) => return false,
        }
        let parent = processes::parent_of(root, pid.as_raw_nonzero().get() as u32);
        ancestor = parent.and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
    }
    false
}
