//! Boards by name, from `data/boards.tsv`.
//!
//! A name matches the beginning of a text as whole words; the longest one wins. The words after it must not be able to
//! name another board: `Orange Pi Zero 2` is not an `Orange Pi Zero`.

use super::table::TABLES;
use record::table::word_list;
use std::sync::LazyLock;

/// Rows `key<TAB>name<TAB>socs<TAB>source`, sorted by [`key`], which the table contains because lookups are frequent.
static ROWS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let lines = include_str!("../../../../data/boards.tsv").lines();
    lines.filter(|line| !line.starts_with('#')).skip(1).collect()
});

/// Makers whose names stand before a board's name, or do not.
static MAKERS: LazyLock<Vec<&str>> = LazyLock::new(|| word_list("board-makers"));
/// Words that may follow the name of a board and belong to the same board.
static HARMLESS: LazyLock<Vec<&str>> = LazyLock::new(|| word_list("board-suffixes"));
/// Shortest name that is looked up.
const KEY_BYTES_MIN: usize = 4;
/// Maximum number of words of a name.
const WORDS_MAX: usize = 16;
/// Minimum number of known boards with the same SoC that make a series.
const SERIES_MIN: usize = 5;
/// Maximum number of boards of a series.
const SERIES_MAX: usize = 64;

/// Words of a name in one spelling: `BPI-M2+` is `banana pi m2 plus`.
fn words(name: &str) -> Vec<String> {
    const SPELLINGS: [(&str, &str); 8] = [
        ("+", " plus "),
        ("orangepi", "orange pi "),
        ("bananapi", "banana pi "),
        ("bpi-", "banana pi "),
        ("rpi", "raspberry pi "),
        ("nano pi", "nanopi"),
        ("rockpi", "rock pi "),
        ("tinkerboard", "tinker board "),
    ];
    let mut text = name.to_lowercase();
    for (from, to) in SPELLINGS {
        if text.contains(from) {
            text = text.replace(from, to);
        }
    }
    let mut words: Vec<String> = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(WORDS_MAX)
        .map(str::to_owned)
        .collect();
    if words.starts_with(&["banana", "pi", "banana", "pi"].map(str::to_owned)) {
        words.drain(..2);
    }
    words
}

/// The spelling of a name that the table is sorted by.
pub fn key(name: &str) -> String {
    words(name).concat()
}

/// Common spelling of all names of a board: `ROCK 5B`, `rock5b` and `Radxa ROCK 5B` are one board.
pub fn bare_key(name: &str) -> String {
    let words = words(name);
    words[makers(&words)..].concat()
}

/// Number of words of the maker before the name of a board.
fn makers(words: &[String]) -> usize {
    let makers = words.iter().take_while(|word| MAKERS.contains(&word.as_str())).count();
    makers.min(words.len().saturating_sub(1))
}

/// Row of the board whose name a text begins with.
pub(super) fn find(text: &str) -> Option<&'static str> {
    let words = words(text);
    let makers = makers(&words);
    let starts = if makers > 0 { vec![0, makers] } else { vec![0] };
    for start in &starts {
        for end in (start + 1..=words.len()).rev() {
            let key = words[*start..end].concat();
            if key.len() < KEY_BYTES_MIN || !is_harmless(&words[end..]) {
                continue;
            }
            let found = row(&key)
                .or_else(|| MAKERS.iter().filter(|_| *start == makers).find_map(|maker| row(&format!("{maker}{key}"))));
            if let Some(row) = found {
                return Some(row);
            }
        }
    }
    starts.iter().find_map(|start| series(&words[*start..]))
}

/// The SoC of a board that the table of SoCs does not have.
pub(super) fn unlisted(text: &str) -> Option<String> {
    let row = find(text).filter(|row| socs(row).is_empty())?;
    Some(cell(row, 2).to_owned())
}

/// True if words after a name are revisions, sizes, or words such as `board`.
fn is_harmless(rest: &[String]) -> bool {
    let is_size = |word: &str| {
        let digits = word.trim_end_matches("gb").trim_end_matches('g');
        // `5G` is a radio.
        digits.len() < word.len() && word != "5g" && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_version =
        |word: &str| word.strip_prefix('v').is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    let mut is_revision = false;
    for word in rest {
        match word.as_str() {
            "on" | "with" => return super::names::in_words(&rest.join(" ")).is_empty(),
            "rev" | "revision" => is_revision = true,
            word if is_version(word) => is_revision = true,
            word if is_revision && word.len() <= 4 => {}
            word if is_size(word) || HARMLESS.contains(&word) => {}
            _ => return false,
        }
    }
    true
}

fn row(key: &str) -> Option<&'static str> {
    let at = ROWS.partition_point(|row| cell(row, 0) < key);
    ROWS.get(at).copied().filter(|row| cell(row, 0) == key)
}

/// One of the boards whose names start with the most of these words, if several do and all have the same SoC.
fn series(words: &[String]) -> Option<&'static str> {
    for end in (2..words.len()).rev() {
        let start = words[..end].concat();
        let from = ROWS.partition_point(|row| cell(row, 0) < start.as_str());
        let boards = ROWS[from..].iter().take(SERIES_MAX).take_while(|row| cell(row, 0).starts_with(&start));
        let boards: Vec<&&str> = boards.collect();
        let Some(first) = boards.first() else { continue };
        let is_one = boards.iter().all(|row| cell(row, 2) == cell(first, 2));
        return (is_one && (SERIES_MIN..SERIES_MAX).contains(&boards.len())).then_some(**first);
    }
    None
}

fn cell(row: &'static str, index: usize) -> &'static str {
    row.split('\t').nth(index).unwrap_or_default()
}

/// SoCs of a row that are in the table of SoCs.
pub(super) fn socs(row: &'static str) -> Vec<usize> {
    let names = cell(row, 2).split(", ");
    names.filter_map(|name| TABLES.by_name.get(name).copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn socs_of(text: &str) -> Vec<String> {
        let socs = find(text).map(socs).unwrap_or_default();
        socs.into_iter().map(|soc| TABLES.socs[soc].full_name()).collect()
    }

    #[test]
    fn rows_are_sorted_and_whole() {
        assert!(ROWS.is_sorted_by_key(|row| cell(row, 0)));
        for row in ROWS.iter() {
            assert_eq!(row.split('\t').count(), 4, "{row}");
            assert_eq!(key(cell(row, 1)), cell(row, 0), "{row}");
            assert!(cell(row, 2).contains(' ') && !cell(row, 3).is_empty(), "{row}");
        }
    }

    #[test]
    fn longest_whole_name_counts() {
        for (text, expected) in [
            ("Orange Pi Zero 2", "Allwinner H616"),
            ("OrangePi Zero2 W", "Allwinner H618"),
            ("Orange Pi Zero 2W", "Allwinner H618"),
            ("Xunlong Orange Pi Zero", "Allwinner H2+"),
            ("Orange Pi 4A", "Allwinner T527"),
            ("ASUS Tinker Board 2", "Rockchip RK3399"),
            ("Tinker Board 3N", "Rockchip RK3568"),
            ("Radxa ROCK 3B", "Rockchip RK3568"),
            ("Banana Pi BPI-M2-PRO", "Amlogic S905X3"),
            ("Khadas Edge-V", "Rockchip RK3399"),
            ("Raspberry Pi 4 Model B Rev 1.4", "Broadcom BCM2711"),
            ("Raspberry Pi 3 Model B Plus Rev 1.3", "Broadcom BCM2837B0"),
            ("RPi 4B", "Broadcom BCM2711"),
            ("ODROID-N2+", "Amlogic S922X"),
            ("Hardkernel ODROID-N2Plus", "Amlogic S922X"),
        ] {
            assert_eq!(socs_of(text), [expected], "{text}");
        }
        for text in ["Orange Pi Zero 9", "Orange", "", "board", "ROCK 5B Extreme 77", "Khadas Edge-9X"] {
            assert!(socs_of(text).is_empty(), "{text}: {:?}", socs_of(text));
        }
    }
}
