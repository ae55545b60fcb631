//! Checks of SD cards and eMMC: fakes, sizes that cannot be true, slow modes, errors, wear.

use super::table::{hex, rows};
use super::words::size_name;
use super::{first, place};
use crate::rules::Rule;
use crate::{Finding, Quantity, Severity, plain};
use record::{Card, Disk, Record, SerialKind};
use serde::Serialize;

pub(super) const COUNTERFEIT: Rule = Rule {
    id: "card-counterfeit",
    about: "The registers of a card are those of counterfeits.",
    link: "https://github.com/bradfa/flashbench",
    check: counterfeit,
};
pub(super) const SIZE: Rule = Rule {
    id: "card-size",
    about: "A card claims a size that it cannot have.",
    link: "https://github.com/AltraMayor/f3",
    check: size,
};
pub(super) const SLOW: Rule = Rule {
    id: "card-mode",
    about: "A card runs in a slower mode than its host allows.",
    link: "https://docs.kernel.org/driver-api/mmc/index.html",
    check: slow,
};
pub(super) const ERRORS: Rule = Rule {
    id: "card-errors",
    about: "The kernel reported errors of a card.",
    link: "https://docs.kernel.org/driver-api/mmc/index.html",
    check: errors,
};
pub(super) const WORN: Rule = Rule {
    id: "card-worn",
    about: "An eMMC is near the end of its life.",
    link: "https://docs.kernel.org/driver-api/mmc/mmc-dev-attrs.html",
    check: worn,
};

/// Names that no honest maker writes.
const FALSE_NAMES: &[&str] = &["00000", "SMI", "ASTC", "AS"];
/// Makers round sizes and keep cells in reserve; more than a tenth above the name is no rounding.
const SIZE_FACTOR_MAX: f64 = 1.15;
/// Steps of 10 %: 9 is 80 to 90 % of life used.
const LIFE_STEP_MIN: u32 = 9;

/// What the registers of a card tell of its maker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Nothing speaks against it.
    Fine,
    /// Its serial number is one that honest makers pass within a day.
    Suspicious,
    /// No honest card has these registers.
    Counterfeit,
}

/// Maker and verdict by the registers.
pub(crate) fn judge(card: &Card) -> (Option<&'static str>, Verdict) {
    let fits = |cell: &str, number: u32| cell == "*" || hex(cell) == Some(number);
    let row = rows(include_str!("../../../../data/card_makers.tsv"))
        .find(|row| fits(row[0], card.manfid) && fits(row[1], card.oemid));
    let maker = row.as_ref().map(|row| row[2]).filter(|maker| *maker != "-");
    let by_numbers = row.as_ref().is_some_and(|row| row[3] == "counterfeit");
    let exempt = row
        .as_ref()
        .is_some_and(|row| row[3] == "fine" && row[2] == "-");
    let small_is_fine = row.as_ref().is_some_and(|row| row[4] == "fine")
        // Transcend counted low until 2012.
        || (maker == Some("Transcend") && card.made.is_some_and(|(year, _)| year < 2013));
    // Samsung has sold cards of that name itself.
    let false_name = FALSE_NAMES.contains(&card.name.as_str())
        && !(card.name == "00000" && maker == Some("Samsung"));
    let verdict = match card.serial {
        _ if by_numbers => Verdict::Counterfeit,
        Some(SerialKind::Zero) if !exempt => Verdict::Counterfeit,
        _ if false_name => Verdict::Counterfeit,
        Some(SerialKind::Low) if !small_is_fine => Verdict::Suspicious,
        _ => Verdict::Fine,
    };
    (maker, verdict)
}

fn cards(record: &Record) -> impl Iterator<Item = (&Disk, &Card)> {
    let disks = first(record).map_or(&[][..], |survey| &survey.disks);
    disks
        .iter()
        .filter_map(|disk| Some((disk, disk.card.as_ref()?)))
}

fn finding(
    rule: &Rule,
    severity: Severity,
    template: &'static str,
    disk: &Disk,
    card: &Card,
) -> Finding {
    Finding::new(rule.id, severity, template)
        .with("disk", Quantity::Text(disk.name.clone()))
        .with("name", Quantity::Text(plain(&card.name)))
        .at(place("disks"))
}

fn counterfeit(record: &Record) -> Vec<Finding> {
    cards(record)
        .filter_map(|(disk, card)| {
            let (sure, template) = match judge(card).1 {
                Verdict::Fine => return None,
                Verdict::Suspicious => (
                    60,
                    "The card {disk} ({name}) has a serial number as low as counterfeits have: check that it keeps as \
                     much as it claims.",
                ),
                Verdict::Counterfeit => (
                    90,
                    "The card {disk} ({name}) is a counterfeit by its registers ({manfid}, {oemid}): do not trust it with \
                     data.",
                ),
            };
            Some(
                finding(&COUNTERFEIT, Severity::Degraded, template, disk, card)
                    .sure(sure)
                    .with("manfid", Quantity::Text(format!("manfid {:#08x}", card.manfid)))
                    .with("oemid", Quantity::Text(format!("oemid {:#06x}", card.oemid))),
            )
        })
        .collect()
}

/// The size in GB that a product name promises: `SD64G`, `SU08G`, `SC128`, `SR512`.
fn promised_gb(name: &str) -> Option<u64> {
    let digits_at = name.find(|c: char| c.is_ascii_digit())?;
    let (letters, rest) = name.split_at(digits_at);
    let digits_end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let (digits, unit) = rest.split_at(digits_end);
    let number: u64 = digits.parse().ok()?;
    let of_capacity = matches!(
        letters,
        "SD" | "SU" | "SC" | "SR" | "SE" | "SB" | "SN" | "SL" | "SP" | "USD"
    );
    let is_size = number.is_power_of_two() && (2..=2048).contains(&number);
    // Three digits without a unit also name sizes: SC128.
    (of_capacity && is_size && (unit.starts_with('G') || (unit.is_empty() && digits.len() == 3)))
        .then_some(number)
}

/// The largest card there was at the end of that year, in GB.
fn largest_gb(year: u32) -> Option<u64> {
    let table = rows(include_str!("../../../../data/card_sizes.tsv"));
    let years: Vec<(u32, u64)> = table
        .filter_map(|row| Some((row[0].parse().ok()?, row[1].parse().ok()?)))
        .collect();
    // Beyond the table nothing is known to be impossible.
    let last = years.last()?.0;
    let until = years.into_iter().find(|(until, _)| year <= *until)?;
    (year < last).then_some(until.1)
}

fn size(record: &Record) -> Vec<Finding> {
    let today = record
        .run
        .started
        .known()
        .map(|ms| crate::kernel::Date::of_utc_ms(*ms).year_month());
    cards(record)
        .filter(|(_, card)| card.kind != "MMC")
        .filter_map(|(disk, card)| {
            let gb = disk.size_bytes as f64 / 1e9;
            let promised = promised_gb(&card.name).filter(|promised| gb > *promised as f64 * SIZE_FACTOR_MAX);
            let largest = card.made.and_then(|(year, _)| largest_gb(year));
            let too_large = largest.filter(|largest| gb > *largest as f64 * SIZE_FACTOR_MAX);
            let future = card.made.zip(today).filter(|(made, today)| made > today);
            let (sure, why) = match (promised, too_large, future) {
                (Some(promised), ..) => (90, format!("its own name promises {promised} GB")),
                (None, Some(largest), _) => {
                    let year = card.made.map_or(0, |(year, _)| year);
                    (85, format!("it says it was made in {year}, when the largest card had {largest} GB"))
                }
                (None, None, Some(((year, month), _))) => (70, format!("it says it was made in {month:02}/{year}, which is still to come")),
                (None, None, None) => return None,
            };
            Some(
                finding(
                    &SIZE,
                    Severity::Degraded,
                    "The card {disk} ({name}) claims {size}, but {why}: whatever is written beyond is lost.",
                    disk,
                    card,
                )
                .sure(sure)
                .with("size", Quantity::Text(size_name(disk.size_bytes)))
                .with("why", Quantity::Text(why)),
            )
        })
        .collect()
}

/// Modes of SD and eMMC in rising order of speed: what the kernel says, and the property that allows it.
const MODES: &[(&str, &str, u32)] = &[
    ("high speed", "cap-sd-highspeed", 25),
    ("SDR50", "sd-uhs-sdr50", 50),
    ("DDR50", "sd-uhs-ddr50", 50),
    ("SDR104", "sd-uhs-sdr104", 104),
    ("DDR52", "mmc-ddr-1_8v", 104),
    ("HS200", "mmc-hs200-1_8v", 200),
    ("HS400", "mmc-hs400-1_8v", 400),
];

/// Megabytes per second that a mode gives.
fn mode_speed(mode: &str) -> u32 {
    let known = MODES.iter().rev().find(|(word, ..)| mode.contains(word));
    known.map_or(12, |(_, _, speed)| *speed)
}

fn slow(record: &Record) -> Vec<Finding> {
    cards(record)
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
                // A card of the slow kind is no fault of the board.
                Some((word, _, speed)) if *speed > now && (is_mmc || uhs_card) => (
                    85,
                    "The card {disk} ({name}) runs as {mode} ({now} MB/s at most), and board and card could {possible}.",
                    *word,
                ),
                None if uhs_card && now < 50 => (
                    70,
                    "The card {disk} ({name}) could do UHS and runs as {mode} ({now} MB/s at most): the slot does not.",
                    "UHS",
                ),
                _ => return None,
            };
            let severity = if allowed.is_some() { Severity::Degraded } else { Severity::Info };
            Some(
                finding(&SLOW, severity, template, disk, card)
                    .sure(sure)
                    .with("mode", Quantity::Text(plain(mode)))
                    .with("now", Quantity::Count(now.into()))
                    .with("possible", Quantity::Text(possible.into())),
            )
        })
        .collect()
}

fn errors(record: &Record) -> Vec<Finding> {
    cards(record)
        .filter(|(_, card)| card.errors + card.tuning_failures > 0)
        .map(|(disk, card)| {
            finding(
                &ERRORS,
                Severity::Degraded,
                "Since boot the kernel reported {errors} errors of the card {disk} ({name}) and failed {tuning} times to \
                 find its timing: contacts, voltage or a bad card.",
                disk,
                card,
            )
            .with("errors", Quantity::Count(card.errors.into()))
            .with("tuning", Quantity::Count(card.tuning_failures.into()))
        })
        .collect()
}

fn worn(record: &Record) -> Vec<Finding> {
    cards(record)
        .filter_map(|(disk, card)| {
            let step = card.life_steps.map_or(0, |(a, b)| a.max(b));
            let reserve = card.reserve.unwrap_or(0);
            if step < LIFE_STEP_MIN && reserve < 2 {
                return None;
            }
            let template = match step {
                11.. => "The eMMC {disk} ({name}) is past the life its maker gave it.",
                LIFE_STEP_MIN.. => "The eMMC {disk} ({name}) has used {percent} % of its life.",
                _ => "The eMMC {disk} ({name}) has used most of its spare blocks.",
            };
            Some(
                finding(&WORN, Severity::Degraded, template, disk, card)
                    .sure(95)
                    .with("percent", Quantity::Count((10 * step).into())),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::*;
    use record::{DiskBus, Fact, SpeedClasses};

    fn card(manfid: u32, oemid: u32, name: &str, serial: SerialKind, year: u32) -> Card {
        Card {
            kind: "SD".into(),
            name: name.into(),
            manfid,
            oemid,
            made: Some((year, 6)),
            serial: Some(serial),
            ..Card::default()
        }
    }

    #[test]
    fn fakes_are_told_by_their_registers() {
        use SerialKind::{Low, Usual, Zero};
        for (card, maker, verdict) in [
            (
                card(3, 0x5344, "SU08G", Usual, 2014),
                Some("SanDisk"),
                Verdict::Fine,
            ),
            (
                card(3, 0x5344, "SU08G", Low, 2014),
                Some("SanDisk"),
                Verdict::Suspicious,
            ),
            (
                card(3, 0x5344, "SU08G", Zero, 2014),
                Some("SanDisk"),
                Verdict::Counterfeit,
            ),
            (
                card(0x27, 0x5048, "SD64G", Low, 2023),
                Some("Phison"),
                Verdict::Fine,
            ),
            (
                card(0x74, 0x4a45, "USD", Low, 2012),
                Some("Transcend"),
                Verdict::Fine,
            ),
            (
                card(0x74, 0x4a45, "USD", Low, 2015),
                Some("Transcend"),
                Verdict::Suspicious,
            ),
            (
                card(0x12, 0x3456, "SU16G", Usual, 2020),
                None,
                Verdict::Counterfeit,
            ),
            (
                card(0x99, 0x3432, "XX", Usual, 2020),
                None,
                Verdict::Counterfeit,
            ),
            (
                card(0x1b, 0x534d, "00000", Usual, 2016),
                Some("Samsung"),
                Verdict::Fine,
            ),
            (
                card(0x9f, 0x5449, "SMI", Usual, 2016),
                Some("Texas Instruments"),
                Verdict::Counterfeit,
            ),
            (card(0xdf, 0x0118, "x", Zero, 2016), None, Verdict::Fine),
            (card(0x77, 0x1234, "x", Usual, 2016), None, Verdict::Fine),
        ] {
            assert_eq!(judge(&card), (maker, verdict), "{card:?}");
        }
    }

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
        fn any_card_is_judged(name in "\\PC{0,8}", manfid: u32, oemid: u32, year in 0_u32..4000) {
            let card = card(manfid, oemid, &name, SerialKind::Usual, year);
            judge(&card);
            promised_gb(&name);
            largest_gb(year);
            mode_speed(&name);
        }
    }

    #[test]
    fn cards_lie_fail_and_wear() {
        let card = |change: &dyn Fn(&mut Card, &mut Disk)| {
            let mut card = Card {
                kind: "SD".into(),
                name: "SU08G".into(),
                manfid: 3,
                oemid: 0x5344,
                made: Some((2014, 10)),
                serial: Some(SerialKind::Usual),
                mode: Fact::Known("ultra high speed SDR104 SDHC".into()),
                ..Card::default()
            };
            let mut disk = Disk {
                name: "mmcblk0".into(),
                bus: DiskBus::Mmc,
                size_bytes: 7_948_206_080,
                ..Disk::default()
            };
            change(&mut card, &mut disk);
            disk.card = Some(card);
            disk
        };
        check(|_, s| s.disks = vec![card(&|_, _| {})], &[]);
        check(
            |_, s| s.disks = vec![card(&|c, _| c.serial = Some(SerialKind::Zero))],
            &["card-counterfeit !"],
        );
        check(
            |_, s| s.disks = vec![card(&|_, d| d.size_bytes = 64 << 30)],
            &["card-size !"],
        );
        check(
            |_, s| {
                s.disks = vec![card(&|c, d| {
                    c.name = "EB1QT".into();
                    c.made = Some((2007, 3));
                    d.size_bytes = 64 << 30;
                })];
            },
            &["card-size !"],
        );
        check(
            |_, s| {
                s.disks = vec![card(&|c, _| {
                    c.mode = Fact::Known("high speed SDHC".into());
                    c.host_modes = vec!["sd-uhs-sdr104".into()];
                    c.classes = Some(SpeedClasses {
                        uhs: 3,
                        ..SpeedClasses::default()
                    });
                })];
            },
            &["card-mode !"],
        );
        check(
            |_, s| s.disks = vec![card(&|c, _| c.errors = 3)],
            &["card-errors !"],
        );
        check(
            |_, s| s.disks = vec![card(&|c, _| c.life_steps = Some((2, 10)))],
            &["card-worn !"],
        );
    }
}
