//! Sensor: time of each cpufreq policy at each of its OPPs (`stats/time_in_state`).
//!
//! The kernel maintains these totals, so that even short dips between samples are included. Clocks lowered by firmware
//! are not visible here.

use super::cpufreq::DIRECTORY;
use super::{Probe, Sensor, labelled, numbered};
use crate::Root;
use crate::number::{lines, take_number};
use record::{Channel, ChannelId, PolicyChannel};

pub(super) const SENSOR: Sensor = Sensor::new("cpufreq-residency", discover);

/// Totals lose nothing at long intervals.
const INTERVAL_MS_MIN: u32 = 1000;

fn discover(root: &Root) -> Vec<Probe> {
    let mut probes = Vec::new();
    for (name, policy) in numbered(root, DIRECTORY, "policy") {
        let directory = format!("{DIRECTORY}/{name}");
        let path = format!("{directory}/stats/time_in_state");
        let Ok(table) = root.read(&path) else { continue };
        let cpus = root.read_value(&format!("{directory}/related_cpus")).unwrap_or_default();
        let khz = |line| u32::try_from(take_number(line)?.0).ok();
        let clocks = lines(table.as_bytes()).filter_map(khz);
        let channels: Vec<_> = clocks
            .map(|khz| Channel::of(ChannelId::Policy(policy, PolicyChannel::Residency(khz))))
            .map(|channel| labelled(channel, cpus.clone()))
            .collect();
        if !channels.is_empty() {
            probes.push(Probe::file_of_many(path, parse, channels).min_interval_ms(INTERVAL_MS_MIN));
        }
    }
    probes
}

/// Lines `khz ticks`, whose order is constant while the policy exists.
fn parse(text: &[u8], values: &mut [i64]) {
    for (line, value) in lines(text).zip(values) {
        let ticks = take_number(line).and_then(|(_, rest)| take_number(rest));
        if let Some((ticks, _)) = ticks {
            *value = ticks;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn one_channel_for_each_opp() {
        let board = format!(
            "== {DIRECTORY}/policy4/stats/time_in_state\n408000 1234\n1800000 98765\n== {DIRECTORY}/policy4/related_cpus\n4 5\n"
        );
        let expected = ["policy4.residency.408000 4 5 1234", "policy4.residency.1800000 4 5 98765"];
        assert_eq!(check::found(&SENSOR, &board), expected);
    }
}
