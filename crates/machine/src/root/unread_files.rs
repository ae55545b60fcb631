//! Existing files that could not be read. Most readers continue with other sources; the reasons are collected here for
//! all of them, including unreadable directories of our own.

use crate::threads::lock;
use identify::missing_errno;
use record::{Missing, MissingReason};
use redact::Redactor;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex};

/// Maximum number of paths; more failures have a common reason.
const PATHS_MAX: usize = 100;

/// Failures of one root and all of its clones.
#[derive(Debug, Default)]
pub(super) struct UnreadFiles(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    known: BTreeSet<String>,
    new: Vec<Missing>,
}

/// Failures of the running system.
pub(super) fn system() -> Arc<UnreadFiles> {
    static SYSTEM: LazyLock<Arc<UnreadFiles>> = LazyLock::new(Arc::default);
    Arc::clone(&SYSTEM)
}

/// Adds a failure of the running system that occurred outside a [`Root`](super::Root).
pub(crate) fn note(path: &Path, errno: i32) {
    system().note(&missing_errno(&path.display().to_string(), errno), errno);
}

impl UnreadFiles {
    /// Adds a failure with this errno, each path once.
    pub(super) fn note(&self, missing: &Missing, errno: i32) {
        if is_ordinary(&missing.path, errno) {
            return;
        }
        let mut inside = lock(&self.0);
        if inside.known.len() >= PATHS_MAX || !inside.known.insert(missing.path.clone()) {
            return;
        }
        let path = Redactor::default().addresses(&missing.path);
        // A device that disappeared differs from one that never existed.
        let why = match &missing.why {
            MissingReason::Absent => MissingReason::Io(errno),
            why => why.clone(),
        };
        inside.new.push(Missing { path, why });
    }

    /// Failures since the last call.
    pub(super) fn take(&self) -> Vec<Missing> {
        let mut inside = lock(&self.0);
        std::mem::take(&mut inside.new)
    }
}

/// True for expected errors: a missing file, a process that has ended, a file of another user.
fn is_ordinary(path: &str, errno: i32) -> bool {
    let is_of_process = || {
        let rest = path.strip_prefix("/proc/").unwrap_or_default();
        rest.starts_with(|c: char| c.is_ascii_digit())
    };
    match errno {
        // The reader reports links that are not followed.
        libc::ENOENT | libc::ENOTDIR | libc::ESRCH | libc::ELOOP => true,
        libc::EACCES | libc::EPERM => !rustix::process::geteuid().is_root() || is_of_process(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::Root;
    use record::{Missing, MissingReason};

    #[test]
    fn read_failures_are_kept_once() {
        let board = "== /sys/a ! EIO\n== /sys/b ! ENODEV\n== /proc/7/stat ! ESRCH\n== /sys/c\n1\n";
        let root = Root::from_board(board).unwrap();
        for path in ["/sys/a", "/sys/a", "/sys/b", "/sys/c", "/sys/d", "/proc/7/stat"] {
            let _looked_at_below = root.clone().read(path);
        }
        let failed = |path: &str, errno| Missing { path: path.into(), why: MissingReason::Io(errno) };
        let expected = [failed("/sys/a", libc::EIO), failed("/sys/b", libc::ENODEV)];
        assert_eq!(root.take_unread(), expected);
        let _the_same_once_more = root.read("/sys/a");
        assert_eq!(root.take_unread(), []);
    }

    #[test]
    fn unread_list_is_bounded() {
        let board: String = (0..1000).map(|n| format!("== /sys/f{n} ! EIO\n")).collect();
        let root = Root::from_board(&board).unwrap();
        for number in 0..1000 {
            let _looked_at_below = root.read(&format!("/sys/f{number}"));
        }
        assert_eq!(root.take_unread().len(), super::PATHS_MAX);
    }
}
