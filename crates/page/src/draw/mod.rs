//! Scales, axes and lines of plots as SVG. Colours and line patterns are classes of the page's style.

mod axis;
mod bars;
mod plot;
mod reduce;
pub(crate) mod table;

pub(crate) use axis::{Area, axis_x, axis_y};
pub(crate) use bars::{Bar, bars};
pub(crate) use facts::plot::scale::{Scale, clock_time, linear_ticks, named, time_ticks};
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
    let mut text = String::new();
    push_number(value, &mut text);
    text
}

/// As [`n`], at the end of a text. Integers are formatted in a fraction of the time of floating-point numbers, and a page has
/// thousands.
fn push_number(value: f64, text: &mut String) {
    let tenths = (value * 10.0).round();
    let _ = match tenths as i64 {
        _ if !tenths.is_finite() => write!(text, "0"),
        _ if tenths.abs() >= 1e15 => write!(text, "{}", tenths / 10.0),
        whole if whole % 10 == 0 => write!(text, "{}", whole / 10),
        whole => {
            let sign = if whole < 0 { "-" } else { "" };
            write!(text, "{sign}{}.{}", whole.abs() / 10, whole.abs() % 10)
        }
    };
}

/// SVG path of a line through points.
pub(crate) fn path(points: &[(f64, f64)]) -> String {
    let mut path = String::new();
    for (index, (x, y)) in points.iter().enumerate() {
        path.push(if index == 0 { 'M' } else { 'L' });
        push_number(*x, &mut path);
        path.push(' ');
        push_number(*y, &mut path);
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
    facts::lines::width(text) as f64 * LETTER
}
