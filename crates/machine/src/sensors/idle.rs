//! Sensor: time of each CPU in each idle state (C-states, cpuidle).
//!
//! Deep states delay the first microseconds of work; a board that never enters them wastes power.

use super::{Probe, Sensor, labelled, numbered};
use crate::Root;
use crate::number::number;
use record::{Channel, ChannelId, CpuChannel};

pub(super) const SENSOR: Sensor = Sensor::new("idle-states", discover);

const DIRECTORY: &str = "/sys/devices/system/cpu";

/// Counters lose nothing at long intervals, and each CPU and state has its own file.
const INTERVAL_MS_MIN: u32 = 12_000;

/// Maximum number of CPUs, because hundreds of files would be too expensive; the first ones are representative.
const CPUS_MAX: usize = 16;

fn discover(root: &Root) -> Vec<Probe> {
    let mut probes = Vec::new();
    for (name, cpu) in numbered(root, DIRECTORY, "cpu").into_iter().take(CPUS_MAX) {
        let directory = format!("{DIRECTORY}/{name}/cpuidle");
        for (name, state) in numbered(root, &directory, "state") {
            let label = root.read_value(&format!("{directory}/{name}/name")).unwrap_or_default();
            let channel = Channel::of(ChannelId::Cpu(cpu, CpuChannel::IdleState(state)));
            let path = format!("{directory}/{name}/time");
            let probe = Probe::file(path, number, labelled(channel, label));
            probes.push(probe.min_interval_ms(INTERVAL_MS_MIN));
        }
    }
    probes
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn every_state_of_every_cpu() {
        let mut board = String::new();
        for cpu in 0..2 {
            for (state, name, us) in [(0, "WFI", 1_234), (1, "cpu-sleep-0", 987_654_321)] {
                let directory = format!("{DIRECTORY}/cpu{cpu}/cpuidle/state{state}");
                board += &format!("== {directory}/name\n{name}\n== {directory}/time\n{us}\n");
            }
        }
        let expected = [
            "cpu0.idle_state.0 WFI 1234",
            "cpu0.idle_state.1 cpu-sleep-0 987654321",
            "cpu1.idle_state.0 WFI 1234",
            "cpu1.idle_state.1 cpu-sleep-0 987654321",
        ];
        assert_eq!(check::found(&SENSOR, &board), expected);
    }
}
