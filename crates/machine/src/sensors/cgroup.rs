//! Sensor: throttling of this program's cgroup by a CPU quota.
//!
//! A container or a systemd slice with a quota makes every score meaningless, and no other source shows it. The sensor
//! reads the nearest cgroup with a quota, our own or a parent.

use super::{NONE, Probe, Sensor};
use crate::Root;
use crate::number::keyed;
use record::{Channel, ChannelId, OfControlGroup};

pub(super) const SENSOR: Sensor = Sensor {
    id: "cgroup",
    about: "Time for which this program's cgroup was throttled by its CPU quota.",
    kernel_doc: "https://docs.kernel.org/admin-guide/cgroup-v2.html#cpu-interface-files",
    discover,
};

/// Usual mounts of version 1; hybrid systems also mount version 2 without its `cpu` controller.
const MOUNTS_V1: [&str; 3] = ["/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup/cpuacct,cpu"];
const MOUNT_V2: &str = "/sys/fs/cgroup";

/// Counters lose nothing at long intervals.
const BEAT_MS: u32 = 2000;
/// Interval without a quota, because one might be set later.
const BEAT_MS_WITHOUT_QUOTA: u32 = 6000;

fn discover(root: &Root) -> Vec<Probe> {
    let groups = root.read("/proc/self/cgroup").unwrap_or_default();
    let mut candidates = Vec::new();
    if let Some(group) = group_of(&groups, |controllers| controllers.split(',').any(|c| c == "cpu")) {
        candidates.extend(MOUNTS_V1.map(|mount| (mount, group)));
    }
    if let Some(group) = group_of(&groups, str::is_empty) {
        candidates.push((MOUNT_V2, group));
    }
    let found = candidates.iter().find_map(|(mount, group)| watched(root, mount, group));
    let Some((directory, has_quota)) = found else { return Vec::new() };
    let beat_ms = if has_quota { BEAT_MS } else { BEAT_MS_WITHOUT_QUOTA };
    let channels = [OfControlGroup::Throttled, OfControlGroup::ThrottledTime]
        .map(|of| Channel::of(ChannelId::ControlGroup(of)))
        .into();
    let path = format!("{directory}/cpu.stat");
    vec![Probe::file_of_many(path, parse, channels).min_interval_ms(beat_ms)]
}

/// Our cgroup in the hierarchy with these controllers, from lines `4:cpu,cpuacct:/a/b`.
fn group_of(groups: &str, wanted: impl Fn(&str) -> bool) -> Option<&str> {
    groups.lines().find_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let controllers = fields.next()?;
        wanted(controllers).then(|| fields.next())?
    })
}

/// Directory to read below a mount, and whether it has a quota: the nearest cgroup with one, else the nearest one with
/// counters.
fn watched(root: &Root, mount: &str, group: &str) -> Option<(String, bool)> {
    let mut counting = None;
    let mut group = group.trim_end_matches('/');
    loop {
        let directory = format!("{mount}{group}");
        let stat = root.read(&format!("{directory}/cpu.stat")).unwrap_or_default();
        if stat.contains("nr_throttled") {
            if has_quota(root, &directory) {
                return Some((directory, true));
            }
            counting.get_or_insert((directory, false));
        }
        match group.rsplit_once('/') {
            Some((above, _)) => group = above,
            None => return counting,
        }
    }
}

/// Without a quota `cpu.max` is `max 100000` and `cpu.cfs_quota_us` is `-1`.
fn has_quota(root: &Root, directory: &str) -> bool {
    let v2 = root.read_value(&format!("{directory}/cpu.max"));
    let v1 = root.read_value(&format!("{directory}/cpu.cfs_quota_us"));
    v2.is_ok_and(|value| !value.starts_with("max")) || v1.is_ok_and(|value| !value.starts_with('-'))
}

/// `throttled_time` is in nanoseconds (version 1), `throttled_usec` in microseconds (version 2).
fn parse(text: &[u8], values: &mut [i64]) {
    let mut found = [NONE; 3];
    keyed(text, &["nr_throttled", "throttled_time", "throttled_usec"], &mut found);
    let [count, time_ns, time_us] = found;
    values[0] = count;
    values[1] = match (time_ns, time_us) {
        (NONE, NONE) => NONE,
        (NONE, us) => us.saturating_mul(1000),
        (ns, _) => ns,
    };
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn nearest_group_with_a_quota() {
        let v1 = "\
== /proc/self/cgroup
3:cpuset:/
2:cpu,cpuacct:/docker/abc
0::/docker/abc
== /sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.stat
nr_periods 5
nr_throttled 3
throttled_time 123456789
== /sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us
50000
";
        let v2 = "\
== /proc/self/cgroup
0::/system.slice/run.scope
== /sys/fs/cgroup/system.slice/run.scope/cpu.stat
usage_usec 1
nr_throttled 0
throttled_usec 0
== /sys/fs/cgroup/system.slice/run.scope/cpu.max
max 100000
== /sys/fs/cgroup/system.slice/cpu.stat
nr_throttled 8
throttled_usec 9000
== /sys/fs/cgroup/system.slice/cpu.max
20000 100000
== /sys/fs/cgroup/cpu.stat
usage_usec 5
";
        let namespaced = "\
== /proc/self/cgroup
0::/
== /sys/fs/cgroup/cpu.stat
nr_throttled 2
throttled_usec 4
";
        for (board, values) in [(v1, [3, 123_456_789]), (v2, [8, 9_000_000]), (namespaced, [2, 4000])] {
            let expected = [format!("cgroup.throttled {}", values[0]), format!("cgroup.throttled_time {}", values[1])];
            assert_eq!(check::found(&SENSOR, board), expected);
        }
    }

    #[test]
    fn kernel_without_the_controller_has_none() {
        let board = "== /proc/self/cgroup\n0::/\n== /sys/fs/cgroup/cpu.stat\nusage_usec 5\n";
        assert_eq!(check::found(&SENSOR, board), [""; 0]);
    }
}
