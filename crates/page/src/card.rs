//! Card of a result: one picture of 1200 x 630, the size of link previews, with board, verdict, four figures, and the run
//! over time or the place among known boards.

use crate::draw::{Area, n, swatch};
use crate::summary::Highlight;
use crate::{Subject, raster, style, summary, timeline};
use compare::Neighbours;
use facts::Cause;
use facts::lines::{width, wrapped_at};
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
/// Smallest size of a text relative to its usual size.
const SHRINK_MAX: f64 = 0.62;
/// Scale of the clock plot, which is drawn for a page.
const PLOT_SCALE: f64 = 1.5;

/// Renders the card as SVG.
pub(crate) fn card(subject: &Subject<'_>) -> String {
    let room = WIDTH - 2.0 * SIDE;
    let (look, sentence) = summary::headline(subject);
    let svg = html! {
        svg xmlns="http://www.w3.org/2000/svg" width=(WIDTH) height=(HEIGHT) viewBox={ "0 0 " (WIDTH) " " (HEIGHT) }
            font-family="'DejaVu Sans', system-ui, sans-serif" {
            style { (PreEscaped(style::of_picture())) }
            rect width=(WIDTH) height=(HEIGHT) fill="#fff" {}
            rect.{ "verdict-" (look) } width="16" height=(HEIGHT) {}
            (lines(&name(subject), 76.0, (42.0, true), room, 1))
            (lines(&summary::soc_and_cores(subject.facts), 112.0, (18.0, false), room, 1))
            (lines(&sentence, 156.0, (23.0, false), room, 4))
            (figures(subject))
            (lower_half(subject))
            g.axis { text x=(n(WIDTH - SIDE)) y=(n(HEIGHT - 14.0)) font-size="15" text-anchor="end" { "sbc-bench " (env!("CARGO_PKG_VERSION")) } }
        }
    };
    svg.into_string() + "\n"
}

/// Name of the board, else of its SoC, else its core types: the first one that the font can draw.
fn name(subject: &Subject<'_>) -> String {
    let facts = subject.facts;
    let soc = facts.machine.soc.known().map(|soc| facts::plain(soc));
    let names = [Some(summary::name(facts)), soc, Some(summary::soc_and_cores(facts))];
    let found = names.into_iter().flatten().find(|name| !name.is_empty() && raster::has_glyphs(name));
    found.unwrap_or_else(|| "Unknown board".to_owned())
}

/// Text in lines, in the height of `lines_max` lines of its usual size. A long text has smaller letters; the last line ends with
/// an ellipsis if text is omitted.
fn lines(text: &str, top: f64, (usual_size, is_bold): (f64, bool), room: f64, lines_max: usize) -> Markup {
    let letter = if is_bold { BOLD_LETTER } else { LETTER };
    let at = |size: f64| ((room / (letter * size)) as usize, (lines_max as f64 * usual_size / size) as usize);
    let fits = |size: &f64| {
        let (letters_max, lines_max) = at(*size);
        wrapped_at(text, 0, letters_max).lines().count() <= lines_max
    };
    let smallest = usual_size * SHRINK_MAX;
    let sizes = std::iter::successors(Some(usual_size), |size| Some(size - 1.0)).take_while(|size| *size >= smallest);
    let size = sizes.clone().find(fits).or_else(|| sizes.last()).unwrap_or(usual_size);
    let (letters_max, lines_max) = at(size);
    let wrapped = wrap(text, letters_max, lines_max);
    let weight = if is_bold { "bold" } else { "normal" };
    html! {
        @for (index, line) in wrapped.iter().enumerate() {
            text x=(SIDE) y=(n(top + 1.35 * size * index as f64)) font-size=(size) font-weight=(weight) { (line) }
        }
    }
}

/// Wraps a text into at most `lines_max` lines of at most `letters_max` letters.
fn wrap(text: &str, letters_max: usize, lines_max: usize) -> Vec<String> {
    let wrapped = wrapped_at(text, 0, letters_max);
    let mut lines: Vec<String> = wrapped.lines().take(lines_max).map(str::to_owned).collect();
    if let Some(last) = lines.last_mut().filter(|_| wrapped.lines().count() > lines_max) {
        // The ellipsis needs one letter.
        *last = last.chars().take(letters_max.saturating_sub(1)).chain(['…']).collect();
    }
    lines
}

/// First figures of the page, in boxes.
fn figures(subject: &Subject<'_>) -> Markup {
    let facts = summary::highlights(subject);
    let width = (WIDTH - 2.0 * SIDE - 16.0 * (FIGURES as f64 - 1.0)) / FIGURES as f64;
    let fitting = |size: f64, letter: f64| ((width - 28.0) / (letter * size)) as usize;
    html! {
        @for (index, Highlight { title, value, .. }) in facts.iter().take(FIGURES).enumerate() {
            @let left = SIDE + (width + 16.0) * index as f64;
            rect.raised x=(n(left)) y="278" width=(n(width)) height="78" rx="6" {}
            g.axis { text x=(n(left + 14.0)) y="306" font-size="15" { (shortened(title, fitting(15.0, LETTER))) } }
            text x=(n(left + 14.0)) y="342" font-size="26" font-weight="bold" { (shortened(value, fitting(26.0, BOLD_LETTER))) }
        }
    }
}

/// True if the clock over time shows the effect of the cause; swapping or other programs do not change it.
fn lowers_clocks(cause: Cause) -> bool {
    matches!(
        cause,
        Cause::LowVoltage
            | Cause::Heat
            | Cause::PowerLimit
            | Cause::CpusTakenAway
            | Cause::SettingLimit
            | Cause::Governor
            | Cause::FirmwareCap
            | Cause::ClockLimit
            | Cause::HighestOpp
            | Cause::Clock
    )
}

/// The run over time where lower clocks took something, else the place among known boards; whatever there is.
fn lower_half(subject: &Subject<'_>) -> Markup {
    let parts = subject.explained.ledgers.iter().flat_map(|ledger| &ledger.parts);
    let has_drama = parts.map(|part| part.cause).any(lowers_clocks);
    let (over_time, chart) = (|| over_time(subject), || subject.ranking.neighbours.first().map(chart));
    let found = if has_drama { over_time().or_else(chart) } else { chart().or_else(over_time) };
    found.unwrap_or_else(|| html! { text x=(SIDE) y="440" font-size="20" { "Nothing was sampled over time, and no known board compares." } })
}

/// The clock over time, else another sampled channel, with the names of its lines.
fn over_time(subject: &Subject<'_>) -> Option<Markup> {
    let scaled = |value: f64| value / PLOT_SCALE;
    let area = Area { left: scaled(SIDE) + 40.0, right: scaled(WIDTH - SIDE), top: 34.0, bottom: scaled(180.0) };
    let (shapes, key) = timeline::first_panel(subject.facts, area)?;
    let mut left = SIDE + 60.0;
    let mut place = |(look, name): &(String, String)| {
        let at = left;
        left += 64.0 + LETTER * 16.0 * width(name) as f64;
        (at, look.clone(), name.clone())
    };
    let key: Vec<(f64, String, String)> = key.iter().map(&mut place).filter(|(at, ..)| *at < WIDTH - 260.0).collect();
    Some(html! {
        @for (at, look, name) in key {
            (swatch(&look, at, 384.0)) text x=(n(at + 34.0)) y="389" font-size="16" { (name) }
        }
        g transform={ "translate(0 392) scale(" (PLOT_SCALE) ")" } font-size="12" { (shapes) }
    })
}

/// Bars of this board and of those next to it.
fn chart(neighbours: &Neighbours) -> Markup {
    const TOP: f64 = 408.0;
    const VALUE: f64 = 120.0;
    const NAME_MAX: f64 = 560.0;
    const SIZE: f64 = 17.0;
    let most = neighbours.value_max();
    let row = (200.0 / neighbours.bars.len().max(1) as f64).min(28.0);
    let letters = neighbours.bars.iter().map(|bar| width(&bar.label())).max().unwrap_or(0);
    let letters = letters.min((NAME_MAX / (LETTER * SIZE)) as usize);
    let left = SIDE + LETTER * SIZE * letters as f64 + VALUE + 16.0;
    let length = |value: f64| ((WIDTH - SIDE - left) * value / most).max(2.0);
    html! {
        g.axis { text x=(SIDE) y="392" font-size="16" { (neighbours.caption()) } }
        @for (index, bar) in neighbours.bars.iter().enumerate() {
            @let y = TOP + row * index as f64;
            @let weight = if bar.is_this { "bold" } else { "normal" };
            text x=(SIDE) y=(n(y + row * 0.7)) font-size=(SIZE) font-weight=(weight) { (shortened(&bar.label(), letters)) }
            text x=(n(left - 16.0)) y=(n(y + row * 0.7)) font-size=(SIZE) font-weight=(weight) text-anchor="end" { (bar.value_words(&neighbours.unit)) }
            rect.bar[bar.is_this].rest[!bar.is_this] x=(n(left)) y=(n(y + row * 0.15)) width=(n(length(bar.value))) height=(n(row * 0.66)) {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_smaller_before_it_is_cut() {
        let size_and_cut = |letters: usize| {
            let text = lines(&"x".repeat(letters), 0.0, (20.0, false), 400.0, 1).into_string();
            let size = text.split("font-size=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap().to_owned();
            (size, text.contains('…'))
        };
        for (letters, size, is_cut) in [(35, "20", false), (40, "17", false), (54, "13", false), (60, "13", true)] {
            assert_eq!(size_and_cut(letters), (size.to_owned(), is_cut), "{letters}");
        }
    }

    #[test]
    fn text_is_broken_and_cut() {
        assert_eq!(wrap("one two three", 7, 3), ["one two", "three"]);
        assert_eq!(wrap("one two three four", 7, 2), ["one two", "three…"]);
        assert_eq!(wrap("unbreakable", 6, 1), ["unbre…"]);
        assert!(wrap("", 6, 2).is_empty());
    }
}
