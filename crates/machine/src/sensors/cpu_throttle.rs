//! Sensor: number and duration of thermal throttling of x86 cores and packages.
//!
//! The kernel counts the CPU's thermal interrupts. Siblings share the counter of their core, and cores that of their
//! package; each is read once.

use super::sensor::core_and_package;
use super::{Probe, Sensor, has, numbered};
use crate::Root;
use crate::number::number;
use record::{Channel, ChannelId, CpuChannel, Scope};
use std::collections::BTreeSet;

pub(super) const SENSOR: Sensor = Sensor::new("cpu-throttle", discover);

const DIRECTORY: &str = "/sys/devices/system/cpu";

/// Counters lose nothing at long intervals, and the files are many.
const INTERVAL_MS_MIN: u32 = 2000;

fn discover(root: &Root) -> Vec<Probe> {
    let mut probes = Vec::new();
    let mut seen = BTreeSet::new();
    for (name, cpu) in numbered(root, DIRECTORY, "cpu") {
        let directory = format!("{DIRECTORY}/{name}/thermal_throttle");
        let (core, package) = core_and_package(root, cpu);
        for (scope, place) in [(Scope::Core, core), (Scope::Package, package)] {
            let what = scope.as_str();
            // Without a topology every CPU is separate.
            let place = if place.trim_matches('/').is_empty() { name.clone() } else { place };
            if !has(root, &directory, &format!("{what}_throttle_count")) || !seen.insert((what, place)) {
                continue;
            }
            let mut add = |file: String, of: CpuChannel| {
                let channel = Channel::of(ChannelId::Cpu(cpu, of));
                let probe = Probe::file(format!("{directory}/{file}"), number, channel);
                probes.push(probe.min_interval_ms(INTERVAL_MS_MIN));
            };
            add(format!("{what}_throttle_count"), CpuChannel::Throttles(scope));
            let time = format!("{what}_throttle_total_time_ms");
            if has(root, &directory, &time) {
                add(time, CpuChannel::ThrottleTime(scope));
            }
        }
    }
    probes
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn each_core_and_package_once() {
        let mut board = String::new();
        // Four CPUs: two cores with two threads each, in one package.
        for (cpu, core) in [(0, 0), (1, 1), (2, 0), (3, 1)] {
            for (file, value) in [
                ("topology/physical_package_id", 0),
                ("topology/core_id", core),
                ("thermal_throttle/core_throttle_count", 7 + core),
                ("thermal_throttle/core_throttle_total_time_ms", 70),
                ("thermal_throttle/package_throttle_count", 9),
            ] {
                board += &format!("== {DIRECTORY}/cpu{cpu}/{file}\n{value}\n");
            }
        }
        let expected = [
            "cpu0.throttle.core 7",
            "cpu0.throttle_time.core 70",
            "cpu0.throttle.package 9",
            "cpu1.throttle.core 8",
            "cpu1.throttle_time.core 70",
        ];
        assert_eq!(check::found(&SENSOR, &board), expected);
    }
}
