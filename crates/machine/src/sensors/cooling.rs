//! Sensor: state of every cooling device, with its type as its label.
//!
//! A cpufreq cooling device above 0 means that the kernel is throttling the CPU; this is available on every ARM board.

use super::thermal::DIRECTORY;
use super::{Probe, Sensor, labelled, numbered};
use crate::Root;
use crate::number::number;
use record::{Channel, ChannelId};

pub(super) const SENSOR: Sensor = Sensor::new("cooling-devices", discover);

fn discover(root: &Root) -> Vec<Probe> {
    let mut probes = Vec::new();
    for (name, device) in numbered(root, DIRECTORY, "cooling_device") {
        let directory = format!("{DIRECTORY}/{name}");
        let kind = root.read_value(&format!("{directory}/type")).unwrap_or_default();
        let channel = labelled(Channel::of(ChannelId::Cooling(device)), kind);
        probes.push(Probe::file(format!("{directory}/cur_state"), number, channel));
    }
    probes
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn states_with_their_types() {
        let board = format!(
            "== {DIRECTORY}/cooling_device0/type\nthermal-cpufreq-0\n== {DIRECTORY}/cooling_device0/cur_state\n2\n== {DIRECTORY}/cooling_device1/type\npwm-fan\n== {DIRECTORY}/cooling_device1/cur_state ! EIO\n"
        );
        assert_eq!(
            check::found(&SENSOR, &board),
            ["cooling_device0.state thermal-cpufreq-0 2", "cooling_device1.state pwm-fan -"]
        );
    }
}
