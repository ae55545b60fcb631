//! Sensor: clock reported by cpufreq for each policy, and the clock limit.
//!
//! The reported clock may be wrong; the clock workload measures actual ones. The limit is included because the kernel's
//! own cooling lowers it.

use super::{Probe, Sensor, labelled, numbered};
use crate::Root;
use crate::number::number;
use record::{Channel, ChannelId, PolicyChannel};

pub(super) const SENSOR: Sensor = Sensor::new("cpufreq", discover);

/// Directory of policies.
pub(super) const DIRECTORY: &str = "/sys/devices/system/cpu/cpufreq";

/// Drivers whose `scaling_cur_freq` interrupts the CPUs of the policy to read their counters, or waits for a feedback
/// window: about 100 µs per core, which also disturbs measurements.
const EXPENSIVE_DRIVERS: [&str; 7] =
    ["intel_pstate", "intel_cpufreq", "acpi-cpufreq", "amd-pstate", "amd-pstate-epp", "amd_pstate", "cppc_cpufreq"];
const EXPENSIVE_INTERVAL_MS_MIN: u32 = 1000;

fn discover(root: &Root) -> Vec<Probe> {
    let mut probes = Vec::new();
    for (name, policy) in numbered(root, DIRECTORY, "policy") {
        let directory = format!("{DIRECTORY}/{name}");
        let files = root.list(&directory).unwrap_or_default();
        let has = |file: &str| files.iter().any(|known| known == file);
        let cpus = root.read_value(&format!("{directory}/related_cpus")).unwrap_or_default();
        let driver = root.read_value(&format!("{directory}/scaling_driver")).unwrap_or_default();
        let probe = |file: &str, of: PolicyChannel| {
            let channel = Channel::of(ChannelId::Policy(policy, of));
            Probe::file(format!("{directory}/{file}"), number, labelled(channel, cpus.clone()))
        };
        if has("scaling_cur_freq") {
            let costly = EXPENSIVE_DRIVERS.contains(&driver.as_str());
            let probe = probe("scaling_cur_freq", PolicyChannel::Claimed);
            probes.push(if costly { probe.min_interval_ms(EXPENSIVE_INTERVAL_MS_MIN) } else { probe });
        }
        // Average over a few milliseconds from the hardware's counters; since Linux 6.15.
        if has("cpuinfo_avg_freq") {
            probes.push(probe("cpuinfo_avg_freq", PolicyChannel::Average));
        }
        if has("scaling_max_freq") {
            probes.push(probe("scaling_max_freq", PolicyChannel::LimitMax));
        }
    }
    probes
}

#[cfg(test)]
mod tests {
    use super::super::{SampleInterval, check};
    use super::*;

    #[test]
    fn three_policies() {
        let mut board = String::new();
        for (policy, cpus, khz) in [(0, "0 1 2 3", 1_800_000), (4, "4 5", 2_304_000), (6, "6 7", 2_352_000)] {
            for (file, value) in [
                ("related_cpus", cpus.to_owned()),
                ("scaling_driver", "cpufreq-dt".to_owned()),
                ("scaling_cur_freq", khz.to_string()),
                ("scaling_max_freq", (khz - 96_000).to_string()),
            ] {
                board += &format!("== {DIRECTORY}/policy{policy}/{file}\n{value}\n");
            }
        }
        let expected = [
            "policy0.claimed 0 1 2 3 1800000",
            "policy0.limit_max 0 1 2 3 1704000",
            "policy4.claimed 4 5 2304000",
            "policy4.limit_max 4 5 2208000",
            "policy6.claimed 6 7 2352000",
            "policy6.limit_max 6 7 2256000",
        ];
        assert_eq!(check::found(&SENSOR, &board), expected);
    }

    #[test]
    fn disturbing_clocks_are_read_rarely() {
        for (driver, interval) in
            [("cpufreq-dt", SampleInterval::EveryTick), ("intel_pstate", SampleInterval::AtMostEveryMs(1000))]
        {
            let board = format!(
                "== {DIRECTORY}/policy0/scaling_driver\n{driver}\n== {DIRECTORY}/policy0/scaling_cur_freq\n1\n"
            );
            let probes = discover(&Root::from_board(&board).unwrap());
            assert_eq!(probes[0].interval, interval, "{driver}");
        }
    }
}
