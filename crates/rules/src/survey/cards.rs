//! Checks of SD cards and eMMC by counters of kernel and card: errors and wear. Other files check the card's own
//! description: counterfeits, impossible sizes, slow modes.

mod counterfeit;
mod mode;
mod size;

pub(crate) use counterfeit::COUNTERFEIT;
pub use counterfeit::Verdict;
pub(crate) use counterfeit::{judge, registers};
pub(crate) use mode::SLOW;
pub(crate) use size::SIZE;

use super::{first, place};
use crate::tables::Rule;
use facts::{Facts, Finding, Quantity, Severity, plain};
use record::{Card, Disk, RuleId};

pub(crate) const ERRORS: Rule = Rule::of_storage(RuleId::own("card-errors"), errors);
pub(crate) const WORN: Rule = Rule::of_storage(RuleId::own("card-worn"), worn);

/// Steps of 10 %: 9 is 80 to 90 % of life used.
const LIFE_STEP_MIN: u32 = 9;

fn cards<'a>(facts: &'a Facts<'_>) -> impl Iterator<Item = (&'a Disk, &'a Card)> {
    let disks = first(facts).map_or(&[][..], |survey| &survey.disks);
    disks.iter().filter_map(|disk| Some((disk, disk.card.as_ref()?)))
}

fn finding(rule: &Rule, severity: Severity, template: &'static str, disk: &Disk, card: &Card) -> Finding {
    Finding::new(rule.id, severity, template)
        .with("disk", Quantity::Text(disk.name.clone()))
        .with("name", Quantity::Text(if card.name.is_empty() { "unknown name".into() } else { plain(&card.name) }))
        .at(place("disks"))
}

fn errors(facts: &Facts<'_>) -> Vec<Finding> {
    cards(facts)
        .filter(|(_, card)| card.errors + card.tuning_failures > 0)
        .map(|(disk, card)| {
            finding(
                &ERRORS,
                Severity::Degraded,
                "Card {disk} ({name}): errors since boot: {errors}, failed tuning attempts: {tuning} (bad contacts, voltage or card).",
                disk,
                card,
            )
            .with("errors", Quantity::Count(card.errors.into()))
            .with("tuning", Quantity::Count(card.tuning_failures.into()))
        })
        .collect()
}

fn worn(facts: &Facts<'_>) -> Vec<Finding> {
    cards(facts)
        .filter_map(|(disk, card)| {
            let step = card.life_steps.map(|(a, b)| a.max(b));
            let template = match (step, card.reserve) {
                (Some(11..), _) => "eMMC {disk} ({name}) has exceeded its rated lifetime.",
                (Some(LIFE_STEP_MIN..), _) => "eMMC {disk} ({name}) has used {life} of its rated lifetime.",
                (_, Some(2..)) => "eMMC {disk} ({name}) has used most of its reserved blocks.",
                _ => return None,
            };
            Some(
                finding(&WORN, Severity::Degraded, template, disk, card)
                    .confidence(95)
                    .with_known("life", step.map(|step| Quantity::measured(f64::from(10 * step), "%", 0))),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::*;
    use record::{DiskBus, Fact, SerialKind, SpeedClasses};

    #[test]
    fn card_findings() {
        let card = |change: &dyn Fn(&mut Card, &mut Disk)| {
            let mut card = Card {
                kind: "SD".into(),
                name: "SU08G".into(),
                manfid: Some(3),
                oemid: Some(0x5344),
                made: Some((2014, 10)),
                serial: Some(SerialKind::Usual),
                mode: Fact::Known("ultra high speed SDR104 SDHC".into()),
                ..Card::default()
            };
            let mut disk =
                Disk { name: "mmcblk0".into(), bus: DiskBus::Mmc, size_bytes: Some(7_948_206_080), ..Disk::default() };
            change(&mut card, &mut disk);
            disk.card = Some(card);
            disk
        };
        check(|_, s| s.disks = vec![card(&|_, _| {})], &[]);
        check(|_, s| s.disks = vec![card(&|c, _| c.serial = Some(SerialKind::Zero))], &["card-counterfeit !"]);
        check(|_, s| s.disks = vec![card(&|_, d| d.size_bytes = Some(64 << 30))], &["card-size !"]);
        check(
            |_, s| {
                s.disks = vec![card(&|c, d| {
                    c.name = "EB1QT".into();
                    c.made = Some((2007, 3));
                    d.size_bytes = Some(64 << 30);
                })];
            },
            &["card-size !"],
        );
        check(
            |_, s| {
                s.disks = vec![card(&|c, _| {
                    c.mode = Fact::Known("high speed SDHC".into());
                    c.host_modes = vec!["sd-uhs-sdr104".into()];
                    c.classes = Some(SpeedClasses { uhs: 3, ..SpeedClasses::default() });
                })];
            },
            &["card-mode !"],
        );
        check(|_, s| s.disks = vec![card(&|c, _| c.errors = 3)], &["card-errors !"]);
        check(|_, s| s.disks = vec![card(&|c, _| c.life_steps = Some((2, 10)))], &["card-worn !"]);
    }
}
