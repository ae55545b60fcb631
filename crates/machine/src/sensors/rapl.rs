//! Sensor: energy counted by the CPU itself (RAPL), for each package and its parts. Intel and AMD.
//!
//! Readable by root only since Linux 5.10. The counters start again at 0 after some 260 kJ; that is
//! undone here, so that differences are always right.

use super::parse::number;
use super::{Probe, Sensor, counter, labelled};
use crate::Root;
use record::Unit;

pub(super) const SENSOR: Sensor = Sensor {
    id: "rapl",
    about: "Energy counted by x86 CPUs, for each package and its parts.",
    kernel_doc: "https://docs.kernel.org/power/powercap/powercap.html",
    discover,
};

const DIRECTORY: &str = "/sys/class/powercap";
const BEAT_MS: u32 = 1000;

fn discover(root: &Root) -> Vec<Probe> {
    let zones = root.list(DIRECTORY).unwrap_or_default();
    let mut probes = Vec::new();
    // `intel-rapl:0` and `intel-rapl:0:1`; `intel-rapl-mmio:0` shows the same package once more.
    for zone in zones.iter().filter(|zone| zone.starts_with("intel-rapl:")) {
        let directory = format!("{DIRECTORY}/{zone}");
        if !super::has(root, &directory, "energy_uj") {
            continue;
        }
        let name = root
            .read_value(&format!("{directory}/name"))
            .unwrap_or_default();
        let number_of_zone = zone.trim_start_matches("intel-rapl:");
        let id = format!("rapl{number_of_zone}.energy");
        let channel = labelled(counter(id, Unit::Microjoules), name);
        let mut probe = Probe::file(format!("{directory}/energy_uj"), number, channel);
        probe.wraps_after = root
            .read_number(&format!("{directory}/max_energy_range_uj"))
            .ok();
        probes.push(probe.at_most_every_ms(BEAT_MS));
    }
    probes
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    const BOARD: &str = "\
== /sys/class/powercap/intel-rapl/enabled
1
== /sys/class/powercap/intel-rapl:0/name
package-0
== /sys/class/powercap/intel-rapl:0/energy_uj
262143000000
== /sys/class/powercap/intel-rapl:0/max_energy_range_uj
262143328850
== /sys/class/powercap/intel-rapl:0:1/name
dram
== /sys/class/powercap/intel-rapl:0:1/energy_uj ! EACCES
== /sys/class/powercap/intel-rapl-mmio:0/energy_uj
5
";

    #[test]
    fn packages_and_parts() {
        let expected = [
            "rapl0.energy package-0 262143000000",
            "rapl0:1.energy dram -",
        ];
        assert_eq!(check::found(&SENSOR, BOARD), expected);
        let probes = discover(&Root::from_board(BOARD).unwrap());
        assert_eq!(probes[0].wraps_after, Some(262_143_328_850));
    }
}
