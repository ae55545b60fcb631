//! The formats of a table of results. Each escapes foreign text in its own way.

use super::{COLUMNS, Row, Table, text};
use crate::plain;
use serde_json::{Map, Value, json};

/// A way to write a table.
pub struct Format {
    /// What it is called on the command line.
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

/// What stands behind each `≈`.
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

/// A table as GitHub shows it: numbers right-aligned.
fn markdown(rows: &[Row]) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut text = line(headings().map(str::to_owned).collect());
    let rule = (0..COLUMNS.len() + 2).map(|column| match column {
        4..=9 => "---:",
        _ => ":---",
    });
    text.push_str(&line(rule.map(str::to_owned).collect()));
    for row in rows {
        text.push_str(&line(cells(row).map(|cell| plain::markdown(&cell)).collect()));
    }
    let notes: Vec<String> = notes(rows).map(|note| plain::markdown(&note)).collect();
    if !notes.is_empty() {
        text.push_str(&format!("\n{}\n", notes.join("\n")));
    }
    text
}

/// Comma-separated values for programs: the keys of `json`, numbers as they were measured, nothing for what is missing.
/// Lines end with LF, which every reader takes (RFC 4180 asks for CR LF, which shells leave in the last cell).
fn csv(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows {
        let cells = || of_run(row).into_iter().chain(row.results.cells().map(|(key, value)| (key, value.clone())));
        if text.is_empty() {
            text = cells().map(|(key, _)| key).collect::<Vec<_>>().join(",") + "\n";
        }
        text += &(cells().map(|(_, value)| csv_cell(&value)).collect::<Vec<_>>().join(",") + "\n");
    }
    text
}

fn csv_cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => plain::csv(text),
        number => number.to_string(),
    }
}

/// One object for each result: what `results` of its `--json` has, with its file and its verdict.
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

/// What a table says of a run besides its results.
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
