//! Page with a table of results.

use crate::document::{Part, document};
use crate::draw::wide;
use crate::result_row::{head, row as result_row};
use explain::results::{Row, notes};
use maud::html;

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
    let listed = rows.iter().map(|row| (row, None));
    let body = html! {
        (wide("Results", &html! { table.cards.results { thead { (head(false)) } tbody { @for (row, page) in listed { (result_row(row, page)) } } } }))
        @for note in notes(rows) { p.soft { (facts::plain(&note)) } }
    };
    let part = Part::of("results", "Results", body);
    let parts: Vec<Part> = (!rows.is_empty()).then_some(part).into_iter().collect();
    document(&name, &top, &parts, "The table has no result.")
}
