//! Every present CPU, online or not: core type, topology, capacity, features and caches. Supports any number of CPUs,
//! with gaps in their numbers.
//!
//! Sources: `/sys/devices/system/cpu` (Linux Documentation/admin-guide/cputopology.rst and
//! Documentation/ABI/testing/sysfs-devices-system-cpu) and `/proc/cpuinfo`.

use crate::Tree;
use crate::caches;
use crate::core_type::{self, Core, HybridCoreKind};
use crate::cpu_files::{CPU_FOLDER, read_list};
use crate::cpuinfo::CpuInfo;
use crate::data::parse_number;
use crate::features;
use crate::hybrid;
use record::{Cpu, Fact, Missing, Policy};

/// Every CPU, ordered by number.
pub(crate) fn cpus(root: &dyn Tree, info: &CpuInfo, policies: &[Policy]) -> Vec<Cpu> {
    let present = present(root, info);
    let halves = hybrid::halves(root, &present);
    let listed = read_list(root, &format!("{CPU_FOLDER}/online")).filter(|cpus| !cpus.is_empty());
    let mut cpus: Vec<Cpu> = present
        .into_iter()
        .map(|cpu| {
            let half = halves.get(&cpu).copied().unwrap_or(HybridCoreKind::Performance);
            let core = core_of(root, info, cpu, half);
            one_cpu(root, info, listed.as_deref(), cpu, core)
        })
        .collect();
    name_remaining_cpus(root, info, policies, &mut cpus);
    cpus
}

/// Numbers of online CPUs, ascending.
pub fn online(root: &dyn Tree) -> Vec<u32> {
    let listed = read_list(root, &format!("{CPU_FOLDER}/online"));
    match listed {
        Some(cpus) if !cpus.is_empty() => cpus,
        _ => present(root, &CpuInfo::parse(&root.read("/proc/cpuinfo").unwrap_or_default())),
    }
}

/// `present` includes offline CPUs. Kernels and containers that hide it still have CPU directories or cpuinfo.
pub(crate) fn present(root: &dyn Tree, info: &CpuInfo) -> Vec<u32> {
    if let Some(cpus) = read_list(root, &format!("{CPU_FOLDER}/present"))
        && !cpus.is_empty()
    {
        return cpus;
    }
    let folders = root.list(CPU_FOLDER).unwrap_or_default();
    let cpus: Vec<u32> = folders.iter().filter_map(|name| name.strip_prefix("cpu")?.parse().ok()).collect();
    if !cpus.is_empty() {
        return cpus;
    }
    let cpus: Vec<u32> = info.cpus().collect();
    // A kernel without SMP prints one block without a number: one CPU.
    if cpus.is_empty() && *info != CpuInfo::default() { vec![0] } else { cpus }
}

/// Core type from the core's own data: MIDR_EL1, else its block in cpuinfo.
fn core_of(root: &dyn Tree, info: &CpuInfo, cpu: u32, half: HybridCoreKind) -> Core {
    let path = format!("{CPU_FOLDER}/cpu{cpu}/regs/identification/midr_el1");
    let midr = root.read_value(&path).ok().and_then(|text| parse_number(&text));
    match midr.and_then(|midr| u32::try_from(midr & 0xffff_ffff).ok()) {
        Some(midr) if midr != 0 => core_type::of_midr(midr),
        _ => core_type::own(info, cpu, half),
    }
}

fn one_cpu(root: &dyn Tree, info: &CpuInfo, listed: Option<&[u32]>, cpu: u32, core: Core) -> Cpu {
    let folder = format!("{CPU_FOLDER}/cpu{cpu}");
    // Kernels without cluster information print 65535 (the maximum of the type) or -1.
    let topology = |file: &str| {
        let id = root.read_number(&format!("{folder}/topology/{file}"));
        id.ok().filter(|id| *id != 65_535).unwrap_or(-1)
    };
    let siblings = ["core_cpus_list", "thread_siblings_list"]
        .iter()
        .find_map(|file| read_list(root, &format!("{folder}/topology/{file}")));
    Cpu {
        cpu,
        online: match root.read_value(&format!("{folder}/online")) {
            Ok(value) => value != "0",
            // CPUs that cannot be taken offline, often the first one, lack this file, and so do all CPUs without
            // hotplug.
            Err(_) => listed.is_none_or(|online| online.contains(&cpu)),
        },
        core_type: known_or_absent(core.name),
        stepping: known_or_absent(core.stepping),
        midr: match core.midr {
            Some(midr) => Fact::Known(midr),
            None => Missing::absent(format!("{folder}/regs/identification/midr_el1")).into(),
        },
        package: topology("physical_package_id"),
        cluster: topology("cluster_id"),
        core: topology("core_id"),
        siblings: siblings.filter(|cpus| !cpus.is_empty()).unwrap_or_else(|| vec![cpu]),
        capacity: root.read_number(&format!("{folder}/cpu_capacity")).into(),
        features: features::of_cpu(info, cpu),
        caches: caches::caches(root, cpu),
    }
}

fn known_or_absent(text: Option<String>) -> Fact<String> {
    match text {
        Some(text) if !text.is_empty() => Fact::Known(text),
        _ => Missing::unsupported("/proc/cpuinfo", "not reported by the kernel").into(),
    }
}

/// Names cores without data of their own: offline ones, and all cores under old kernels that print one common block.
/// Sources in this order: other CPUs of the same cpufreq policy (always one type), the device tree, the common block.
/// The common block describes the CPU that printed it, so it does not apply to offline CPUs.
fn name_remaining_cpus(root: &dyn Tree, info: &CpuInfo, policies: &[Policy], cpus: &mut [Cpu]) {
    let known: Vec<(u32, String)> =
        cpus.iter().filter_map(|cpu| Some((cpu.cpu, cpu.core_type.known()?.clone()))).collect();
    let common = core_type::common(info);
    for cpu in cpus.iter_mut().filter(|cpu| cpu.core_type.known().is_none()) {
        let by_policy = name_in_policy(policies, &known, cpu.cpu);
        let by_tree = || {
            let path = format!("{CPU_FOLDER}/cpu{}/of_node/compatible", cpu.cpu);
            let compatible = root.read(&path).ok()?;
            compatible.split('\0').find_map(core_type::of_compatible)
        };
        if let Some(name) = by_policy.or_else(by_tree) {
            cpu.core_type = Fact::Known(name);
        } else if cpu.online && known.is_empty() {
            cpu.core_type = known_or_absent(common.name.clone());
        }
        let same_type = cpu.core_type.known() == common.name.as_ref();
        if same_type && cpu.online && known.is_empty() {
            cpu.stepping = known_or_absent(common.stepping.clone());
            if let Some(midr) = common.midr {
                cpu.midr = Fact::Known(midr);
            }
        }
    }
}

/// Type of the known CPUs in the policy of this CPU, if they all have the same.
fn name_in_policy(policies: &[Policy], known: &[(u32, String)], cpu: u32) -> Option<String> {
    let policy = policies.iter().find(|policy| policy.cpus.contains(&cpu))?;
    let mut names = known.iter().filter(|(other, _)| policy.cpus.contains(other)).map(|(_, name)| name);
    let first = names.next()?;
    names.all(|name| name == first).then(|| first.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BoardFile;

    fn check(board: &str, expected: &[(u32, bool, Option<&str>)]) {
        let root = BoardFile::parse(board).unwrap();
        let info = CpuInfo::parse(&(&root as &dyn Tree).read("/proc/cpuinfo").unwrap_or_default());
        let policies = crate::cpufreq::policies(&root, &present(&root, &info));
        let found = cpus(&root, &info, &policies);
        let found: Vec<_> =
            found.iter().map(|cpu| (cpu.cpu, cpu.online, cpu.core_type.known().map(String::as_str))).collect();
        assert_eq!(found, expected, "{board}");
    }

    #[test]
    fn cpu_that_is_off_is_named_by_its_policy_or_by_the_device_tree() {
        check(
            "\
== /sys/devices/system/cpu/present
0-2
== /sys/devices/system/cpu/cpu1/online
0
== /sys/devices/system/cpu/cpu2/online
0
== /sys/devices/system/cpu/cpu2/of_node/compatible
arm,cortex-a72\\0
== /sys/devices/system/cpu/cpufreq/policy0/related_cpus
0 1
== /proc/cpuinfo
processor : 0
CPU implementer : 0x41
CPU part : 0xd03
",
            &[(0, true, Some("Cortex-A53")), (1, false, Some("Cortex-A53")), (2, false, Some("Cortex-A72"))],
        );
    }

    #[test]
    fn cpus_that_a_kernel_without_hotplug_never_started_are_off() {
        check(
            "\
== /sys/devices/system/cpu/present
0-1
== /sys/devices/system/cpu/online
0
== /proc/cpuinfo
processor : 0
CPU implementer : 0x41
CPU part : 0xd03
",
            &[(0, true, Some("Cortex-A53")), (1, false, None)],
        );
    }

    #[test]
    fn single_cpuinfo_block() {
        // A kernel of 2013, whose common block would give all eight cores one type.
        check(
            "\
== /sys/devices/system/cpu/present
0-1
== /proc/cpuinfo
Processor : ARMv7 Processor rev 3 (v7l)
processor : 0
BogoMIPS : 1.0

processor : 1
BogoMIPS : 1.0

CPU implementer : 0x41
CPU part : 0xc07
== /sys/devices/system/cpu/cpu1/of_node/compatible
arm,cortex-a15\\0
",
            &[(0, true, Some("Cortex-A7")), (1, true, Some("Cortex-A15"))],
        );
        check("== /proc/cpuinfo\nCPU implementer : 0x41\nCPU part : 0xb76\n", &[(0, true, Some("ARM1176"))]);
        check("== /proc/cpuinfo ! EACCES\n", &[]);
    }
}
