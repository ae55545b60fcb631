//! Available memory for a workload, so that it neither causes swapping nor triggers the OOM killer. The kernel is
//! queried just before the start; memory is not reserved.

use crate::Root;
use crate::cgroup::folders;
use record::{Missing, Reading};

/// Available memory for a new program in KiB: that of the machine, or the rest of this process's cgroup limit if that
/// is less.
///
/// # Errors
/// `/proc/meminfo` is missing or invalid.
pub fn available_kib(root: &Root) -> Reading<u64> {
    let path = "/proc/meminfo";
    let machine = parse_available(path, &root.read(path)?)?;
    let groups = root.read("/proc/self/cgroup").unwrap_or_default();
    Ok(folders(&groups, "memory").iter().filter_map(|group| cgroup_available_kib(root, group)).fold(machine, u64::min))
}

/// Parses `MemAvailable`, free memory plus memory that the kernel can reclaim without swapping, in KiB. Kernels before
/// 3.14 lack it; `MemFree` is a lower bound.
fn parse_available(path: &str, text: &str) -> Reading<u64> {
    let value = |label: &str| -> Option<u64> {
        let line = text.lines().find_map(|line| line.strip_prefix(label))?;
        line.split_whitespace().next()?.parse().ok()
    };
    let available = value("MemAvailable:").or_else(|| value("MemFree:"));
    available.ok_or_else(|| Missing::garbled(path, text))
}

/// Rest of a cgroup's limit in KiB; `None` without a limit. Inactive file cache counts as free, because the kernel
/// reclaims it first.
fn cgroup_available_kib(root: &Root, group: &str) -> Option<u64> {
    let first = |names: [&str; 2]| -> Option<u64> {
        names.iter().find_map(|name| root.read_number(&format!("{group}/{name}")).ok())
    };
    // Without a limit, version 2 prints `max`, which does not parse; version 1 a number near 2^63, which exceeds the
    // memory of any machine.
    let limit = first(["memory.max", "memory.limit_in_bytes"])?;
    let used = first(["memory.current", "memory.usage_in_bytes"]).unwrap_or(0);
    let statistics = root.read(&format!("{group}/memory.stat")).unwrap_or_default();
    let cache = statistics.lines().find_map(|line| line.strip_prefix("inactive_file "));
    let cache = cache.and_then(|value| value.trim().parse().ok()).unwrap_or(0);
    Some(limit.saturating_sub(used.saturating_sub(cache)) / 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMINFO: &str = "== /proc/meminfo\nMemTotal: 1000000 kB\nMemAvailable: 800000 kB\n";

    fn check(board: &str, expected_kib: u64) {
        let root = Root::from_board(&format!("{MEMINFO}{board}")).unwrap();
        assert_eq!(available_kib(&root), Ok(expected_kib), "{board}");
    }

    #[test]
    fn lowest_limit_holds() {
        check("", 800_000);
        check("== /proc/self/cgroup\n0::/a/b\n", 800_000);
        let v2 = "== /proc/self/cgroup\n0::/a/b\n\
                  == /sys/fs/cgroup/a/memory.max\n104857600\n\
                  == /sys/fs/cgroup/a/memory.current\n52428800\n\
                  == /sys/fs/cgroup/a/memory.stat\nanon 1\ninactive_file 10485760\n\
                  == /sys/fs/cgroup/a/b/memory.max\nmax\n";
        check(v2, 60 * 1024);
        let v1 = "== /proc/self/cgroup\n5:cpu,cpuacct:/x\n4:memory:/host/name\n\
                  == /sys/fs/cgroup/memory/memory.limit_in_bytes\n209715200\n\
                  == /sys/fs/cgroup/memory/memory.usage_in_bytes\n104857600\n";
        check(v1, 100 * 1024);
        let unlimited = "== /proc/self/cgroup\n4:memory:/\n\
                         == /sys/fs/cgroup/memory/memory.limit_in_bytes\n9223372036854771712\n";
        check(unlimited, 800_000);
    }

    #[test]
    fn missing_meminfo() {
        assert!(available_kib(&Root::from_board("").unwrap()).is_err());
        let odd = Root::from_board("== /proc/meminfo\nMemAvailable: many kB\n").unwrap();
        assert!(available_kib(&odd).is_err());
        let old = Root::from_board("== /proc/meminfo\nMemFree: 5 kB\n").unwrap();
        assert_eq!(available_kib(&old), Ok(5));
    }
}
