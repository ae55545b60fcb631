//! Check: card-counterfeit. The registers of a card match those of counterfeits.

use super::{cards, finding};
use crate::tables::Rule;
use facts::{Facts, Finding, Quantity, Severity};
use record::table::{Row, Table};
use record::{Card, RuleId, SerialKind};
use serde::Serialize;

pub(crate) const COUNTERFEIT: Rule = Rule::of_storage(RuleId::own("card-counterfeit"), counterfeit);
/// Names that no honest maker writes.
const FALSE_NAMES: &[&str] = &["00000", "SMI", "ASTC", "AS"];

/// Verdict of a card's registers about its vendor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// No contradiction.
    Fine,
    /// Genuine makers reach its serial number within a day.
    Suspicious,
    /// No honest card has these registers.
    Counterfeit,
}

/// Numbers of maker and OEM, if both were read. Earlier versions wrote 0 and no name for unreadable ones.
pub(crate) fn registers(card: &Card) -> Option<(u32, u32)> {
    let read = card.manfid.zip(card.oemid)?;
    (read != (0, 0) || !card.name.is_empty()).then_some(read)
}

/// Maker and verdict by the registers; unknown without them.
pub(crate) fn judge(card: &Card) -> (Option<&'static str>, Verdict) {
    let Some((manfid, oemid)) = registers(card) else { return (None, Verdict::Fine) };
    // eMMC and cards have different registers.
    let bus = if card.kind == "MMC" { "emmc" } else { "sd" };
    let fits = |row: &Row, column, number: u32| row.get(column) == "*" || row.number(column) == Some(number.into());
    let mut rows = Table::of(include_str!("../../../../../data/card_makers.tsv")).rows();
    let is_of_bus = |row: &Row| row.get("bus") == "*" || row.get("bus") == bus;
    let row = rows.find(|row| is_of_bus(row) && fits(row, "manfid", manfid) && fits(row, "oemid", oemid));
    let maker = row.and_then(|row| row.cell("maker"));
    let is = |column, word| row.is_some_and(|row| row.get(column) == word);
    let by_numbers = is("verdict", "counterfeit");
    let exempt = is("verdict", "fine") && maker.is_none();
    let small_is_fine = is("low_serial", "fine")
        // Transcend counted low until 2012.
        || (maker == Some("Transcend") && card.made.is_some_and(|(year, _)| year < 2013));
    // Samsung has sold cards of that name itself.
    let false_name = FALSE_NAMES.contains(&card.name.as_str()) && !(card.name == "00000" && maker == Some("Samsung"));
    let verdict = match card.serial {
        _ if by_numbers => Verdict::Counterfeit,
        Some(SerialKind::Zero) if !exempt => Verdict::Counterfeit,
        _ if false_name => Verdict::Counterfeit,
        Some(SerialKind::Low) if !small_is_fine => Verdict::Suspicious,
        _ => Verdict::Fine,
    };
    (maker, verdict)
}

fn counterfeit(facts: &Facts<'_>) -> Vec<Finding> {
    cards(facts)
        .filter_map(|(disk, card)| {
            let (sure, template) = match judge(card).1 {
                Verdict::Fine => return None,
                Verdict::Suspicious => (
                    60,
                    "Card {disk} ({name}) has a very low serial number, typical of counterfeits; test its full \
                     capacity.",
                ),
                Verdict::Counterfeit => (
                    90,
                    "The ID registers of card {disk} ({name}) indicate a counterfeit[ ({manfid}, {oemid})]; do not \
                     store data on it.",
                ),
            };
            Some(
                finding(&COUNTERFEIT, Severity::Degraded, template, disk, card)
                    .confidence(sure)
                    .with_known("manfid", card.manfid.map(|id| Quantity::Text(format!("manfid {id:#08x}"))))
                    .with_known("oemid", card.oemid.map(|id| Quantity::Text(format!("oemid {id:#06x}")))),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(manfid: u32, oemid: u32, name: &str, serial: SerialKind, year: u32) -> Card {
        Card {
            kind: "SD".into(),
            name: name.into(),
            manfid: Some(manfid),
            oemid: Some(oemid),
            made: Some((year, 6)),
            serial: Some(serial),
            ..Card::default()
        }
    }

    #[test]
    fn counterfeit_registers() {
        use SerialKind::{Low, Usual, Zero};
        for (card, maker, verdict) in [
            (card(3, 0x5344, "SU08G", Usual, 2014), Some("SanDisk"), Verdict::Fine),
            (card(3, 0x5344, "SU08G", Low, 2014), Some("SanDisk"), Verdict::Suspicious),
            (card(3, 0x5344, "SU08G", Zero, 2014), Some("SanDisk"), Verdict::Counterfeit),
            (card(0x27, 0x5048, "SD64G", Low, 2023), Some("Phison"), Verdict::Fine),
            (card(0x74, 0x4a45, "USD", Low, 2012), Some("Transcend"), Verdict::Fine),
            (card(0x74, 0x4a45, "USD", Low, 2015), Some("Transcend"), Verdict::Suspicious),
            (card(0x12, 0x3456, "SU16G", Usual, 2020), None, Verdict::Counterfeit),
            (card(0x12, 0x5678, "SU16G", Usual, 2020), None, Verdict::Fine),
            (card(0, 0, "SU16G", Usual, 2020), None, Verdict::Counterfeit),
            (card(0x99, 0x3432, "XX", Usual, 2020), None, Verdict::Counterfeit),
            (card(0x1b, 0x534d, "00000", Usual, 2016), Some("Samsung"), Verdict::Fine),
            (card(0x9f, 0x5449, "SMI", Usual, 2016), None, Verdict::Counterfeit),
            (Card { kind: "MMC".into(), ..card(0x13, 0x014e, "R1J57L", Usual, 2019) }, Some("Micron"), Verdict::Fine),
            (card(0xdf, 0x0118, "x", Zero, 2016), None, Verdict::Fine),
            (card(0x77, 0x1234, "x", Usual, 2016), None, Verdict::Fine),
        ] {
            assert_eq!(judge(&card), (maker, verdict), "{card:?}");
        }
    }

    /// Unread registers are not evidence, neither now nor in Records of versions that wrote 0 for them.
    #[test]
    fn a_card_that_says_nothing_is_not_accused() {
        let silent = Card { kind: "SD".into(), serial: Some(SerialKind::Zero), ..Card::default() };
        let before = Card { manfid: Some(0), oemid: Some(0), ..silent.clone() };
        for card in [silent, before] {
            assert_eq!((registers(&card), judge(&card)), (None, (None, Verdict::Fine)), "{card:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn counterfeit_check_never_panics(name in "\\PC{0,8}", manfid: u32, oemid: u32, year in 0_u32..4000) {
            judge(&card(manfid, oemid, &name, SerialKind::Usual, year));
        }
    }
}
