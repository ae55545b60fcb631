//! Rule: rpi-config. A Raspberry Pi's config.txt makes results mean something else than those of the
//! board as sold.
//!
//! The facts stand in `data/rpi_config.tsv`. A setting counts only where it surely applies: outside of
//! conditional filters, or below one for this model. What it really did is for other rules to see.

use super::Rule;
use crate::{Finding, Place, Quantity, Severity};
use record::{NamedValue, Record};

pub(super) const RULE: Rule = Rule {
    id: "rpi-config",
    about: "A Raspberry Pi's config.txt makes results mean something else than those of the board as sold.",
    link: "https://www.raspberrypi.com/documentation/computers/config_txt.html",
    check,
};

const TABLE: &str = include_str!("../../../../data/rpi_config.tsv");
/// How the reader of logs and the machine name a line of the file.
const PREFIX: &str = "config.txt/";

/// A row of the table.
struct Known {
    setting: &'static str,
    models: &'static str,
    is: &'static str,
    kind: &'static str,
    effect: &'static str,
}

fn check(record: &Record) -> Vec<Finding> {
    let filters = record
        .machine
        .board
        .known()
        .map_or(Vec::new(), |board| filters(board));
    let mut findings = Vec::new();
    for line in in_force(&record.machine.firmware, &filters) {
        let setting = &line.name[PREFIX.len()..];
        let fits = |row: &Known| {
            row.setting == setting && concerns(row.models, &filters) && holds(row.is, &line.value)
        };
        findings.extend(rows().find(fits).map(|row| finding(line, &row)));
    }
    findings
}

fn finding(line: &NamedValue, row: &Known) -> Finding {
    // Only what is slower for sure keeps a board from its best; the rest is good to know.
    let severity = match row.kind {
        "slower" if row.setting == "arm_freq" => Severity::Degraded,
        _ => Severity::Info,
    };
    let template = match row.kind {
        "faster" => {
            "config.txt sets {setting}={value}: {effect}. Scores are not those of the board as sold."
        }
        _ => "config.txt sets {setting}={value}: {effect}.",
    };
    let place = line.from.strip_prefix("line ").and_then(|n| n.parse().ok());
    Finding::new(RULE.id, severity, template)
        .with("setting", Quantity::Text(row.setting.to_owned()))
        .with("value", Quantity::Text(line.value.clone()))
        .with("effect", Quantity::Text(row.effect.to_owned()))
        .at(place.map_or_else(|| Place::Field("machine.firmware".into()), Place::Line))
}

/// The rows of the table, below comment and heading.
fn rows() -> impl Iterator<Item = Known> {
    let rows = TABLE.lines().filter(|line| !line.starts_with('#')).skip(1);
    rows.filter_map(|row| {
        let mut columns = row.split('\t');
        Some(Known {
            setting: columns.next()?,
            models: columns.next()?,
            is: columns.next()?,
            kind: columns.next()?,
            effect: columns.next()?,
        })
    })
}

/// Settings that surely apply. Of a setting that is given twice the last one counts, as for the firmware.
fn in_force<'a>(firmware: &'a [NamedValue], filters: &[&str]) -> Vec<&'a NamedValue> {
    let mut applies = true;
    let mut settings: Vec<&NamedValue> = Vec::new();
    for line in firmware {
        let Some(name) = line.name.strip_prefix(PREFIX) else {
            continue;
        };
        if let Some(section) = name.strip_prefix('[') {
            let section = section.trim_end_matches(']').to_ascii_lowercase();
            applies = section == "all" || filters.contains(&section.as_str());
        } else if applies {
            settings.retain(|known| known.name != line.name);
            settings.push(line);
        }
    }
    settings
}

/// Conditional filters that hold on a board of this name.
fn filters(board: &str) -> Vec<&'static str> {
    let name = board.to_ascii_lowercase();
    let name = name.split('/').next().unwrap_or_default();
    let Some(model) = ["raspberry pi ", "rpi "].iter().find_map(|maker| {
        let at = name.find(maker)?;
        Some(name[at + maker.len()..].trim())
    }) else {
        return Vec::new();
    };
    // The longest beginning wins: it stands first.
    let table: [(&str, &[&str]); 16] = [
        ("compute module 3", &["pi3"]),
        ("compute module 4", &["pi4", "cm4"]),
        ("compute module 5", &["pi5", "cm5"]),
        ("compute module", &["pi1"]),
        ("zero 2", &["pi0", "pi02"]),
        ("zero", &["pi0"]),
        ("400", &["pi4", "pi400"]),
        ("500", &["pi5", "pi500"]),
        ("2", &["pi2"]),
        ("3 model b plus", &["pi3", "pi3+"]),
        ("3 model a plus", &["pi3", "pi3+"]),
        ("3", &["pi3"]),
        ("4", &["pi4"]),
        ("5", &["pi5"]),
        ("model a", &["pi1"]),
        ("model b", &["pi1"]),
    ];
    let found = table.iter().find(|(start, _)| model.starts_with(start));
    found.map_or(Vec::new(), |(_, filters)| filters.to_vec())
}

fn concerns(models: &str, filters: &[&str]) -> bool {
    models == "-" || models.split(',').any(|model| filters.contains(&model))
}

/// Compares a value as the firmware reads it, decimal or `0x`.
fn holds(is: &str, value: &str) -> bool {
    if is == "any" {
        return true;
    }
    let value = value.trim();
    let number = match value.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => value.parse::<i64>().ok(),
    };
    let (Some(number), Some(limit)) = (number, is.get(1..).and_then(|n| n.parse::<i64>().ok()))
    else {
        return false;
    };
    match is.as_bytes()[0] {
        b'<' => number < limit,
        b'>' => number > limit,
        _ => number == limit,
    }
}

#[cfg(test)]
mod tests {
    use super::{RULE, holds, rows};
    use crate::rules::tests::sentences;
    use crate::test_support::own_run;
    use record::{Fact, NamedValue};

    /// The sentences about a file of these lines on this board.
    fn check(board: &str, lines: &[&str], expected: &[&str]) {
        let mut record = own_run();
        record.machine.board = Fact::Known(board.into());
        let named = |(index, line): (usize, &&str)| {
            let (name, value) = line.split_once('=').unwrap_or((line, ""));
            NamedValue {
                name: format!("config.txt/{name}"),
                value: value.into(),
                from: format!("line {}", index + 1),
            }
        };
        record.machine.firmware = lines.iter().enumerate().map(named).collect();
        assert_eq!(sentences(RULE.id, &record), expected, "{board} {lines:?}");
    }

    #[test]
    fn a_setting_counts_where_it_applies() {
        let pi4 = "Raspberry Pi 4 Model B Rev 1.1";
        let low = "config.txt sets arm_freq=600: CPU clock below the 1500 MHz of this board.";
        check(pi4, &["arm_freq=600"], &[low]);
        check(pi4, &["[pi4]", "arm_freq=600", "[all]"], &[low]);
        check(pi4, &["[pi3]", "arm_freq=600", "[all]", "gpu_mem=16"], &[]);
        check(pi4, &["[gpio4=1]", "arm_freq=600"], &[]);
        check(pi4, &["arm_freq=600", "arm_freq=1500"], &[]);
        check("Pine64 RK3566", &["arm_freq=600", "enable_uart=1"], &[]);
        check(
            "Raspberry Pi 3 Model B Plus Rev 1.3",
            &["[pi3+]", "temp_soft_limit=70"],
            &[],
        );
        check(
            "RPi 5 Model B Rev 1.0 / BCM2712",
            &["arm_freq=3100", "over_voltage=8"],
            &[
                "config.txt sets arm_freq=3100: CPU clock above the 2400 MHz of this board. Scores \
                 are not those of the board as sold.",
                "config.txt sets over_voltage=8: higher voltage, so more heat. Scores are not those \
                 of the board as sold.",
            ],
        );
    }

    #[test]
    fn the_table_is_well_formed() {
        for row in rows() {
            let is_comparison = ["<", ">", "="].iter().any(|sign| row.is.starts_with(sign));
            assert!(row.is == "any" || is_comparison, "{}", row.setting);
            assert!(
                ["slower", "faster", "risky"].contains(&row.kind),
                "{}",
                row.setting
            );
        }
        assert!(rows().count() > 20);
        for (is, value, expected) in [
            (">60", "0x3d", true),
            ("<0", "-2", true),
            ("=1", "1 ", true),
            ("=1", "one", false),
        ] {
            assert_eq!(holds(is, value), expected, "{is} {value}");
        }
    }
}
