//! Devices that scale a clock, with governor, limits and tunables, and policies with a list of choices in the kernel.
//!
//! Sources: Linux Documentation/admin-guide/pm/cpufreq.rst, Documentation/ABI/testing/ sysfs-class-devfreq. Old vendor
//! kernels have one directory of governor tunables for all CPUs.

use super::files::{self, named};
use crate::Root;
use record::{Choice, Fact, NamedValue, Reading, Scaler, ScalerKind};

const CPUFREQ: &str = "/sys/devices/system/cpu/cpufreq";
const DEVFREQ: &str = "/sys/class/devfreq";

/// Governor tunables that affect how soon a clock rises.
const TUNABLES: &[&str] = &[
    "io_is_busy",
    "up_threshold",
    "down_threshold",
    "freq_step",
    "sampling_rate",
    "sampling_down_factor",
    "ignore_nice_load",
    "powersave_bias",
    "rate_limit_us",
    "hispeed_freq",
    "go_hispeed_load",
    "upthreshold",
    "downdifferential",
];

/// CPUs first, then other devices ordered by name.
pub(super) fn scalers(root: &Root) -> Vec<Scaler> {
    let policies = root.list(CPUFREQ).unwrap_or_default();
    let policies = policies.iter().filter(|name| name.starts_with("policy")).map(|name| policy(root, name));
    let devices = root.list(DEVFREQ).unwrap_or_default();
    policies.chain(devices.iter().map(|name| device(root, name))).collect()
}

fn policy(root: &Root, name: &str) -> Scaler {
    let path = format!("{CPUFREQ}/{name}");
    let khz = |file: &str| -> Fact<u64> {
        let khz: Reading<u64> = root.read_number(&format!("{path}/{file}"));
        khz.map(|khz| khz.saturating_mul(1000)).into()
    };
    let governor = root.read_value(&format!("{path}/scaling_governor"));
    let mut tunables = Vec::new();
    if let Ok(governor) = &governor
        && !governor.contains(['/', '.'])
    {
        tunables = tunables_of(root, &format!("{path}/{governor}"));
        if tunables.is_empty() {
            tunables = tunables_of(root, &format!("{CPUFREQ}/{governor}"));
        }
    }
    for file in ["energy_performance_preference", "scaling_driver"] {
        let from = format!("{path}/{file}");
        tunables.extend(files::value(root, &from).map(|value| named(file, value, from)));
    }
    let mut clocks = words(root, &format!("{path}/scaling_available_frequencies"));
    clocks.extend(words(root, &format!("{path}/scaling_boost_frequencies")));
    Scaler {
        kind: ScalerKind::Cpu,
        name: name.to_owned(),
        governor: governor.into(),
        governors: words(root, &format!("{path}/scaling_available_governors")),
        clock_hz: khz("scaling_cur_freq"),
        clocks_hz: ascending(&clocks, 1000),
        limit_hz_min: khz("scaling_min_freq"),
        limit_hz_max: khz("scaling_max_freq"),
        clock_hz_max: khz("cpuinfo_max_freq"),
        tunables,
        path,
    }
}

fn device(root: &Root, name: &str) -> Scaler {
    let path = format!("{DEVFREQ}/{name}");
    let hz = |file: &str| -> Fact<u64> { root.read_number(&format!("{path}/{file}")).into() };
    let clocks_hz = ascending(&words(root, &format!("{path}/available_frequencies")), 1);
    let top = clocks_hz.last().copied();
    let limit_hz_max = hz("max_freq");
    Scaler {
        kind: kind_of(name),
        name: name.to_owned(),
        governor: root.read_value(&format!("{path}/governor")).into(),
        governors: words(root, &format!("{path}/available_governors")),
        clock_hz: hz("cur_freq"),
        limit_hz_min: hz("min_freq"),
        clock_hz_max: top.map_or_else(|| limit_hz_max.clone(), Fact::Known),
        limit_hz_max,
        clocks_hz,
        tunables: tunables_of(root, &path),
        path,
    }
}

/// Kind of a devfreq device, by common words in names of drivers and device trees.
fn kind_of(name: &str) -> ScalerKind {
    const WORDS: &[(&str, ScalerKind)] = &[
        ("dmc", ScalerKind::Memory),
        ("ddr", ScalerKind::Memory),
        ("memory-controller", ScalerKind::Memory),
        ("dram", ScalerKind::Memory),
        ("emc", ScalerKind::Memory),
        ("bus_mif", ScalerKind::Memory),
        ("devfreq_mif", ScalerKind::Memory),
        ("cpubw", ScalerKind::Memory),
        ("gpu", ScalerKind::Gpu),
        ("mali", ScalerKind::Gpu),
        ("kgsl", ScalerKind::Gpu),
        ("npu", ScalerKind::Npu),
    ];
    let name = name.to_lowercase();
    let found = WORDS.iter().find(|(word, _)| name.contains(word));
    found.map_or(ScalerKind::Other, |(_, kind)| *kind)
}

fn tunables_of(root: &Root, folder: &str) -> Vec<NamedValue> {
    TUNABLES
        .iter()
        .filter_map(|name| {
            let from = format!("{folder}/{name}");
            let value = files::value(root, &from)?;
            Some(named(*name, value, from))
        })
        .collect()
}

fn words(root: &Root, path: &str) -> Vec<String> {
    let text = root.read(path).unwrap_or_default();
    text.split_whitespace().map(str::to_owned).collect()
}

fn ascending(words: &[String], factor: u64) -> Vec<u64> {
    let mut clocks: Vec<u64> = words.iter().filter_map(|word| word.parse::<u64>().ok()?.checked_mul(factor)).collect();
    clocks.sort_unstable();
    clocks.dedup();
    clocks
}

/// Settings with a list of choices in the kernel that affect speed.
pub(super) fn choices(root: &Root) -> Vec<Choice> {
    const PATHS: &[&str] = &[
        "/sys/module/pcie_aspm/parameters/policy",
        "/sys/kernel/mm/transparent_hugepage/enabled",
        "/sys/kernel/mm/transparent_hugepage/defrag",
        "/sys/kernel/mm/transparent_hugepage/shmem_enabled",
        "/sys/power/mem_sleep",
        "/sys/kernel/debug/sched/preempt",
    ];
    let listed = PATHS.iter().filter_map(|path| files::choice(root, path));
    listed.chain(platform_profile(root)).collect()
}

/// The choices are in a separate file.
fn platform_profile(root: &Root) -> Option<Choice> {
    let path = "/sys/firmware/acpi/platform_profile";
    Some(Choice {
        path: path.into(),
        chosen: files::value(root, path)?,
        all: words(root, "/sys/firmware/acpi/platform_profile_choices"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_told_by_their_names() {
        for (name, kind) in [
            ("dmc", ScalerKind::Memory),
            ("1c62000.dram-controller", ScalerKind::Memory),
            ("memory-controller-0", ScalerKind::Memory),
            ("fb000000.gpu", ScalerKind::Gpu),
            ("fdab0000.npu", ScalerKind::Npu),
            ("soc:bus_wcore", ScalerKind::Other),
        ] {
            assert_eq!(kind_of(name), kind, "{name}");
        }
    }

    #[test]
    fn tunables_stand_with_the_policy_or_for_all() {
        let policy = "/sys/devices/system/cpu/cpufreq";
        for folder in ["policy0/ondemand", "ondemand"] {
            let board = format!(
                "== {policy}/policy0/scaling_governor\nondemand\n== {policy}/{folder}/io_is_busy\n0\n\
                 == {policy}/policy0/cpuinfo_max_freq\n1800000\n"
            );
            let found = scalers(&Root::from_board(&board).unwrap());
            assert_eq!(found[0].tunables[0].value, "0", "{folder}");
            assert_eq!(found[0].clock_hz_max.known(), Some(&1_800_000_000));
        }
    }
}
