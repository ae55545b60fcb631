//! What names of sensors mean: the table `data/sensors.tsv`.

use crate::Channel;

/// The names, best first.
const NAMES: &str = include_str!("../../../../data/sensors.tsv");

/// Rank of a thermal zone with a name nobody knows: better than nothing.
const RANK_UNKNOWN_ZONE: u32 = 90;

/// One row of the table.
struct Name<'a> {
    /// None: never the SoC.
    rank: Option<u32>,
    place: &'a str,
    how: &'a str,
    pattern: &'a str,
    about: &'a str,
}

/// Rank of a channel and what its name means; none if it is not the SoC's temperature.
pub(super) fn rank(channel: &Channel) -> Option<(u32, &'static str)> {
    if !channel.is_temperature() {
        return None;
    }
    let place = if channel.id.zone().is_some() { "zone" } else { "hwmon" };
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
        Some(Name { rank: cell()?.parse().ok(), place: cell()?, how: cell()?, pattern: cell()?, about: cell()? })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_well_formed() {
        let rows = NAMES.lines().filter(|line| !line.starts_with('#'));
        for line in rows.clone() {
            assert_eq!(line.split('\t').count(), 6, "{line}");
        }
        assert_eq!(rows.count(), names().count() + 1);
        for name in names() {
            assert!(["zone", "hwmon"].contains(&name.place), "{}", name.pattern);
            assert!(["exact", "prefix", "contains"].contains(&name.how), "{}", name.pattern);
            assert_eq!(name.pattern, name.pattern.to_lowercase());
        }
        let ranks: Vec<u32> = names().map(|name| name.rank.unwrap_or(0)).collect();
        assert!(ranks.is_sorted(), "better names stand first");
    }
}
