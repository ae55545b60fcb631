//! Every cpufreq policy: CPUs, driver, governors, limits and OPPs (Linux Documentation/admin-guide/pm/cpufreq.rst).
//! Supports any number of policies with arbitrary numbers.
//!
//! Clocks here are those that the kernel reports; `microbench` measures the actual ones.

use crate::Tree;
use crate::cpu_files::{CPU_FOLDER, read_list};
use crate::cpuinfo::CpuInfo;
use crate::cpus::present;
use record::{Missing, Policy, Reading, Residency};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// `cpufreq` counts the time at every OPP in ticks of USER_HZ, which is 100 on all Linux systems.
const TICK_MS: u64 = 10;

/// Every policy of a machine with these CPUs, ordered by number.
pub(crate) fn policies(root: &dyn Tree, present: &[u32]) -> Vec<Policy> {
    let folders = folders(root);
    let members = members(root, &folders, present);
    folders
        .iter()
        .zip(members)
        .map(|((policy, folder), members)| Policy {
            cpus: members.cpus,
            cpus_unclear: members.unclear,
            ..one_policy(root, *policy, folder)
        })
        .collect()
}

/// Time at every OPP for every policy (needs `CONFIG_CPU_FREQ_STAT`).
pub fn residencies(root: &dyn Tree) -> Vec<Residency> {
    let folders = folders(root);
    let info = CpuInfo::parse(&root.read("/proc/cpuinfo").unwrap_or_default());
    let members = members(root, &folders, &present(root, &info));
    folders
        .into_iter()
        .zip(members)
        .filter_map(|((_, folder), members)| {
            let text = root.read(&format!("{folder}/stats/time_in_state")).ok()?;
            let khz_ms = parse_time_in_state(&text);
            (!khz_ms.is_empty()).then_some(Residency { cpus: members.cpus, khz_ms })
        })
        .collect()
}

/// Lines of `stats/time_in_state` as `(kHz, milliseconds)`, in file order.
pub(crate) fn parse_time_in_state(text: &str) -> Vec<(u32, u64)> {
    text.lines()
        .filter_map(|line| {
            let (khz, ticks) = line.trim().split_once(char::is_whitespace)?;
            let ticks: u64 = ticks.trim().parse().ok()?;
            Some((khz.parse().ok()?, ticks.checked_mul(TICK_MS)?))
        })
        .collect()
}

/// Number and directory of every policy. Kernels before 4.3 have only `cpuN/cpufreq`, one directory that several CPUs
/// link to; the policy then has the number of its first CPU.
fn folders(root: &dyn Tree) -> Vec<(u32, String)> {
    let parent = format!("{CPU_FOLDER}/cpufreq");
    let names = root.list(&parent).unwrap_or_default();
    let found: Vec<_> = names
        .iter()
        .filter_map(|name| {
            let policy = name.strip_prefix("policy")?.parse().ok()?;
            Some((policy, format!("{parent}/{name}")))
        })
        .collect();
    if !found.is_empty() {
        return found;
    }
    let names = root.list(CPU_FOLDER).unwrap_or_default();
    let mut found: Vec<(u32, String)> = Vec::new();
    let mut covered: Vec<u32> = Vec::new();
    for cpu in names.iter().filter_map(|name| name.strip_prefix("cpu")?.parse::<u32>().ok()) {
        let folder = format!("{CPU_FOLDER}/cpu{cpu}/cpufreq");
        if !covered.contains(&cpu) && root.list(&folder).is_ok() {
            covered.extend(listed(root, &folder).unwrap_or_else(|| vec![cpu]));
            found.push((cpu, folder));
        }
    }
    found
}

/// CPUs of a policy.
#[derive(Debug, Default, PartialEq)]
struct Members {
    cpus: Vec<u32>,
    /// Invalid parts of the kernel's list.
    unclear: Vec<String>,
}

/// CPUs of each policy. Each CPU belongs to at most one policy and is present. If the kernel's list is missing or
/// invalid, a policy gets the CPUs from its number up to that of the next policy, because its number is that of its
/// first CPU.
fn members(root: &dyn Tree, folders: &[(u32, String)], present: &[u32]) -> Vec<Members> {
    let known: BTreeSet<u32> = present.iter().copied().collect();
    let mut owners: BTreeMap<u32, u32> = BTreeMap::new();
    let mut all: Vec<Members> = Vec::new();
    for (policy, folder) in folders {
        let (mut cpus, mut unclear) = match listed(root, folder) {
            Some(cpus) => (cpus, Vec::new()),
            None => (Vec::new(), vec!["it lists no CPUs".to_owned()]),
        };
        let is_known = |cpu: &u32| known.is_empty() || known.contains(cpu);
        if !cpus.iter().all(is_known) {
            unclear.push("it lists CPUs that do not exist".into());
            cpus.retain(is_known);
        }
        if let Some(other) = cpus.iter().find_map(|cpu| owners.get(cpu)) {
            unclear.push(format!("it lists CPUs of policy{other}"));
            cpus.retain(|cpu| !owners.contains_key(cpu));
        }
        owners.extend(cpus.iter().map(|cpu| (*cpu, *policy)));
        all.push(Members { cpus, unclear });
    }
    for ((policy, _), members) in folders.iter().zip(&mut all) {
        if !members.cpus.is_empty() {
            continue;
        }
        let numbers = folders.iter().map(|(number, _)| *number);
        let next = numbers.filter(|number| number > policy).min();
        let is_its = |cpu: &&u32| *cpu >= policy && next.is_none_or(|next| **cpu < next) && !owners.contains_key(cpu);
        members.cpus = known.iter().filter(is_its).copied().collect();
        if members.cpus.is_empty() {
            members.cpus = vec![*policy];
        }
    }
    all
}

/// `related_cpus` includes offline CPUs, `affected_cpus` does not.
fn listed(root: &dyn Tree, folder: &str) -> Option<Vec<u32>> {
    ["related_cpus", "affected_cpus"]
        .iter()
        .filter_map(|file| read_list(root, &format!("{folder}/{file}")))
        .find(|cpus| !cpus.is_empty())
}

fn one_policy(root: &dyn Tree, policy: u32, folder: &str) -> Policy {
    let path = |file: &str| format!("{folder}/{file}");
    let clocks = |file: &str| {
        let text = root.read(&path(file)).unwrap_or_default();
        parse_clocks(&text)
    };
    let mut opps_khz = clocks("scaling_available_frequencies");
    let boost_khz = clocks("scaling_boost_frequencies");
    let highest_opp = || opps_khz.iter().max().copied().filter(|_| !boost_khz.is_empty());
    // `base_frequency` belongs to intel_pstate, `nominal_freq` (in MHz) to ACPI CPPC, which amd-pstate uses.
    let base = || clock(root, &path("base_frequency")).ok();
    let nominal = || {
        let mhz: u32 = root.read_number(&format!("/sys/devices/system/cpu/cpu{policy}/acpi_cppc/nominal_freq")).ok()?;
        mhz.checked_mul(1000).filter(|khz| KHZ.contains(khz))
    };
    let unboosted_khz = highest_opp().or_else(base).or_else(nominal);
    opps_khz.extend(boost_khz);
    opps_khz.sort_unstable();
    opps_khz.dedup();
    let governors = root.read(&path("scaling_available_governors"));
    Policy {
        policy,
        driver: root.read_value(&path("scaling_driver")).into(),
        governor: root.read_value(&path("scaling_governor")).into(),
        governors: governors.unwrap_or_default().split_whitespace().map(str::to_owned).collect(),
        clock_khz_min: clock(root, &path("cpuinfo_min_freq")).into(),
        clock_khz_max: clock(root, &path("cpuinfo_max_freq")).into(),
        limit_khz_min: clock(root, &path("scaling_min_freq")).into(),
        limit_khz_max: clock(root, &path("scaling_max_freq")).into(),
        opps_khz,
        unboosted_khz,
        ..Policy::default()
    }
}

/// Plausible clocks of CPUs that run Linux, in kHz. Drivers report 0 for an unknown clock, and some use MHz or Hz.
const KHZ: RangeInclusive<u32> = 10_000..=10_000_000;

/// Reads a clock; an implausible value is missing.
fn clock(root: &dyn Tree, path: &str) -> Reading<u32> {
    let khz: u32 = root.read_number(path)?;
    if KHZ.contains(&khz) { Ok(khz) } else { Err(Missing::garbled(path, &khz.to_string())) }
}

/// Clocks separated by blanks; implausible values are omitted.
fn parse_clocks(text: &str) -> Vec<u32> {
    text.split_whitespace().filter_map(|word| word.parse().ok()).filter(|khz| KHZ.contains(khz)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BoardFile;

    #[test]
    fn clock_that_a_driver_does_not_know_is_missing() {
        let folder = "/sys/devices/system/cpu/cpufreq/policy0";
        for (says, expected) in [("1512000", Some(1_512_000)), ("0", None), ("1", None), ("x", None)] {
            let board = format!(
                "== {folder}/cpuinfo_max_freq\n{says}\n== {folder}/scaling_available_frequencies\n0 {says} 1\n"
            );
            let policy = one_policy(&BoardFile::parse(&board).unwrap(), 0, folder);
            assert_eq!(policy.clock_khz_max.known().copied(), expected, "{says}");
            assert_eq!(policy.opps_khz, Vec::from_iter(expected), "{says}");
        }
    }

    #[test]
    fn invalid_cpu_lists_are_repaired_and_reported() {
        let check = |lists: &[(u32, &str)], expected: &[(&[u32], usize)]| {
            let file =
                |(policy, list): &(u32, &str)| format!("== {CPU_FOLDER}/cpufreq/policy{policy}/related_cpus\n{list}\n");
            let board: String = lists.iter().map(file).collect();
            let found = policies(&BoardFile::parse(&board).unwrap(), &[0, 1, 2, 3]);
            let found: Vec<(&[u32], usize)> =
                found.iter().map(|policy| (&policy.cpus[..], policy.cpus_unclear.len())).collect();
            assert_eq!(found, expected, "{lists:?}");
        };
        check(&[(0, "0 1"), (2, "2 3")], &[(&[0, 1], 0), (&[2, 3], 0)]);
        check(&[(0, "garbage")], &[(&[0, 1, 2, 3], 1)]);
        check(&[(0, "")], &[(&[0, 1, 2, 3], 1)]);
        check(&[(0, "x"), (2, "2 3")], &[(&[0, 1], 1), (&[2, 3], 0)]);
        check(&[(0, "0 1 2 3 64")], &[(&[0, 1, 2, 3], 1)]);
        check(&[(0, "64")], &[(&[0, 1, 2, 3], 1)]);
        check(&[(0, "0 1 2"), (2, "2 3")], &[(&[0, 1, 2], 0), (&[3], 1)]);
        check(&[(0, "0-3"), (2, "0-3")], &[(&[0, 1, 2, 3], 0), (&[2], 1)]);
    }

    #[test]
    fn time_in_state_is_in_ticks() {
        for (text, expected) in [
            ("408000 12\n1800000 345\n", vec![(408_000, 120), (1_800_000, 3450)]),
            ("1800000 1\r\n408000 2\r\n", vec![(1_800_000, 10), (408_000, 20)]),
            ("408000\nx y\n600000 18446744073709551615\n", vec![]),
        ] {
            assert_eq!(parse_time_in_state(text), expected, "{text}");
        }
    }

    #[test]
    fn policies_of_old_kernels_are_links() {
        let root = BoardFile::parse(
            "\
== /sys/devices/system/cpu/cpu0/cpufreq/related_cpus
0 1
== /sys/devices/system/cpu/cpu0/cpufreq/scaling_available_frequencies
1008000 816000 x 816000 0
== /sys/devices/system/cpu/cpu0/cpufreq/scaling_boost_frequencies
1200000
== /sys/devices/system/cpu/cpu1/cpufreq -> ../cpu0/cpufreq
== /sys/devices/system/cpu/cpu10/cpufreq/affected_cpus
10
",
        );
        let policies = policies(&root.unwrap(), &[0, 1, 10]);
        let found: Vec<_> = policies.iter().map(|policy| (policy.policy, policy.cpus.as_slice())).collect();
        assert_eq!(found, [(0, &[0, 1][..]), (10, &[10])]);
        assert_eq!(policies[0].opps_khz, [816_000, 1_008_000, 1_200_000]);
        assert!(policies[0].governor.missing().is_some());
    }

    proptest::proptest! {
        #[test]
        fn parsers_never_panic(text in "[0-9 \t\r\n]{0,40}|\\PC{0,20}") {
            parse_time_in_state(&text);
            parse_clocks(&text);
        }
    }
}
