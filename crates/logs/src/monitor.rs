//! Rows of the monitoring: one table per phase of the run.
//!
//! The columns between time and load differ: one clock, kernel and firmware clock of a Raspberry Pi, big and LITTLE
//! cluster, several clusters, or none. The header names the columns after the temperature. The text before `MHz` is not
//! split at blanks, because ` 800/ 500MHz` contains one.

use super::draft::Draft;
use super::rows::{Phase, Quantity, Row};
use super::sections::{Line, Section};
use super::text;

/// Percentages in the order of the columns.
const PERCENTAGES: [(&str, Quantity); 6] = [
    ("%cpu", Quantity::Busy),
    ("%sys", Quantity::System),
    ("%usr", Quantity::User),
    ("%nice", Quantity::Nice),
    ("%io", Quantity::IoWait),
    ("%irq", Quantity::Irq),
];

/// Columns after the temperature.
const EXTRAS: [(&str, Quantity); 4] = [
    ("VCore", Quantity::CoreMicrovolts),
    ("PMIC", Quantity::PmicMilliwatts),
    ("DC(V)", Quantity::InputMicrovolts),
    ("mW", Quantity::Milliwatts(0)),
];

/// Names of all columns; those before the percentages have several headers.
pub(super) fn columns() -> impl Iterator<Item = &'static str> {
    let named = PERCENTAGES.into_iter().chain(EXTRAS).map(|(name, _)| name);
    ["Time", "fake/real", "big.LITTLE", "cpu", "load", "Temp"].into_iter().chain(named)
}

/// Reads `System health while running tinymembench:`, a header and rows.
pub(super) fn read(section: &Section<'_, '_>, draft: &mut Draft) {
    let heading = section.heading().text;
    let name = heading.split_once("running ").map_or(heading, |(_, name)| name);
    let phase = draft.phases.len();
    draft.phases.push(Phase { name: name.trim().trim_end_matches(':').to_string() });
    let rows = rows(section, phase, draft);
    draft.rows.extend(rows);
}

/// Reads the row before the second clock pass, which repeats the last row of the monitoring.
pub(super) fn read_health(section: &Section<'_, '_>, draft: &mut Draft) {
    draft.health = rows(section, 0, draft).pop();
}

fn rows(section: &Section<'_, '_>, phase: usize, draft: &mut Draft) -> Vec<Row> {
    let mut columns = Columns::default();
    let mut first = true;
    let mut rows = Vec::new();
    for line in section.body() {
        let text = line.text.trim();
        if let Some(header) = text.strip_prefix("Time ") {
            columns = Columns::parse(header);
            first = true;
        } else if let Some(mut row) = row(line, text, &columns) {
            row.phase = phase;
            row.first = std::mem::take(&mut first);
            rows.push(row);
        } else if !text.is_empty() {
            draft.unread(line);
        }
    }
    rows
}

/// Maximum plausible number of clocks, and of columns after the temperature.
const COLUMNS_MAX: usize = 8;

/// Columns named by a header.
#[derive(Debug, Default)]
struct Columns {
    clocks: Vec<Quantity>,
    extras: Vec<Quantity>,
}

impl Columns {
    fn parse(header: &str) -> Self {
        let mut words = header.split_whitespace();
        let clocks = match words.next().unwrap_or_default() {
            "fake/real" => vec![Quantity::Policy(0), Quantity::Firmware],
            "big.LITTLE" => vec![Quantity::Big, Quantity::Little],
            word if word.starts_with("cpu") => word
                .split('/')
                .filter_map(|cpu| cpu.strip_prefix("cpu")?.parse().ok())
                .map(Quantity::Policy)
                .take(COLUMNS_MAX)
                .collect(),
            _ => vec![Quantity::Policy(0)],
        };
        let mut sockets = 0;
        // The first column after the percentages is the temperature (`Temp`, `CPU` in the oldest logs); only later
        // columns need a name.
        let extras = words
            .skip_while(|word| *word != "%irq")
            .skip(2)
            .filter_map(|word| EXTRAS.iter().find(|(name, _)| *name == word))
            .map(|(_, quantity)| match quantity {
                Quantity::Milliwatts(_) => {
                    sockets = u8::saturating_add(sockets, 1);
                    Quantity::Milliwatts(sockets - 1)
                }
                quantity => *quantity,
            })
            .take(COLUMNS_MAX)
            .collect();
        Self { clocks, extras }
    }
}

/// Parses `14:32:16: 1392MHz  0.15   3%   0%   1%   0%   1%   0%  44.1°C`.
fn row(line: &Line<'_>, text: &str, columns: &Columns) -> Option<Row> {
    let end = text.match_indices(':').nth(2)?.0;
    let time_of_day_ms = text::time_of_day_ms(&text[..end])?;
    let rest = text[end + 1..].trim_start();
    let mut values = Vec::with_capacity(12);
    let rest = clocks(rest, columns, &mut values)?;
    let rest = percentages(rest, &mut values)?;
    let mut words = rest.split_whitespace();
    let mut garbled_temperature = None;
    match words.next() {
        None => {}
        Some(word) => match temperature(word) {
            Ok(Some(temp)) => values.push((Quantity::Temperature, temp)),
            Ok(None) => {}
            Err(()) => garbled_temperature = Some(word.to_string()),
        },
    }
    for (word, quantity) in words.zip(&columns.extras) {
        values.push((*quantity, extra(word, *quantity)?));
    }
    Some(Row { line: line.number, time_of_day_ms, phase: 0, first: false, values, garbled_temperature })
}

/// Parses `1680/1416MHz`, ` 800/ 500MHz`, `n/aMHz`, `n/a MHz`, `MHz`, `---`.
fn clocks<'t>(rest: &'t str, columns: &Columns, values: &mut Vec<(Quantity, i64)>) -> Option<&'t str> {
    if let Some(rest) = rest.strip_prefix("---") {
        return Some(rest);
    }
    let (clocks, rest) = rest.split_once("MHz")?;
    if clocks.len() > 80 {
        return None;
    }
    if !clocks.contains("n/a") {
        for (clock, quantity) in clocks.split('/').zip(&columns.clocks) {
            if let Ok(mhz) = clock.trim().parse::<u32>() {
                values.push((*quantity, i64::from(mhz) * 1000));
            }
        }
    }
    Some(rest)
}

/// Parses the load, if present, and six percentages, which may be negative. Returns the rest.
fn percentages<'t>(rest: &'t str, values: &mut Vec<(Quantity, i64)>) -> Option<&'t str> {
    let mut rest = rest.trim_start();
    let first_percent = rest.find('%')?;
    if let Some((load, after)) = rest[..first_percent].trim_end().rsplit_once(' ') {
        let load = text::decimal(load.trim()).filter(|load| (0.0..1e6).contains(load))?;
        values.push((Quantity::Load, (load * 100.0).round() as i64));
        rest = &rest[first_percent - after.len()..];
    }
    for (_, quantity) in PERCENTAGES {
        let (percent, after) = rest.split_once('%')?;
        values.push((quantity, percent.trim().parse::<i32>().ok()?.into()));
        rest = after;
    }
    Some(rest)
}

/// Parses `43.6°C`, `43,6°C`, `°C`, `--`, `n/a°C`. `None` means no sensor; an error means an impossible value: below
/// absolute zero, or exactly zero, which the kernel reports for a node without a sensor.
fn temperature(word: &str) -> Result<Option<i64>, ()> {
    let number = word.trim_end_matches(['C', '°', '\u{fffd}']);
    if number.is_empty() || number.starts_with("--") || number.starts_with("n/a") {
        return Ok(None);
    }
    let celsius = text::decimal(number).ok_or(())?;
    let impossible = !(-90.0..=250.0).contains(&celsius) || celsius == 0.0;
    if impossible {
        return Err(());
    }
    Ok(Some((celsius * 1000.0).round() as i64))
}

/// Parses `0.8684V` (microvolts), `5.8W` (milliwatts), `4200` (milliwatts).
fn extra(word: &str, quantity: Quantity) -> Option<i64> {
    let value = text::decimal(word.trim_end_matches(['V', 'W'])).filter(|value| (-1e6..1e6).contains(value))?;
    let factor = match quantity {
        Quantity::CoreMicrovolts | Quantity::InputMicrovolts => 1e6,
        Quantity::PmicMilliwatts => 1e3,
        _ => 1.0,
    };
    Some((value * factor).round() as i64)
}

#[cfg(test)]
mod tests {
    use super::Quantity::*;
    use super::*;

    fn check(header: &str, text: &str, expected: &[(Quantity, i64)]) {
        let columns = Columns::parse(header);
        let line = Line { number: 1, text };
        let row = row(&line, text.trim(), &columns).unwrap_or_else(|| panic!("{text}"));
        for (quantity, value) in expected {
            let found = row.values.iter().find(|(known, _)| known == quantity);
            assert_eq!(found.map(|(_, value)| value), Some(value), "{quantity:?} in {text}");
        }
        let expected_clocks = expected.iter().filter(|(quantity, _)| is_clock(*quantity)).count();
        let clocks = row.values.iter().filter(|(quantity, _)| is_clock(*quantity)).count();
        assert_eq!(clocks, expected_clocks, "{text}");
    }

    fn is_clock(quantity: Quantity) -> bool {
        matches!(quantity, Policy(_) | Big | Little | Firmware)
    }

    const PLAIN: &str = "       CPU    load %cpu %sys %usr %nice %io %irq   Temp";

    #[test]
    fn rows_of_every_shape() {
        check(
            PLAIN,
            "14:32:16: 1392MHz  0.15   3%   0%   1%   0%   1%   0%  44.1°C",
            &[(Policy(0), 1_392_000), (Load, 15), (Busy, 3), (IoWait, 1), (Temperature, 44_100)],
        );
        check(PLAIN, "14:32:16: 1392MHz   3%   0%   1%   0%   1%   0%  °C", &[(Policy(0), 1_392_000), (Busy, 3)]);
        check(
            PLAIN,
            "14:32:16: 1392MHz 18.06 100%  -1%   1%   0%   1%   0%  44,1°C",
            &[(Policy(0), 1_392_000), (Load, 1806), (Busy, 100), (System, -1), (Temperature, 44_100)],
        );
        check(PLAIN, "14:32:16:    MHz  0.15   3%   0%   1%   0%   1%   2%  44.1°C", &[(Irq, 2)]);
        check(
            "      CPU n/a    load %cpu %sys %usr %nice %io %irq   Temp",
            "18:25:25:  n/aMHz    0.36  28%   9%  17%   0%   0%   0%  41.6°C  ",
            &[(Load, 36), (User, 17)],
        );
        check(PLAIN, "18:25:25:   ---     0.36  28%   9%  17%   0%   0%   0%   --", &[(Load, 36)]);
        check(
            "      big.LITTLE   load %cpu %sys %usr %nice %io %irq   Temp",
            "09:07:45:  800/ 500MHz  8.06 100%   0%  99%   0%   0%   0%  79.2°C",
            &[(Big, 800_000), (Little, 500_000)],
        );
        check(
            "      cpu0/cpu4/cpu6    load %cpu %sys %usr %nice %io %irq   Temp",
            "04:16:06: 1800/2304/ 408MHz  8.06 100%   0%  99%   0%   0%   0%  76.7°C",
            &[(Policy(0), 1_800_000), (Policy(4), 2_304_000), (Policy(6), 408_000)],
        );
        check(
            "       fake/real   load %cpu %sys %usr %nice %io %irq   Temp    VCore    PMIC   DC(V)      mW",
            "19:15:45: 2400/2200MHz  4.01 100%   0%  99%   0%   0%   0%  50.7°C  0.8684V   5.8W   5.14V  7010",
            &[
                (Policy(0), 2_400_000),
                (Firmware, 2_200_000),
                (CoreMicrovolts, 868_400),
                (PmicMilliwatts, 5800),
                (InputMicrovolts, 5_140_000),
                (Milliwatts(0), 7010),
            ],
        );
    }

    #[test]
    fn invalid_temperatures() {
        for (word, expected) in [
            ("44.1°C", Ok(Some(44_100))),
            ("-5°C", Ok(Some(-5000))),
            ("-273200°C", Err(())),
            ("0°C", Err(())),
            ("--", Ok(None)),
            ("n/a°C", Ok(None)),
            ("°C", Ok(None)),
        ] {
            assert_eq!(temperature(word), expected, "{word}");
        }
    }
}
