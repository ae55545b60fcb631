//! Shapes of plots as SVG in the viewer's fonts, black on white, with text placed so that none overlaps.

use super::clip::{Place, visible};
use crate::plain::{markup, plain};
use std::fmt::Write;

/// Size of all text, in units of the picture.
const TEXT: f64 = 12.0;
/// White around the letters, for legibility over lines.
const HALO: &str = " stroke=\"white\" stroke-width=\"3\" paint-order=\"stroke\"";
/// Width of a letter, on the large side of common sans-serif fonts.
const LETTER: f64 = 0.58 * TEXT;

/// So much of a line is drawn beyond the edges: the half of the widest.
const MARGIN: f64 = 8.0;
/// Distance from which on an element cannot reach into the picture.
const FAR: f64 = 2000.0;
/// Room for every board that there is; a Record can claim a million cores.
const HEIGHT_MAX: f64 = 6000.0;

/// Anchor of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// At its left end.
    Start,
    /// At its middle.
    Middle,
    /// At its right end.
    End,
}

/// A picture under construction.
#[derive(Debug, Clone)]
pub struct Canvas {
    /// Width.
    pub width: f64,
    height: f64,
    /// Elements from back to front.
    svg: String,
    /// Boxes of text: left, top, right, bottom.
    taken: Vec<[f64; 4]>,
}

/// Width of a text.
pub fn text_width(text: &str) -> f64 {
    crate::lines::width(text) as f64 * LETTER
}

impl Canvas {
    /// A white picture with a title.
    pub fn new(width: f64, height: f64, title: &str) -> Self {
        let height = height.clamp(1.0, HEIGHT_MAX);
        let mut canvas = Self { width, height, svg: String::new(), taken: Vec::new() };
        if !title.is_empty() {
            let place = (width / 2.0, 18.0);
            canvas.taken.push(text_box(place, title, Anchor::Middle));
            canvas.put(place, title, Anchor::Middle, " font-weight=\"bold\"");
        }
        canvas
    }

    /// The picture as SVG; a unit is a pixel of an ordinary screen.
    pub fn finish(self) -> String {
        let Self { width, height, svg, .. } = self;
        let svg = if svg.is_empty() { "\n" } else { &svg };
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"{TEXT}\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n{svg}</svg>\n"
        )
    }

    /// Draws a line between two places.
    pub fn line(&mut self, from: Place, to: Place, dashes: &'static str, width: f64) {
        self.polyline(&[from, to], dashes, width);
    }

    /// Draws a pale line.
    pub fn grid(&mut self, from: Place, to: Place) {
        for piece in visible(&[from, to], (self.width, self.height), MARGIN) {
            let (from, to) = (piece[0], piece[1]);
            let (x1, y1, x2, y2) = (from.0, from.1, to.0, to.1);
            let line = format!("<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"#ddd\"/>\n");
            self.svg.push_str(&line);
        }
    }

    /// Draws a line through points, with lengths of dashes and gaps as in SVG, empty for a solid line.
    pub fn polyline(&mut self, points: &[Place], dashes: &'static str, width: f64) {
        for piece in visible(points, (self.width, self.height), MARGIN) {
            let places: Vec<String> = piece.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
            let places = places.join(" ");
            let dashes = if dashes.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dashes}\"") };
            let rest = format!("fill=\"none\" stroke=\"black\" stroke-width=\"{width}\"{dashes}/>");
            let _ = writeln!(self.svg, "<polyline points=\"{places}\" {rest}");
        }
    }

    /// Draws a full circle.
    pub fn dot(&mut self, (x, y): Place, radius: f64) {
        self.push_near((x, y), format_args!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"/>"));
    }

    /// Draws a circle.
    pub fn ring(&mut self, (x, y): Place, radius: f64) {
        let edge = "fill=\"none\" stroke=\"black\" stroke-width=\"1.6\"";
        self.push_near((x, y), format_args!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" {edge}/>"));
    }

    /// A box of a shade from 0 (white) to 1 (black).
    pub fn shade(&mut self, (x, y): Place, (width, height): Place, shade: f64) {
        let grey = (255.0 * (1.0 - shade.clamp(0.0, 1.0))).round() as u8;
        let size = format!("width=\"{width:.2}\" height=\"{height:.1}\"");
        let fill = format!("fill=\"#{grey:02x}{grey:02x}{grey:02x}\"");
        self.push_near((x, y), format_args!("<rect x=\"{x:.1}\" y=\"{y:.1}\" {size} {fill}/>"));
    }

    /// A box with a black edge.
    pub fn frame(&mut self, (x, y): Place, (width, height): Place) {
        let size = format!("width=\"{width:.1}\" height=\"{height:.1}\"");
        let look = "fill=\"none\" stroke=\"black\"";
        self.push_near((x, y), format_args!("<rect x=\"{x:.1}\" y=\"{y:.1}\" {size} {look}/>"));
    }

    /// Writes a text.
    pub fn text(&mut self, at: (f64, f64), text: &str, anchor: Anchor) {
        self.taken.push(text_box(at, text, anchor));
        self.put(at, text, anchor, "");
    }

    /// Text, omitted if it would overlap other text or leave the picture.
    pub fn text_where_free(&mut self, at: (f64, f64), text: &str, anchor: Anchor) -> bool {
        let own = text_box(at, text, anchor);
        let is_inside = own[0] >= 0.0 && own[2] <= self.width;
        let is_free = is_inside && self.taken.iter().all(|other| !overlap(&own, other));
        if is_free {
            self.text(at, text, anchor);
        }
        is_free
    }

    /// Label next to a point, at the first free of four places; omitted if none is free.
    pub fn label(&mut self, at: (f64, f64), word: &str) {
        let places = [
            ((at.0 + 9.0, at.1 + 14.0), Anchor::Start),
            ((at.0 - 9.0, at.1 - 7.0), Anchor::End),
            ((at.0 + 9.0, at.1 - 7.0), Anchor::Start),
            ((at.0 - 9.0, at.1 + 14.0), Anchor::End),
        ];
        for (place, anchor) in places {
            if self.text_where_free(place, word, anchor) {
                return;
            }
        }
    }

    /// Text turned by a quarter, for vertical axes.
    pub fn upright(&mut self, at: (f64, f64), text: &str) {
        let half = text_width(text) / 2.0;
        self.taken.push([at.0 - TEXT, at.1 - half, at.0 + 3.0, at.1 + half]);
        let turn = format!(" transform=\"rotate(-90 {:.1} {:.1})\"", at.0, at.1);
        self.put(at, text, Anchor::Middle, &turn);
    }

    fn put(&mut self, (x, y): Place, text: &str, anchor: Anchor, more: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = markup(&plain(text));
        let look = format!("text-anchor=\"{anchor}\"{HALO}{more}");
        self.push_near((x, y), format_args!("<text x=\"{x:.1}\" y=\"{y:.1}\" {look}>{text}</text>"));
    }

    /// Adds an element with one place, unless the place is far outside or not finite.
    fn push_near(&mut self, at: Place, element: std::fmt::Arguments<'_>) {
        let is_near = |place: f64, end: f64| (-FAR..=end + FAR).contains(&place);
        if is_near(at.0, self.width) && is_near(at.1, self.height) {
            let _ = writeln!(self.svg, "{element}");
        }
    }
}

fn text_box(at: (f64, f64), text: &str, anchor: Anchor) -> [f64; 4] {
    let width = text_width(text);
    let left = match anchor {
        Anchor::Start => at.0,
        Anchor::Middle => at.0 - width / 2.0,
        Anchor::End => at.0 - width,
    };
    [left, at.1 - TEXT, left + width, at.1 + 3.0]
}

fn overlap(a: &[f64; 4], b: &[f64; 4]) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_do_not_overlap() {
        let mut canvas = Canvas::new(400.0, 200.0, "title");
        assert!(canvas.text_where_free((100.0, 100.0), "word", Anchor::Start));
        assert!(!canvas.text_where_free((110.0, 105.0), "other", Anchor::Start));
        assert!(!canvas.text_where_free((200.0, 15.0), "on the title", Anchor::Middle));
        assert!(!canvas.text_where_free((390.0, 150.0), "beyond", Anchor::Start));
        assert!(canvas.text_where_free((100.0, 130.0), "below", Anchor::Start));
        for _ in 0..9 {
            canvas.label((300.0, 100.0), "same");
        }
        assert_eq!(canvas.finish().matches(">same</text>").count(), 4);
    }

    #[test]
    fn every_shape_is_one_element() {
        let mut canvas = Canvas::new(50.0, 40.0, "a < b");
        canvas.line((1.0, 2.0), (3.0, 4.0), "7 4", 1.6);
        canvas.grid((1.0, 2.0), (3.0, 4.0));
        canvas.dot((1.0, 2.0), 3.0);
        canvas.ring((1.0, 2.0), 8.0);
        canvas.shade((1.0, 2.0), (3.0, 4.0), 0.2);
        canvas.frame((1.0, 2.0), (3.0, 4.0));
        canvas.upright((1.0, 2.0), "upright");
        let svg = canvas.finish();
        for part in [
            ">a &lt; b</text>",
            "points=\"1.0,2.0 3.0,4.0\"",
            "stroke-dasharray=\"7 4\"",
            "stroke=\"#ddd\"",
            "r=\"3\"/>",
            "fill=\"#cccccc\"",
            "rotate(-90 1.0 2.0)",
        ] {
            assert_eq!(svg.matches(part).count(), 1, "{part}: {svg}");
        }
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    }
}
