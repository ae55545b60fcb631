//! Meanings of sensor names: the table `data/sensors.tsv`.

use crate::Channel;
use crate::table::Table;

/// Names, best first.
const NAMES: Table = Table::of(include_str!("../../../../data/sensors.tsv"));

/// Rank of a thermal zone with an unknown name, below all known ones.
const RANK_UNKNOWN_ZONE: u32 = 90;

/// Meaning of a temperature's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Meaning {
    /// Rank, lowest is best; `None` if it is never the SoC.
    pub(super) rank: Option<u32>,
    /// Description of the sensor.
    pub(super) about: &'static str,
}

/// Row of the table.
struct Name {
    place: &'static str,
    how: &'static str,
    pattern: &'static str,
    meaning: Meaning,
}

/// Meaning of a channel's name; `None` if it is not a temperature.
pub(super) fn meaning(channel: &Channel) -> Option<Meaning> {
    if !channel.is_temperature() {
        return None;
    }
    let is_zone = channel.id.zone().is_some();
    let place = if is_zone { "zone" } else { "hwmon" };
    let unknown = if is_zone {
        Meaning { rank: Some(RANK_UNKNOWN_ZONE), about: "no better known thermal zone" }
    } else {
        Meaning { rank: None, about: "unknown" }
    };
    Some(named(place, &channel.label).unwrap_or(unknown))
}

/// Looks up a name in the table. Rows that exclude come first, then the better names.
pub(super) fn named(place: &str, label: &str) -> Option<Meaning> {
    let label = label.to_ascii_lowercase();
    names().find(|name| name.place == place && name.matches(&label)).map(|name| name.meaning)
}

impl Name {
    fn matches(&self, label: &str) -> bool {
        match self.how {
            "exact" => label == self.pattern,
            "prefix" => label.starts_with(self.pattern),
            _ => label.contains(self.pattern),
        }
    }
}

fn names() -> impl Iterator<Item = Name> {
    NAMES.rows().filter_map(|row| {
        let [rank, place, how, pattern, about, _] = row.array()?;
        Some(Name { place, how, pattern, meaning: Meaning { rank: rank.parse().ok(), about } })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_table_is_well_formed() {
        assert_eq!(NAMES.rows().count(), names().count());
        for name in names() {
            assert!(["zone", "hwmon"].contains(&name.place), "{}", name.pattern);
            assert!(["exact", "prefix", "contains"].contains(&name.how), "{}", name.pattern);
            assert_eq!(name.pattern, name.pattern.to_lowercase());
        }
        let ranks: Vec<u32> = names().map(|name| name.meaning.rank.unwrap_or(0)).collect();
        assert!(ranks.is_sorted(), "better names stand first");
    }

    /// Names of thermal zones, and of hwmon chips with a temperature, of all boards in files.
    #[allow(clippy::disallowed_methods, reason = "the boards are files of the repository")]
    fn sensors_of_boards() -> BTreeSet<(&'static str, String)> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../boards");
        let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let boards = paths.filter(|path| path.extension().is_some_and(|extension| extension == "board"));
        let mut sensors = BTreeSet::new();
        for text in boards.map(|path| std::fs::read_to_string(path).unwrap()) {
            for (path, content) in text.split("\n== ").filter_map(|file| file.split_once('\n')) {
                let name = content.lines().next().unwrap_or_default().to_owned();
                match path.rsplit_once('/') {
                    Some((folder, "type")) if folder.contains("/thermal_zone") => _ = sensors.insert(("zone", name)),
                    Some((folder, "name")) if text.contains(&format!("\n== {folder}/temp")) => {
                        sensors.insert(("hwmon", name));
                    }
                    _ => {}
                }
            }
        }
        sensors
    }

    #[test]
    fn the_sensors_of_all_boards_are_in_the_table() {
        let sensors = sensors_of_boards();
        assert!(sensors.len() > 20, "{sensors:?}");
        let unknown: Vec<_> = sensors.iter().filter(|(place, name)| named(place, name).is_none()).collect();
        assert!(unknown.is_empty(), "rows that data/sensors.tsv lacks: {unknown:?}");
    }
}
