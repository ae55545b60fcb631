//! Shapes of plots, with text placed so that none overlaps. `svg` turns a picture into SVG.

use super::clip::{Place, visible};
use crate::plain::plain;

/// Size of all text, in units of the picture.
pub const TEXT: f64 = 12.0;
/// Width of a letter, on the large side of common sans-serif fonts.
const LETTER: f64 = 0.58 * TEXT;

/// So much of a line is drawn beyond the edges: the half of the widest.
const MARGIN: f64 = 8.0;
/// What begins further away than this does not reach into the picture.
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

/// One shape; black by default.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A line through points; lengths of dashes and gaps as in SVG, empty for a solid line.
    Line {
        /// Its points.
        points: Vec<Place>,
        /// Lengths of dashes and gaps, empty for a solid line.
        dashes: &'static str,
        /// Its width.
        width: f64,
    },
    /// A pale line.
    Grid(Place, Place),
    /// A full circle and its radius.
    Dot(Place, f64),
    /// A circle and its radius.
    Ring(Place, f64),
    /// A box of a grey: 0 is black, 255 white.
    Box {
        /// Its top left corner.
        at: Place,
        /// Its width and height.
        size: Place,
        /// Its grey.
        grey: u8,
    },
    /// The edge of a box.
    Frame(Place, Place),
    /// Text on a white background, for legibility over lines.
    Text {
        /// Where its anchor lies.
        at: Place,
        /// The text.
        text: String,
        /// Which part of it lies there.
        anchor: Anchor,
        /// True for a title.
        is_bold: bool,
        /// True if it runs from bottom to top.
        is_upright: bool,
    },
}

/// A picture: its size in units, which are pixels of an ordinary screen, and its shapes in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
    /// Shapes from back to front.
    pub shapes: Vec<Shape>,
}

/// A picture under construction.
#[derive(Debug, Clone)]
pub struct Canvas {
    /// Width.
    pub width: f64,
    height: f64,
    shapes: Vec<Shape>,
    /// Boxes of text: left, top, right, bottom.
    taken: Vec<[f64; 4]>,
}

/// Width of a text.
pub fn text_width(text: &str) -> f64 {
    text.chars().count() as f64 * LETTER
}

impl Canvas {
    /// A white picture with a title.
    pub fn new(width: f64, height: f64, title: &str) -> Self {
        let height = height.clamp(1.0, HEIGHT_MAX);
        let mut canvas = Self { width, height, shapes: Vec::new(), taken: Vec::new() };
        if !title.is_empty() {
            let place = (width / 2.0, 18.0);
            canvas.taken.push(text_box(place, title, Anchor::Middle));
            canvas.put(place, title, Anchor::Middle, (true, false));
        }
        canvas
    }

    /// The picture.
    pub fn finish(self) -> Picture {
        Picture { width: self.width, height: self.height, shapes: self.shapes }
    }

    /// Draws a line between two places.
    pub fn line(&mut self, from: Place, to: Place, dashes: &'static str, width: f64) {
        self.polyline(&[from, to], dashes, width);
    }

    /// Draws a pale line.
    pub fn grid(&mut self, from: Place, to: Place) {
        let pieces = visible(&[from, to], (self.width, self.height), MARGIN);
        for piece in pieces {
            self.shapes.push(Shape::Grid(piece[0], piece[1]));
        }
    }

    /// Draws a line through points.
    pub fn polyline(&mut self, points: &[Place], dashes: &'static str, width: f64) {
        let pieces = visible(points, (self.width, self.height), MARGIN).into_iter();
        self.shapes.extend(pieces.map(|points| Shape::Line { points, dashes, width }));
    }

    /// Draws a full circle.
    pub fn dot(&mut self, at: Place, radius: f64) {
        self.push_near(at, Shape::Dot(at, radius));
    }

    /// Draws a circle.
    pub fn ring(&mut self, at: Place, radius: f64) {
        self.push_near(at, Shape::Ring(at, radius));
    }

    /// A box of a shade from 0 (white) to 1 (black).
    pub fn shade(&mut self, at: Place, size: Place, shade: f64) {
        let grey = (255.0 * (1.0 - shade.clamp(0.0, 1.0))).round() as u8;
        self.push_near(at, Shape::Box { at, size, grey });
    }

    /// A box with a black edge.
    pub fn frame(&mut self, at: Place, size: Place) {
        self.push_near(at, Shape::Frame(at, size));
    }

    /// Writes a text.
    pub fn text(&mut self, at: (f64, f64), text: &str, anchor: Anchor) {
        self.taken.push(text_box(at, text, anchor));
        self.put(at, text, anchor, (false, false));
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
        self.put(at, text, Anchor::Middle, (false, true));
    }

    fn put(&mut self, at: Place, text: &str, anchor: Anchor, (is_bold, is_upright): (bool, bool)) {
        let text = plain(text);
        let shape = Shape::Text { at, text, anchor, is_bold, is_upright };
        self.push_near(at, shape);
    }

    /// Adds a shape with one place, unless the place is far outside or not finite.
    fn push_near(&mut self, at: Place, shape: Shape) {
        let is_near = |place: f64, end: f64| (-FAR..=end + FAR).contains(&place);
        if is_near(at.0, self.width) && is_near(at.1, self.height) {
            self.shapes.push(shape);
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
        let is_same = |shape: &&Shape| matches!(shape, Shape::Text { text, .. } if text == "same");
        assert_eq!(canvas.finish().shapes.iter().filter(is_same).count(), 4);
    }
}
