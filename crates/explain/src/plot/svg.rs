//! The few shapes of SVG that plots need, and where their text stands, so that no text overlaps.

use crate::plain::markup;
use std::fmt::Write;

/// Size of all text, in units of the picture.
const TEXT: f64 = 12.0;
/// Width of a letter, on the large side of common sans-serif fonts.
const LETTER: f64 = 0.58 * TEXT;

/// White around the letters, so that a line behind them does not cross them out.
const HALO: &str = " stroke=\"white\" stroke-width=\"3\" paint-order=\"stroke\"";

/// Where text is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A picture while it is drawn.
#[derive(Debug, Clone)]
pub(super) struct Canvas {
    pub(super) width: f64,
    height: f64,
    shapes: String,
    /// Boxes of text: left, top, right, bottom.
    taken: Vec<[f64; 4]>,
}

/// Width of a text.
pub(super) fn text_width(text: &str) -> f64 {
    text.chars().count() as f64 * LETTER
}

impl Canvas {
    /// A white picture with a title.
    pub(super) fn new(width: f64, height: f64, title: &str) -> Self {
        let mut canvas = Self {
            width,
            height,
            shapes: String::new(),
            taken: Vec::new(),
        };
        if !title.is_empty() {
            let place = (width / 2.0, 18.0);
            canvas.write_text(place, title, Anchor::Middle, " font-weight=\"bold\"");
        }
        canvas
    }

    /// The picture as SVG.
    pub(super) fn finish(self) -> String {
        let Self {
            width,
            height,
            shapes,
            ..
        } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"{TEXT}\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n{shapes}</svg>\n"
        )
    }

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), dashes: &str, width: f64) {
        self.polyline(&[from, to], dashes, width);
    }

    pub(super) fn grid(&mut self, from: (f64, f64), to: (f64, f64)) {
        let _ = writeln!(
            self.shapes,
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#ddd\"/>",
            from.0, from.1, to.0, to.1
        );
    }

    pub(super) fn polyline(&mut self, points: &[(f64, f64)], dashes: &str, width: f64) {
        let places: Vec<String> = points
            .iter()
            .map(|(x, y)| format!("{x:.1},{y:.1}"))
            .collect();
        let dashes = match dashes {
            "" => String::new(),
            dashes => format!(" stroke-dasharray=\"{dashes}\""),
        };
        let _ = writeln!(
            self.shapes,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"black\" stroke-width=\"{width}\"{dashes}/>",
            places.join(" ")
        );
    }

    pub(super) fn dot(&mut self, at: (f64, f64), radius: f64) {
        let _ = writeln!(
            self.shapes,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius}\"/>",
            at.0, at.1
        );
    }

    pub(super) fn ring(&mut self, at: (f64, f64), radius: f64) {
        let _ = writeln!(
            self.shapes,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius}\" fill=\"none\" stroke=\"black\" \
             stroke-width=\"1.6\"/>",
            at.0, at.1
        );
    }

    /// A box of a shade from 0 (white) to 1 (black).
    pub(super) fn shade(&mut self, at: (f64, f64), size: (f64, f64), shade: f64) {
        let grey = (255.0 * (1.0 - shade.clamp(0.0, 1.0))).round() as u8;
        let _ = writeln!(
            self.shapes,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.2}\" height=\"{:.1}\" \
             fill=\"#{grey:02x}{grey:02x}{grey:02x}\"/>",
            at.0, at.1, size.0, size.1
        );
    }

    /// A box with a black edge.
    pub(super) fn frame(&mut self, at: (f64, f64), size: (f64, f64)) {
        let _ = writeln!(
            self.shapes,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"none\" stroke=\"black\"/>",
            at.0, at.1, size.0, size.1
        );
    }

    pub(super) fn text(&mut self, at: (f64, f64), text: &str, anchor: Anchor) {
        self.write_text(at, text, anchor, "");
    }

    /// Text that is left out where other text stands, or where it would leave the picture.
    pub(super) fn text_where_free(&mut self, at: (f64, f64), text: &str, anchor: Anchor) -> bool {
        let own = text_box(at, text, anchor);
        let is_inside = own[0] >= 0.0 && own[2] <= self.width;
        let is_free = is_inside && self.taken.iter().all(|other| !overlap(&own, other));
        if is_free {
            self.text(at, text, anchor);
        }
        is_free
    }

    /// A word beside a point, at the first free of four places; left out where none is.
    pub(super) fn label(&mut self, at: (f64, f64), word: &str) {
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
    pub(super) fn upright(&mut self, at: (f64, f64), text: &str) {
        let turn = format!(" transform=\"rotate(-90 {:.1} {:.1})\"", at.0, at.1);
        let half = text_width(text) / 2.0;
        self.taken
            .push([at.0 - TEXT, at.1 - half, at.0 + 3.0, at.1 + half]);
        self.put(at, text, Anchor::Middle, &turn);
    }

    fn write_text(&mut self, at: (f64, f64), text: &str, anchor: Anchor, more: &str) {
        self.taken.push(text_box(at, text, anchor));
        self.put(at, text, anchor, more);
    }

    fn put(&mut self, at: (f64, f64), text: &str, anchor: Anchor, more: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let _ = writeln!(
            self.shapes,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\"{HALO}{more}>{}</text>",
            at.0,
            at.1,
            markup(text)
        );
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
    fn text_never_stands_on_text() {
        let mut canvas = Canvas::new(400.0, 200.0, "title");
        assert!(canvas.text_where_free((100.0, 100.0), "word", Anchor::Start));
        assert!(!canvas.text_where_free((110.0, 105.0), "other", Anchor::Start));
        assert!(!canvas.text_where_free((200.0, 15.0), "on the title", Anchor::Middle));
        assert!(!canvas.text_where_free((390.0, 150.0), "beyond", Anchor::Start));
        assert!(canvas.text_where_free((100.0, 130.0), "below", Anchor::Start));
        for _ in 0..9 {
            canvas.label((300.0, 100.0), "same");
        }
        assert_eq!(canvas.finish().matches(">same<").count(), 4);
    }
}
