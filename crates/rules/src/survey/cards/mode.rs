//! Check: card-mode. A card runs in a slower mode than board and card could.

use super::{cards, finding};
use crate::tables::Rule;
use facts::{Facts, Finding, Quantity, Severity, plain};
use record::RuleId;

pub(crate) const SLOW: Rule = Rule::of_storage(RuleId::own("card-mode"), slow);
/// Modes of SD and eMMC by rising speed: name in the kernel, and the property that enables it.
const MODES: &[(&str, &str, u32)] = &[
    ("high speed", "cap-sd-highspeed", 25),
    ("SDR50", "sd-uhs-sdr50", 50),
    ("DDR50", "sd-uhs-ddr50", 50),
    ("SDR104", "sd-uhs-sdr104", 104),
    ("DDR52", "mmc-ddr-1_8v", 104),
    ("HS200", "mmc-hs200-1_8v", 200),
    ("HS400", "mmc-hs400-1_8v", 400),
];

fn mode_speed(mode: &str) -> u32 {
    let known = MODES.iter().rev().find(|(word, ..)| mode.contains(word));
    known.map_or(12, |(_, _, speed)| *speed)
}

fn slow(facts: &Facts<'_>) -> Vec<Finding> {
    cards(facts)
        .filter_map(|(disk, card)| {
            let mode = card.mode.known()?;
            let now = mode_speed(mode);
            let is_mmc = card.kind == "MMC";
            let allowed = MODES.iter().rev().find(|(_, property, _)| {
                let of_kind = property.contains("mmc") == is_mmc;
                of_kind && card.host_modes.iter().any(|mode| mode == property)
            });
            let uhs_card = card.classes.is_some_and(|classes| classes.uhs > 0 || classes.video > 0);
            let (sure, template, possible) = match allowed {
                // A slow card is not a fault of the board.
                Some((word, _, speed)) if *speed > now && (is_mmc || uhs_card) => (
                    85,
                    "Card {disk} ({name}) runs in {mode} mode (max. {now} MB/s); board and card support {possible}.",
                    *word,
                ),
                None if uhs_card && now < 50 => (
                    70,
                    "Card {disk} ({name}) supports UHS but runs in {mode} mode (max. {now} MB/s): the slot does not \
                     support UHS.",
                    "UHS",
                ),
                _ => return None,
            };
            let severity = if allowed.is_some() { Severity::Degraded } else { Severity::Info };
            Some(
                finding(&SLOW, severity, template, disk, card)
                    .confidence(sure)
                    .with("mode", Quantity::Text(plain(mode)))
                    .with("now", Quantity::Count(now.into()))
                    .with("possible", Quantity::Text(possible.into())),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn mode_speed_never_panics(mode in "\\PC{0,12}") {
            assert!(mode_speed(&mode) >= 12);
        }
    }
}
