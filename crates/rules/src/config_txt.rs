//! Effect of the settings in a Raspberry Pi's `config.txt` on performance, for the rule `rpi-config` (logs, which quote
//! the file) and the check `config-txt` (machines at rest).
//!
//! Facts are in `data/rpi_config.tsv`. A setting counts only where it certainly applies: outside of conditional
//! filters, or below one for this model. Rules decide on its actual effect.

use facts::{Finding, Place, Quantity, Severity};
use record::table::Table;
use record::{NamedValue, Record, RuleId};

const TABLE: Table = Table::of(include_str!("../../../data/rpi_config.tsv"));
/// Name of a line of the file in Records from logs.
const PREFIX: &str = "config.txt/";

struct Setting<'a> {
    name: &'a str,
    value: &'a str,
    place: Place,
}

/// Settings of one board that are in effect.
pub struct ConfigTxt<'a> {
    /// Conditional filters of the file that match the board.
    filters: Vec<&'static str>,
    /// Other names in the table: the default clock, a console on the mini UART.
    labels: Vec<&'static str>,
    settings: Vec<Setting<'a>>,
}

/// Effect of a setting, from the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Lowers performance.
    Slower,
    /// Exceeds the maker's defaults.
    Faster,
    /// Hides or causes problems.
    Risky,
}

impl<'a> ConfigTxt<'a> {
    /// Parses the file as quoted in a log: line by line, with section headings.
    pub fn of_log(record: &'a Record) -> Self {
        let mut found = Self::of_board(record);
        let mut section = None;
        for line in &record.machine.firmware {
            let Some(name) = line.name.strip_prefix(PREFIX) else { continue };
            if let Some(heading) = name.strip_prefix('[') {
                section = Some(heading.trim_end_matches(']'));
            } else {
                let number = line.from.strip_prefix("line ").and_then(|n| n.parse().ok());
                let field = || Place::Field("machine.firmware".into());
                found.take(section, name, line, number.map_or_else(field, Place::Line));
            }
        }
        found
    }

    /// Parses the inspection of a machine: each setting with its section after the path.
    pub fn of_survey(record: &'a Record, settings: &'a [NamedValue]) -> Self {
        let mut found = Self::of_board(record);
        for line in settings {
            let section = line.from.split_once("#[");
            let section = section.and_then(|(_, heading)| heading.strip_suffix(']'));
            let place = Place::Field("surveys.0.config_txt".into());
            found.take(section, &line.name, line, place);
        }
        found
    }

    fn of_board(record: &Record) -> Self {
        let board = record.machine.board.known();
        let filters = board.map_or(Vec::new(), |board| filters(board));
        let labels = board.map_or(Vec::new(), |board| labels(board, &filters));
        Self { filters, labels, settings: Vec::new() }
    }

    /// Takes a setting of a section that certainly applies. The last of several values counts, as in the firmware.
    fn take(&mut self, section: Option<&str>, name: &'a str, line: &'a NamedValue, place: Place) {
        let section = section.map(str::to_ascii_lowercase);
        if section.is_none_or(|section| section == "all" || self.is(&section)) {
            self.settings.retain(|known| known.name != name);
            self.settings.push(Setting { name, value: &line.value, place });
        }
    }

    /// True if this conditional filter (`pi4`, `pi3+`) matches the board.
    pub fn is(&self, filter: &str) -> bool {
        self.filters.contains(&filter)
    }

    /// Value of a setting in effect.
    pub fn get(&self, name: &str) -> Option<&'a str> {
        let found = self.settings.iter().find(|setting| setting.name == name);
        found.map(|setting| setting.value)
    }

    /// Value of a setting in effect, as a number.
    pub fn number(&self, name: &str) -> Option<i64> {
        self.get(name).and_then(number)
    }

    /// Findings about the settings in effect, in order. Severity depends on the caller: a finished run, or a machine at
    /// rest.
    pub fn findings(&self, id: RuleId, severity: impl Fn(Kind, &str) -> Severity) -> Vec<Finding> {
        let judged = self.settings.iter().filter_map(|setting| {
            let row = rows().find(|row| self.fits(row, setting))?;
            let finding = Finding::new(id, severity(row.kind, row.setting), template(row.kind))
                .with("setting", Quantity::Text(row.setting.to_owned()))
                .with("value", Quantity::Text(setting.value.to_owned()))
                .with("effect", Quantity::Text(row.effect.to_owned()));
            Some(finding.at(setting.place.clone()))
        });
        judged.collect()
    }

    fn fits(&self, row: &OptionRow, setting: &Setting) -> bool {
        let is = |model: &str| self.is(model) || self.labels.contains(&model);
        let concerns = row.models == "-" || row.models.split(',').any(is);
        row.setting == setting.name && concerns && holds(row.is, setting.value)
    }
}

/// Sentence for a setting that raises a clock above the default.
pub const FASTER: &str = "config.txt sets {setting}={value}: {effect}. Scores are not representative of a stock board.";

fn template(kind: Kind) -> &'static str {
    match kind {
        Kind::Faster => FASTER,
        Kind::Slower | Kind::Risky => "config.txt sets {setting}={value}: {effect}.",
    }
}

struct OptionRow {
    setting: &'static str,
    models: &'static str,
    is: &'static str,
    kind: Kind,
    effect: &'static str,
}

fn rows() -> impl Iterator<Item = OptionRow> {
    TABLE.rows().filter_map(|row| {
        let [setting, models, is, kind, effect, _] = row.array()?;
        let kind = match kind {
            "slower" => Kind::Slower,
            "faster" => Kind::Faster,
            "risky" => Kind::Risky,
            _ => return None,
        };
        Some(OptionRow { setting, models, is, kind, effect })
    })
}

/// Conditional filters that match a board of this name.
fn filters(board: &str) -> Vec<&'static str> {
    let name = board.to_ascii_lowercase();
    let name = name.split('/').next().unwrap_or_default();
    let Some(model) = ["raspberry pi ", "rpi "].iter().find_map(|maker| {
        let at = name.find(maker)?;
        Some(name[at + maker.len()..].trim())
    }) else {
        return Vec::new();
    };
    // The longest prefix comes first and takes precedence.
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

/// Labels of the table for boards that conditional filters do not separate: by advertised clock, and by the mini UART
/// as console. Sources: Raspberry Pi documentation, "config.txt" (`arm_boost`, overclocking) and "UART configuration".
fn labels(board: &str, filters: &[&str]) -> Vec<&'static str> {
    let name = board.to_ascii_lowercase();
    let is = |filter: &str| filters.contains(&filter);
    let revision = name.split_once("rev 1.").and_then(|(_, rest)| rest.chars().next()?.to_digit(10));
    let mut found = Vec::new();
    if is("pi4") {
        // Stepping C0 of the chip came with the 400 and revision 1.4 of the 4B; the name of a compute module does not
        // show its stepping.
        match revision {
            _ if is("pi400") => found.push("pi4-1800"),
            _ if is("cm4") => found.push("pi4-1500"),
            Some(4..) => found.push("pi4-1800"),
            Some(_) => found.push("pi4-1500"),
            None => {}
        }
    }
    if is("pi3") && !is("pi3+") && !name.contains("compute module 3+") && !name.contains("compute module 3 plus") {
        found.push("pi3-1200");
    }
    if is("pi0") && !is("pi02") && name.contains("zero w") {
        found.push("pi0w");
    }
    if is("pi0") && !is("pi02") {
        found.push("pi0-first");
    }
    found
}

/// Compares a value by the rules of the firmware.
fn holds(is: &str, value: &str) -> bool {
    if is == "any" {
        return true;
    }
    let (Some(number), Some(limit)) = (number(value), is.get(1..).and_then(number)) else { return false };
    match is.as_bytes()[0] {
        b'<' => number < limit,
        b'>' => number > limit,
        _ => number == limit,
    }
}

/// Parses a number by the rules of the firmware, decimal or `0x`.
fn number(value: &str) -> Option<i64> {
    let value = value.trim();
    match value.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => value.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_well_formed() {
        // Every row has a known kind.
        assert_eq!(rows().count(), TABLE.rows().count());
        for row in rows() {
            let is_comparison = ["<", ">", "="].iter().any(|sign| row.is.starts_with(sign));
            assert!(row.is == "any" || is_comparison, "{}", row.setting);
        }
        assert!(rows().count() > 20);
        for (is, value, expected) in
            [(">60", "0x3d", true), ("<0", "-2", true), ("=1", "1 ", true), ("=1", "one", false)]
        {
            assert_eq!(holds(is, value), expected, "{is} {value}");
        }
    }

    /// Row of the table for this setting on this board.
    fn effect(board: &str, setting: &str, value: &str) -> Option<&'static str> {
        let filters = filters(board);
        let labels = labels(board, &filters);
        let file = ConfigTxt { filters, labels, settings: Vec::new() };
        let setting = Setting { name: setting, value, place: Place::Field(String::new()) };
        rows().find(|row| file.fits(row, &setting)).map(|row| row.effect)
    }

    #[test]
    fn rows_hold_on_the_boards_they_name_and_on_no_others() {
        let old4 = "Raspberry Pi 4 Model B Rev 1.1";
        let new4 = "Raspberry Pi 4 Model B Rev 1.5";
        let (pi3, pi3plus) = ("Raspberry Pi 3 Model B Rev 1.2", "Raspberry Pi 3 Model B Plus Rev 1.3");
        let (zero, zero_w, zero_2) =
            ("Raspberry Pi Zero Rev 1.3", "Raspberry Pi Zero W Rev 1.1", "Raspberry Pi Zero 2 W Rev 1.0");
        for (setting, value, on, not_on) in [
            ("arm_freq", "1800", old4, new4),
            ("arm_freq", "1800", "Raspberry Pi Compute Module 4 Rev 1.1", "Raspberry Pi 400 Rev 1.0"),
            ("arm_freq", "2000", new4, "Radxa ROCK 5B"),
            ("arm_freq", "1300", pi3, "Radxa ROCK 5B"),
            ("arm_freq", "1450", pi3plus, "Radxa ROCK 5B"),
            ("arm_boost", "0", new4, pi3),
            ("arm_boost", "1", old4, pi3plus),
            ("arm_freq_min", "100", zero, ""),
            ("core_freq", "200", pi3, "Radxa ROCK 5B"),
            ("enable_uart", "1", pi3, zero),
            ("enable_uart", "1", zero_w, zero_2),
            ("initial_turbo", "60", pi3, ""),
            ("over_voltage", "2", pi3, ""),
            ("sdram_freq", "420", zero, "Raspberry Pi Model B Rev 2"),
            ("sdram_freq", "480", pi3plus, pi3),
        ] {
            assert!(effect(on, setting, value).is_some(), "{setting}={value} on {on}");
            // Some rows apply to all boards.
            assert!(not_on.is_empty() || effect(not_on, setting, value).is_none(), "{setting}={value} on {not_on}");
        }
    }

    #[test]
    fn boards_have_their_filters() {
        for (board, expected) in [
            ("Raspberry Pi 4 Model B Rev 1.4", &["pi4"][..]),
            ("Raspberry Pi 400 Rev 1.0", &["pi4", "pi400"]),
            ("Raspberry Pi Compute Module 4 Rev 1.0", &["pi4", "cm4"]),
            ("Raspberry Pi Zero 2 W Rev 1.0", &["pi0", "pi02"]),
            ("Raspberry Pi 3 Model B Plus Rev 1.3", &["pi3", "pi3+"]),
            ("Raspberry Pi Model B Rev 2", &["pi1"]),
            ("RPi 5 Model B Rev 1.0 / BCM2712", &["pi5"]),
            ("Radxa ROCK 5B", &[]),
        ] {
            assert_eq!(filters(board), expected, "{board}");
        }
    }
}
