//! The formats of a table of results. Each escapes foreign text in its own way.

use super::{COLUMNS, Row, Table, text};
use crate::plain::{self, markup};
use serde_json::json;

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
    Format { id: "html", write: |table| html(table.rows) },
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
fn notes(rows: &[Row]) -> impl Iterator<Item = String> {
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

/// Comma-separated values (RFC 4180).
fn csv(rows: &[Row]) -> String {
    let line = |cells: Vec<String>| cells.join(",") + "\n";
    let mut text = line(headings().map(plain::csv).collect());
    for row in rows {
        text.push_str(&line(cells(row).map(|cell| plain::csv(&cell)).collect()));
    }
    text
}

/// One object for each result, figures as numbers.
fn json(rows: &[Row]) -> String {
    let object = |row: &Row| {
        let known = |cell: &String| Some(cell.clone()).filter(|cell| cell != "-");
        let [device, clock, kernel, distribution, ..] = &row.cells;
        let [multi, single, aes, copy, fill, miner] = row.figures;
        json!({
            "file": row.file,
            "verdict": row.verdict,
            "died_in": row.died_in,
            "resumed_after": row.resumed_after,
            "device": known(device),
            "soc": row.soc,
            "day": row.day,
            "temperature_celsius_max": row.millicelsius_max.map(|millicelsius| millicelsius as f64 / 1000.0),
            "power_watts_max": row.power_max.map(|power| power.mw / 1000.0),
            "power_is_of_processor_alone": row.power_max.map(|power| !power.is_whole),
            "clock": known(clock),
            "clock_khz_measured": row.clock_khz,
            "kernel": known(kernel),
            "distribution": known(distribution),
            "sevenzip_multi_mips": multi,
            "sevenzip_single_mips": single,
            "sevenzip_comparable": row.sevenzip_comparable,
            "sevenzip_estimated": row.sevenzip_estimated,
            "aes_256_cbc_kb_per_s": aes,
            "memory_copy_mb_per_s": copy,
            "memory_fill_mb_per_s": fill,
            "cpuminer_kh_per_s": miner,
        })
    };
    let objects: Vec<_> = rows.iter().map(object).collect();
    serde_json::to_string_pretty(&objects).unwrap_or_default() + "\n"
}

/// A page of its own: one table, no scripts, nothing fetched.
fn html(rows: &[Row]) -> String {
    const HEAD: &str = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
        <title>sbc-bench results</title>\n<style>\n\
        body { font-family: sans-serif; }\n\
        table { border-collapse: collapse; }\n\
        th, td { border: 1px solid #999; padding: 0.2em 0.5em; text-align: left; }\n\
        td.number { text-align: right; }\n\
        tr.degraded { background: #fff3cd; }\n\
        tr.invalid { background: #f8d7da; text-decoration: line-through; }\n\
        </style>\n</head>\n<body>\n<table>\n";
    let headings: String = headings().map(|heading| format!("<th scope=\"col\">{}</th>", markup(heading))).collect();
    let mut text = format!("{HEAD}<thead><tr>{headings}</tr></thead>\n<tbody>\n");
    for row in rows {
        let cells: String = cells(row)
            .enumerate()
            .map(|(column, cell)| match column {
                4..=9 => format!("<td class=\"number\">{}</td>", markup(&cell)),
                _ => format!("<td>{}</td>", markup(&cell)),
            })
            .collect();
        text.push_str(&format!("<tr class=\"{}\">{cells}</tr>\n", row.verdict));
    }
    text.push_str("</tbody>\n</table>\n");
    text.extend(notes(rows).map(|note| format!("<p>{}</p>\n", markup(&note))));
    text + "</body>\n</html>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_stays_text() {
        for (text, markdown, csv, html) in [
            ("Rock 5B", "Rock 5B", "Rock 5B", "Rock 5B"),
            (
                "<script>x</script>",
                "&lt;script&gt;x&lt;/script&gt;",
                "<script>x</script>",
                "&lt;script&gt;x&lt;/script&gt;",
            ),
            ("a | [b](c) *d*", "a \\| \\[b\\](c) \\*d\\*", "a | [b](c) *d*", "a | [b](c) *d*"),
            (
                "=HYPERLINK(\"x\",1)",
                "=HYPERLINK(\"x\",1)",
                "\"'=HYPERLINK(\"\"x\"\",1)\"",
                "=HYPERLINK(&quot;x&quot;,1)",
            ),
            ("-", "-", "-", "-"),
            ("a\nb", "a b", "a b", "a b"),
        ] {
            assert_eq!(plain::markdown(text), markdown);
            assert_eq!(plain::csv(text), csv);
            assert_eq!(markup(text), html);
        }
    }

    #[test]
    fn formats_are_in_order() {
        assert!(FORMATS.windows(2).all(|pair| pair[0].id < pair[1].id));
    }
}
