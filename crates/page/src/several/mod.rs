//! Pages of several results: side by side, in a table, over time; and of one among the known ones.

mod comparison;
mod ranking;
mod table;
mod trends;

pub use comparison::comparison;
pub use ranking::ranking;
pub use table::results;
pub use trends::trends;

pub(crate) use trends::machines;

use compare::LeftOut;
use facts::Verdict;
use maud::{Markup, html};

/// A verdict in its colour and as a word.
fn verdict(verdict: Verdict) -> Markup {
    html! { span.(verdict.to_string()) { b { (verdict.to_string()) } } }
}

/// What takes no part, each with the reason.
fn left_out(left_out: &[LeftOut]) -> Option<Markup> {
    listed(left_out.iter().map(|one| facts::plain(&format!("{}: {}", one.what, one.why))))
}

/// Harmless texts as a list; none without one.
fn listed(lines: impl Iterator<Item = String>) -> Option<Markup> {
    let mut lines = lines.peekable();
    lines.peek().is_some().then(|| html! { ul.notes { @for line in lines { li { (line) } } } })
}
