//! Table of results of a site: the columns of `results`, with links.

use super::{SiteResult, result_path};
use crate::draw::wide;
use crate::result_row::{BarScale, head, row as result_row};
use explain::results::notes;
use maud::{Markup, html};

/// Legend of the marks.
pub(super) const MARKS: &str =
    "Invalid results are struck through; ~ is not comparable with the other scores of its column, ≈ is estimated.";

/// Table with links relative to a directory of the site, or to its root if `up` is empty.
pub(super) fn table(label: &str, results: &[SiteResult<'_>], up: &str) -> Markup {
    let scale = BarScale::of(results.iter().map(|listed| &listed.entry.row));
    let body = html! {
        table.cards.results {
            thead { (head(true)) }
            tbody { @for listed in results { (row(listed, up, &scale)) } }
        }
    };
    html! { (wide(label, &body)) (estimates(results)) }
}

pub(super) fn row(listed: &SiteResult<'_>, up: &str, scale: &BarScale) -> Markup {
    result_row(&listed.entry.row, Some((format!("{up}{}", result_path(listed.page)), scale)))
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
