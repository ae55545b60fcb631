//! The history of a machine: a line for each figure, with its changes in words.

use super::markup::{day, page};
use crate::history::{History, Series};
use compare::trend::ChangePoint;
use maud::{Markup, html};

/// Size of a plot in pixels.
const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 60.0;

/// The page of a history.
pub(crate) fn trend(history: &History) -> String {
    let body = html! {
        p { (facts::how_many(history.results.len(), "result")) "." }
        @if history.series.is_empty() { p { "A trend needs at least two results with a date." } }
        @for series in &history.series {
            h2 { (series.name) }
            (plot(series, history.results.len()))
            (changes(series, history))
        }
    };
    page(&history.machine, &body)
}

fn plot(series: &Series, count: usize) -> Markup {
    let values = series.values.iter().map(|(_, value)| *value);
    let (least, most) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), value| (a.min(value), b.max(value)));
    let range = if most > least { most - least } else { 1.0 };
    let x = |index: usize| WIDTH * index as f64 / (count.max(2) - 1) as f64;
    let y = |value: f64| 5.0 + (HEIGHT - 10.0) * (1.0 - (value - least) / range);
    let points: Vec<String> =
        series.values.iter().map(|(index, value)| format!("{:.1},{:.1}", x(*index), y(*value))).collect();
    let range = format!("{least:.4} to {most:.4} {}", series.unit);
    html! {
        svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } width=(WIDTH) height=(HEIGHT) role="img" aria-label=(range) {
            @for change in &series.changes {
                @let at = format!("{:.1}", x(series.values[change.index].0));
                line x1=(at) x2=(at) y1="0" y2=(HEIGHT) stroke="#b3261e" {}
            }
            polyline fill="none" stroke="#3366cc" stroke-width="2" points=(points.join(" ")) {}
        }
        p { (range) }
    }
}

fn changes(series: &Series, history: &History) -> Markup {
    let item = |change: &ChangePoint| {
        let (slug, started_utc_ms) = &history.results[series.values[change.index].0];
        let percent = 100.0 * (change.after - change.before) / change.before;
        html! {
            li {
                a href={ "/r/" (slug) } { (day(*started_utc_ms)) }
                (format!(": {:.4} to {:.4} ({percent:+.1} %)", change.before, change.after))
            }
        }
    };
    html! { @if !series.changes.is_empty() { ul { @for change in &series.changes { (item(change)) } } } }
}
