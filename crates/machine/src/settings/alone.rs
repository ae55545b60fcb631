//! One at a time changes the settings of a machine. Runs in several containers have a journal each and see one
//! `/sys`; they would take each other's values for the user's, and put those back. What they share, too, is the mount
//! of the control groups: there lies an empty group of a fixed name, which the process that changes settings holds locked.
//!
//! Containers that see nothing of each other's control groups cannot be told apart from machines of their own.

use crate::Root;
use crate::group;
use record::Reading;
use rustix::fs::statfs;

/// Its name.
const NAME: &str = "sbc-bench.settings";
/// `SYSFS_MAGIC` of `linux/magic.h`.
const SYSFS: u64 = 0x6265_6572;

/// Held until it is dropped or the process dies.
#[derive(Debug)]
pub(super) struct SettingsLock {
    _place: Option<group::ExclusiveGroup>,
}

impl SettingsLock {
    /// Removes what a dead process has left of it.
    pub(super) fn forget(root: &Root) {
        if root.is_system() && group::is_present(root, NAME) {
            drop(Self::take(root));
        }
    }

    /// Takes it, where there is something to share.
    ///
    /// # Errors
    /// Another process holds it.
    pub(super) fn take(root: &Root) -> Reading<Self> {
        // A board made for a test has settings of its own.
        let is_kernels = statfs(super::node::CPUS).is_ok_and(|on| on.f_type as u64 == SYSFS);
        let place = if root.is_system() && is_kernels { group::acquire(root, NAME)? } else { None };
        Ok(Self { _place: place })
    }
}
