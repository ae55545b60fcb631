//! Reader of the tables in `data/`: one fact per row, with its source.
//!
//! It splits rows and finds columns; the calling code interprets them. The tables are part of the program, so `xtask
//! tidy` and the tests of that code find a broken one, and errors at run time are not needed. A table is its text;
//! reading does not allocate.

/// Lists of words.
const LISTS: Table = Table::of(include_str!("../../../data/words.tsv"));

/// Table: tab-separated lines below a header. Empty lines and lines beginning with `#` are ignored.
#[derive(Debug, Clone, Copy)]
pub struct Table<'a> {
    text: &'a str,
}

/// Row of a table.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    header: &'a str,
    line: &'a str,
    number: usize,
}

/// Words of a list in `data/words.tsv`.
pub fn word_list(list: &str) -> Vec<&'static str> {
    let row = LISTS.rows().find(|row| row.get("list") == list);
    row.map_or_else(Vec::new, |row| row.get("words").split(' ').collect())
}

impl<'a> Table<'a> {
    /// Table in this text.
    pub const fn of(text: &'a str) -> Self {
        Self { text }
    }

    /// Rows, in order.
    pub fn rows(self) -> impl Iterator<Item = Row<'a>> + Clone {
        let mut lines = self.lines();
        let header = lines.next().map_or("", |(line, _)| line);
        lines.map(move |(line, number)| Row { header, line, number })
    }

    /// Column names; empty for a table without a header.
    pub fn columns(self) -> impl Iterator<Item = &'a str> {
        self.lines().take(1).flat_map(|(line, _)| line.split('\t'))
    }

    fn lines(self) -> impl Iterator<Item = (&'a str, usize)> + Clone {
        self.text.lines().zip(1..).filter(|(line, _)| !line.is_empty() && !line.starts_with('#'))
    }
}

impl<'a> Row<'a> {
    /// Text of the cell in this column; empty if the row lacks it.
    pub fn get(&self, column: &str) -> &'a str {
        let mut cells = self.header.split('\t').zip(self.cells());
        cells.find(|(name, _)| *name == column).map_or("", |(_, cell)| cell)
    }

    /// Cell in this column; `None` for `-`.
    pub fn cell(&self, column: &str) -> Option<&'a str> {
        Some(self.get(column)).filter(|cell| !cell.is_empty() && *cell != "-")
    }

    /// Cell as a number, decimal or `0x...`; `None` for `-`.
    pub fn number(&self, column: &str) -> Option<u64> {
        parse_number(self.get(column))
    }

    /// All cells in order.
    pub fn cells(&self) -> impl Iterator<Item = &'a str> + Clone {
        self.line.split('\t')
    }

    /// All cells in order; `None` unless there are `N`.
    pub fn array<const N: usize>(&self) -> Option<[&'a str; N]> {
        let mut cells = self.cells();
        let mut array = [""; N];
        for cell in &mut array {
            *cell = cells.next()?;
        }
        cells.next().is_none().then_some(array)
    }

    /// Line number in the file, from 1.
    pub fn line_number(&self) -> usize {
        self.number
    }
}

/// Parses a number in the notation of kernel files and tables: decimal, or hexadecimal with `0x`.
pub fn parse_number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_by_name_and_by_place() {
        let table = Table::of("# about\n\nid\trate\tsource\na\t0x10\tmanual\n# why\nb\t-\n");
        let rows: Vec<_> = table.rows().collect();
        assert_eq!(table.columns().collect::<Vec<_>>(), ["id", "rate", "source"]);
        let cells = rows.iter().map(|row| (row.get("id"), row.number("rate"), row.get("source"), row.line_number()));
        assert_eq!(cells.collect::<Vec<_>>(), [("a", Some(16), "manual", 4), ("b", None, "", 6)]);
        assert_eq!((rows[0].cell("rate"), rows[1].cell("rate"), rows[1].cell("source")), (Some("0x10"), None, None));
        assert_eq!((rows[0].array(), rows[1].array::<3>()), (Some(["a", "0x10", "manual"]), None));
        assert_eq!((rows[0].get("other"), rows[0].array::<2>()), ("", None));
        assert_eq!(Table::of("# only this\n").rows().count() + Table::of("").columns().count(), 0);
    }

    #[test]
    fn numbers_are_decimal_or_hexadecimal() {
        for (text, number) in [("0xd03", Some(0xd03)), ("12", Some(12)), ("-", None), ("0x", None), ("", None)] {
            assert_eq!(parse_number(text), number, "{text}");
        }
    }
}
