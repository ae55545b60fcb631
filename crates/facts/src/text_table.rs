//! Tables for a terminal: columns as wide as their widest cell, or rows as paragraphs if the terminal is too narrow.

use facts::lines::{padded, width, wrapped_at};

/// Blanks in front of a table.
const INDENT: usize = 3;

/// Rows of cells; the first column is left-aligned, the others right-aligned.
pub(super) struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Empty table with this header.
    pub(super) fn new(header: Vec<String>) -> Self {
        Self { header, rows: Vec::new() }
    }

    /// Adds a row. A single cell is a subheading and does not widen its column.
    pub(super) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Width of the widest line in columns.
    pub(super) fn width(&self) -> usize {
        self.lines().iter().map(|line| width(line)).max().unwrap_or(0)
    }

    /// Renders the table in lines of at most `columns` columns.
    pub(super) fn text(&self, columns: usize) -> String {
        let mut lines = self.lines();
        if lines.iter().any(|line| width(line) > columns) {
            lines = self.rows.iter().map(|row| self.paragraph(row, columns)).collect();
        }
        lines.into_iter().map(|line| line + "\n").collect()
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
            let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, widest))| match column {
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
        let others = others.iter().zip(self.header.iter().skip(1)).filter(|(cell, _)| cell.trim() != "-");
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
