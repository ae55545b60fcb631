//! Tables for a terminal: columns as wide as their widest cell, or rows as paragraphs if the terminal is too narrow. A column
//! without values is omitted.

use crate::lines::{padded, width, wrapped_at};

/// Blanks in front of a table.
const INDENT: usize = 3;

/// Cell without a value.
pub const NO_VALUE: &str = "-";

/// Rows of cells; the first column is left-aligned, the others right-aligned.
pub struct TextTable {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl TextTable {
    /// Empty table with this header.
    pub fn new(header: Vec<String>) -> Self {
        Self { header, rows: Vec::new() }
    }

    /// Adds a row. A single cell is a subheading and does not widen its column.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Width of the widest line in columns.
    pub fn width(&self) -> usize {
        self.lines().iter().map(|line| width(line)).max().unwrap_or(0)
    }

    /// Renders the table in lines of at most `columns` columns.
    pub fn text(&self, columns: usize) -> String {
        let mut lines = self.lines();
        if lines.iter().any(|line| width(line) > columns) {
            lines = self.rows.iter().map(|row| self.paragraph(row, columns)).collect();
        }
        lines.into_iter().map(|line| line + "\n").collect()
    }

    /// True if a row has a value in the column with this heading.
    pub fn has(&self, heading: &str) -> bool {
        let column = self.header.iter().position(|known| known == heading);
        column.is_some_and(|column| self.has_values(column))
    }

    fn has_values(&self, column: usize) -> bool {
        column == 0 || self.rows.iter().filter_map(|row| row.get(column)).any(|cell| cell.trim() != NO_VALUE)
    }

    fn lines(&self) -> Vec<String> {
        let all = || std::iter::once(&self.header).chain(&self.rows);
        let columns = all().map(Vec::len).max().unwrap_or(0);
        let widest = |column: usize| {
            let cells = all().filter(|row| row.len() > 1).filter_map(|row| row.get(column));
            cells.map(|cell| width(cell)).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(widest).collect();
        let line = |row: &Vec<String>| {
            let shown = row.iter().zip(&widths).enumerate().filter(|(column, _)| self.has_values(*column));
            let cells = shown.map(|(column, (cell, widest))| match column {
                0 if row.len() == 1 => cell.clone(),
                0 => padded(cell, *widest),
                _ => " ".repeat(widest.saturating_sub(width(cell))) + cell,
            });
            let cells: Vec<String> = cells.collect();
            format!("{:INDENT$}{}", "", cells.join("  ").trim_end())
        };
        all().map(line).collect()
    }

    /// Renders a row as its first cell, then the others, each after its heading.
    fn paragraph(&self, row: &[String], columns: usize) -> String {
        let (first, others) = row.split_first().map_or(("", row), |(first, others)| (first.as_str(), others));
        let others = others.iter().zip(self.header.iter().skip(1)).filter(|(cell, _)| cell.trim() != NO_VALUE);
        let others: Vec<String> = others.map(|(cell, name)| format!("{} {}", name.trim(), cell.trim())).collect();
        let indent = INDENT + first.len() - first.trim_start().len();
        let first = wrapped_at(&format!("{:INDENT$}{first}", ""), indent + INDENT, columns);
        let indent = indent + INDENT;
        match others.as_slice() {
            [] => first,
            others => {
                format!("{first}\n{}", wrapped_at(&format!("{:indent$}{}", "", others.join(", ")), indent, columns))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::TextTable;

    #[test]
    fn columns_without_values_are_omitted() {
        let words = |words: &str| words.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let mut table = TextTable::new(words("set reported measured"));
        table.row(words("heading"));
        table.row(words("408 - 398.1"));
        table.row(words("600 - -"));
        assert_eq!(table.text(80), "   set  measured\n   heading\n   408     398.1\n   600         -\n");
        assert_eq!(table.text(15), "   heading\n   408\n      measured\n      398.1\n   600\n");
        assert!(!table.has("reported") && table.has("measured") && !table.has("agree"));
    }
}
