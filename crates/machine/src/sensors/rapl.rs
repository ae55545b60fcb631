//! Sensor: energy of each package and its parts, counted by the CPU itself (RAPL) or by firmware (SCMI), and power
//! limits.
//!
//! Readable by root only since Linux 5.10. The counters wrap after some 260 kJ; the sampler unwraps them, so that
//! differences are always right.

use super::{Probe, Sensor, labelled};
use crate::Root;
use crate::number::number;
use record::{Channel, ChannelId, PowerZone, PowerZoneKind, PowercapChannel};

pub(super) const SENSOR: Sensor = Sensor::new("rapl", discover);

const DIRECTORY: &str = "/sys/class/powercap";
const INTERVAL_MS_MIN: u32 = 1000;
/// Firmware and daemons may change the limits.
const LIMIT_INTERVAL_MS_MIN: u32 = 5000;

/// Prefixes of zone names, by kind. `intel-rapl-mmio:0` is the same package again.
const KINDS: [(&str, PowerZoneKind); 2] = [("intel-rapl:", PowerZoneKind::Rapl), ("arm-scmi:", PowerZoneKind::Scmi)];

fn discover(root: &Root) -> Vec<Probe> {
    let mut probes = Vec::new();
    for name in root.list(DIRECTORY).unwrap_or_default() {
        let zone = KINDS.iter().find_map(|(prefix, kind)| {
            let number_of_zone = name.strip_prefix(prefix)?;
            PowerZone::of(*kind, number_of_zone)
        });
        if let Some(zone) = zone {
            probes.extend(zone_probes(root, &format!("{DIRECTORY}/{name}"), &zone));
        }
    }
    probes
}

fn zone_probes(root: &Root, directory: &str, zone: &PowerZone) -> Vec<Probe> {
    let files = root.list(directory).unwrap_or_default();
    let has = |file: &str| files.iter().any(|known| known == file);
    let text = |file: &str| root.read_value(&format!("{directory}/{file}"));
    let name = text("name").unwrap_or_default();
    let probe = |file: &str, of: PowercapChannel| {
        let channel = Channel::of(ChannelId::Powercap(zone.clone(), of));
        let path = format!("{directory}/{file}");
        Probe::file(path, number, labelled(channel, name.clone()))
    };
    let mut probes = Vec::new();
    if has("energy_uj") {
        let mut probe = probe("energy_uj", PowercapChannel::Energy);
        probe.wraps_after = root.read_number(&format!("{directory}/max_energy_range_uj")).ok();
        probes.push(probe.min_interval_ms(INTERVAL_MS_MIN));
    }
    // Zones without an energy counter may report power.
    if has("power_uw") && !has("energy_uj") {
        let probe = probe("power_uw", PowercapChannel::Power);
        probes.push(probe.min_interval_ms(INTERVAL_MS_MIN));
    }
    let limits = files.iter().filter_map(|file| {
        let index = file.strip_prefix("constraint_")?;
        let index = index.strip_suffix("_power_limit_uw")?;
        index.parse::<u32>().ok()
    });
    for index in limits {
        let term = text(&format!("constraint_{index}_name")).unwrap_or_else(|_| index.to_string());
        let file = format!("constraint_{index}_power_limit_uw");
        let probe = probe(&file, PowercapChannel::Limit(term.into()));
        probes.push(probe.min_interval_ms(LIMIT_INTERVAL_MS_MIN));
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
        let package = PowerZone::of(PowerZoneKind::Rapl, "0").unwrap();
        let limit = ChannelId::Powercap(package, PowercapChannel::Limit("long_term".into()));
        let expected = [
            "scmi0.power soc 2100000",
            "rapl0.energy package-0 262143000000",
            &format!("{limit} package-0 15000000"),
            "rapl0:1.energy dram -",
        ];
        assert_eq!(check::found(&SENSOR, BOARD), expected);
        let probes = discover(&Root::from_board(BOARD).unwrap());
        assert_eq!(probes[1].wraps_after, Some(262_143_328_850));
    }
}
