//! A plot: on the page, and as a file of its own.

use super::{WIDTH, n, wide, width_of};
use crate::style;
use maud::{Markup, PreEscaped, html};

/// Height of the title of a picture, and of a row of its key.
const TITLE: f64 = 40.0;
const KEY_ROW: f64 = 20.0;
/// Room at the left and right of title and key.
const SIDE: f64 = 16.0;
/// Bold letters of titles are wider and larger than labels.
const TITLE_LETTER: f64 = 10.5;

/// One plot.
pub(crate) struct Plot {
    /// Name of its file, kebab-case.
    pub(crate) id: String,
    /// What it shows, with the unit of what has no axis.
    pub(crate) title: String,
    /// Looks and names of its lines, where they need a key.
    pub(crate) key: Vec<(String, String)>,
    /// Height in units of its own.
    pub(crate) height: f64,
    /// Ends of the axis of time in seconds and their places; none where there is no such axis.
    pub(crate) time: Option<[f64; 4]>,
    /// What is drawn.
    pub(crate) shapes: Markup,
}

impl Plot {
    /// It on the page, with its key above it.
    pub(crate) fn on_page(&self) -> Markup {
        let time = self.time.map(|[from, to, left, right]| format!("{from} {to} {left} {right}"));
        // Plots over time have links to causes, which nothing within a picture may be.
        let role = if self.time.is_some() { "group" } else { "img" };
        html! {
            @if !self.key.is_empty() { (key(&self.key)) }
            (wide(&self.title, &html! {
                svg id={ "plot-" (self.id) } data-time=[time] viewBox={ "0 0 " (WIDTH) " " (n(self.height)) } role=(role)
                    aria-label=(self.title) { (self.shapes) }
            }))
        }
    }

    /// It as an SVG file, with the name of the board, its title and its key.
    pub(crate) fn picture(&self, board: &str) -> String {
        let (key, rows) = key_places(&self.key);
        let head = TITLE + KEY_ROW * rows as f64;
        let height = head + self.height;
        let letters = ((WIDTH - 2.0 * SIDE) / TITLE_LETTER) as usize;
        let title: String = format!("{board}: {}", self.title).chars().take(letters).collect();
        let svg = html! {
            svg xmlns="http://www.w3.org/2000/svg" width=(WIDTH) height=(n(height)) viewBox={ "0 0 " (WIDTH) " " (n(height)) }
                font-family="'DejaVu Sans', system-ui, sans-serif" font-size="12" {
                style { (PreEscaped(style::of_picture())) }
                rect width=(WIDTH) height=(n(height)) fill="#fff" {}
                text x=(SIDE) y="26" font-size="16" font-weight="bold" { (title) }
                @for (x, y, look, name) in key {
                    line class=(look) x1=(n(x)) x2=(n(x + 28.0)) y1=(n(y - 4.0)) y2=(n(y - 4.0)) {}
                    text x=(n(x + 34.0)) y=(n(y)) { (name) }
                }
                g transform={ "translate(0 " (n(head)) ")" } { (self.shapes) }
            }
        };
        svg.into_string() + "\n"
    }
}

/// Places of the entries of a key in rows, and how many rows these are.
fn key_places(names: &[(String, String)]) -> (Vec<(f64, f64, &str, &str)>, usize) {
    let (mut x, mut rows, mut places) = (SIDE, usize::from(!names.is_empty()), Vec::new());
    for (look, name) in names {
        let width = 34.0 + width_of(name) + 18.0;
        if x > SIDE && x + width > WIDTH {
            (x, rows) = (SIDE, rows + 1);
        }
        places.push((x, TITLE + KEY_ROW * (rows as f64 - 1.0) + 12.0, look.as_str(), name.as_str()));
        x += width;
    }
    (places, rows)
}

/// The key of lines or areas above a plot: their looks and names.
fn key(names: &[(String, String)]) -> Markup {
    html! {
        ul.key {
            @for (look, name) in names {
                li { svg.swatch viewBox="0 0 28 10" aria-hidden="true" { line class=(look) x1="0" y1="5" x2="28" y2="5" {} } " " (name) }
            }
        }
    }
}
