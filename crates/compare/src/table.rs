//! Tables for a terminal: columns as wide as their widest cell.

use std::fmt::Write;

/// Rows of cells; the first column is left-aligned, the others right-aligned.
pub(super) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these words over its columns.
    pub(super) fn new(header: Vec<String>) -> Self {
        Self { rows: vec![header] }
    }

    /// Adds a row. One with a single cell stands over others: it makes no column wider.
    pub(super) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The table as text.
    pub(super) fn finish(self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.rows.iter().filter(|row| row.len() > 1).filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut text = String::new();
        for row in &self.rows {
            let cells = row.iter().zip(&widths).enumerate();
            let cells: Vec<String> = cells
                .map(|(column, (cell, width))| match column {
                    0 => format!("{cell:<width$}"),
                    _ => format!("{cell:>width$}"),
                })
                .collect();
            let _ = writeln!(text, "   {}", cells.join("  ").trim_end());
        }
        text
    }
}
