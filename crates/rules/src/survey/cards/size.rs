//! Check: card-size. A card reports an impossible size: more than its name states, or more than cards had when it was
//! made.

use super::{cards, finding};
use crate::tables::Rule;
use facts::{Facts, Finding, Quantity, Severity};
use record::RuleId;
use record::table::Table;

pub(crate) const SIZE: Rule = Rule::of_storage(RuleId::own("card-size"), size);
/// Makers round sizes and reserve cells; more than a tenth above the name cannot be rounding.
const SIZE_FACTOR_MAX: f64 = 1.15;

/// The size in GB that a product name promises: `SD64G`, `SU08G`, `SC128`, `SR512`.
fn promised_gb(name: &str) -> Option<u64> {
    let digits_at = name.find(|c: char| c.is_ascii_digit())?;
    let (letters, rest) = name.split_at(digits_at);
    let digits_end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (digits, unit) = rest.split_at(digits_end);
    let number: u64 = digits.parse().ok()?;
    let of_capacity = matches!(letters, "SD" | "SU" | "SC" | "SR" | "SE" | "SB" | "SN" | "SL" | "SP" | "USD");
    let is_size = number.is_power_of_two() && (2..=2048).contains(&number);
    // Three digits without a unit also name sizes: SC128.
    (of_capacity && is_size && (unit.starts_with('G') || (unit.is_empty() && digits.len() == 3))).then_some(number)
}

/// Largest card available at the end of that year, in GB.
fn largest_gb(year: u32) -> Option<u64> {
    let rows = Table::of(include_str!("../../../../../data/card_sizes.tsv")).rows();
    let years: Vec<(u64, u64)> = rows.filter_map(|row| Some((row.number("year")?, row.number("size")?))).collect();
    // Beyond the table every size is possible.
    let last = years.last()?.0;
    let until = years.into_iter().find(|(until, _)| u64::from(year) <= *until)?;
    (u64::from(year) < last).then_some(until.1)
}

fn size(facts: &Facts<'_>) -> Vec<Finding> {
    let today = facts.run.started.known().map(|ms| crate::kernel::Date::of_utc_ms(*ms).year_month());
    cards(facts)
        .filter(|(_, card)| card.kind != "MMC")
        .filter_map(|(disk, card)| {
            let size_bytes = disk.size_bytes?;
            let gb = size_bytes as f64 / 1e9;
            let promised = promised_gb(&card.name).filter(|promised| gb > *promised as f64 * SIZE_FACTOR_MAX);
            let largest = card.made.and_then(|(year, _)| largest_gb(year));
            let too_large = largest.filter(|largest| gb > *largest as f64 * SIZE_FACTOR_MAX);
            let future = card.made.zip(today).filter(|(made, today)| made > today);
            let sure = match (promised, too_large, future) {
                (Some(_), ..) => 90,
                (None, Some(_), _) => 85,
                (None, None, Some(_)) => 70,
                (None, None, None) => return None,
            };
            let gigabytes = |gb: f64| Quantity::measured(gb, "GB", 0);
            let year = card.made.filter(|_| too_large.is_some()).map(|(year, _)| Quantity::Count(year.into()));
            let made = future.map(|((year, month), _)| Quantity::Text(format!("{month:02}/{year}")));
            let template = "Card {disk} ({name}) reports {size}, but [its product name says {promised}|its manufacturing date is \
                            {year}, when the largest card had {largest}|its manufacturing date {made} is in the future]: data \
                            written beyond the real size are lost.";
            Some(
                finding(&SIZE, Severity::Degraded, template, disk, card)
                    .confidence(sure)
                    .with("size", Quantity::measured(gb, "GB", usize::from(gb < 10.0)))
                    .with_known("promised", promised.map(|gb| gigabytes(gb as f64)))
                    .with_known("year", year)
                    .with_known("largest", too_large.map(|gb| gigabytes(gb as f64)))
                    .with_known("made", made),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_promise_sizes() {
        for (name, expected) in [
            ("SD64G", Some(64)),
            ("SU08G", Some(8)),
            ("SC128", Some(128)),
            ("EE4S5", None),
            ("SPCC", None),
            ("00000", None),
            ("SD", None),
            ("SD99999999999999999999G", None),
        ] {
            assert_eq!(promised_gb(name), expected, "{name}");
        }
        assert_eq!(largest_gb(2007), Some(16));
        assert_eq!(largest_gb(2012), Some(256));
        assert_eq!(largest_gb(2030), None);
    }

    proptest::proptest! {
        #[test]
        fn size_check_never_panics(name in "\\PC{0,8}", year in 0_u32..4000) {
            promised_gb(&name);
            largest_gb(year);
        }
    }
}
