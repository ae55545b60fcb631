//! Which of all temperatures is that of the SoC. A pure ranking by the names that kernels and
//! vendors give (`data/sensors.tsv`) and by plausibility; correlation with load is not looked at.

use record::Channel;

/// The names, best first.
const NAMES: &str = include_str!("../../../../data/sensors.tsv");

/// What a SoC that runs can have, in millidegrees Celsius. Firmware is known to answer -1 or 398 °C.
const PLAUSIBLE: std::ops::RangeInclusive<i64> = -20_000..=125_000;

/// Rank of a thermal zone with a name nobody knows: better than nothing.
const RANK_UNKNOWN_ZONE: u32 = 90;

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
/// known, to leave out what cannot be true. None if there is no candidate.
pub fn temperature_channel(
    channels: &[Channel],
    latest: impl Fn(usize) -> Option<i64>,
) -> Option<TemperatureChoice> {
    let mut best: Option<(u32, TemperatureChoice)> = None;
    for (index, channel) in channels.iter().enumerate() {
        let Some((rank, about)) = rank(channel) else {
            continue;
        };
        if latest(index).is_some_and(|value| !PLAUSIBLE.contains(&value)) {
            continue;
        }
        if best.as_ref().is_none_or(|(best, _)| rank < *best) {
            let label = &channel.label;
            let why = format!("{} ({label}): {about}", channel.source);
            best = Some((rank, TemperatureChoice { index, why }));
        }
    }
    best.map(|(_, choice)| choice)
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
    let place = if channel.id.starts_with("thermal_zone") {
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
        let choice = temperature_channel(&made, |index| Some(channels[index].2))?;
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
        let choice = temperature_channel(&[channel], |_| None).unwrap();
        assert_eq!(
            choice.why,
            "/sys/class/thermal/thermal_zone3/temp (soc-thermal): SoC"
        );
    }
}
