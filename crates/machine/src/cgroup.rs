//! cgroups: directories and CPU quotas. With a quota, a container or service runs at full clock for a part of each
//! period and is stopped for the rest.

use crate::Root;
use record::Reading;

/// True if the cgroup of the calling thread, or one above it, has a CPU quota. (Kernel:
/// Documentation/scheduler/sched-bwc.rst for `cpu.cfs_quota_us` of cgroup v1, Documentation/admin-guide/cgroup-v2.rst
/// for `cpu.max`.) False if unknown.
pub fn has_quota(root: &Root) -> bool {
    quota(root).unwrap_or(false)
}

/// As [`has_quota`], but reports an unknown state.
///
/// # Errors
/// The cgroups of the calling thread cannot be read.
pub fn quota(root: &Root) -> Reading<bool> {
    let membership = root.read("/proc/thread-self/cgroup")?;
    Ok(folders(&membership, "cpu").iter().any(|folder| folder_has_quota(root, folder)))
}

/// True if this cgroup itself has a CPU quota. Without one, `cpu.cfs_quota_us` is `-1` and `cpu.max` is `max 100000`.
pub(crate) fn folder_has_quota(root: &Root, folder: &str) -> bool {
    let v1 = root.read_number::<i64>(&format!("{folder}/cpu.cfs_quota_us"));
    let v2 = root.read_value(&format!("{folder}/cpu.max"));
    v1.is_ok_and(|quota_us| quota_us > 0) || v2.is_ok_and(|max| !max.starts_with("max"))
}

/// Directories of a controller, from the cgroup itself up to the root, for version 2 (`0::/path`) and version 1
/// (`N:memory:/path`); the text is `/proc/PID/cgroup`. Limits of parent cgroups also apply. In a container the path may
/// be the host's although the mount only contains the container's part; then only the last directory exists. (Source:
/// `cgroups(7)`.)
pub(crate) fn folders(membership: &str, controller: &str) -> Vec<String> {
    let mut folders = Vec::new();
    for line in membership.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
        // Not every system links `cpu` to the mount `cpu,cpuacct`.
        let mut mounts = vec![format!("/sys/fs/cgroup/{controller}"), format!("/sys/fs/cgroup/{controllers}")];
        match controllers {
            "" => mounts = vec!["/sys/fs/cgroup".to_owned()],
            _ if controllers.split(',').any(|name| name == controller) => mounts.dedup(),
            _ => continue,
        }
        for mount in mounts {
            let mut path = path.trim_end_matches('/');
            folders.push(format!("{mount}{path}"));
            while let Some(at) = path.rfind('/') {
                path = &path[..at];
                folders.push(format!("{mount}{path}"));
            }
        }
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_go_up_to_the_root() {
        for (membership, expected) in [
            (
                "4:memory:/a\n3:cpu,cpuacct:/a/b\n",
                vec![
                    "/sys/fs/cgroup/cpu/a/b",
                    "/sys/fs/cgroup/cpu/a",
                    "/sys/fs/cgroup/cpu",
                    "/sys/fs/cgroup/cpu,cpuacct/a/b",
                    "/sys/fs/cgroup/cpu,cpuacct/a",
                    "/sys/fs/cgroup/cpu,cpuacct",
                ],
            ),
            ("0::/x\n", vec!["/sys/fs/cgroup/x", "/sys/fs/cgroup"]),
            ("0::/\n", vec!["/sys/fs/cgroup"]),
            ("nonsense\n", vec![]),
        ] {
            assert_eq!(folders(membership, "cpu"), expected, "{membership}");
        }
    }

    #[test]
    fn quota_anywhere_above_counts() {
        let v1 = "== /proc/thread-self/cgroup\n3:cpu:/a/b\n== /sys/fs/cgroup/cpu/a";
        let v2 = "== /proc/thread-self/cgroup\n0::/a/b\n== /sys/fs/cgroup/a";
        for (board, expected) in [
            (format!("{v1}/b/cpu.cfs_quota_us\n-1\n"), false),
            (format!("{v1}/cpu.cfs_quota_us\n2500\n"), true),
            (format!("{v2}/cpu.max\nmax 100000\n"), false),
            (format!("{v2}/b/cpu.max\n50000 100000\n"), true),
            ("== /proc/stat\ncpu\n".to_owned(), false),
        ] {
            assert_eq!(has_quota(&Root::from_board(&board).unwrap()), expected, "{board}");
        }
    }
}
