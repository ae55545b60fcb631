//! The history of a machine: a line for each figure, with its changes in words.

use super::markup::{Link, Page, day, escape};
use crate::history::{History, Series};
use std::fmt::Write;

/// Size of a plot in pixels.
const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 60.0;

/// The page of a history.
pub(crate) fn trend(history: &History) -> String {
    let mut out = Page::new(&history.machine);
    out.add(&format!("<p>{}.</p>\n", facts::how_many(history.results.len(), "result")));
    if history.series.is_empty() {
        out.add("<p>A trend needs at least two results with a date.</p>\n");
    }
    for series in &history.series {
        out.add(&format!("<h2>{}</h2>\n{}", escape(&series.name), plot(series, history.results.len())));
        out.add(&changes(series, history));
    }
    out.end()
}

fn plot(series: &Series, count: usize) -> String {
    let values = series.values.iter().map(|(_, value)| *value);
    let (least, most) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), value| (a.min(value), b.max(value)));
    let range = if most > least { most - least } else { 1.0 };
    let x = |index: usize| WIDTH * index as f64 / (count.max(2) - 1) as f64;
    let y = |value: f64| 5.0 + (HEIGHT - 10.0) * (1.0 - (value - least) / range);
    let points: Vec<String> =
        series.values.iter().map(|(index, value)| format!("{:.1},{:.1}", x(*index), y(*value))).collect();
    let mut marks = String::new();
    for change in &series.changes {
        let at = x(series.values[change.index].0);
        let _ = write!(marks, "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"0\" y2=\"{HEIGHT}\" stroke=\"#b3261e\"/>");
    }
    format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" role=\"img\" aria-label=\"{least:.4} to \
         {most:.4} {0}\">{marks}<polyline fill=\"none\" stroke=\"#3366cc\" stroke-width=\"2\" points=\"{1}\"/></svg>\n\
         <p>{least:.4} to {most:.4} {0}</p>\n",
        escape(&series.unit),
        points.join(" ")
    )
}

fn changes(series: &Series, history: &History) -> String {
    if series.changes.is_empty() {
        return String::new();
    }
    let mut items = String::new();
    for change in &series.changes {
        let (slug, started_utc_ms) = &history.results[series.values[change.index].0];
        let percent = 100.0 * (change.after - change.before) / change.before;
        let link = Link { to: format!("/r/{slug}"), words: day(*started_utc_ms) }.html();
        let _ = writeln!(items, "<li>{link}: {:.4} to {:.4} ({percent:+.1} %)</li>", change.before, change.after);
    }
    format!("<ul>\n{items}</ul>\n")
}
