//! An empty cgroup with a fixed name, used as a lock for operations that only one process on the machine may do.

use super::hierarchy;
use super::lock::{self, Lock};
use crate::Root;
use crate::faults::{self, Call};
use record::{Missing, Reading};
use rustix::fs;
use rustix::io::Errno;

/// Maximum number of attempts, because the previous process may remove the directory before it is locked.
const TRIES: usize = 8;

/// The cgroup, removed on drop.
#[derive(Debug)]
pub(crate) struct ExclusiveGroup {
    folder: String,
    _lock: Lock,
}

/// Takes the lock; `None` if cgroups are not available, so that nothing is locked.
///
/// # Errors
/// Another process holds it.
pub(crate) fn acquire(root: &Root, name: &str) -> Reading<Option<ExclusiveGroup>> {
    let Some((_, mount)) = hierarchy(root) else { return Ok(None) };
    let folder = format!("{mount}/{name}");
    for _ in 0..TRIES {
        match faults::pass(Call::Folder, &folder, || lock::make(&folder)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(_) => return Ok(None),
        }
        match lock::locked(&folder) {
            Ok(lock) => {
                let _lock = lock;
                return Ok(Some(ExclusiveGroup { folder, _lock }));
            }
            Err(Errno::AGAIN) => {
                let why = "another run holds it, perhaps in a container";
                return Err(Missing::unsupported(folder, why));
            }
            Err(Errno::NOENT) => {}
            Err(_) => return Ok(None),
        }
    }
    Ok(None)
}

/// True if another process holds or held it.
pub(crate) fn is_present(root: &Root, name: &str) -> bool {
    hierarchy(root).is_some_and(|(_, mount)| fs::stat(format!("{mount}/{name}")).is_ok())
}

impl Drop for ExclusiveGroup {
    fn drop(&mut self) {
        // A remaining one is empty, and the next process takes it.
        let _ = faults::pass(Call::Remove, &self.folder, || fs::rmdir(&self.folder));
    }
}
