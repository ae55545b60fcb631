//! Sensor: throttling of this program's cgroup by a CPU quota.
//!
//! A container or a systemd slice with a quota makes every score meaningless, and no other source shows it. The sensor
//! reads the nearest cgroup with a quota, our own or a parent.

use super::{NONE, Probe, Sensor};
use crate::Root;
use crate::cgroup::{folder_has_quota, folders};
use crate::number::keyed;
use record::{Channel, ChannelId, ControlGroupChannel};

pub(super) const SENSOR: Sensor = Sensor::new("cgroup", discover);

/// Counters lose nothing at long intervals.
const INTERVAL_MS_MIN: u32 = 2000;
/// Interval without a quota, because one might be set later.
const INTERVAL_MS_MIN_WITHOUT_QUOTA: u32 = 6000;

fn discover(root: &Root) -> Vec<Probe> {
    let membership = root.read("/proc/self/cgroup").unwrap_or_default();
    let counts = |directory: &String| {
        let stat = root.read(&format!("{directory}/cpu.stat"));
        stat.is_ok_and(|stat| stat.contains("nr_throttled"))
    };
    // The nearest cgroup with a quota, else the nearest one with counters.
    let mut counting: Vec<String> = folders(&membership, "cpu").into_iter().filter(counts).collect();
    let with_quota = counting.iter().position(|directory| folder_has_quota(root, directory));
    if counting.is_empty() {
        return Vec::new();
    }
    let directory = counting.swap_remove(with_quota.unwrap_or(0));
    let interval_ms = if with_quota.is_some() { INTERVAL_MS_MIN } else { INTERVAL_MS_MIN_WITHOUT_QUOTA };
    let channels = [ControlGroupChannel::Throttled, ControlGroupChannel::ThrottledTime]
        .map(|of| Channel::of(ChannelId::ControlGroup(of)))
        .into();
    let path = format!("{directory}/cpu.stat");
    vec![Probe::file_of_many(path, parse, channels).min_interval_ms(interval_ms)]
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
