//! Page that compares several results.

use super::{left_out, listed};
use crate::document::{Part, SiteElements, document_within};
use crate::draw::table::{Column, cell, maybe, number, table, text};
use crate::result_row::verdict;
use compare::{Comparison, Line, NamedResult, Setting, labels};
use maud::{Markup, html};

/// Renders a comparison as an HTML file.
pub fn comparison(comparison: &Comparison) -> String {
    comparison_within(&SiteElements::default(), comparison)
}

/// Renders a comparison for a site.
pub fn comparison_within(around: &SiteElements, comparison: &Comparison) -> String {
    let name = format!("Comparison of {} results", comparison.sides.len());
    let parts = [
        ("bars", "Main figures", bars(comparison)),
        ("causes", "Likely causes", causes(comparison)),
        ("figures", "Figures", figures(comparison)),
        ("estimates", "Estimated from another version of a program", estimated(comparison)),
        ("settings", "Settings that differ", settings(comparison)),
        ("left-out", "Not compared", left_out(&comparison.left_out)),
    ];
    let parts: Vec<Part> = parts.into_iter().filter_map(|(id, title, body)| Some(Part::of(id, title, body?))).collect();
    document_within(around, &name, &top(&name, comparison), &parts, "The results have no figure in common.")
}

fn top(name: &str, comparison: &Comparison) -> Markup {
    let columns = [text("Result"), text("Board"), text("Verdict"), text("File")];
    let row = |(letter, side): (String, &NamedResult)| {
        let board = side.board.as_deref().map_or_else(|| "unknown board".into(), facts::plain);
        vec![cell(letter), cell(board), verdict(side.verdict), cell(facts::plain(&side.name))]
    };
    let rows: Vec<_> = labels().zip(&comparison.sides).map(row).collect();
    html! {
        h1 { (name) }
        @for sentence in &comparison.sentences { p.verdict { (facts::harmless(sentence)) } }
        (table("Results", &columns, &rows))
    }
}

/// A bar for each result in the figures that people ask for first.
fn bars(comparison: &Comparison) -> Option<Markup> {
    let charts = comparison.headlines();
    let most = |line: &Line| line.values.iter().flatten().copied().fold(f64::MIN_POSITIVE, f64::max);
    let direction = |line: &Line| if line.unit == "ns" { ", lower is better" } else { "" };
    (!charts.is_empty()).then(|| {
        html! {
            @for (words, line) in charts {
                table.boards {
                    caption { (words) " (" (facts::plain(&line.unit)) (direction(line)) ")" }
                    @for ((index, value), letter) in line.values.iter().enumerate().zip(labels()) {
                        @if let Some(value) = value {
                            @let board = comparison.sides.get(index).and_then(|side| side.board.as_deref());
                            tr {
                                th scope="row" { (letter) " " (facts::plain(board.unwrap_or("unknown board"))) }
                                td { (line.value_words(index)) }
                                td { div style={ "width:" (format!("{:.1}%", 100.0 * value / most(line))) } {} }
                            }
                        }
                    }
                }
            }
        }
    })
}

fn figures(comparison: &Comparison) -> Option<Markup> {
    let letters: Vec<String> = labels().take(comparison.sides.len()).collect();
    let values = letters.iter().enumerate();
    let values =
        values.flat_map(|(index, letter)| std::iter::once(letter.as_str()).chain((index > 0).then_some("change")));
    let columns: Vec<Column<'_>> = [text("Figure"), text("Unit")].into_iter().chain(values.map(number)).collect();
    let row = |line: &Line| {
        let values = line.differences.iter().enumerate().flat_map(|(index, difference)| {
            let change =
                (index > 0).then(|| maybe(difference.as_ref().map(|difference| line.change_words(difference))));
            std::iter::once(cell(line.value_words(index))).chain(change)
        });
        [cell(facts::plain(&line.name())), cell(facts::plain(&line.unit))].into_iter().chain(values).collect()
    };
    let rows: Vec<Vec<Markup>> = comparison.main_lines().map(row).collect();
    (!rows.is_empty()).then(|| {
        html! {
            p { "Each change is against the first result that has the figure." }
            (table("Figures", &columns, &rows))
        }
    })
}

fn causes(comparison: &Comparison) -> Option<Markup> {
    listed(comparison.causes().iter().map(|cause| facts::harmless(&cause.sentence()).into_owned()))
}

/// Explanation of each `≈`.
fn estimated(comparison: &Comparison) -> Option<Markup> {
    let told = |(letter, line, words): (String, &Line, &str)| format!("≈ {letter}, {}: {words}", line.name());
    listed(comparison.estimates().map(|estimate| facts::plain(&told(estimate))))
}

fn settings(comparison: &Comparison) -> Option<Markup> {
    let letters: Vec<String> = labels().take(comparison.sides.len()).collect();
    let columns: Vec<Column<'_>> =
        std::iter::once("Setting").chain(letters.iter().map(String::as_str)).map(text).collect();
    let row = |setting: &Setting| {
        let values = setting.values.iter().map(|value| maybe(value.as_deref().map(facts::plain)));
        std::iter::once(cell(setting.name)).chain(values).collect()
    };
    let rows: Vec<Vec<Markup>> = comparison.settings.iter().map(row).collect();
    (!rows.is_empty()).then(|| table("Settings that differ", &columns, &rows))
}
