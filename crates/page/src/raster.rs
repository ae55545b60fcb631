//! Renders pictures to pixels. Texts become outlines of an embedded font first, so that all machines draw the same letters
//! and the SVG renderer needs none of its code for fonts.

use resvg::usvg::roxmltree::{Document, Node};
use resvg::{tiny_skia, usvg};
use std::fmt::Write;
use std::sync::LazyLock;
use ttf_parser::{Face, OutlineBuilder};

/// DejaVu Sans, reduced to Latin, Greek, Cyrillic and the symbols of plots; its licence is in `font/LICENSE`.
static REGULAR: LazyLock<Option<Face<'_>>> =
    LazyLock::new(|| Face::parse(include_bytes!("font/DejaVuSans.ttf"), 0).ok());
static BOLD: LazyLock<Option<Face<'_>>> =
    LazyLock::new(|| Face::parse(include_bytes!("font/DejaVuSans-Bold.ttf"), 0).ok());
/// Maximum number of pixels per side.
const SIDE_MAX: f32 = 12_000.0;
/// Attributes of a text that place it; its outline has none of them.
const PLACING: [&str; 5] = ["x", "y", "font-size", "font-weight", "text-anchor"];

/// Renders one of our SVG pictures as a PNG file with `scale` pixels per SVG unit.
///
/// # Errors
/// A sentence if the picture is invalid or too large.
pub(crate) fn png(svg: &str, scale: f32) -> Result<Vec<u8>, String> {
    let invalid = |why: String| format!("The picture cannot be drawn: {why}.");
    let outlined = outlined(svg).map_err(|why| invalid(why.to_string()))?;
    let tree = usvg::Tree::from_str(&outlined, &usvg::Options::default()).map_err(|why| invalid(why.to_string()))?;
    let (width, height) = (tree.size().width() * scale, tree.size().height() * scale);
    if width.max(height) > SIDE_MAX {
        return Err(format!("The picture has {width:.0} x {height:.0} pixels, more than {SIDE_MAX} on a side."));
    }
    let mut pixels = tiny_skia::Pixmap::new(width.ceil() as u32, height.ceil() as u32)
        .ok_or_else(|| "The picture has no pixels.".to_owned())?;
    resvg::render(&tree, tiny_skia::Transform::from_scale(scale, scale), &mut pixels.as_mut());
    pixels.encode_png().map_err(|why| why.to_string())
}

/// True if the embedded font has every letter of the text.
pub(crate) fn has_glyphs(text: &str) -> bool {
    let has_all = |face: &Face<'_>| text.chars().all(|letter| face.glyph_index(letter).is_some());
    [&REGULAR, &BOLD].into_iter().all(|face| face.as_ref().is_some_and(has_all))
}

/// The picture with a path of the class `text` in place of each text.
fn outlined(svg: &str) -> Result<String, usvg::roxmltree::Error> {
    let document = Document::parse(svg)?;
    let (mut out, mut end) = (String::with_capacity(4 * svg.len()), 0);
    for text in document.descendants().filter(|node| node.has_tag_name("text")) {
        out.push_str(&svg[end..text.range().start]);
        end = text.range().end;
        push_outline(text, &mut out);
    }
    out.push_str(&svg[end..]);
    Ok(out.replace(" text {", " .text {"))
}

fn push_outline(text: Node<'_, '_>, out: &mut String) {
    let inherited = |name: &str| text.ancestors().find_map(|node| node.attribute(name));
    let number = |name: &str| inherited(name).and_then(|value| value.parse().ok());
    let face = if inherited("font-weight") == Some("bold") { &BOLD } else { &REGULAR };
    let Some(face) = face.as_ref() else { return };
    let scale = number("font-size").unwrap_or(12.0) / f32::from(face.units_per_em());
    let words = text.descendants().filter_map(|node| node.text().filter(|_| node.is_text()));
    let glyphs: Vec<_> =
        words.flat_map(str::chars).map(|letter| face.glyph_index(letter).unwrap_or_default()).collect();
    let advance = |glyph| f32::from(face.glyph_hor_advance(glyph).unwrap_or(0)) * scale;
    let width: f32 = glyphs.iter().map(|glyph| advance(*glyph)).fold(0.0, std::ops::Add::add);
    let before = match inherited("text-anchor") {
        Some("middle") => width / 2.0,
        Some("end") => width,
        _ => 0.0,
    };
    let at = |name| text.attribute(name).and_then(|value| value.parse().ok()).unwrap_or(0.0);
    let mut outline = Outline { x: at("x") - before, y: at("y"), scale, path: String::new() };
    for glyph in glyphs {
        face.outline_glyph(glyph, &mut outline);
        outline.x += advance(glyph);
    }
    let class = text.attribute("class").unwrap_or_default();
    let _ = write!(out, "<path class=\"text {class}\" d=\"{}\"", outline.path);
    for attribute in text.attributes().filter(|one| one.name() != "class" && !PLACING.contains(&one.name())) {
        let _ = write!(out, " {}=\"{}\"", attribute.name(), attribute.value());
    }
    out.push_str("/>");
}

/// SVG path of letters on a line.
struct Outline {
    /// Origin of the letter in SVG units.
    x: f32,
    y: f32,
    /// SVG units for each unit of the font.
    scale: f32,
    path: String,
}

impl Outline {
    fn push<const N: usize>(&mut self, command: char, points: [(f32, f32); N]) {
        self.path.push(command);
        for (x, y) in points {
            let _ = write!(self.path, "{:.2} {:.2} ", self.x + x * self.scale, self.y - y * self.scale);
        }
    }
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.push('M', [(x, y)]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.push('L', [(x, y)]);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.push('Q', [(x1, y1), (x, y)]);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.push('C', [(x1, y1), (x2, y2), (x, y)]);
    }

    fn close(&mut self) {
        self.path.push('Z');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_outlines() {
        let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" font-size=\"10\"><style>.axis text { fill: red; }</style>\
                   <g class=\"axis\" text-anchor=\"end\"><text x=\"100\" y=\"20\" transform=\"rotate(-90 1 2)\">a&lt;°</text></g></svg>";
        let outlined = outlined(svg).unwrap();
        assert!(!outlined.contains("<text") && outlined.contains(".axis .text {"), "{outlined}");
        assert!(
            outlined.contains("<path class=\"text \" d=\"M") && outlined.contains(" transform=\"rotate(-90 1 2)\"/>")
        );
        // The text ends at its anchor, on its line.
        let numbers = outlined.split("d=\"").nth(1).unwrap().split('"').next().unwrap();
        let numbers: Vec<f32> = numbers.split(|c: char| c.is_alphabetic() || c == ' ').flat_map(str::parse).collect();
        let (xs, ys): (Vec<_>, Vec<_>) = numbers.chunks(2).map(|pair| (pair[0], pair[1])).unzip();
        assert!(
            xs.iter().all(|x| (70.0..100.0).contains(x)) && ys.iter().all(|y| (10.0..20.2).contains(y)),
            "{outlined}"
        );
    }
}
