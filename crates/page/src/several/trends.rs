//! Page of results by date.

use super::left_out;
use crate::document::{Part, document};
use crate::draw::table::{cell, number, table, text};
use compare::trend::{COLUMNS, Change, RESULTS_MIN, Trend};
use maud::{Markup, html};

/// Renders the trends of all machines as an HTML file.
pub fn trends(trends: &[Trend]) -> String {
    let name = match trends {
        [one] => format!("{} over time", facts::plain(&one.machine)),
        several => format!("{} machines over time", several.len()),
    };
    let body = machines(trends);
    let parts: Vec<Part> = (!trends.is_empty()).then_some(Part::of("machines", "Changes", body)).into_iter().collect();
    document(&name, &html! { h1 { (name) } }, &parts, "No result has a date.")
}

/// Trend of each machine.
fn machines(trends: &[Trend]) -> Markup {
    let (short, told): (Vec<&Trend>, Vec<&Trend>) =
        trends.iter().partition(|trend| trends.len() > 1 && trend.is_only_short());
    html! {
        @for trend in told { (machine(trend)) }
        @if !short.is_empty() { p { (short.len()) " more with fewer than " (RESULTS_MIN) " results: too few to tell a change from chance." } }
    }
}

fn machine(trend: &Trend) -> Markup {
    html! {
        h3 { (facts::plain(&trend.machine)) }
        @match (trend.results.first(), trend.results.last()) {
            (Some(first), Some(last)) => p { (trend.results.len()) " results from " (first.date) " to " (last.date) ", " (trend.figures) " figures." }
            _ => p { "None of its results can be used." }
        }
        @if let Some(stability) = &trend.stability { p { "Stability: " (facts::plain(&stability.words())) "." } }
        @if trend.results.len() < RESULTS_MIN { p { "Too few results to tell a change from chance (minimum " (RESULTS_MIN) ")." } }
        @else if trend.changes.is_empty() { p { "No figure changed." } }
        @else { (changes(trend)) }
        @if let Some(lines) = left_out(&trend.left_out) { p { "Skipped:" } (lines) }
    }
}

fn changes(trend: &Trend) -> Markup {
    let columns = COLUMNS.map(|(name, is_number)| if is_number { number(name) } else { text(name) });
    let row = |change: &Change| {
        let mut cells = trend.cells(change).map(|words| cell(facts::plain(&words)));
        if let Some(after) = trend.results.get(change.first_after) {
            cells[1] = cell(facts::plain(&format!("{} ({})", after.date, after.name)));
        }
        cells.to_vec()
    };
    table("Changes", &columns, &trend.changes.iter().map(row).collect::<Vec<_>>())
}
