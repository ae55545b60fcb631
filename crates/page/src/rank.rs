//! Section: rank of the main figures among known results, and comparison with boards of the same kind.

use crate::draw::table::{cell, number, table, text};
use crate::draw::{Scale, n};
use crate::order::rank;
use crate::{Section, Subject};
use compare::{Entry, Range, Ranking};
use facts::{Figure, Verdict};
use maud::{Markup, html};

pub(crate) const SECTION: Section = Section::folded("among-others", "Every figure among known results", body);

/// Width of the drawing of a range, in SVG units.
const WIDTH: f64 = 150.0;
/// Margin at both ends, because the board's own value may be outside the range.
const ROOM: f64 = 0.35;

fn body(subject: &Subject<'_>) -> Option<Markup> {
    let ranking = &subject.ranking;
    if ranking.entries.is_empty() {
        return None;
    }
    if subject.explained.verdict == Verdict::Invalid {
        return Some(html! { p { "The result is invalid, so its figures have no place among others." } });
    }
    Some(html! {
        p { (facts::harmless(&ranking.answer.sentence)) }
        (places(ranking))
    })
}

/// Table of main figures with a range; other figures are folded, followed by the method of estimates.
pub(crate) fn places(ranking: &Ranking) -> Markup {
    let is_first = |entry: &&Entry| {
        let is_outside = entry.expected.is_some_and(|range| range.distance(entry.figure.value).abs() > 1.0);
        is_outside || entry.expected.is_some() && rank(&entry.figure.key).is_some()
    };
    let (first, others): (Vec<&Entry>, Vec<&Entry>) = ranking.entries.iter().partition(is_first);
    let soc = ranking.soc.as_deref().map_or_else(|| "its SoC".to_owned(), facts::plain);
    html! {
        @if !first.is_empty() {
            p.soft {
                "Median and range of nine in ten boards with " (soc) "; of fewer than eight boards, the lowest and the highest; where fewer \
                 than three are known, of cores of this type at this clock. Place 1 is the best."
            }
            (entry_table("", &first))
        }
        @if !others.is_empty() {
            details open[first.is_empty()] {
                summary { @if first.is_empty() { "Places" } @else { "Places of " (others.len()) " more figures" } }
                (entry_table("", &others))
            }
        }
        (estimated(ranking))
    }
}

fn entry_table(caption: &str, entries: &[&Entry]) -> Markup {
    let columns = [
        text("Figure"),
        number("This"),
        number("Median"),
        number("Range"),
        text("Dot in range"),
        number("Place (SoC)"),
        number("Place (all)"),
    ];
    let rows: Vec<_> = entries.iter().map(|entry| row(entry)).collect();
    table(caption, &columns, &rows)
}

fn row(entry: &Entry) -> Vec<Markup> {
    // Of few boards, the drawing shows the lowest and the highest.
    let ends = |range: Range| match &entry.extremes {
        Some(extremes) => Range { low: extremes.low, high: extremes.high, ..range },
        None => range,
    };
    let bar = html! { @if let Some(range) = entry.expected.map(ends) { (bar(&range, &entry.figure)) } };
    let [title, value, unit, median, range, same_soc, all] = entry.cells().map(|words| facts::plain(&words));
    let value = format!("{value} {unit}");
    vec![cell(title), cell(value), cell(median), cell(range), bar, cell(same_soc), cell(all)]
}

/// Draws the range as a bar, its median as a stroke, the own value as a dot; the scale is logarithmic.
fn bar(range: &Range, figure: &Figure) -> Markup {
    let length = (range.high / range.low).max(1.02).powf(ROOM);
    let ends = (range.low / length, range.high * length);
    let scale = Scale::logarithmic(ends, (6.0, WIDTH - 6.0));
    let at = |value: f64| scale.at(value.clamp(ends.0, ends.1));
    html! {
        svg width=(WIDTH) height="14" viewBox={ "0 0 " (WIDTH) " 14" } aria-hidden="true" {
            rect.range x=(n(at(range.low))) y="4" width=(n(at(range.high) - at(range.low))) height="6" {}
            line.edge x1=(n(at(range.median))) x2=(n(at(range.median))) y1="2" y2="12" {}
            circle.dot cx=(n(at(figure.value))) cy="7" r="4.5" {}
        }
    }
}

fn estimated(ranking: &Ranking) -> Markup {
    let told = ranking.entries.iter().filter_map(|entry| Some((entry.figure.name(), entry.estimated.as_ref()?)));
    let told: Vec<_> = told.collect();
    html! {
        @if !told.is_empty() {
            details {
                summary { "≈ is estimated from another version of the program" }
                p { "Intervals hold in 90 % of cases." }
                ul.notes { @for (name, words) in told { li { (facts::plain(&format!("{name}: {words}"))) "." } } }
            }
        }
    }
}

/// Rank of a main figure in words: among boards of the same SoC if they are enough for a range, else that of its chart, else
/// among all results.
pub(crate) fn words(ranking: &Ranking, figure: &Figure) -> Option<String> {
    let own = |entry: &&Entry| {
        let key = entry.figure.estimate.as_ref().map_or(&entry.figure.key, |estimate| &estimate.from);
        *key == figure.key && entry.figure.core == figure.core
    };
    let entry = ranking.entries.iter().find(own)?;
    let is_of_figure = |bar: &compare::Bar| bar.is_this && bar.value == entry.figure.value;
    let chart = ranking.neighbours.iter().find(|chart| chart.bars.iter().any(is_of_figure));
    Some(match &entry.same_soc {
        Some(standing) if standing.of > compare::OTHERS_MIN && standing.extremes.is_none() => {
            format!("place {} with this SoC", standing.words())
        }
        _ if let Some(chart) = chart => format!("place {} of {} boards", chart.place, chart.of),
        _ if entry.all.of > compare::OTHERS_MIN => format!("place {} results", entry.all.words()),
        _ => return None,
    })
}
