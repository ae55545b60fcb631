//! Files that are not logs, from `data/foreign_files.tsv`: what they are, and what to do instead.

use record::table::{Row, Table};
use std::sync::LazyLock;

const TABLE: Table = Table::of(include_str!("../../../data/foreign_files.tsv"));

/// A kind of file that is not a log.
#[derive(Debug, PartialEq, Eq)]
pub struct ForeignFile {
    starts: Vec<u8>,
    is_of_line: bool,
    /// Predicate of a sentence: `a picture`.
    pub what: &'static str,
    /// Remedy: `pass the text that it shows`.
    pub way: &'static str,
}

static KINDS: LazyLock<Vec<ForeignFile>> = LazyLock::new(|| TABLE.rows().map(ForeignFile::of).collect());

impl ForeignFile {
    fn of(row: Row<'static>) -> Self {
        let mut parts = row.get("starts").split("\\x");
        let mut starts = parts.next().unwrap_or_default().as_bytes().to_vec();
        for part in parts {
            let (byte, rest) = part.split_at(2);
            starts.extend(u8::from_str_radix(byte, 16));
            starts.extend(rest.bytes());
        }
        Self { starts, is_of_line: row.get("place") == "line", what: row.get("what"), way: row.get("way") }
    }

    /// The kind of a file that is not text; `None` if its first bytes are not known.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Option<&'static Self> {
        KINDS.iter().find(|kind| !kind.is_of_line && bytes.starts_with(&kind.starts))
    }

    /// The kind of a text without results; `None` if no line is known.
    pub fn of_text(text: &str) -> Option<&'static Self> {
        let is_in =
            |kind: &&Self| kind.is_of_line && text.lines().any(|line| line.as_bytes().starts_with(&kind.starts));
        KINDS.iter().find(is_in)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_known_by_their_starts() {
        for (bytes, what) in [
            (&b"\x89PNG\r\n"[..], Some("a picture")),
            (b"{\\rtf1", Some("a rich text document")),
            (b"7z\xbc\xaf\x27\x1c", Some("a 7z archive")),
            (b"7-Zip (a)", None),
        ] {
            assert_eq!(ForeignFile::of_bytes(bytes).map(|kind| kind.what), what);
        }
        let kind = ForeignFile::of_text("\n7-Zip (a) [64] 16.02\n").unwrap();
        assert_eq!((kind.what, ForeignFile::of_text("a 7-Zip ")), ("output of 7-Zip without its log", None));
        assert!(
            TABLE.rows().all(|row| row.array::<5>().is_some_and(|cells| cells.iter().all(|cell| !cell.is_empty())))
        );
    }
}
