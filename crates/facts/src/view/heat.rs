//! Temperatures, cooling devices and lowered limits.

use super::cpu_use::cpu_count;
use super::limits::limit_set_at;
use super::phases::Phase;
use super::samples::{Reading, channels, gauge};
use crate::Facts;
use record::soc_temperature::{self, is_reading};
use record::{Channel, ChannelId, PolicyChannel, Record, UnmetSetting, Window, WorkloadId};

/// The hottest moment of the SoC within a window.
#[derive(Debug, Clone, PartialEq)]
pub struct Heat {
    /// Temperature.
    pub millicelsius_max: i64,
    /// When.
    pub at_ms: i64,
    /// Id of the channel.
    pub channel: ChannelId,
}

/// Minimum difference of a wrong reading from the readings before and after it, in thousandths of a degree ...
const GLITCH_MILLICELSIUS: i64 = 40_000;
/// ... if these are within this time, in milliseconds: no chip heats and cools so fast.
const GLITCH_MS: i64 = 2_500;

/// The readings of a temperature within a window that can be true.
pub fn temperatures(record: &Record, channel: &Channel, window: Window) -> Vec<Reading> {
    let mut readings = all_temperatures(record, channel);
    readings.retain(|reading| window.contains(reading.at_ms));
    readings
}

/// The readings of a temperature that can be true: by themselves, and next to their neighbours.
fn all_temperatures(record: &Record, channel: &Channel) -> Vec<Reading> {
    let mut readings = gauge(record, channel, super::samples::whole_run());
    readings.retain(|reading| is_reading(reading.value));
    let is_glitch = |at: usize| {
        let (Some(now), Some(next)) = (readings.get(at), readings.get(at + 1)) else {
            return false;
        };
        let Some(before) = at.checked_sub(1).and_then(|at| readings.get(at)) else {
            return false;
        };
        let is_near = now.at_ms - before.at_ms <= GLITCH_MS && next.at_ms - now.at_ms <= GLITCH_MS;
        let [up, down] = [before, next].map(|other| now.value.saturating_sub(other.value));
        let is_far = |value: i64| value.abs() >= GLITCH_MILLICELSIUS;
        is_near && is_far(up) && is_far(down) && up.signum() == down.signum()
    };
    (0..readings.len()).filter(|at| !is_glitch(*at)).map(|at| readings[at]).collect()
}

/// The readings of the SoC's temperature that can be true; none without a sensor.
pub(crate) fn soc_temperatures(facts: &Facts<'_>) -> Vec<Reading> {
    facts.soc_temperature().map_or_else(Vec::new, |channel| all_temperatures(facts, channel))
}

/// Highest temperature of the SoC within a window; `None` without a sensor.
pub(crate) fn heat(facts: &Facts<'_>, window: Window) -> Option<Heat> {
    let channel = facts.soc_temperature()?;
    let readings = facts.soc_temperatures().iter().filter(|reading| window.contains(reading.at_ms));
    let hottest = readings.reduce(|hottest, reading| if reading.value > hottest.value { reading } else { hottest })?;
    Some(Heat { millicelsius_max: hottest.value, at_ms: hottest.at_ms, channel: channel.id.clone() })
}

/// Index of the channel of the SoC's temperature, if it has a plausible value.
pub(crate) fn soc_channel(facts: &Facts<'_>) -> Option<usize> {
    let choice = soc_temperature::of(facts).ok()?;
    let index = facts.samples.channels.iter().position(|channel| channel.id == choice.channel)?;
    let channel = &facts.samples.channels[index];
    let mut values = channel.values.iter().flatten();
    let is_told = values.any(|value| is_reading(*value)) && stuck_millicelsius(facts, channel).is_none();
    is_told.then_some(index)
}

/// Minimum number of rows each with and without load before a constant sensor is rejected.
const STUCK_ROWS_MIN: usize = 6;

/// Value of a sensor that is constant in every row, idle and under full load.
pub fn stuck_millicelsius(facts: &Facts<'_>, channel: &Channel) -> Option<i64> {
    let mut values = channel.values.iter().flatten();
    let first = values.next()?;
    // Nearly all end here at their second value.
    if values.any(|value| value != first) {
        return None;
    }
    let cpus = cpu_count(facts)?;
    let all = facts.phases();
    let is_full = |phase: &&Phase| phase.busy_cpus >= cpus;
    let loads: Vec<&Phase> = all.iter().filter(is_full).collect();
    let is_loaded = |at_ms: i64| loads.iter().any(|phase| phase.window.contains(at_ms));
    let (loaded, others): (Vec<Reading>, Vec<Reading>) =
        gauge(facts, channel, super::samples::whole_run()).into_iter().partition(|reading| is_loaded(reading.at_ms));
    (loaded.len().min(others.len()) >= STUCK_ROWS_MIN).then_some(*first)
}

/// Name of the sensor if it belongs to one of several cores or clusters: the others may be hotter.
pub fn sensor_of_a_part(facts: &Facts<'_>) -> Option<String> {
    let of_one_core = |name: &str| name.starts_with("cpu0-thermal") || name.starts_with("cpu0_thermal");
    let has_more = facts.machine.clusters.len() > 1;
    let channel = facts.soc_temperature().filter(|_| has_more)?;
    // Logs name the sensor on a separate line.
    let source = facts.machine.features.iter().find(|feature| feature.name == "thermal-source");
    let of_log = source.and_then(|source| source.value.rsplit_once('(')?.1.strip_suffix(')'));
    let name = if channel.id == ChannelId::Soc { of_log? } else { channel.label.as_str() };
    of_one_core(name).then(|| name.to_owned())
}

/// A cooling device that slowed the CPUs down.
#[derive(Debug, Clone, PartialEq)]
pub struct Cooling {
    /// Id of the channel.
    pub channel: ChannelId,
    /// Type of the device.
    pub label: String,
    /// First moment of a raised state.
    pub first_ms: i64,
    /// Last moment of a raised state.
    pub last_ms: i64,
    /// Highest state, or lowest limit in kHz.
    pub extreme: i64,
    /// The value before.
    pub before: i64,
}

/// Cooling devices of CPUs whose state rose above the one at the start while workloads ran.
/// `Documentation/driver-api/thermal/sysfs-api.rst`.
pub(crate) fn raised_cooling(facts: &Facts<'_>) -> Vec<Cooling> {
    let workloads = workloads(facts);
    let devices = channels(facts, |id| matches!(id, ChannelId::Cooling(_)));
    let of_cpus = devices.filter(|channel| channel.cools_cpus());
    of_cpus
        .filter_map(|channel| {
            let before = channel.values.iter().flatten().next()?;
            let before = (*before).max(0);
            extreme(facts, channel, &workloads, |_| before, |value, before| value > before)
        })
        .collect()
}

/// Limits of cpufreq that the kernel lowered while workloads ran.
pub(crate) fn limits_lowered(facts: &Facts<'_>) -> Vec<Cooling> {
    lowered_by(facts).0
}

/// Limits of cpufreq that another program lowered while workloads ran.
pub(crate) fn limits_lowered_by_programs(facts: &Facts<'_>) -> Vec<Cooling> {
    lowered_by(facts).1
}

/// Limits lowered by the kernel, and limits lowered by another program. A program is the cause if the run found its own
/// limit changed between two steps while no cooling device of CPUs was active, because the kernel lowers limits by
/// cooling devices. On a machine without cooling devices no program is named.
fn lowered_by(facts: &Facts<'_>) -> (Vec<Cooling>, Vec<Cooling>) {
    let mut cooling = channels(facts, |id| matches!(id, ChannelId::Cooling(_))).filter(|channel| channel.cools_cpus());
    let is_cooled = cooling.next().is_none() || !facts.raised_cooling().is_empty();
    let is_found = |limit: &Cooling| {
        let path = limit.channel.policy().map(|number| format!("/policy{number}/scaling_max_freq"));
        let is_of_limit = |unmet: &UnmetSetting| path.as_ref().is_some_and(|path| unmet.path.ends_with(path));
        facts.unmet_settings.iter().any(|unmet| unmet.before_step.is_some() && is_of_limit(unmet))
    };
    all_lowered(facts).into_iter().partition(|limit| is_cooled || !is_found(limit))
}

/// Limits (`scaling_max_freq`) below the run's own setting and below the highest one.
fn all_lowered(facts: &Facts<'_>) -> Vec<Cooling> {
    let workloads = workloads(facts);
    let is_limit = |id: &ChannelId| matches!(id, ChannelId::Policy(_, PolicyChannel::LimitMax));
    channels(facts, is_limit)
        .filter_map(|channel| {
            let number = channel.id.policy()?;
            let mut policies = facts.machine.policies.iter();
            let policy = policies.find(|policy| policy.policy == number);
            // The limit before the run may already have been lowered.
            let by_us = |at_ms| match limit_set_at(facts, policy?, at_ms) {
                Some((khz, true)) => Some(i64::from(khz)),
                _ => None,
            };
            let readings = workloads.iter().flat_map(|phase| gauge(facts, channel, phase.window));
            let top = readings.map(|reading| reading.value).max()?;
            extreme(
                facts,
                channel,
                &workloads,
                |reading| by_us(reading.at_ms).map_or(top, |khz| khz.min(top)),
                |value, top| value < top,
            )
        })
        .collect()
}

pub(super) fn workloads(facts: &Facts<'_>) -> Vec<Phase> {
    let mut phases = facts.phases().clone();
    phases.retain(|phase| phase.workload != WorkloadId::Clock);
    phases
}

/// Readings beyond the reference of their moment, as one interval; `None` without such readings.
fn extreme(
    record: &Record,
    channel: &Channel,
    workloads: &[Phase],
    before: impl Fn(&Reading) -> i64,
    is_beyond: impl Fn(i64, i64) -> bool,
) -> Option<Cooling> {
    let readings = workloads.iter().flat_map(|phase| gauge(record, channel, phase.window));
    let mut beyond: Option<Cooling> = None;
    for reading in readings {
        let before = before(&reading);
        if !is_beyond(reading.value, before) {
            continue;
        }
        let stretch = beyond.get_or_insert_with(|| Cooling {
            channel: channel.id.clone(),
            label: channel.label.clone(),
            first_ms: reading.at_ms,
            last_ms: reading.at_ms,
            extreme: reading.value,
            before,
        });
        stretch.first_ms = stretch.first_ms.min(reading.at_ms);
        stretch.last_ms = stretch.last_ms.max(reading.at_ms);
        if is_beyond(reading.value, stretch.extreme) {
            stretch.extreme = reading.value;
        }
    }
    beyond
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{compression, gauge_channel, labelled, own_run, with_step};
    use crate::view::whole_run;
    use record::soc_temperature::{SocReason, SocTemperature};
    use record::{Fact, HwmonChannel, HwmonKind, Unit, Variant, ZoneChannel};

    #[test]
    fn the_hottest_moment_of_the_one_sensor_counts() {
        let mut record = own_run();
        for (id, label, values) in [
            (ChannelId::zone_temperature(0), "cpu-thermal", [60_000, 71_000, 70_000]),
            (ChannelId::zone_temperature(2), "bigcore0-thermal", [62_000, 79_000, 70_000]),
            (
                ChannelId::Hwmon(3, HwmonChannel::Sensor(HwmonKind::Temperature, 1)),
                "nvme Composite",
                [85_000, 85_000, 85_000],
            ),
            (ChannelId::zone_temperature(1), "gpu-thermal", [72_000, 73_000, 74_000]),
            (ChannelId::Zone(0, ZoneChannel::Trip(0)), "trip passive cpu", [95_000, 95_000, 95_000]),
        ] {
            record = gauge_channel(record, id, Unit::Millicelsius, &values);
            record = labelled(record, label);
        }
        let heat = heat(&Facts::of(&record), whole_run()).unwrap();
        assert_eq!((heat.millicelsius_max, heat.at_ms), (71_000, 500));
        // The run chose another sensor.
        let (channel, why) = (ChannelId::zone_temperature(2), SocReason::Name { about: "big cluster".into() });
        record.soc_temperature = Fact::Known(SocTemperature { channel, why });
        let heat = super::heat(&Facts::of(&record), whole_run()).unwrap();
        assert_eq!((heat.millicelsius_max, heat.channel), (79_000, ChannelId::zone_temperature(2)));
    }

    #[test]
    fn sensors_of_other_things_are_no_temperature_of_the_soc() {
        for label in ["gpu-thermal", "npu-thermal", "ddr-thermal", "ambient", "nvme Composite", "charger"] {
            let id = ChannelId::zone_temperature(0);
            let record = labelled(gauge_channel(own_run(), id, Unit::Millicelsius, &[60_000, 71_000]), label);
            assert_eq!(heat(&Facts::of(&record), whole_run()), None, "{label}");
        }
    }

    #[test]
    fn impossible_readings_are_ignored() {
        for (values, expected) in [
            (&[60_000, 60_500, 125_000, 61_000, 60_000][..], 61_000),
            (&[60_000, 125_000, 124_000, 61_000], 125_000),
            (&[60_000, 5_000, 60_500], 60_500),
            (&[60_000, 61_000, 99_000], 99_000),
            (&[60_000, 95_000, 60_000], 95_000),
        ] {
            let id = ChannelId::zone_temperature(0);
            let record = gauge_channel(own_run(), id, Unit::Millicelsius, values);
            let record = labelled(record, "cpu-thermal");
            let heat = heat(&Facts::of(&record), whole_run()).unwrap();
            assert_eq!(heat.millicelsius_max, expected, "{values:?}");
        }
    }

    #[test]
    fn no_temperature_without_sensor() {
        let record = gauge_channel(own_run(), ChannelId::Soc, Unit::Millicelsius, &[0, -273_200_000]);
        assert_eq!(heat(&Facts::of(&record), whole_run()), None);
    }

    #[test]
    fn fan_is_not_cpu_cooling() {
        for (label, expected) in [("pwm-fan", 0), ("cpufreq-cpu0", 1)] {
            let record = with_step(own_run(), WorkloadId::SevenZip, Variant::MULTI, &[], (0.0, 2.0), compression(1));
            let record = gauge_channel(record, ChannelId::Cooling(0), Unit::Count, &[0, 0, 2, 3, 1]);
            let raised = raised_cooling(&Facts::of(&labelled(record, label)));
            assert_eq!(raised.len(), expected, "{label}");
            if let Some(cooling) = raised.first() {
                assert_eq!((cooling.first_ms, cooling.extreme), (1_000, 3));
            }
        }
    }
}
