//! CPU time that a cgroup withholds: a container or a service with a CPU quota runs at full clock
//! for a part of each period and stands still for the rest.

use crate::Root;
use record::{Missing, Reading};

/// Time that was withheld so far from the cgroup of the calling thread and those above it, in
/// nanoseconds. Only differences mean something, and only while the thread stays in its cgroup.
/// (Kernel: Documentation/scheduler/sched-bwc.rst, `throttled_time` of cgroup v1 in nanoseconds;
/// Documentation/admin-guide/cgroup-v2.rst, `throttled_usec`.)
///
/// # Errors
/// There are no cgroups, or none with a quota.
pub fn withheld_ns(root: &Root) -> Reading<u64> {
    let membership = "/proc/thread-self/cgroup";
    let text = root.read(membership)?;
    let mut total = None;
    for folder in cpu_folders(&text) {
        if let Ok(stat) = root.read(&format!("{folder}/cpu.stat")) {
            total = parse_withheld_ns(&stat)
                .map(|ns| ns + total.unwrap_or(0))
                .or(total);
        }
    }
    total.ok_or_else(|| Missing::unsupported(membership, "no cgroup with a CPU quota"))
}

/// Folders of the CPU controller, from the thread's own cgroup up to the root.
fn cpu_folders(membership: &str) -> Vec<String> {
    let mut folders = Vec::new();
    for line in membership.lines() {
        let mut fields = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) =
            (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let mount = match controllers {
            "" => "/sys/fs/cgroup",
            _ if controllers.split(',').any(|name| name == "cpu") => "/sys/fs/cgroup/cpu",
            _ => continue,
        };
        let mut path = path.trim_end_matches('/');
        loop {
            folders.push(format!("{mount}{path}"));
            match path.rfind('/') {
                Some(at) if !path.is_empty() => path = &path[..at],
                _ => break,
            }
        }
    }
    folders
}

fn parse_withheld_ns(stat: &str) -> Option<u64> {
    stat.lines().find_map(|line| {
        let (name, value) = line.split_once(' ')?;
        let value: u64 = value.trim().parse().ok()?;
        match name {
            "throttled_time" => Some(value),
            "throttled_usec" => Some(value * 1000),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folders_go_up_to_the_root() {
        for (membership, expected) in [
            (
                "4:memory:/a\n3:cpu,cpuacct:/a/b\n",
                vec![
                    "/sys/fs/cgroup/cpu/a/b",
                    "/sys/fs/cgroup/cpu/a",
                    "/sys/fs/cgroup/cpu",
                ],
            ),
            ("0::/x\n", vec!["/sys/fs/cgroup/x", "/sys/fs/cgroup"]),
            ("0::/\n", vec!["/sys/fs/cgroup"]),
            ("nonsense\n", vec![]),
        ] {
            assert_eq!(cpu_folders(membership), expected, "{membership}");
        }
    }

    #[test]
    fn both_versions_are_nanoseconds() {
        assert_eq!(
            parse_withheld_ns("nr_periods 1\nthrottled_time 25\n"),
            Some(25)
        );
        assert_eq!(
            parse_withheld_ns("usage_usec 1\nthrottled_usec 25\n"),
            Some(25_000)
        );
        assert_eq!(parse_withheld_ns("usage_usec 1\n"), None);
    }

    #[test]
    fn all_groups_count() {
        let root = Root::from_board(
            "== /proc/thread-self/cgroup\n0::/a/b\n== /sys/fs/cgroup/a/cpu.stat\nthrottled_usec 1\n\
             == /sys/fs/cgroup/a/b/cpu.stat\nthrottled_usec 2\n",
        );
        assert_eq!(withheld_ns(&root.unwrap()).unwrap(), 3_000);
    }
}
