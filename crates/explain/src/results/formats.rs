//! The formats of a table of results. Each escapes foreign text in its own way.

use super::{COLUMNS, Row, Table, text};
use facts::plain;
use facts::sheet::Sheet;
use serde_json::{Map, Value, json};

/// A way to write a table.
pub struct Format {
    /// Name on the command line.
    pub id: &'static str,
    /// The table as text.
    pub write: fn(&Table<'_>) -> String,
}

/// All formats, sorted by id.
pub const FORMATS: &[Format] = &[
    Format { id: "csv", write: |table| csv(table.rows) },
    Format { id: "json", write: |table| json(table.rows) },
    Format { id: "md", write: |table| markdown(table.rows) },
    Format { id: "text", write: text::text },
];

/// The cells of a row with its verdict and its file.
fn cells(row: &Row) -> impl Iterator<Item = String> {
    let verdict = match &row.died_in {
        Some(step) => format!("died during {step}"),
        None if row.resumed_after.is_empty() => row.verdict.to_string(),
        None => format!("{}, resumed after it died during {}", row.verdict, row.resumed_after.join(" and ")),
    };
    row.cells.iter().cloned().chain([verdict, row.file.clone()])
}

fn headings() -> impl Iterator<Item = &'static str> {
    COLUMNS.into_iter().chain(["Verdict", "File"])
}

/// Explanation of each `≈`.
pub fn notes(rows: &[Row]) -> impl Iterator<Item = String> {
    let headings = [COLUMNS[4], COLUMNS[5]];
    rows.iter().flat_map(move |row| {
        let estimated = headings.into_iter().zip(&row.sevenzip_estimated);
        let told = move |(heading, words): (&str, &Option<String>)| {
            Some(format!("≈ {}, {heading}: {}.", row.file, words.as_ref()?))
        };
        estimated.filter_map(told)
    })
}

fn markdown(rows: &[Row]) -> String {
    let mut sheet = Sheet::new(headings().enumerate().map(|(column, heading)| (heading, (4..=9).contains(&column))));
    rows.iter().for_each(|row| sheet.row(cells(row)));
    let notes: Vec<String> = notes(rows).map(|note| plain::markdown(&note)).collect();
    if notes.is_empty() { sheet.markdown() } else { format!("{}\n{}\n", sheet.markdown(), notes.join("\n")) }
}

/// Comma-separated values for programs: the keys of `json`, measured numbers, empty cells for missing values.
fn csv(rows: &[Row]) -> String {
    let cells = |row| of_run(row).into_iter().chain(row.results.cells().map(|(key, value)| (key, value.clone())));
    let columns = rows.iter().take(1).flat_map(cells).map(|(key, _)| (key, false));
    let mut sheet = Sheet::new(columns);
    rows.iter().for_each(|row| sheet.row(cells(row).map(|(_, value)| csv_cell(value))));
    sheet.csv()
}

fn csv_cell(value: Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text,
        number => number.to_string(),
    }
}

/// One object per result: `results` of its JSON, with its file and verdict.
fn json(rows: &[Row]) -> String {
    let object = |row: &Row| {
        let results = row.results.iter().map(|(key, value)| (key, value.clone()));
        let object: Map<String, Value> =
            of_run(row).into_iter().chain(results).map(|(key, value)| (key.to_owned(), value)).collect();
        object
    };
    let objects: Vec<_> = rows.iter().map(object).collect();
    serde_json::to_string_pretty(&objects).unwrap_or_default() + "\n"
}

/// Notes of a table about a run.
fn of_run(row: &Row) -> [(&'static str, Value); 6] {
    let resumed = row.resumed_after.join(", ");
    [
        ("file", json!(row.file)),
        ("verdict", json!(row.verdict)),
        ("died_in", json!(row.died_in)),
        ("sevenzip_multi_estimated", json!(row.sevenzip_estimated[0])),
        ("sevenzip_single_estimated", json!(row.sevenzip_estimated[1])),
        ("resumed_after", json!(Some(resumed).filter(|steps| !steps.is_empty()))),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_stays_text() {
        for (text, markdown, csv) in [
            ("Rock 5B", "Rock 5B", "Rock 5B"),
            ("<script>x</script>", "&lt;script&gt;x&lt;/script&gt;", "<script>x</script>"),
            ("a | [b](c) *d*", "a \\| \\[b\\](c) \\*d\\*", "a | [b](c) *d*"),
            ("=HYPERLINK(\"x\",1)", "=HYPERLINK(\"x\",1)", "\"'=HYPERLINK(\"\"x\"\",1)\""),
            ("-", "-", "-"),
            ("a\nb", "a b", "a b"),
        ] {
            assert_eq!(plain::markdown(text), markdown);
            assert_eq!(plain::csv(text), csv);
        }
    }

    #[test]
    fn formats_are_in_order() {
        assert!(FORMATS.windows(2).all(|pair| pair[0].id < pair[1].id));
    }
}
