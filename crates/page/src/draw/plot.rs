//! Plot, rendered on the page or as a separate file.

use super::{WIDTH, n, wide, width_of};
use crate::style;
use maud::{Markup, PreEscaped, html};

/// Height of a picture's title, and of a row of its legend.
const TITLE: f64 = 40.0;
const KEY_ROW: f64 = 20.0;
/// Margin on the left and right of title and legend.
const SIDE: f64 = 16.0;
/// Letter width of bold titles, which are larger than labels.
const TITLE_LETTER: f64 = 10.5;

/// A plot.
pub(crate) struct Plot {
    /// Name of its file, in kebab-case.
    pub(crate) id: String,
    /// Title, with the unit of values without an axis.
    pub(crate) title: String,
    /// Styles and names of its lines, if it needs a legend.
    pub(crate) key: Vec<(String, String)>,
    /// Height in SVG units.
    pub(crate) height: f64,
    /// Ends of the time axis in seconds and their positions; `None` without a time axis.
    pub(crate) time: Option<[f64; 4]>,
    /// Drawn elements.
    pub(crate) shapes: Markup,
}

impl Plot {
    /// Plot without legend and time axis.
    pub(crate) fn of(id: &str, title: &str, height: f64, shapes: Markup) -> Self {
        Self { id: id.to_owned(), title: title.to_owned(), key: Vec::new(), height, time: None, shapes }
    }

    /// Renders it for the page, with its legend above.
    pub(crate) fn on_page(&self) -> Markup {
        let time = self.time.map(|[from, to, left, right]| format!("{from} {to} {left} {right}"));
        // Links, such as those to causes and results, are not permitted within the role `img`.
        let role = if self.shapes.0.contains("<a ") { "group" } else { "img" };
        html! {
            @if !self.key.is_empty() { (key(&self.key)) }
            (wide(&self.title, &html! {
                svg id={ "plot-" (self.id) } data-time=[time] viewBox={ "0 0 " (WIDTH) " " (n(self.height)) } role=(role)
                    aria-label=(self.title) { (self.shapes) }
            }))
        }
    }

    /// Renders it as an SVG file with board name, title and legend.
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
                    (swatch(look, x, y - 4.0))
                    text x=(n(x + 34.0)) y=(n(y)) { (name) }
                }
                g transform={ "translate(0 " (n(head)) ")" } { (self.shapes) }
            }
        };
        svg.into_string() + "\n"
    }
}

/// Sample of a line, or a dot.
pub(crate) fn swatch(look: &str, x: f64, y: f64) -> Markup {
    html! {
        @if look == "dot" { circle.dot cx=(n(x + 14.0)) cy=(n(y)) r="4" {} }
        @else { line class=(look) x1=(n(x)) x2=(n(x + 28.0)) y1=(n(y)) y2=(n(y)) {} }
    }
}

/// Positions of legend entries in rows, and the number of rows.
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

/// Legend above a plot: styles and names of lines or areas.
fn key(names: &[(String, String)]) -> Markup {
    html! {
        ul.key {
            @for (look, name) in names {
                li { svg.swatch viewBox="0 0 28 10" aria-hidden="true" { (swatch(look, 0.0, 5.0)) } " " (name) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_with_links_is_a_group() {
        for (shapes, role) in [(html! { a href="r" { circle {} } }, "group"), (html! { circle {} }, "img")] {
            let page = Plot::of("x", "X", 10.0, shapes).on_page().into_string();
            let svg = page.split_once("<svg").unwrap().1;
            assert!(svg.contains(&format!("role=\"{role}\"")), "{page}");
        }
    }
}
