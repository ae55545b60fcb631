//! Pages of several results: comparison, table, trend, and ranking among known results.

mod comparison;
mod ranking;
mod table;
mod trends;

pub use comparison::{comparison, comparison_within};
pub use ranking::ranking;
pub use table::results;
pub use trends::trends;

use compare::{Omission, left_out_lines};
use maud::{Markup, html};

/// Omitted results, each with the reason.
fn left_out(left_out: &[Omission]) -> Option<Markup> {
    listed(left_out_lines(left_out).iter().map(|line| facts::plain(line)))
}

/// Sanitised texts as a list; `None` if it is empty.
fn listed(lines: impl Iterator<Item = String>) -> Option<Markup> {
    let mut lines = lines.peekable();
    lines.peek().is_some().then(|| html! { ul.notes { @for line in lines { li { (line) } } } })
}
