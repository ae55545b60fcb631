//! Joins lines that a terminal or a mail program has wrapped.

use super::row_shapes;
use super::sections::Line;
use record::Total;

/// Maximum size of a text whose line wraps are removed, in bytes. Logs have up to a few hundred KiB.
const WRAPPED_BYTES_MAX: usize = 1 << 20;

/// Ways in which lines are wrapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrap {
    /// At a number of characters.
    Hard,
    /// At blanks.
    Soft,
}

/// Joins wrapped lines. Returns the text and the number of the first line of each joined line; `None` if no line of the
/// text can be wrapped in this way.
pub(crate) fn unwrap(lines: &[Line<'_>], wrap: Wrap) -> Option<(String, Vec<u32>)> {
    const WIDTHS: std::ops::RangeInclusive<usize> = 30..=250;
    const FULL_LINES_MIN: usize = 2;
    let widths: Vec<usize> = lines.iter().map(|line| line.text.chars().count()).collect();
    // A word longer than the width has a line of its own.
    let is_wrappable = |(line, _): &(&Line<'_>, &usize)| wrap == Wrap::Hard || line.text.trim().contains(' ');
    let width = lines.iter().zip(&widths).filter(is_wrappable).map(|(_, width)| *width).max();
    let width = width.filter(|width| WIDTHS.contains(width))?;
    let full = widths.iter().filter(|other| **other == width).count();
    let bytes: usize = lines.iter().map(|line| line.text.len()).total();
    if bytes > WRAPPED_BYTES_MAX || wrap == Wrap::Hard && full < FULL_LINES_MIN {
        return None;
    }
    let (mut text, mut numbers, mut joined) = (String::with_capacity(bytes), Vec::new(), false);
    let mut before: Option<usize> = None;
    for (line, length) in lines.iter().zip(&widths) {
        let first_word = line.text.split(' ').next().unwrap_or_default();
        let continues = match (wrap, before) {
            (_, None) => false,
            (Wrap::Hard, Some(before)) => {
                before == width
                    && !line.text.is_empty()
                    && (is_rule(&text, line.text) || !row_shapes::is_row(line.text))
            }
            // Joins only lines whose first word does not fit into the line above.
            (Wrap::Soft, Some(before)) => {
                before + 1 + first_word.chars().count() > width
                    && !first_word.is_empty()
                    && !row_shapes::begins_a_line(line.text)
            }
        };
        if continues {
            joined = true;
            if wrap == Wrap::Soft && !text.ends_with(' ') && !line.text.starts_with(' ') {
                text.push(' ');
            }
        } else {
            if before.is_some() {
                text.push('\n');
            }
            numbers.push(line.number);
        }
        text.push_str(line.text);
        before = Some(*length);
    }
    joined.then_some((text, numbers))
}

/// True if a line continues the horizontal rule at the end of the text.
fn is_rule(above: &str, line: &str) -> bool {
    const CHARACTERS: [char; 3] = ['-', '=', '#'];
    let is_of = |character: &char| {
        let of_both = above.chars().rev().take(30).chain(line.trim_end().chars());
        of_both.filter(|other| other != character).count() == 0
    };
    CHARACTERS.iter().any(is_of)
}
