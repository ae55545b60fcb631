//! Scales, axes and lines of plots as SVG. Colours and line patterns are classes of the page's style.

mod axis;
mod bars;
mod plot;
mod reduce;
pub(crate) mod table;

pub(crate) use axis::{Area, axis_x, axis_y};
pub(crate) use bars::{Bar, bars};
pub(crate) use facts::plot::scale::{Scale, clock_time, linear_ticks, tick_words, time_ticks};
pub(crate) use plot::{Plot, swatch};
pub(crate) use reduce::reduced;

use maud::{Markup, html};
use std::fmt::Write;

/// Width of every plot in SVG units; the page scales it.
pub(crate) const WIDTH: f64 = 1000.0;
/// Upper bound of a letter's width in labels, for sans-serif fonts.
pub(crate) const LETTER: f64 = 7.2;
/// Number of line styles; further lines reuse them.
pub(crate) const LOOKS: usize = 8;

/// Formats a number for SVG with at most one decimal.
pub(crate) fn n(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0;
    if rounded.is_finite() {
        // Adding 0 converts -0 to 0.
        format!("{}", rounded + 0.0)
    } else {
        "0".to_owned()
    }
}

/// SVG path of a line through points.
pub(crate) fn path(points: &[(f64, f64)]) -> String {
    let mut path = String::new();
    for (index, (x, y)) in points.iter().enumerate() {
        let _ = write!(path, "{}{} {}", if index == 0 { 'M' } else { 'L' }, n(*x), n(*y));
    }
    path
}

/// Content that may be wider than a phone; it scrolls separately, also by keyboard.
pub(crate) fn wide(label: &str, body: &Markup) -> Markup {
    html! { div.scroll tabindex="0" role="group" aria-label=(label) { (body) } }
}

/// Text at a position; `anchor` is `start`, `middle` or `end`.
pub(crate) fn word(x: f64, y: f64, anchor: &str, text: &str) -> Markup {
    html! { text x=(n(x)) y=(n(y)) text-anchor=(anchor) { (facts::plain(text)) } }
}

/// Estimated width of a text.
pub(crate) fn width_of(text: &str) -> f64 {
    text.chars().count() as f64 * LETTER
}
