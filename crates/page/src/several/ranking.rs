//! Page that ranks one result among known ones.

use super::left_out;
use crate::document::{Part, document};
use crate::rank;
use compare::Ranking;
use facts::Verdict;
use maud::html;

/// Renders a ranking as an HTML file.
pub fn ranking(ranking: &Ranking) -> String {
    let board = ranking.board.as_deref().map_or_else(|| "This machine".to_owned(), facts::plain);
    let soc = ranking.soc.as_deref().map_or(String::new(), |soc| format!(" ({})", facts::plain(soc)));
    let name = format!("{board}{soc} among known results");
    let because = ranking.invalid_because.first().map_or(String::new(), |why| facts::harmless(why).into_owned());
    let top = html! {
        h1 { (name) }
        p.verdict.(ranking.verdict.to_string()) {
            @match ranking.verdict {
                Verdict::Valid => (facts::harmless(&ranking.answer.sentence)),
                Verdict::Unproven => { "Nothing here shows whether this result is valid. " (facts::harmless(&ranking.answer.sentence)) }
                Verdict::Degraded => { "This result is degraded: below what this machine can do. " (facts::harmless(&ranking.answer.sentence)) }
                Verdict::Invalid => { "This result is invalid: do not use it. " (because) }
            }
        }
    };
    let places = (!ranking.entries.is_empty()).then(|| rank::places(ranking));
    let parts = [("places", "Places", places), ("left-out", "Not compared", left_out(&ranking.left_out))];
    let parts: Vec<Part> = parts.into_iter().filter_map(|(id, title, body)| Some(Part::of(id, title, body?))).collect();
    document(&name, &top, &parts, "The result has no figure that known results have.")
}
