//! A table of cells as Markdown and as CSV. Cells are foreign text: each form escapes what would mean something in it.

use crate::plain::{csv, markdown};

/// A table.
#[derive(Debug, Clone, Default)]
pub struct Sheet {
    /// Heading of each column, and whether the column is numeric.
    columns: Vec<(String, bool)>,
    rows: Vec<Vec<String>>,
}

impl Sheet {
    /// A table without rows.
    pub fn new(columns: impl IntoIterator<Item = (impl Into<String>, bool)>) -> Self {
        let columns = columns.into_iter().map(|(heading, is_number)| (heading.into(), is_number)).collect();
        Self { columns, rows: Vec::new() }
    }

    /// Adds a row, which has a cell for each column.
    pub fn row(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// Adds a row for an entry that does not take part: its known columns, and the reason in the last one.
    pub fn left_out(&mut self, known: &[(usize, &str)], why: &str) {
        let mut cells = vec![String::new(); self.columns.len()];
        known.iter().for_each(|(column, text)| cells[*column] = (*text).to_owned());
        if let Some(last) = cells.last_mut() {
            *last = comparable(Some(why));
        }
        self.rows.push(cells);
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Comma-separated values (RFC 4180), lines ending with LF as all tools of Linux have them.
    pub fn csv(&self) -> String {
        let line = |cells: Vec<String>| cells.join(",") + "\n";
        let heading = line(self.columns.iter().map(|(heading, _)| csv(heading)).collect());
        let rows = self.rows.iter().map(|row| line(row.iter().map(|cell| csv(cell)).collect()));
        heading + &rows.collect::<String>()
    }

    /// A table as GitHub shows it: numbers right-aligned.
    pub fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let rule = |(_, is_number): &(String, bool)| if *is_number { "---:" } else { ":---" }.to_owned();
        let heading = line(self.columns.iter().map(|(heading, _)| markdown(heading)).collect());
        let rule = line(self.columns.iter().map(rule).collect());
        let rows = self.rows.iter().map(|row| line(row.iter().map(|cell| markdown(cell)).collect()));
        heading + &rule + &rows.collect::<String>()
    }
}

/// Sentences as a Markdown list under a heading; empty without sentences.
pub fn list(heading: &str, lines: impl Iterator<Item = String>) -> String {
    let lines: String = lines.map(|line| format!("* {}\n", markdown(&line))).collect();
    if lines.is_empty() { lines } else { format!("\n{heading}\n\n{lines}") }
}

/// A number for programs with all digits; empty if unknown.
pub fn raw(value: Option<f64>) -> String {
    value.filter(|value| value.is_finite()).map_or_else(String::new, |value| value.to_string())
}

/// Cell for whether a figure is comparable: `yes` or `no: reason`.
pub fn comparable(why_not: Option<&str>) -> String {
    why_not.map_or_else(|| "yes".to_owned(), |why| format!("no: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stay_cells() {
        let mut sheet = Sheet::new([("name", false), ("MB/s", true)]);
        sheet.row(["a | b_c, \"d\"\n=1".to_owned(), raw(Some(0.1 + 0.2))]);
        sheet.row(["<b>".to_owned(), raw(Some(f64::NAN))]);
        assert_eq!(sheet.csv(), "name,MB/s\n\"a | b_c, \"\"d\"\" =1\",0.30000000000000004\n<b>,\n");
        let mut change = Sheet::new([("change_percent", true), ("name", false)]);
        change.row([raw(Some(-18.2)), "-1+1".to_owned()]);
        assert_eq!(change.csv(), "change_percent,name\n-18.2,'-1+1\n");
        let table =
            "| name | MB/s |\n| :--- | ---: |\n| a \\| b_c, \"d\" =1 | 0.30000000000000004 |\n| &lt;b&gt; |  |\n";
        assert_eq!(sheet.markdown(), table);
        assert_eq!((comparable(None), comparable(Some("other version"))), ("yes".into(), "no: other version".into()));
    }
}
