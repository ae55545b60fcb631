//! Drawing: scales, axes and lines of plots as SVG. Colours, and what tells lines apart without them, are classes of
//! the page's style.

mod axis;
mod bars;
mod plot;
mod reduce;

pub(crate) use axis::{Area, axis_x, axis_y};
pub(crate) use bars::{Bar, bars};
pub(crate) use facts::plot::scale::{Scale, clock_time, linear_ticks, tick_words, time_ticks};
pub(crate) use plot::Plot;
pub(crate) use reduce::reduced;

use maud::{Markup, html};
use std::fmt::Write;

/// Width of every plot in units of its own; it is scaled to the page.
pub(crate) const WIDTH: f64 = 1000.0;
/// Width of a letter of labels, on the large side of sans-serif fonts.
pub(crate) const LETTER: f64 = 7.2;
/// Lines have so many looks; then they begin again.
pub(crate) const LOOKS: usize = 8;

/// A number of SVG: one decimal at most.
pub(crate) fn n(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0;
    match rounded.is_finite() {
        // Adding 0 turns -0 into 0.
        true => format!("{}", rounded + 0.0),
        false => "0".to_owned(),
    }
}

/// Points as the path of a line.
pub(crate) fn path(points: &[(f64, f64)]) -> String {
    let mut path = String::new();
    for (index, (x, y)) in points.iter().enumerate() {
        let _ = write!(path, "{}{} {}", if index == 0 { 'M' } else { 'L' }, n(*x), n(*y));
    }
    path
}

/// Something that may be wider than a phone: it scrolls by itself, by keys as well.
pub(crate) fn wide(label: &str, body: &Markup) -> Markup {
    html! { div.scroll tabindex="0" role="group" aria-label=(label) { (body) } }
}

/// A word at a place; `anchor` is `start`, `middle` or `end`.
pub(crate) fn word(x: f64, y: f64, anchor: &str, text: &str) -> Markup {
    html! { text x=(n(x)) y=(n(y)) text-anchor=(anchor) { (facts::plain(text)) } }
}

/// Width of a text.
pub(crate) fn width_of(text: &str) -> f64 {
    text.chars().count() as f64 * LETTER
}
