//! Pictures as pixels: lines with smooth edges, boxes, dots and letters, in greys. It draws what a
//! [`Canvas`](super::canvas) has; where things stand is decided there.

use super::canvas::{Anchor, Picture, Shape};
use super::letters;

/// Pixels for a unit of the picture: sharp on screens of high density and on paper.
const SCALE: f64 = 2.0;
const BLACK: f64 = 0.0;
const WHITE: f64 = 255.0;
/// Width of the strokes of letters, and of bold ones, in units of the picture.
const STROKE: f64 = 1.15;
const BOLD: f64 = 1.9;
/// White around letters on each side.
const HALO: f64 = 1.5;

/// A grey picture, row by row from the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raster {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// 0 is black, 255 is white.
    pub pixels: Vec<u8>,
}

impl Raster {
    /// Draws a picture.
    pub fn of(picture: &Picture) -> Self {
        let (width, height) = (picture.width * SCALE, picture.height * SCALE);
        let (width, height) = (width.ceil() as u32, height.ceil() as u32);
        let mut raster = Self { width, height, pixels: vec![WHITE as u8; width as usize * height as usize] };
        picture.shapes.iter().for_each(|shape| raster.shape(shape));
        raster
    }

    /// As a PNG file.
    ///
    /// # Errors
    /// One sentence; a picture of a plot is never too large.
    pub fn png(&self) -> Result<Vec<u8>, String> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.width, self.height);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.set_depth(png::BitDepth::Eight);
        let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&self.pixels));
        written.map_err(|why| why.to_string())?;
        Ok(file)
    }

    fn shape(&mut self, shape: &Shape) {
        match shape {
            Shape::Line { points, dashes, width } => {
                for piece in dashed(points, dashes) {
                    self.line(&piece, *width, BLACK);
                }
            }
            Shape::Grid(from, to) => self.line(&[*from, *to], 1.0, f64::from(0xdd)),
            Shape::Dot(at, radius) => self.line(&[*at, *at], 2.0 * radius, BLACK),
            Shape::Ring(at, radius) => {
                const CORNERS: u32 = 48;
                let corner = |step: u32| {
                    let angle = std::f64::consts::TAU * f64::from(step) / f64::from(CORNERS);
                    (at.0 + radius * angle.cos(), at.1 + radius * angle.sin())
                };
                let points: Vec<_> = (0..=CORNERS).map(corner).collect();
                self.line(&points, 1.6, BLACK);
            }
            Shape::Box { at, size, grey } => self.fill(*at, *size, f64::from(*grey)),
            Shape::Frame(at, size) => {
                let (right, bottom) = (at.0 + size.0, at.1 + size.1);
                let corners = [*at, (right, at.1), (right, bottom), (at.0, bottom), *at];
                self.line(&corners, 1.0, BLACK);
            }
            Shape::Text { at, text, anchor, is_bold, is_upright } => {
                self.text(*at, text, *anchor, *is_bold, *is_upright);
            }
        }
    }

    fn text(&mut self, at: (f64, f64), text: &str, anchor: Anchor, bold: bool, upright: bool) {
        let width = letters::text_width(text);
        let left = match anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -width / 2.0,
            Anchor::End => -width,
        };
        let place = |(x, y): (f64, f64)| match upright {
            // A quarter turn to the left around the place.
            true => (at.0 + y, at.1 - (left + x)),
            false => (at.0 + left + x, at.1 + y),
        };
        let strokes = letters::strokes(text).into_iter();
        let strokes: Vec<Vec<_>> = strokes.map(|stroke| stroke.into_iter().map(place).collect()).collect();
        let stroke_width = if bold { BOLD } else { STROKE };
        for (width, shade) in [(stroke_width + 2.0 * HALO, WHITE), (stroke_width, BLACK)] {
            strokes.iter().for_each(|stroke| self.line(stroke, width, shade));
        }
    }

    /// A line with round ends and joints.
    fn line(&mut self, points: &[(f64, f64)], width: f64, shade: f64) {
        let scaled = |point: &(f64, f64)| (point.0 * SCALE, point.1 * SCALE);
        let radius = width * SCALE / 2.0;
        for pair in points.windows(2) {
            self.segment(scaled(&pair[0]), scaled(&pair[1]), radius, shade);
        }
    }

    /// Every pixel near a segment, by how far its middle lies from it.
    fn segment(&mut self, a: (f64, f64), b: (f64, f64), radius: f64, shade: f64) {
        let reach = radius + 1.0;
        let columns = range(a.0.min(b.0) - reach, a.0.max(b.0) + reach, self.width);
        let rows = range(a.1.min(b.1) - reach, a.1.max(b.1) + reach, self.height);
        let along = (b.0 - a.0, b.1 - a.1);
        let length_squared = along.0 * along.0 + along.1 * along.1;
        for row in rows {
            // Only that part of the row that the segment comes near: a picture of thousands of steep lines
            // costs what is drawn, not the boxes around them.
            let (low, high) = near_row(a, b, f64::from(row) + 0.5, reach);
            let near = range(low - reach, high + reach, self.width);
            let near = near.start.max(columns.start)..near.end.min(columns.end);
            for column in near {
                let from = (f64::from(column) + 0.5 - a.0, f64::from(row) + 0.5 - a.1);
                let share = match length_squared > 0.0 {
                    true => ((from.0 * along.0 + from.1 * along.1) / length_squared).clamp(0.0, 1.0),
                    false => 0.0,
                };
                let off = (from.0 - share * along.0, from.1 - share * along.1);
                let covered = (radius + 0.5 - off.0.hypot(off.1)).clamp(0.0, 1.0);
                self.blend(column, row, covered, shade);
            }
        }
    }

    fn fill(&mut self, at: (f64, f64), size: (f64, f64), shade: f64) {
        let (left, right) = (at.0 * SCALE, (at.0 + size.0) * SCALE);
        let (top, bottom) = (at.1 * SCALE, (at.1 + size.1) * SCALE);
        let covered = |pixel: u32, low: f64, high: f64| {
            let (from, to) = (f64::from(pixel).max(low), f64::from(pixel + 1).min(high));
            (to - from).clamp(0.0, 1.0)
        };
        for row in range(top, bottom, self.height) {
            for column in range(left, right, self.width) {
                let share = covered(column, left, right) * covered(row, top, bottom);
                self.blend(column, row, share, shade);
            }
        }
    }

    fn blend(&mut self, column: u32, row: u32, covered: f64, shade: f64) {
        if covered > 0.0
            && let Some(pixel) = self.pixels.get_mut(row as usize * self.width as usize + column as usize)
        {
            let old = f64::from(*pixel);
            *pixel = (old + (shade - old) * covered).round() as u8;
        }
    }
}

/// Pixels from one place to another that are within the picture.
fn range(from: f64, to: f64, end: u32) -> std::ops::Range<u32> {
    let first = from.floor().clamp(0.0, f64::from(end)) as u32;
    let last = to.ceil().clamp(0.0, f64::from(end)) as u32;
    first..last.max(first)
}

/// From where to where the part of a segment reaches, sideways, that is within `reach` of a row.
fn near_row(a: (f64, f64), b: (f64, f64), row: f64, reach: f64) -> (f64, f64) {
    let (along, down) = (b.0 - a.0, b.1 - a.1);
    if down.abs() < 1e-9 {
        return (a.0.min(b.0), a.0.max(b.0));
    }
    let share = |y: f64| ((y - a.1) / down).clamp(0.0, 1.0);
    let ends = [row - reach, row + reach].map(|y| a.0 + share(y) * along);
    (ends[0].min(ends[1]), ends[0].max(ends[1]))
}

/// A line cut into its dashes: lengths of ink and gap in turns, as SVG has them.
fn dashed(points: &[(f64, f64)], dashes: &str) -> Vec<Vec<(f64, f64)>> {
    let lengths: Vec<f64> = dashes.split_whitespace().filter_map(|d| d.parse().ok()).collect();
    if lengths.is_empty() || lengths.iter().any(|length| *length <= 0.0) {
        return vec![points.to_vec()];
    }
    // What is no place has no length either, and would be walked along for ever.
    if points.iter().any(|(x, y)| !x.is_finite() || !y.is_finite()) {
        return Vec::new();
    }
    let mut pieces: Vec<Vec<(f64, f64)>> = Vec::new();
    let (mut index, mut left) = (0, lengths[0]);
    let mut piece: Vec<(f64, f64)> = points.first().copied().into_iter().collect();
    for pair in points.windows(2) {
        let (mut from, to) = (pair[0], pair[1]);
        loop {
            let length = (to.0 - from.0).hypot(to.1 - from.1);
            if length < left {
                left -= length;
                piece.push(to);
                break;
            }
            let share = left / length.max(1e-9);
            from = (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1));
            piece.push(from);
            let ended = std::mem::replace(&mut piece, vec![from]);
            if index % 2 == 0 {
                pieces.push(ended);
            }
            index += 1;
            left = lengths[index % lengths.len()];
        }
    }
    if index % 2 == 0 {
        pieces.push(piece);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::super::canvas::Canvas;
    use super::*;

    fn drawn(draw: impl Fn(&mut Canvas)) -> Raster {
        let mut canvas = Canvas::new(40.0, 20.0, "");
        draw(&mut canvas);
        Raster::of(&canvas.finish())
    }

    #[test]
    fn lines_boxes_and_letters_are_where_they_belong() {
        let at = |raster: &Raster, x: usize, y: usize| raster.pixels[y * raster.width as usize + x];
        let line = drawn(|canvas| canvas.line((5.0, 10.0), (35.0, 10.0), "", 2.0));
        assert_eq!((line.width, line.height), (80, 40));
        assert_eq!((at(&line, 40, 20), at(&line, 40, 10), at(&line, 2, 20)), (0, 255, 255));
        let grey = drawn(|canvas| canvas.shade((10.0, 5.0), (10.0, 10.0), 0.4));
        assert_eq!((at(&grey, 30, 20), at(&grey, 50, 20)), (153, 255));
        let word = drawn(|canvas| canvas.text((20.0, 14.0), "H", Anchor::Middle));
        let ink = word.pixels.iter().filter(|pixel| **pixel < 128).count();
        assert!((50..200).contains(&ink), "{ink}");
        // Text stands on a halo: a line behind it is interrupted.
        let both = drawn(|canvas| {
            canvas.line((0.0, 8.0), (40.0, 8.0), "", 1.0);
            canvas.text((20.0, 14.0), "I", Anchor::Middle);
        });
        assert_eq!((at(&both, 2, 16), at(&both, 37, 16)), (0, 255));
    }

    #[test]
    fn dashes_have_their_lengths() {
        let pieces = dashed(&[(0.0, 0.0), (6.0, 0.0), (20.0, 0.0)], "4 3");
        let ends: Vec<(f64, f64)> = pieces.iter().map(|p| (p[0].0, p[p.len() - 1].0)).collect();
        assert_eq!(ends, [(0.0, 4.0), (7.0, 11.0), (14.0, 18.0)]);
        assert_eq!(dashed(&[(0.0, 0.0), (9.0, 0.0)], "").len(), 1);
        assert!(dashed(&[(f64::NAN, 0.0), (9.0, 0.0)], "4 3").is_empty());
    }

    #[test]
    fn file_is_a_png_of_this_size() {
        let file = drawn(|canvas| canvas.dot((5.0, 5.0), 2.0)).png().unwrap();
        assert!(file.starts_with(b"\x89PNG\r\n\x1a\n"));
        assert_eq!(file[16..24], [0, 0, 0, 80, 0, 0, 0, 40]);
    }
}
