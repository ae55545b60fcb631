//! Table of sensors for the sampler, with one file for each kind.
//!
//! A sensor inspects a [`Root`] once and returns its [`Probe`]s: files to keep open, their channels, the read interval,
//! and the pure function that parses the bytes into integers. The [sampler](crate::Sampler) reads the values.
//!
//! To add one: write `sensors/x.rs` with a `pub(super) const SENSOR`, and add a line to [`SENSORS`]. Its channels are
//! created from their ids ([`Channel::of`]); channels that no other code refers to have private ids
//! ([`record::ChannelId::own`]) with explicit unit and kind.

mod adc;
mod cgroup;
mod cooling;
mod cpu_throttle;
mod cpufreq;
mod cycles;
mod devfreq;
mod disk;
mod hwmon;
mod idle;
mod loadavg;
mod measured_threads;
mod meminfo;
mod power_supply;
mod pressure;
mod rapl;
mod raspberry;
mod residency;
mod sampler_cost;
mod scale;
mod sensor;
mod stat;
mod therm_status;
mod thermal;
mod trips;
mod vmstat;
mod zram;

pub use crate::number::{NONE, known};
pub(crate) use hwmon::{DIRECTORY as HWMON, ELECTRIC_MS};
pub use measured_threads::probe as measured_threads;
pub use scale::Scale;
pub use sensor::{Parser, Probe, ReadMethod, SampleInterval, Sensor};

use crate::Root;
use sensor::{has, labelled, numbered};

/// All sensors, ordered by id.
pub const SENSORS: &[Sensor] = &[
    adc::SENSOR,
    cgroup::SENSOR,
    cooling::SENSOR,
    cpu_throttle::SENSOR,
    cpufreq::SENSOR,
    residency::SENSOR,
    cycles::SENSOR,
    devfreq::SENSOR,
    disk::SENSOR,
    hwmon::SENSOR,
    idle::SENSOR,
    loadavg::SENSOR,
    meminfo::SENSOR,
    power_supply::SENSOR,
    pressure::SENSOR,
    rapl::SENSOR,
    raspberry::SENSOR,
    sampler_cost::SENSOR,
    stat::SENSOR,
    therm_status::SENSOR,
    thermal::SENSOR,
    trips::SENSOR,
    vmstat::SENSOR,
    zram::SENSOR,
];

/// Probes of these sensors on a machine, without the channels that the user excluded.
pub(crate) fn discover<'a>(
    sensors: impl Iterator<Item = &'a Sensor> + 'a,
    root: &'a Root,
) -> impl Iterator<Item = Probe> + 'a {
    let is_read = |probe: &Probe| {
        let mut channels = probe.channels.iter();
        channels.all(|channel| root.reads_sensor(&[channel.label.as_str(), channel.id.to_string().as_str()]))
    };
    sensors.flat_map(|sensor| (sensor.discover)(root)).filter(is_read)
}

#[cfg(test)]
pub(crate) mod check {
    //! Helpers for the tests of all sensors.

    use super::*;

    /// Runs a parser on a text, with space for `count` values.
    pub(crate) fn parsed(parser: Parser, text: &str, count: usize) -> Vec<i64> {
        let mut values = vec![NONE; count];
        parser(text.as_bytes(), &mut values);
        values
    }

    /// Channels that a sensor discovers on a board: `id label value` of each, read once.
    pub(crate) fn found(sensor: &Sensor, board: &str) -> Vec<String> {
        let root = Root::from_board(board).unwrap();
        let mut lines = Vec::new();
        for probe in (sensor.discover)(&root) {
            let ReadMethod::File(parser) = probe.read else { continue };
            let text = root.read(&probe.path).unwrap_or_default();
            let mut values = parsed(parser, &text, probe.channels.len());
            probe.scale.clone().apply(&mut values);
            for (channel, value) in probe.channels.iter().zip(values) {
                let value = if value == NONE { "-".to_owned() } else { value.to_string() };
                let id = channel.id.to_string();
                let line = [id.as_str(), channel.label.as_str(), value.as_str()];
                lines.push(line.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join(" "));
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Channel;

    #[test]
    fn table_is_in_order_and_complete() {
        for sensor in SENSORS {
            let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(sensor.id.chars().all(kebab), "{}", sensor.id);
            assert!(sensor.about().ends_with('.'), "{}", sensor.id);
        }
        assert!(SENSORS.is_sorted_by(|a, b| a.id < b.id));
    }

    #[test]
    fn ignored_sensors_are_not_read() {
        let zones = "== /sys/class/thermal/thermal_zone0/type\ncpu-thermal\n== /sys/class/thermal/thermal_zone0/temp\n45000\n\
                     == /sys/class/thermal/thermal_zone1/type\nbattery\n== /sys/class/thermal/thermal_zone1/temp\n99000\n";
        let root = Root::from_board(zones).unwrap();
        let labels = |root: &Root| -> Vec<String> {
            discover([thermal::SENSOR].iter(), root).flat_map(|probe| probe.channels).map(|one| one.label).collect()
        };
        assert_eq!(labels(&root), ["cpu-thermal", "battery"]);
        assert_eq!(labels(&root.without_sensors(&["Battery".to_owned()])), ["cpu-thermal"]);
    }

    #[test]
    fn channels_of_the_running_system_are_unique_and_have_a_source() {
        let root = Root::system();
        let probes = SENSORS.iter().flat_map(|sensor| (sensor.discover)(&root));
        let channels: Vec<Channel> = probes.flat_map(|probe| probe.channels).collect();
        let mut ids: Vec<String> = channels.iter().map(|c| c.id.to_string()).collect();
        ids.sort_unstable();
        assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
        assert!(channels.iter().all(|channel| !channel.source.is_empty()));
    }

    #[test]
    fn machine_without_sensors_has_only_the_sampler_itself() {
        let root = Root::from_board("").unwrap();
        for sensor in SENSORS {
            let found = (sensor.discover)(&root);
            assert_eq!(found.is_empty(), sensor.id != "sampler", "{}", sensor.id);
        }
    }
}
