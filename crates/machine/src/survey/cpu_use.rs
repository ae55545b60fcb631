//! CPUs that programs cannot use, and the distribution of interrupts over CPUs.
//!
//! Sources: `/proc/interrupts`, `/proc/irq` (Linux Documentation/core-api/irq/irq-affinity.rst), cpusets
//! (Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/cpusets.rst).

use super::files;
use crate::Root;
use identify::read_list;
use record::{CpuUse, Cpuset, Interrupt, Machine, StableSort};

/// Maximum number of interrupts kept, which includes a busy network card.
const INTERRUPTS_MAX: usize = 8;
/// Maximum depth of cgroups, and maximum number.
const GROUP_DEPTH_MAX: usize = 2;
const GROUPS_MAX: usize = 200;

pub(super) fn cpu_use(root: &Root) -> CpuUse {
    // Empty lists are printed as an empty text or as `(null)`.
    let list = |path: &str| read_list(root, path).unwrap_or_default();
    CpuUse {
        offline: offline(root),
        isolated: list("/sys/devices/system/cpu/isolated"),
        allowed: allowed(root),
        cpusets: cpusets(root),
        interrupts: interrupts(root),
        irqbalance: files::exists(root, "/run/irqbalance") || files::exists(root, "/run/irqbalance.pid"),
        energy_model: root.list("/sys/kernel/debug/energy_model").is_ok_and(|entries| !entries.is_empty()),
    }
}

/// CPUs that are present but offline. `possible` is not used because it includes empty sockets.
fn offline(root: &Root) -> Vec<u32> {
    let list = |name: &str| read_list(root, &format!("/sys/devices/system/cpu/{name}")).unwrap_or_default();
    let online = list("online");
    let mut present = list("present");
    present.retain(|cpu| !online.is_empty() && !online.contains(cpu));
    present
}

/// Online CPUs that this process must not use; empty for another machine, whose files do not show them.
pub fn denied_cpus(root: &Root, machine: &Machine) -> Vec<u32> {
    let allowed = if root.is_system() { allowed(root) } else { Vec::new() };
    let online = machine.cpus.iter().filter(|cpu| cpu.online).map(|cpu| cpu.cpu);
    online.filter(|cpu| !allowed.is_empty() && !allowed.contains(cpu)).collect()
}

fn allowed(root: &Root) -> Vec<u32> {
    let text = root.read("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    line.and_then(record::parse_cpu_list).unwrap_or_default()
}

fn cpusets(root: &Root) -> Vec<Cpuset> {
    let online = read_list(root, "/sys/devices/system/cpu/online").unwrap_or_default();
    let mut found = Vec::new();
    let mut visited = 0;
    for mount in ["/sys/fs/cgroup", "/sys/fs/cgroup/cpuset", "/dev/cpuset"] {
        let mut folders = vec![(mount.to_owned(), 0)];
        while let Some((folder, depth)) = folders.pop() {
            visited += 1;
            if visited > GROUPS_MAX {
                return found;
            }
            let own = ["cpuset.cpus", "cpus"].iter().find_map(|file| read_list(root, &format!("{folder}/{file}")));
            let cpus = own.unwrap_or_default();
            if depth > 0 && !cpus.is_empty() && online.iter().any(|cpu| !cpus.contains(cpu)) {
                let path = folder.trim_start_matches(mount).to_owned();
                found.push(Cpuset { path, cpus });
            }
            if depth < GROUP_DEPTH_MAX {
                let names = root.list(&folder).unwrap_or_default();
                // Files of a cgroup have a dot after the name of their controller.
                let groups = names
                    .iter()
                    .filter(|name| !name.contains('.') || name.ends_with(".slice") || name.ends_with(".service"));
                folders.extend(groups.map(|name| (format!("{folder}/{name}"), depth + 1)));
            }
        }
    }
    found.stable_sort_by(|a, b| a.path.cmp(&b.path));
    found.dedup();
    found
}

fn interrupts(root: &Root) -> Vec<Interrupt> {
    let mut found = parse_interrupts(&root.read("/proc/interrupts").unwrap_or_default());
    found.stable_sort_by_key(|interrupt| std::cmp::Reverse(interrupt.count));
    found.truncate(INTERRUPTS_MAX);
    for interrupt in &mut found {
        let path = format!("/proc/irq/{}/smp_affinity_list", interrupt.number);
        interrupt.allowed = read_list(root, &path).unwrap_or_default();
    }
    found
}

/// Parses `/proc/interrupts`: a header with one `CPUn` for each column, then `number: counts... chip names`. Lines with
/// letters in front (`LOC:`, `IPI0:`) are the kernel's own and are ignored, and so are per-CPU timers.
fn parse_interrupts(text: &str) -> Vec<Interrupt> {
    let mut lines = text.lines();
    let cpus: Vec<u32> = lines
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .filter_map(|word| word.strip_prefix("CPU")?.parse().ok())
        .collect();
    lines
        .filter_map(|line| {
            let (number, rest) = line.split_once(':')?;
            let number = number.trim().parse().ok()?;
            let words: Vec<&str> = rest.split_whitespace().collect();
            let counts: Vec<u64> = words.iter().take(cpus.len()).map_while(|word| word.parse().ok()).collect();
            let names = words.get(counts.len()..)?.join(" ");
            let count: u64 = counts.iter().fold(0, |sum, count| sum.saturating_add(*count));
            let (at, most) = counts.iter().enumerate().max_by_key(|(_, count)| **count)?;
            let is_timer = names.to_lowercase().contains("timer");
            (count > 0 && !is_timer).then(|| Interrupt {
                number,
                names,
                count,
                cpu: cpus[at],
                cpu_percent: (u128::from(*most) * 100 / u128::from(count)) as u32,
                allowed: Vec::new(),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interrupts_of_two_cpus() {
        let text = "\
           CPU0       CPU1
 11:     401720     326401     GICv3  30 Level     arch_timer
 76:      90000      10000     GICv3 266 Edge      eth0-rx
 77:          0          0     GICv3 267 Edge      eth0-tx
IPI0:     15236      15236       Rescheduling interrupts
Err:          0
";
        let found = parse_interrupts(text);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].number, found[0].count, found[0].cpu, found[0].cpu_percent), (76, 100_000, 0, 90));
        assert_eq!(found[0].names, "GICv3 266 Edge eth0-rx");
    }

    #[test]
    fn groups_with_fewer_cpus_are_named() {
        let board = "\
== /sys/devices/system/cpu/online
0-3
== /sys/devices/system/cpu/present
0-5
== /sys/fs/cgroup/cpuset.cpus

== /sys/fs/cgroup/user.slice/cpuset.cpus
0-1
== /sys/fs/cgroup/system.slice/cpuset.cpus
0-3
";
        let found = cpu_use(&Root::from_board(board).unwrap());
        assert_eq!(found.offline, [4, 5]);
        assert_eq!(found.cpusets.len(), 1);
        assert_eq!(found.cpusets[0].path, "/user.slice");
        assert_eq!(found.cpusets[0].cpus, [0, 1]);
    }

    proptest::proptest! {
        #[test]
        fn parse_interrupts_never_panics(text in "(CPU[0-9]{1,11}|[0-9]{1,22}|[: \n]|\\PC){0,60}") {
            parse_interrupts(&text);
        }
    }
}
