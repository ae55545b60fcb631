//! Pictures as SVG, in the viewer's fonts.

use super::canvas::{Anchor, Picture, Shape, TEXT};
use crate::plain::markup;
use std::fmt::Write;

/// White around the letters.
const HALO: &str = " stroke=\"white\" stroke-width=\"3\" paint-order=\"stroke\"";

impl Picture {
    /// The picture as SVG.
    pub fn svg(&self) -> String {
        let (width, height) = (self.width, self.height);
        let shapes: Vec<String> = self.shapes.iter().map(element).collect();
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"{TEXT}\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n{}\n</svg>\n",
            shapes.join("\n")
        )
    }
}

fn element(shape: &Shape) -> String {
    match shape {
        Shape::Line { points, dashes, width } => {
            let places: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
            let dashes = match *dashes {
                "" => String::new(),
                dashes => format!(" stroke-dasharray=\"{dashes}\""),
            };
            format!(
                "<polyline points=\"{}\" fill=\"none\" stroke=\"black\" stroke-width=\"{width}\"{dashes}/>",
                places.join(" ")
            )
        }
        Shape::Grid(from, to) => format!(
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#ddd\"/>",
            from.0, from.1, to.0, to.1
        ),
        Shape::Dot(at, radius) => format!("<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius}\"/>", at.0, at.1),
        Shape::Ring(at, radius) => format!(
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius}\" fill=\"none\" stroke=\"black\" \
             stroke-width=\"1.6\"/>",
            at.0, at.1
        ),
        Shape::Box { at, size, grey } => format!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.2}\" height=\"{:.1}\" \
             fill=\"#{grey:02x}{grey:02x}{grey:02x}\"/>",
            at.0, at.1, size.0, size.1
        ),
        Shape::Frame(at, size) => format!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"none\" stroke=\"black\"/>",
            at.0, at.1, size.0, size.1
        ),
        Shape::Text { at, text, anchor, is_bold, is_upright } => word(*at, text, *anchor, *is_bold, *is_upright),
    }
}

fn word(at: (f64, f64), text: &str, anchor: Anchor, is_bold: bool, is_upright: bool) -> String {
    let anchor = match anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    let mut more = String::new();
    if is_bold {
        more.push_str(" font-weight=\"bold\"");
    }
    if is_upright {
        let _ = write!(more, " transform=\"rotate(-90 {:.1} {:.1})\"", at.0, at.1);
    }
    format!("<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\"{HALO}{more}>{}</text>", at.0, at.1, markup(text))
}

#[cfg(test)]
mod tests {
    use super::super::canvas::Canvas;

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
        let svg = canvas.finish().svg();
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
