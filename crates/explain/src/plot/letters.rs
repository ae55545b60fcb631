//! Letters as strokes, read from `data/stroke_font.txt`, so that pictures need no font. Which colour and
//! how wide the strokes are is decided where they are drawn.

use record::Total;
use std::collections::BTreeMap;
use std::sync::LazyLock;

const TABLE: &str = include_str!("../../../../data/stroke_font.txt");

/// A place within a letter: x to the right, y up from the lowest descender.
type Point = (u8, u8);

/// Strokes of one letter, each a line through points.
type Letter = Vec<Vec<Point>>;

static LETTERS: LazyLock<BTreeMap<char, Letter>> = LazyLock::new(|| {
    let rows = TABLE.lines().skip_while(|line| line.starts_with('#')).skip(1);
    rows.filter_map(|row| {
        let (letter, strokes) = row.split_once('\t')?;
        Some((letter.chars().next()?, strokes.split(',').map(stroke).collect()))
    })
    .collect()
});

/// The baseline of all letters.
const BASELINE: u8 = 4;
/// Free room behind a letter, and the width of a blank.
const ROOM: f64 = 3.2;
const BLANK: f64 = 4.0;
/// Units of the picture for one step of the grid, at the size of all text.
const STEP_X: f64 = 0.60;
const STEP_Y: f64 = 0.70;

fn stroke(text: &str) -> Vec<Point> {
    let digit = |digit: u8| match digit {
        b'0'..=b'9' => digit - b'0',
        letter => letter.saturating_sub(b'a') + 10,
    };
    let points = text.split_whitespace().map(str::as_bytes);
    points.filter_map(|point| Some((digit(*point.first()?), digit(*point.get(1)?)))).collect()
}

/// A letter that the table does not have is a box.
fn letter(c: char) -> &'static [Vec<Point>] {
    static BOX: LazyLock<Letter> = LazyLock::new(|| vec![stroke("04 84 8g 0g 04")]);
    LETTERS.get(&c).unwrap_or(&BOX)
}

fn width(c: char) -> f64 {
    if c == ' ' {
        return BLANK;
    }
    let points = letter(c).iter().flatten();
    f64::from(points.map(|(x, _)| *x).max().unwrap_or(0))
}

/// Width of a text in units of the picture.
pub(super) fn text_width(text: &str) -> f64 {
    let widths: f64 = text.chars().map(|c| width(c) + ROOM).total();
    (widths - ROOM).max(0.0) * STEP_X
}

/// Strokes of a text that begins at (0, 0), its baseline on the axis, y growing downwards.
pub(super) fn strokes(text: &str) -> Vec<Vec<(f64, f64)>> {
    let mut strokes = Vec::new();
    let mut left = 0.0;
    for c in text.chars() {
        if c != ' ' {
            for stroke in letter(c) {
                let place = |(x, y): &Point| {
                    let up = f64::from(*y) - f64::from(BASELINE);
                    ((left + f64::from(*x)) * STEP_X, -up * STEP_Y)
                };
                strokes.push(stroke.iter().map(place).collect());
            }
        }
        left += width(c) + ROOM;
    }
    strokes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_of_the_table_is_within_its_grid() {
        let rows = TABLE.lines().filter(|line| line.contains('\t'));
        assert_eq!(LETTERS.len(), rows.count() - 1);
        for c in (33_u8..127).map(char::from).chain("°µ·×±".chars()) {
            let strokes = LETTERS.get(&c).unwrap_or_else(|| panic!("{c:?} has no row"));
            assert!(!strokes.is_empty(), "{c:?}");
            for (x, y) in strokes.iter().flatten() {
                assert!(*x <= 8 && *y <= 17, "{c:?}: {x} {y}");
            }
            assert!(strokes.iter().all(|stroke| stroke.len() > 1), "{c:?}");
        }
    }

    #[test]
    fn text_takes_no_more_room_than_is_kept_free_for_it() {
        for text in ["seconds since the start", "WMW@", "1800 MHz, sweet spot", "°C"] {
            let kept = super::super::canvas::text_width(text);
            assert!(text_width(text) <= kept, "{text}: {} {kept}", text_width(text));
            let rightmost = strokes(text).iter().flatten().fold(0.0_f64, |w, (x, _)| w.max(*x));
            assert!((rightmost - text_width(text)).abs() < 1e-9, "{text}");
        }
        assert_eq!(strokes("\u{1f600}").len(), 1);
    }
}
