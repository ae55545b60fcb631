//! Which of all temperatures is that of the SoC. A pure ranking by the names that kernels and
//! vendors give (`data/sensors.tsv`), by plausibility, and by how they follow the load, where that was
//! watched long enough to tell.

use record::Channel;

/// The names, best first.
const NAMES: &str = include_str!("../../../../data/sensors.tsv");

/// What a SoC that runs can have, in millidegrees Celsius. Firmware is known to answer -1 or 398 °C.
const PLAUSIBLE: std::ops::RangeInclusive<i64> = -20_000..=125_000;

/// Rank of a thermal zone with a name nobody knows: better than nothing.
const RANK_UNKNOWN_ZONE: u32 = 90;

/// A sensor whose correlation with the load is below this does not follow it.
const FOLLOWS_NOT: f64 = 0.5;
/// One above this does, so that a sensor that does not cannot be that of the SoC.
const FOLLOWS: f64 = 0.7;

/// The channel that holds the SoC's temperature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemperatureChoice {
    /// Its place among the channels.
    pub index: usize,
    /// Why this one, as a sentence for people.
    pub why: String,
}

/// One row of the table.
struct Name<'a> {
    /// None: never the SoC.
    rank: Option<u32>,
    place: &'a str,
    how: &'a str,
    pattern: &'a str,
    about: &'a str,
}

/// Chooses the SoC's temperature among the channels. `latest` gives a value of a channel, if one is
/// known, to leave out what cannot be true; `follows_load` gives its correlation with the load, if enough
/// was seen. None if there is no candidate.
pub fn temperature_channel(
    channels: &[Channel],
    latest: impl Fn(usize) -> Option<i64>,
    follows_load: impl Fn(usize) -> Option<f64>,
) -> Option<TemperatureChoice> {
    let is_plausible = |index: usize| latest(index).is_none_or(|value| PLAUSIBLE.contains(&value));
    let candidates = channels.iter().enumerate();
    let candidates = candidates.filter_map(|(index, channel)| {
        let (rank, about) = rank(channel)?;
        is_plausible(index).then_some((rank, index, about))
    });
    let mut candidates: Vec<(u32, usize, &str)> = candidates.collect();
    candidates.sort();
    let (_, by_name, about) = *candidates.first()?;
    let why = |index: usize, about: &str| {
        format!(
            "{} ({}): {about}",
            channels[index].source, channels[index].label
        )
    };
    if let Some(correlation) = follows_load(by_name).filter(|value| *value < FOLLOWS_NOT) {
        let mut others = candidates.iter();
        let follower = others.find_map(|(_, index, about)| {
            let value = follows_load(*index).filter(|value| *value > FOLLOWS)?;
            Some((*index, about, value))
        });
        if let Some((index, about, value)) = follower {
            let label = &channels[by_name].label;
            return Some(TemperatureChoice {
                index,
                why: format!(
                    "{}; it follows the load (correlation {value:.2}), {label} does not \
                     ({correlation:.2})",
                    why(index, about)
                ),
            });
        }
    }
    Some(TemperatureChoice {
        index: by_name,
        why: why(by_name, about),
    })
}

/// True if this may be the SoC's temperature, so that short peaks matter.
pub(super) fn may_be_soc(channel: &Channel) -> bool {
    rank(channel).is_some()
}

/// Rank of a channel and what its name means; none if it is not the SoC's temperature.
fn rank(channel: &Channel) -> Option<(u32, &'static str)> {
    if !channel.is_temperature() {
        return None;
    }
    let place = if channel.id.zone().is_some() {
        "zone"
    } else {
        "hwmon"
    };
    let label = channel.label.to_ascii_lowercase();
    let mut matching = names().filter(|name| name.place == place && name.matches(&label));
    // Rows that exclude stand first, then the better names.
    match matching.next() {
        Some(name) => Some((name.rank?, name.about)),
        None if place == "zone" => Some((RANK_UNKNOWN_ZONE, "no better known thermal zone")),
        None => None,
    }
}

impl Name<'_> {
    fn matches(&self, label: &str) -> bool {
        match self.how {
            "exact" => label == self.pattern,
            "prefix" => label.starts_with(self.pattern),
            _ => label.contains(self.pattern),
        }
    }
}

fn names() -> impl Iterator<Item = Name<'static>> {
    let rows = NAMES.lines().filter(|line| !line.starts_with('#')).skip(1);
    rows.filter_map(|line| {
        let mut cells = line.split('\t');
        let mut cell = || cells.next();
        Some(Name {
            rank: cell()?.parse().ok(),
            place: cell()?,
            how: cell()?,
            pattern: cell()?,
            about: cell()?,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::{gauge, labelled};
    use super::*;
    use record::Unit;

    /// Chooses among `(id, label, value)`.
    fn chosen(channels: &[(&str, &str, i64)]) -> Option<String> {
        let made: Vec<Channel> = channels
            .iter()
            .map(|(id, label, _)| labelled(gauge(*id, Unit::Millicelsius), *label))
            .collect();
        let choice = temperature_channel(&made, |index| Some(channels[index].2), |_| None)?;
        Some(channels[choice.index].1.to_owned())
    }

    #[test]
    fn the_table_is_well_formed() {
        let rows = NAMES.lines().filter(|line| !line.starts_with('#'));
        for line in rows.clone() {
            assert_eq!(line.split('\t').count(), 6, "{line}");
        }
        assert_eq!(rows.count(), names().count() + 1);
        for name in names() {
            assert!(["zone", "hwmon"].contains(&name.place), "{}", name.pattern);
            assert!(
                ["exact", "prefix", "contains"].contains(&name.how),
                "{}",
                name.pattern
            );
            assert_eq!(name.pattern, name.pattern.to_lowercase());
        }
        let ranks: Vec<u32> = names().map(|name| name.rank.unwrap_or(0)).collect();
        assert!(ranks.is_sorted(), "better names stand first");
    }

    #[test]
    fn the_socs_temperature_is_found() {
        let zone = "thermal_zone0.temp";
        let hwmon = "hwmon1.temp1";
        for (channels, expected) in [
            (
                vec![(zone, "gpu_thermal", 40_000), (zone, "cpu_thermal", 41_000)],
                Some("cpu_thermal"),
            ),
            (
                vec![
                    (zone, "bigcore0-thermal", 40_000),
                    (zone, "soc-thermal", 41_000),
                ],
                Some("soc-thermal"),
            ),
            (
                vec![(zone, "acpitz", 27_800), (zone, "x86_pkg_temp", 40_000)],
                Some("x86_pkg_temp"),
            ),
            (
                vec![(zone, "acpitz", 27_800), (hwmon, "k10temp Tctl", 40_000)],
                Some("k10temp Tctl"),
            ),
            (vec![(hwmon, "nvme Composite", 40_000)], None),
            (
                vec![(hwmon, "nvme Composite", 40_000), (zone, "foo", 41_000)],
                Some("foo"),
            ),
            (
                vec![
                    (zone, "cpu-thermal", -256_000),
                    (zone, "soc-thermal", 41_000),
                ],
                Some("soc-thermal"),
            ),
            (
                vec![(zone, "CPU-therm", 40_000), (zone, "GPU-therm", 41_000)],
                Some("CPU-therm"),
            ),
            (
                vec![(hwmon, "120e0000.temperature-sensor", 40_000)],
                Some("120e0000.temperature-sensor"),
            ),
            (vec![], None),
        ] {
            assert_eq!(chosen(&channels).as_deref(), expected, "{channels:?}");
        }
    }

    #[test]
    fn the_choice_is_explained() {
        let mut channel = labelled(
            gauge("thermal_zone3.temp", Unit::Millicelsius),
            "soc-thermal",
        );
        channel.source = "/sys/class/thermal/thermal_zone3/temp".into();
        let choice = temperature_channel(&[channel], |_| None, |_| None).unwrap();
        assert_eq!(
            choice.why,
            "/sys/class/thermal/thermal_zone3/temp (soc-thermal): SoC"
        );
    }

    #[test]
    fn a_sensor_that_does_not_follow_the_load_gives_way_to_one_that_does() {
        let made = ["acpitz", "foo"].map(|label| {
            let id = format!("thermal_zone{}.temp", usize::from(label == "foo"));
            labelled(gauge(&id, Unit::Millicelsius), label)
        });
        for (correlations, expected) in [
            ([None, None], "acpitz"),
            ([Some(0.9), Some(0.95)], "acpitz"),
            ([Some(0.1), None], "acpitz"),
            ([Some(0.1), Some(0.5)], "acpitz"),
            ([Some(0.1), Some(0.9)], "foo"),
            ([Some(-0.4), Some(0.8)], "foo"),
        ] {
            let choice = temperature_channel(&made, |_| None, |index| correlations[index]).unwrap();
            assert_eq!(made[choice.index].label, expected, "{correlations:?}");
            assert_eq!(choice.why.contains("does not"), expected == "foo");
        }
    }
}
