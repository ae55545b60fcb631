//! Page of the history of a machine: a plot of each figure, with its changes in words.

use super::markup::{day, page};
use crate::history::{History, Series};
use compare::trend::ChangePoint;
use facts::number::number;
use maud::{Markup, html};

/// Size of a plot in pixels, with room for its axes.
const WIDTH: f64 = 680.0;
const HEIGHT: f64 = 110.0;
const LEFT: f64 = 80.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 88.0;

pub(crate) fn trend(history: &History) -> String {
    let title = match &history.board {
        Some(board) if !history.machine.contains(board.as_str()) => format!("{}: {board}", history.machine),
        _ => history.machine.clone(),
    };
    let body = html! {
        p { (facts::how_many(history.results.len(), "result")) "." }
        @if history.others > 0 {
            p {
                (facts::how_many(history.others, "result")) " under this name " (if history.others == 1 { "is" } else { "are" })
                " of another board and not shown: give each machine a name of its own."
            }
        }
        @if history.series.is_empty() { p { "A trend needs at least two results with a date." } }
        @for series in &history.series {
            h2 { (series.name) @if !series.unit.is_empty() { " (" (series.unit) ")" } }
            (plot(series, history))
            (changes(series, history))
        }
    };
    page(&title, &body)
}

fn plot(series: &Series, history: &History) -> Markup {
    let values = series.values.iter().map(|(_, value)| *value);
    let (least, most) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), value| (a.min(value), b.max(value)));
    let range = if most > least { most - least } else { 1.0 };
    let last = history.results.len().max(2) - 1;
    let x = |index: usize| LEFT + (WIDTH - LEFT - 10.0) * index as f64 / last as f64;
    let y = |value: f64| TOP + (BOTTOM - TOP) * (1.0 - (value - least) / range);
    let points: Vec<String> =
        series.values.iter().map(|(index, value)| format!("{:.1},{:.1}", x(*index), y(*value))).collect();
    let date = |index: usize| history.results.get(index).map_or(String::new(), |(_, utc_ms)| day(*utc_ms));
    let ends = [series.values.first(), series.values.last()].map(|end| end.map_or(0, |(index, _)| *index));
    let words = format!("{} to {} {}", number(least, &series.unit), number(most, &series.unit), series.unit);
    html! {
        svg.strip viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } width=(WIDTH) height=(HEIGHT) role="img" aria-label=(words) {
            @for value in [least, most] {
                text x=(LEFT - 6.0) y=(y(value) + 4.0) text-anchor="end" { (number(value, &series.unit)) }
                line x1=(LEFT) x2=(WIDTH) y1=(y(value)) y2=(y(value)) opacity="0.3" {}
            }
            @for (index, anchor) in ends.into_iter().zip(["start", "end"]) {
                text x=(format!("{:.1}", x(index))) y=(HEIGHT - 4.0) text-anchor=(anchor) { (date(index)) }
            }
            @for change in &series.changes {
                @let at = format!("{:.1}", x(series.values[change.index].0));
                line x1=(at) x2=(at) y1=(TOP) y2=(BOTTOM) style="stroke:#b3261e" {}
            }
            polyline style="fill:none;stroke-width:2" points=(points.join(" ")) {}
        }
    }
}

fn changes(series: &Series, history: &History) -> Markup {
    let words = |value: f64| number(value, &series.unit);
    let item = |change: &ChangePoint| {
        let (slug, started_utc_ms) = &history.results[series.values[change.index].0];
        let percent = 100.0 * (change.after - change.before) / change.before;
        html! {
            li {
                a href={ "/r/" (slug) } { (day(*started_utc_ms)) }
                ": " (words(change.before)) " to " (words(change.after)) " " (series.unit) (format!(" ({percent:+.1} %)"))
            }
        }
    };
    html! { @if !series.changes.is_empty() { ul { @for change in &series.changes { (item(change)) } } } }
}
