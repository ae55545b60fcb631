//! Which hierarchy of control groups counts CPU time.

use crate::Root;

/// Of control groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    /// A thread moves alone (`tasks`).
    One,
    /// A process moves as a whole (`cgroup.procs`).
    Two,
}

/// The hierarchy that counts CPU time, and its mount.
pub(super) fn hierarchy(root: &Root) -> Option<(Version, String)> {
    const MOUNT: &str = "/sys/fs/cgroup";
    if root.read(&format!("{MOUNT}/cgroup.controllers")).is_ok() {
        return Some((Version::Two, MOUNT.into()));
    }
    let v1 = format!("{MOUNT}/cpuacct");
    let counted = root.read(&format!("{v1}/cpuacct.usage"));
    counted.is_ok().then_some((Version::One, v1))
}
