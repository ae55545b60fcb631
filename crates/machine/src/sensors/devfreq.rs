//! Sensor: clocks of memory, GPU and buses that devfreq governs.

use super::parse::number;
use super::{Probe, Sensor, gauge, has, labelled};
use crate::Root;
use record::Unit;

pub(super) const SENSOR: Sensor = Sensor {
    id: "devfreq",
    about: "Clocks of memory, GPU and other devices under devfreq.",
    kernel_doc: "https://docs.kernel.org/driver-api/devfreq.html",
    discover,
};

const DIRECTORY: &str = "/sys/class/devfreq";

/// Some drivers ask the firmware for each value.
const BEAT_MS: u32 = 1000;

fn discover(root: &Root) -> Vec<Probe> {
    let mut probes = Vec::new();
    for device in root.list(DIRECTORY).unwrap_or_default() {
        let directory = format!("{DIRECTORY}/{device}");
        if has(root, &directory, "cur_freq") {
            let governor = root
                .read_value(&format!("{directory}/governor"))
                .unwrap_or_default();
            let channel = gauge(format!("devfreq.{device}.claimed"), Unit::Hertz);
            let path = format!("{directory}/cur_freq");
            let probe = Probe::file(path, number, labelled(channel, governor));
            probes.push(probe.at_most_every_ms(BEAT_MS));
        }
    }
    probes
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn devices_with_a_clock() {
        let board = format!(
            "== {DIRECTORY}/dmc/cur_freq\n1560000000\n== {DIRECTORY}/dmc/governor\ndmc_ondemand\n== {DIRECTORY}/x/governor\nuserspace\n"
        );
        assert_eq!(
            check::found(&SENSOR, &board),
            ["devfreq.dmc.claimed dmc_ondemand 1560000000"]
        );
    }
}
