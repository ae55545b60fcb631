//! Rows of tables of results: the columns of `results`, with a link to the page of each result.

use explain::results::{COLUMNS, Row};
use facts::Verdict;
use maud::{Markup, html};

/// Columns from this index on are numbers.
pub(crate) const FIRST_NUMBER: usize = 4;

/// Column of the distribution.
const DISTRIBUTION: usize = 3;

/// Cells of a row as people read them: distributions without what follows from their version.
pub(crate) fn cells(row: &Row) -> Vec<String> {
    let mut cells: Vec<String> = row.cells.iter().map(|cell| facts::plain(cell)).collect();
    cells[0] = facts::plain(row.board().unwrap_or("not reported"));
    cells[DISTRIBUTION] = short_distribution(&cells[DISTRIBUTION]);
    cells
}

/// `Debian 12 arm64` for `Debian GNU/Linux 12 (bookworm) arm64`.
pub(crate) fn short_distribution(name: &str) -> String {
    let words =
        name.split_whitespace().filter(|word| !(*word == "GNU/Linux" || *word == "LTS" || word.starts_with('(')));
    words.collect::<Vec<_>>().join(" ")
}

fn class_of(column: usize) -> Option<&'static str> {
    (column >= FIRST_NUMBER).then_some("number")
}

pub(crate) fn head() -> Markup {
    html! {
        tr {
            @for (column, heading) in COLUMNS.iter().enumerate() { th class=[class_of(column)] scope="col" { (heading) } }
            th scope="col" { "Verdict" } th scope="col" { "File" }
        }
    }
}

/// Verdict as a coloured word.
pub(crate) fn verdict(verdict: Verdict) -> Markup {
    html! { span.(verdict.to_string()) { b { (verdict.to_string()) } } }
}

/// Row of a result, with a link to its page if it has one.
pub(crate) fn row(row: &Row, page: Option<String>) -> Markup {
    let cells = cells(row);
    html! {
        tr class=[(row.verdict == Verdict::Invalid).then_some("invalid")] {
            th.name scope="row" { @if let Some(page) = page { a href=(page) { (cells[0]) } } @else { (cells[0]) } }
            @for (column, cell) in cells.iter().enumerate().skip(1) {
                td class=[class_of(column)] data-label=(COLUMNS[column]) { (cell) }
            }
            td data-label="Verdict" {
                (verdict(row.verdict))
                @if let Some(step) = &row.died_in { ", died during " (facts::plain(step)) }
            }
            td data-label="File" { (facts::plain(&row.file)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::short_distribution;

    #[test]
    fn distributions_are_short() {
        for (name, expected) in [
            ("Debian GNU/Linux 12 (bookworm) arm64", "Debian 12 arm64"),
            ("Ubuntu 16.04.4 LTS armhf", "Ubuntu 16.04.4 armhf"),
            ("Arch Linux ARM", "Arch Linux ARM"),
            ("-", "-"),
        ] {
            assert_eq!(short_distribution(name), expected);
        }
    }
}
