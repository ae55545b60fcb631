//! Page with a table of results.

use super::verdict;
use crate::document::{Part, document};
use crate::draw::wide;
use explain::results::{COLUMNS, Row, notes};
use maud::{Markup, html};

/// Columns from this index on are numbers.
const FIRST_NUMBER: usize = 4;

/// Renders rows of results as an HTML file, in the given order.
pub fn results(rows: &[Row]) -> String {
    let name = match rows.len() {
        1 => "1 result".to_owned(),
        count => format!("{count} results"),
    };
    let top = html! {
        h1 { (name) }
        p.soft { "Invalid results are struck through; ~ is not comparable with the other scores of its column." }
    };
    let body = html! {
        (wide("Results", &table(rows)))
        @for note in notes(rows) { p.soft { (facts::plain(&note)) } }
    };
    let part = Part::of("results", "Results", body);
    let parts: Vec<Part> = (!rows.is_empty()).then_some(part).into_iter().collect();
    document(&name, &top, &parts, "The table has no result.")
}

fn table(rows: &[Row]) -> Markup {
    html! {
        table {
            thead {
                tr {
                    @for (column, heading) in COLUMNS.iter().enumerate() { th.number[column >= FIRST_NUMBER] scope="col" { (heading) } }
                    th scope="col" { "Verdict" } th scope="col" { "File" }
                }
            }
            tbody {
                @for row in rows {
                    tr.(row.verdict.to_string()) {
                        th.name scope="row" { (facts::plain(&row.cells[0])) }
                        @for (column, cell) in row.cells.iter().enumerate().skip(1) {
                            td.number[column >= FIRST_NUMBER] { (facts::plain(cell)) }
                        }
                        td {
                            (verdict(row.verdict))
                            @if let Some(step) = &row.died_in { ", died during " (facts::plain(step)) }
                        }
                        td { (facts::plain(&row.file)) }
                    }
                }
            }
        }
    }
}
