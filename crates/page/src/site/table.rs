//! Table of results of a site: the columns of `results`, with links.

use super::{SiteResult, result_path};
use crate::draw::wide;
use explain::results::{COLUMNS, notes};
use facts::Verdict;
use maud::{Markup, html};

/// Columns from this index on are numbers.
pub(super) const FIRST_NUMBER: usize = 4;

/// Legend of the marks.
pub(super) const MARKS: &str =
    "Invalid results are struck through; ~ is not comparable with the other scores of its column, ≈ is estimated.";

/// Table with links relative to a directory of the site, or to its root if `up` is empty.
pub(super) fn table(label: &str, results: &[SiteResult<'_>], up: &str) -> Markup {
    let body = html! {
        table.cards {
            thead { (head()) }
            tbody { @for listed in results { (row(listed, up)) } }
        }
    };
    html! { (wide(label, &body)) (estimates(results)) }
}

pub(super) fn head() -> Markup {
    html! {
        tr {
            @for (column, heading) in COLUMNS.iter().enumerate() { th.number[column >= FIRST_NUMBER] scope="col" { (heading) } }
            th scope="col" { "Verdict" } th scope="col" { "File" }
        }
    }
}

pub(super) fn row(listed: &SiteResult<'_>, up: &str) -> Markup {
    let row = &listed.entry.row;
    html! {
        tr.invalid[row.verdict == Verdict::Invalid] {
            th.name scope="row" { a href={ (up) (result_path(listed.page)) } { (facts::plain(row.board().unwrap_or("not reported"))) } }
            @for (column, cell) in row.cells.iter().enumerate().skip(1) {
                td.number[column >= FIRST_NUMBER] data-label=(COLUMNS[column]) { (facts::plain(cell)) }
            }
            td data-label="Verdict" {
                span.(row.verdict.to_string()) { b { (row.verdict.to_string()) } }
                @if let Some(step) = &row.died_in { ", died during " (facts::plain(step)) }
            }
            td data-label="File" { (facts::plain(&row.file)) }
        }
    }
}

/// Explanation of each estimate.
pub(super) fn estimates(results: &[SiteResult<'_>]) -> Markup {
    let rows = results.iter().flat_map(|listed| notes(std::slice::from_ref(&listed.entry.row)));
    let told: Vec<String> = rows.collect();
    html! {
        @if !told.is_empty() {
            details {
                summary { "How " (told.len()) " scores were estimated" }
                ul.notes { @for note in told { li { (facts::plain(&note)) } } }
            }
        }
    }
}
