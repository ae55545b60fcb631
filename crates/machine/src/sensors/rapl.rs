//! Sensor: energy counted by the CPU itself (RAPL) or by firmware (SCMI), for each package and its
//! parts, and the limits of power that are set.
//!
//! Readable by root only since Linux 5.10. The counters start again at 0 after some 260 kJ; that is
//! undone here, so that differences are always right.

use super::parse::number;
use super::{Probe, Sensor, counter, gauge, labelled};
use crate::Root;
use record::Unit;

pub(super) const SENSOR: Sensor = Sensor {
    id: "rapl",
    about: "Energy counted by CPUs and firmware, for each package and its parts, and their limits.",
    kernel_doc: "https://docs.kernel.org/power/powercap/powercap.html",
    discover,
};

const DIRECTORY: &str = "/sys/class/powercap";
const BEAT_MS: u32 = 1000;
/// Firmware and daemons move the limits now and then.
const LIMIT_BEAT_MS: u32 = 5000;

/// Kinds of zones and how their channels are called. `intel-rapl-mmio:0` shows the same package
/// once more.
const KINDS: [(&str, &str); 2] = [("intel-rapl:", "rapl"), ("arm-scmi:", "scmi")];

fn discover(root: &Root) -> Vec<Probe> {
    let mut probes = Vec::new();
    for zone in root.list(DIRECTORY).unwrap_or_default() {
        let kind = KINDS.iter().find_map(|(prefix, id)| {
            let number_of_zone = zone.strip_prefix(prefix)?;
            Some(format!("{id}{number_of_zone}"))
        });
        if let Some(id) = kind {
            probes.extend(zone_probes(root, &format!("{DIRECTORY}/{zone}"), &id));
        }
    }
    probes
}

fn zone_probes(root: &Root, directory: &str, id: &str) -> Vec<Probe> {
    let files = root.list(directory).unwrap_or_default();
    let has = |file: &str| files.iter().any(|known| known == file);
    let text = |file: &str| root.read_value(&format!("{directory}/{file}"));
    let name = text("name").unwrap_or_default();
    let mut probes = Vec::new();
    if has("energy_uj") {
        let channel = counter(format!("{id}.energy"), Unit::Microjoules);
        let channel = labelled(channel, name.clone());
        let mut probe = Probe::file(format!("{directory}/energy_uj"), number, channel);
        probe.wraps_after = root
            .read_number(&format!("{directory}/max_energy_range_uj"))
            .ok();
        probes.push(probe.at_most_every_ms(BEAT_MS));
    }
    // Zones without a counter may tell their power instead.
    if has("power_uw") && !has("energy_uj") {
        let channel = gauge(format!("{id}.power"), Unit::Microwatts);
        let path = format!("{directory}/power_uw");
        let probe = Probe::file(path, number, labelled(channel, name.clone()));
        probes.push(probe.at_most_every_ms(BEAT_MS));
    }
    let limits = files.iter().filter_map(|file| {
        let index = file.strip_prefix("constraint_")?;
        let index = index.strip_suffix("_power_limit_uw")?;
        index.parse::<u32>().ok()
    });
    for index in limits {
        let term = text(&format!("constraint_{index}_name")).unwrap_or_else(|_| index.to_string());
        let channel = gauge(format!("{id}.limit.{term}"), Unit::Microwatts);
        let path = format!("{directory}/constraint_{index}_power_limit_uw");
        let probe = Probe::file(path, number, labelled(channel, name.clone()));
        probes.push(probe.at_most_every_ms(LIMIT_BEAT_MS));
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
== /sys/class/powercap/intel-rapl:0/constraint_0_name
long_term
== /sys/class/powercap/intel-rapl:0/constraint_0_power_limit_uw
15000000
== /sys/class/powercap/arm-scmi:0/name
soc
== /sys/class/powercap/arm-scmi:0/power_uw
2100000
== /sys/class/powercap/intel-rapl:0:1/name
dram
== /sys/class/powercap/intel-rapl:0:1/energy_uj ! EACCES
== /sys/class/powercap/intel-rapl-mmio:0/energy_uj
5
";

    #[test]
    fn packages_and_parts() {
        let expected = [
            "scmi0.power soc 2100000",
            "rapl0.energy package-0 262143000000",
            "rapl0.limit.long_term package-0 15000000",
            "rapl0:1.energy dram -",
        ];
        assert_eq!(check::found(&SENSOR, BOARD), expected);
        let probes = discover(&Root::from_board(BOARD).unwrap());
        assert_eq!(probes[1].wraps_after, Some(262_143_328_850));
    }
}
