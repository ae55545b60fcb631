//! Sensor: non-idle cycles of each CPU, counted by the CPU itself.
//!
//! Divided by the busy time of the CPU this is its actual clock, independent of cpufreq. Needs root or
//! `perf_event_paranoid` below 1, and a counter, which most virtual machines lack.

use super::{Probe, ReadMethod, Sensor, labelled, numbered};
use crate::number::number;
use crate::{Root, perf};
use record::{Channel, ChannelId, CpuChannel};

pub(super) const SENSOR: Sensor = Sensor::new("cycles", discover);

/// Each read interrupts the counted CPU.
const INTERVAL_MS_MIN: u32 = 1000;

/// Maximum number of CPUs, to limit the interrupts; the first ones are representative.
const CPUS_MAX: usize = 64;

fn discover(root: &Root) -> Vec<Probe> {
    if !root.is_system() {
        return Vec::new();
    }
    let cpus = numbered(root, "/sys/devices/system/cpu", "cpu");
    let mut probes = Vec::new();
    for (_, cpu) in cpus.into_iter().take(CPUS_MAX) {
        let opened = perf::CpuCycles::open(root, cpu);
        let works = opened.is_ok();
        let pmu = opened.map_or(String::new(), |counter| counter.pmu().to_owned());
        let channel = labelled(Channel::of(ChannelId::Cpu(cpu, CpuChannel::Cycles)), pmu);
        let probe = Probe { read: ReadMethod::Cycles(cpu), ..Probe::file("perf_event_open".into(), number, channel) };
        probes.push(probe.min_interval_ms(INTERVAL_MS_MIN));
        if !works {
            // One channel reports the reason for all.
            break;
        }
    }
    probes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_system_counts_or_says_why() {
        let root = Root::system();
        let probes = discover(&root);
        assert!(!probes.is_empty());
        let works = perf::CpuCycles::open(&root, 0).is_ok();
        assert!(works || probes.len() == 1, "{}", probes.len());
        assert!(discover(&Root::from_board("").unwrap()).is_empty());
    }
}
