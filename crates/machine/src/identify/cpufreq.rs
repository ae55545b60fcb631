//! Every cpufreq policy: which CPUs, driver, governors, limits and OPPs (Linux
//! Documentation/admin-guide/pm/cpufreq.rst). Any number of policies with any numbers.
//!
//! Clocks here are claims of the kernel; what a core really does is measured elsewhere.

use super::cpus::{CPU_FOLDER, read_list};
use crate::Root;
use record::{Missing, Policy, Reading, Residency};

/// `cpufreq` counts the time at every OPP in ticks of USER_HZ, which is 100 on all Linux.
const TICK_MS: u64 = 10;

/// Every policy, by number.
pub(crate) fn policies(root: &Root) -> Vec<Policy> {
    folders(root)
        .into_iter()
        .map(|(policy, folder)| one_policy(root, policy, &folder))
        .collect()
}

/// Time at every OPP, for every policy whose kernel counts it (`CONFIG_CPU_FREQ_STAT`).
pub(crate) fn residencies(root: &Root) -> Vec<Residency> {
    folders(root)
        .into_iter()
        .filter_map(|(policy, folder)| {
            let text = root.read(&format!("{folder}/stats/time_in_state")).ok()?;
            let khz_ms = parse_time_in_state(&text);
            (!khz_ms.is_empty()).then(|| Residency {
                cpus: cpus_of(root, policy, &folder),
                khz_ms,
            })
        })
        .collect()
}

/// Lines of `stats/time_in_state` as `(kHz, milliseconds)`, in their order.
pub(crate) fn parse_time_in_state(text: &str) -> Vec<(u32, u64)> {
    text.lines()
        .filter_map(|line| {
            let (khz, ticks) = line.trim().split_once(char::is_whitespace)?;
            let ticks: u64 = ticks.trim().parse().ok()?;
            Some((khz.parse().ok()?, ticks.checked_mul(TICK_MS)?))
        })
        .collect()
}

/// Number and folder of every policy. Kernels before 4.3 have `cpuN/cpufreq` only, one folder
/// that several CPUs link to; there the policy takes the number of its first CPU.
fn folders(root: &Root) -> Vec<(u32, String)> {
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
    for cpu in names
        .iter()
        .filter_map(|name| name.strip_prefix("cpu")?.parse::<u32>().ok())
    {
        let folder = format!("{CPU_FOLDER}/cpu{cpu}/cpufreq");
        if !covered.contains(&cpu) && root.list(&folder).is_ok() {
            covered.extend(cpus_of(root, cpu, &folder));
            found.push((cpu, folder));
        }
    }
    found
}

/// `related_cpus` names those that are switched off as well, `affected_cpus` only online ones.
fn cpus_of(root: &Root, policy: u32, folder: &str) -> Vec<u32> {
    ["related_cpus", "affected_cpus"]
        .iter()
        .filter_map(|file| read_list(root, &format!("{folder}/{file}")))
        .find(|cpus| !cpus.is_empty())
        .unwrap_or_else(|| vec![policy])
}

fn one_policy(root: &Root, policy: u32, folder: &str) -> Policy {
    let path = |file: &str| format!("{folder}/{file}");
    let clocks = |file: &str| {
        let text = root.read(&path(file)).unwrap_or_default();
        parse_clocks(&text)
    };
    let mut opps_khz = clocks("scaling_available_frequencies");
    opps_khz.extend(clocks("scaling_boost_frequencies"));
    opps_khz.sort_unstable();
    opps_khz.dedup();
    let governors = root.read(&path("scaling_available_governors"));
    Policy {
        policy,
        cpus: cpus_of(root, policy, folder),
        driver: root.read_value(&path("scaling_driver")).into(),
        governor: root.read_value(&path("scaling_governor")).into(),
        governors: governors
            .unwrap_or_default()
            .split_whitespace()
            .map(str::to_owned)
            .collect(),
        clock_khz_min: clock(root, &path("cpuinfo_min_freq")).into(),
        clock_khz_max: clock(root, &path("cpuinfo_max_freq")).into(),
        limit_khz_min: clock(root, &path("scaling_min_freq")).into(),
        limit_khz_max: clock(root, &path("scaling_max_freq")).into(),
        opps_khz,
    }
}

/// No CPU that runs Linux has a lower clock, in kHz. Drivers that do not know one say 0.
const KHZ_MIN: u32 = 1000;

/// A clock that a driver knows.
fn clock(root: &Root, path: &str) -> Reading<u32> {
    let khz: u32 = root.read_number(path)?;
    match khz >= KHZ_MIN {
        true => Ok(khz),
        false => Err(Missing::garbled(path, &khz.to_string())),
    }
}

/// Clocks separated by blanks; what is no clock is left out.
fn parse_clocks(text: &str) -> Vec<u32> {
    text.split_whitespace()
        .filter_map(|word| word.parse().ok())
        .filter(|khz| *khz >= KHZ_MIN)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_a_driver_does_not_know_is_missing() {
        let folder = "/sys/devices/system/cpu/cpufreq/policy0";
        for (says, expected) in [
            ("1512000", Some(1_512_000)),
            ("0", None),
            ("1", None),
            ("x", None),
        ] {
            let board = format!(
                "== {folder}/cpuinfo_max_freq\n{says}\n== {folder}/scaling_available_frequencies\n0 {says} 1\n"
            );
            let policy = one_policy(&Root::from_board(&board).unwrap(), 0, folder);
            assert_eq!(policy.clock_khz_max.known().copied(), expected, "{says}");
            assert_eq!(policy.opps_khz, Vec::from_iter(expected), "{says}");
        }
    }

    #[test]
    fn time_in_state_is_in_ticks() {
        for (text, expected) in [
            (
                "408000 12\n1800000 345\n",
                vec![(408_000, 120), (1_800_000, 3450)],
            ),
            (
                "1800000 1\r\n408000 2\r\n",
                vec![(1_800_000, 10), (408_000, 20)],
            ),
            ("408000\nx y\n600000 18446744073709551615\n", vec![]),
        ] {
            assert_eq!(parse_time_in_state(text), expected, "{text}");
        }
    }

    #[test]
    fn policies_of_old_kernels_are_links() {
        let root = Root::from_board(
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
        let policies = policies(&root.unwrap());
        let found: Vec<_> = policies
            .iter()
            .map(|policy| (policy.policy, policy.cpus.as_slice()))
            .collect();
        assert_eq!(found, [(0, &[0, 1][..]), (10, &[10])]);
        assert_eq!(policies[0].opps_khz, [816_000, 1_008_000, 1_200_000]);
        assert!(policies[0].governor.missing().is_some());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_parsed(text in "[0-9 \t\r\n]{0,40}|\\PC{0,20}") {
            parse_time_in_state(&text);
            parse_clocks(&text);
        }
    }
}
