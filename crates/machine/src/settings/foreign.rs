//! Restores a journal of any origin on a test board, for fuzzing. The program does not use it.

use super::journal::parse;
use super::restore::{restore_one, unsettled};
use crate::Root;

/// Board with some places of a journal, and a file that no journal may change.
const BOARD: &str = "\
== /etc/passwd
root:x:0:0::/root:/bin/sh
== /sys/devices/system/cpu/cpufreq/policy0/scaling_governor
performance
== /sys/devices/system/cpu/cpufreq/policy0/scaling_available_governors
performance schedutil
== /sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq
1200000
== /sys/devices/system/cpu/cpufreq/policy0/scaling_setspeed
1200000
== /sys/devices/system/cpu/cpufreq/policy0/schedutil/rate_limit_us
500
== /sys/devices/system/cpu/cpu1/online
0
== /sys/kernel/mm/transparent_hugepage/enabled
always [madvise] never
== /sys/fs/cgroup/cpuset/a/cpuset.cpus
0
== /proc/irq/7/smp_affinity_list
0
== /sys/class/thermal/cooling_device0/type
cpufreq-cpu0
== /sys/class/thermal/cooling_device0/cur_state
1
";

/// Restores known places of a journal, and asserts that all other files are unchanged.
pub(crate) fn journal(bytes: &[u8]) {
    let Ok(root) = Root::from_board(BOARD) else { return };
    let before = root.board_files();
    for held in unsettled(parse(bytes).0.iter()).iter().rev() {
        drop(restore_one(&root, held, &[]));
    }
    for ((path, before), (_, after)) in before.iter().zip(root.board_files()) {
        let is_setting = ["/sys/devices/", "/sys/kernel/", "/sys/fs/cgroup/", "/proc/irq/"];
        let may_change = is_setting.iter().any(|folder| path.starts_with(folder));
        assert!(may_change || *before == after, "{path} was changed");
        assert!(!path.ends_with("available_governors") || *before == after);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BOOT: &str = "11111111-2222-3333-4444-555555555555";

    fn line(path: &str, old: &str, new: &str) -> String {
        format!("{{\"path\":{path:?},\"old\":{old:?},\"new\":{new:?},\"boot_id\":\"{BOOT}\"}}\n")
    }

    #[test]
    fn journal_cannot_write_other_files() {
        for path in [
            "/etc/passwd",
            "/sys/devices/../../etc/passwd",
            "/proc/irq/../../etc/passwd/smp_affinity_list",
            "/sys/fs/cgroup/cpuset/../../../../etc/cpuset.cpus",
            "/sys/devices/system/cpu/cpufreq/policy0/scaling_available_governors",
        ] {
            journal(line(path, "x", "y").as_bytes());
        }
        journal(line("/sys/devices/system/cpu/cpu1/online", "1", "0").as_bytes());
    }

    proptest! {
        #[test]
        fn journal_parser_never_panics(bytes: Vec<u8>, old: String, new: String, path in "(/[a-z0-9_.]{0,12}){0,6}") {
            journal(&bytes);
            journal(format!("{}{old}\n{}", line(&path, &old, &new), line(&path, &new, &old)).as_bytes());
        }
    }
}
