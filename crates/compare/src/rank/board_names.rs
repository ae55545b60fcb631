//! Names of boards, with one key for all spellings of a board.

use facts::soc::bare_key;
use record::table::{Row, Table};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Names for people of boards with several spellings, by the [`bare_key`] of each.
static ALIASES: LazyLock<BTreeMap<String, &str>> = LazyLock::new(|| {
    let rows = Table::of(include_str!("../../../../data/board_aliases.tsv")).rows();
    let spellings = |row: Row<'static>| {
        let name = row.get("name");
        row.get("known_as").split('|').chain([name]).map(|known| (bare_key(known), name)).collect::<Vec<_>>()
    };
    rows.flat_map(spellings).collect()
});

/// Highest clocks, in MHz, that the makers of boards that many people know state.
static USUAL_MHZ: LazyLock<BTreeMap<&str, f64>> = LazyLock::new(|| {
    let rows = Table::of(include_str!("../../../../data/familiar_boards.tsv")).rows();
    rows.filter_map(|row| Some((row.get("name"), row.get("clock_mhz").parse().ok()?))).collect()
});

/// Board with its name for people.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedBoard {
    /// Key of all spellings of the board.
    pub key: String,
    /// Name for people.
    pub name: String,
    /// Usual clock of boards that many people know.
    pub usual_mhz: Option<f64>,
}

impl NamedBoard {
    /// Board of a name. Spellings of one board have one key: `rock5b` and `Radxa ROCK 5B`.
    pub fn of(board: &str) -> Self {
        let short = short_name(board);
        // The name of a maker may look like the end of the board's: `Radxa Computer (Shenzhen) Co.`
        let known = ALIASES.get(&bare_key(board)).or_else(|| ALIASES.get(&bare_key(&short)));
        let name = known.map_or(short, |name| (*name).to_owned());
        Self { key: bare_key(&name), usual_mhz: USUAL_MHZ.get(name.as_str()).copied(), name }
    }
}

/// Name without the revision, so that all revisions are one board, and without the backtick that firmware left in it.
fn short_name(board: &str) -> String {
    let board = &board.replace('`', "");
    let marks = [" Rev ", " / BCM", " (", " Developer Kit"];
    let cut = marks.iter().filter_map(|mark| board.find(mark)).chain(revision(board)).min().unwrap_or(board.len());
    let name = board[..cut].replace("RPi ", "Raspberry Pi ").replace(" Model B Plus", " B+").replace(" Model B", " B");
    if name.starts_with("Raspberry Pi ") { name } else { board[..cut].to_owned() }
}

/// Position of a revision such as ` v1.3B`. `V2` without a dot is a model: VisionFive V2.
fn revision(board: &str) -> Option<usize> {
    let is_revision = |rest: &str| {
        let mut parts = rest.split(' ').next().unwrap_or_default().splitn(2, '.');
        let is_number = |part: Option<&str>| part.is_some_and(|part| part.starts_with(|c: char| c.is_ascii_digit()));
        let major = parts.next();
        is_number(major)
            && major.is_some_and(|major| major.bytes().all(|c| c.is_ascii_digit()))
            && is_number(parts.next())
    };
    [" v", " V"]
        .iter()
        .flat_map(|mark| board.match_indices(mark))
        .map(|(at, _)| at)
        .filter(|at| is_revision(&board[at + 2..]))
        .min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revisions_are_one_board() {
        for (board, expected) in [
            ("AAEON BOXER-8654AI_RefKit` platform", "AAEON BOXER-8654AI_RefKit platform"),
            ("Raspberry Pi 4 Model B Rev 1.4 / BCM2711 Rev C0", "Raspberry Pi 4 B"),
            ("RPi 4 Model B Rev 1.1 / BCM2711 Rev B0", "Raspberry Pi 4 B"),
            ("Raspberry Pi 3 Model B Plus Rev 1.3", "Raspberry Pi 3 B+"),
            ("Radxa ROCK 5B", "Radxa ROCK 5B"),
            ("AZW EQ / N100", "AZW EQ / N100"),
            ("StarFive VisionFive 2 v1.3B", "StarFive VisionFive 2"),
            ("StarFive VisionFive V2", "StarFive VisionFive V2"),
            ("Pine64 RockPro64 v2.1", "Pine64 RockPro64"),
            ("NVIDIA Jetson Nano Developer Kit", "NVIDIA Jetson Nano"),
            ("Odd v", "Odd v"),
            ("Odd v1.", "Odd v1."),
        ] {
            assert_eq!(short_name(board), expected);
        }
        assert_eq!(NamedBoard::of("rock5b").name, "ROCK 5B");
        assert_eq!(NamedBoard::of("AZW EQ / N100").usual_mhz, Some(3400.0));
        assert_eq!(NamedBoard::of("ROCK 5A").usual_mhz, None);
    }

    #[test]
    fn spellings_are_one_board() {
        for (one, other) in [
            ("StarFive VisionFive V2", "StarFive VisionFive 2 v1.3B"),
            ("rockpro64", "Pine64 RockPro64 v2.1"),
            ("jetson-nano", "NVIDIA Jetson Nano Developer Kit"),
            ("rock5b", "Radxa ROCK 5B"),
            ("ROCK 5B", "Radxa ROCK 5 Model B"),
            ("Orange Pi 5 Max", "RK3588 OPi 5 Max"),
            ("BPi M2U", "Banana Pi BPI-M2-Ultra"),
            ("Radxa Orion O6", "Radxa Computer (Shenzhen) Co., Ltd. Radxa Orion O6 1.0"),
        ] {
            assert_eq!(NamedBoard::of(one).key, NamedBoard::of(other).key);
        }
        assert_ne!(NamedBoard::of("Radxa ROCK 5B Plus").key, NamedBoard::of("ROCK 5B").key);
    }

    #[test]
    fn aliases_have_one_board_each() {
        let mut names: BTreeMap<String, &str> = BTreeMap::new();
        for row in Table::of(include_str!("../../../../data/board_aliases.tsv")).rows() {
            for known in row.get("known_as").split('|').chain([row.get("name")]) {
                let name = names.entry(bare_key(known)).or_insert(row.get("name"));
                assert_eq!(*name, row.get("name"), "{known}");
                assert_eq!(NamedBoard::of(known).name, *name, "{known}");
            }
        }
    }

    #[test]
    fn every_familiar_board_has_a_clock() {
        let mut rows = Table::of(include_str!("../../../../data/familiar_boards.tsv")).rows();
        assert!(rows.all(|row| NamedBoard::of(row.get("name")).usual_mhz.is_some()));
    }
}
