//! Detection of the hierarchy that accounts CPU time.

use crate::Root;

/// Version of cgroups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    /// Threads move individually (`tasks`).
    One,
    /// Processes move as a whole (`cgroup.procs`).
    Two,
}

/// Hierarchy that accounts CPU time, with its mount point.
pub(super) fn hierarchy(root: &Root) -> Option<(Version, String)> {
    const MOUNT: &str = "/sys/fs/cgroup";
    if root.read(&format!("{MOUNT}/cgroup.controllers")).is_ok() {
        return Some((Version::Two, MOUNT.into()));
    }
    let v1 = format!("{MOUNT}/cpuacct");
    let counted = root.read(&format!("{v1}/cpuacct.usage"));
    counted.is_ok().then_some((Version::One, v1))
}
