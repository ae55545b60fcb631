//! Lock of a machine's settings. Runs in several containers have separate journals but share `/sys`, and would restore
//! each other's values. They also share the mount of cgroups: an empty cgroup with a fixed name is the lock.
//!
//! Containers that do not share cgroups cannot be distinguished from separate machines.

use crate::Root;
use crate::group;
use record::Reading;
use rustix::fs::statfs;

/// Name of the cgroup.
const NAME: &str = "sbc-bench.settings";
/// `SYSFS_MAGIC` of `linux/magic.h`.
const SYSFS: u64 = 0x6265_6572;

/// Held until it is dropped or the process dies.
#[derive(Debug)]
pub(super) struct SettingsLock {
    _place: Option<group::ExclusiveGroup>,
}

impl SettingsLock {
    /// Removes a lock that a dead process left behind.
    pub(super) fn forget(root: &Root) {
        if root.is_system() && group::is_present(root, NAME) {
            drop(Self::take(root));
        }
    }

    /// Takes the lock, if there is something to share.
    ///
    /// # Errors
    /// Another process holds it.
    pub(super) fn take(root: &Root) -> Reading<Self> {
        // Test boards have settings of their own.
        let is_kernels = statfs(super::node::CPUS).is_ok_and(|on| on.f_type as u64 == SYSFS);
        let place = if root.is_system() && is_kernels { group::acquire(root, NAME)? } else { None };
        Ok(Self { _place: place })
    }
}
