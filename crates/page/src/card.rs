//! Card of a result: one picture of 1200 x 630, the size of link previews, with board, verdict, four figures and the
//! clock over time.

use crate::draw::{Area, n};
use crate::{Subject, style, summary, timeline};
use facts::shortened;
use maud::{Markup, PreEscaped, html};

const WIDTH: f64 = 1200.0;
const HEIGHT: f64 = 630.0;
/// Margin on all sides.
const SIDE: f64 = 48.0;
/// Number of figures in a row.
const FIGURES: usize = 4;
/// Upper bound of a letter's width relative to the font size; regular and bold.
const LETTER: f64 = 0.56;
const BOLD_LETTER: f64 = 0.66;
/// Scale of the clock plot, which is drawn for a page.
const PLOT_SCALE: f64 = 1.5;

/// Renders the card as SVG.
pub(crate) fn card(subject: &Subject<'_>) -> String {
    let room = WIDTH - 2.0 * SIDE;
    let (look, sentence) = summary::verdict(subject);
    let svg = html! {
        svg xmlns="http://www.w3.org/2000/svg" width=(WIDTH) height=(HEIGHT) viewBox={ "0 0 " (WIDTH) " " (HEIGHT) }
            font-family="'DejaVu Sans', system-ui, sans-serif" {
            style { (PreEscaped(style::of_picture())) }
            rect width=(WIDTH) height=(HEIGHT) fill="#fff" {}
            rect.{ "verdict-" (look) } width="16" height=(HEIGHT) {}
            (lines(&summary::name(subject.facts), 76.0, (42.0, true), room, 1))
            (lines(&summary::line(subject.facts), 114.0, (18.0, false), room, 1))
            (lines(&sentence, 168.0, (24.0, false), room, 4))
            (figures(subject))
            (clock(subject))
        }
    };
    svg.into_string() + "\n"
}

/// Text in lines; the last line ends with an ellipsis if text is omitted.
fn lines(text: &str, top: f64, (size, is_bold): (f64, bool), room: f64, lines_max: usize) -> Markup {
    let letter = if is_bold { BOLD_LETTER } else { LETTER };
    let wrapped = wrap(text, (room / (letter * size)) as usize, lines_max);
    let weight = if is_bold { "bold" } else { "normal" };
    html! {
        @for (index, line) in wrapped.iter().enumerate() {
            text x=(SIDE) y=(n(top + 1.35 * size * index as f64)) font-size=(size) font-weight=(weight) { (line) }
        }
    }
}

/// Wraps a text into at most `lines_max` lines of at most `letters_max` letters; longer words are cut.
fn wrap(text: &str, letters_max: usize, lines_max: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let is_full = lines.len() == lines_max;
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= letters_max => {
                line.push(' ');
                line.push_str(word);
            }
            Some(line) if is_full => {
                // The ellipsis needs one letter.
                let room = letters_max.saturating_sub(1);
                *line = line.chars().take(room).chain(['…']).collect();
                return lines;
            }
            _ => lines.push(shortened(word, letters_max)),
        }
    }
    lines
}

/// First figures of the page, in boxes.
fn figures(subject: &Subject<'_>) -> Markup {
    let facts = summary::highlights(subject);
    let width = (WIDTH - 2.0 * SIDE - 16.0 * (FIGURES as f64 - 1.0)) / FIGURES as f64;
    let fitting = |size: f64, letter: f64| ((width - 28.0) / (letter * size)) as usize;
    html! {
        @for (index, (name, value, small)) in facts.iter().take(FIGURES).enumerate() {
            @let left = SIDE + (width + 16.0) * index as f64;
            rect.raised x=(n(left)) y="298" width=(n(width)) height="112" rx="6" {}
            g.axis { text x=(n(left + 14.0)) y="326" font-size="14" { (shortened(name, fitting(14.0, LETTER))) } }
            text x=(n(left + 14.0)) y="364" font-size="26" font-weight="bold" { (shortened(value, fitting(26.0, BOLD_LETTER))) }
            g.axis { text x=(n(left + 14.0)) y="394" font-size="14" { (shortened(small.split("; ").next().unwrap_or_default(), fitting(14.0, LETTER))) } }
        }
        @if facts.is_empty() { text x=(SIDE) y="350" font-size="24" { "This result holds no figures." } }
    }
}

/// The clock over time, else another sampled channel.
fn clock(subject: &Subject<'_>) -> Markup {
    let scaled = |value: f64| value / PLOT_SCALE;
    let area = Area { left: scaled(SIDE) + 40.0, right: scaled(WIDTH - SIDE), top: 22.0, bottom: scaled(150.0) };
    html! {
        @match timeline::first_panel(subject.facts, area) {
            Some((title, shapes)) => {
                // Next to the unit of the axis.
                text x=(SIDE + 64.0) y="454" font-size="18" { (title) " over the run" }
                g transform={ "translate(0 436) scale(" (PLOT_SCALE) ")" } font-size="12" { (shapes) }
            }
            None => { text x=(SIDE) y="500" font-size="20" { "Clocks were not sampled over time." } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_broken_and_cut() {
        assert_eq!(wrap("one two three", 7, 3), ["one two", "three"]);
        assert_eq!(wrap("one two three four", 7, 2), ["one two", "three…"]);
        assert_eq!(wrap("unbreakable", 6, 2), ["unbre…"]);
        assert!(wrap("", 6, 2).is_empty());
    }
}
