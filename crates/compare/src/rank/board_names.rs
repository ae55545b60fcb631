//! Names of boards, with one key for all spellings of a board.

use facts::soc::bare_key;
use record::table::{Row, Table};
use std::sync::LazyLock;

/// Boards that many people know.
static FAMILIAR: LazyLock<Vec<Familiar>> = LazyLock::new(|| {
    let rows = Table::of(include_str!("../../../../data/familiar_boards.tsv")).rows();
    let keys = |row: &Row<'_>| row.get("known_as").split('|').map(bare_key).collect();
    rows.map(|row| Familiar { name: row.get("name"), keys: keys(&row) }).collect()
});

/// A board that many people know.
struct Familiar {
    name: &'static str,
    /// Its names as [`bare_key`]s.
    keys: Vec<String>,
}

/// Board with its name for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedBoard {
    /// Key of all spellings of the board.
    pub(super) key: String,
    pub(super) name: String,
    /// True for boards that many people know.
    pub(super) is_familiar: bool,
}

/// Key and name for people of a board. Spellings of one board have one key: `rock5b` and `Radxa ROCK 5B`.
pub fn board_name(board: &str) -> (String, String) {
    let NamedBoard { key, name, .. } = NamedBoard::of(board);
    (key, name)
}

impl NamedBoard {
    pub(super) fn of(board: &str) -> Self {
        let name = short_name(board);
        let key = bare_key(&name);
        match FAMILIAR.iter().find(|familiar| familiar.keys.contains(&key)) {
            Some(familiar) => Self { key: familiar.keys[0].clone(), name: familiar.name.to_owned(), is_familiar: true },
            None => Self { key, name, is_familiar: false },
        }
    }
}

/// Name without the revision, so that all revisions are one board, and without the backtick that firmware left in it.
fn short_name(board: &str) -> String {
    let board = &board.replace('`', "");
    let cut = [" Rev ", " / BCM", " ("].iter().filter_map(|mark| board.find(mark)).min().unwrap_or(board.len());
    let name = board[..cut].replace("RPi ", "Raspberry Pi ").replace(" Model B Plus", " B+").replace(" Model B", " B");
    if name.starts_with("Raspberry Pi ") { name } else { board[..cut].to_owned() }
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
        ] {
            assert_eq!(short_name(board), expected);
        }
        assert_eq!(NamedBoard::of("rock5b").name, "ROCK 5B");
        assert!(NamedBoard::of("AZW EQ / N100").is_familiar && !NamedBoard::of("ROCK 5A").is_familiar);
    }
}
