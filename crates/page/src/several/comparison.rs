//! Page that compares several results.

use super::{left_out, listed, verdict};
use crate::document::{Around, Part, document_within};
use crate::draw::wide;
use compare::{Comparison, Line, change, labels};
use maud::{Markup, html};

/// Renders a comparison as an HTML file.
pub fn comparison(comparison: &Comparison) -> String {
    comparison_within(&Around::default(), comparison)
}

/// Renders a comparison for a site.
pub fn comparison_within(around: &Around, comparison: &Comparison) -> String {
    let name = format!("Comparison of {} results", comparison.sides.len());
    let parts = [
        ("figures", "Figures", figures(comparison)),
        ("estimates", "Estimated from another version of a program", estimated(comparison)),
        ("causes", "Likely causes", causes(comparison)),
        ("settings", "Settings that differ", settings(comparison)),
        ("left-out", "Not compared", left_out(&comparison.left_out)),
    ];
    let parts: Vec<Part> = parts.into_iter().filter_map(|(id, title, body)| Some(Part::of(id, title, body?))).collect();
    document_within(around, &name, &top(&name, comparison), &parts, "The results have no figure in common.")
}

fn top(name: &str, comparison: &Comparison) -> Markup {
    html! {
        h1 { (name) }
        @for sentence in &comparison.sentences { p.verdict { (facts::harmless(sentence)) } }
        (wide("Results", &html! { table {
            thead { tr { th scope="col" { "Result" } th scope="col" { "Board" } th scope="col" { "Verdict" } th scope="col" { "File" } } }
            tbody {
                @for (letter, side) in labels().zip(&comparison.sides) {
                    tr {
                        th scope="row" { (letter) }
                        td { (side.board.as_deref().map_or_else(|| "unknown board".into(), facts::plain)) }
                        td { (verdict(side.verdict)) } td { (facts::plain(&side.name)) }
                    }
                }
            }
        } }))
    }
}

fn figures(comparison: &Comparison) -> Option<Markup> {
    let lines: Vec<&Line> = comparison.main_lines().collect();
    (!lines.is_empty()).then(|| {
        html! {
            p { "Each change is against the first result that has the figure; changes within noise have no word." }
            (wide("Figures", &html! { table {
                thead {
                    tr {
                        th scope="col" { "Figure" } th scope="col" { "Unit" }
                        @for (index, (letter, _)) in labels().zip(&comparison.sides).enumerate() {
                            th.number scope="col" { (letter) } @if index > 0 { th.number scope="col" { "change" } }
                        }
                    }
                }
                tbody { @for line in lines { (row(line)) } }
            } }))
        }
    })
}

fn row(line: &Line) -> Markup {
    html! {
        tr {
            th.name scope="row" { (facts::plain(&line.name())) } td { (facts::plain(&line.unit)) }
            @for (index, difference) in line.differences.iter().enumerate() {
                td.number { (line.value_words(index)) }
                @if index > 0 { td.number { (difference.as_ref().map_or_else(|| "-".to_owned(), change)) } }
            }
        }
    }
}

fn causes(comparison: &Comparison) -> Option<Markup> {
    let told = |(letter, line, cause): (String, &Line, &str)| format!("{letter}, {}: {cause}", line.name());
    listed(comparison.causes().map(|cause| facts::harmless(&told(cause)).into_owned()))
}

/// Explanation of each `≈`.
fn estimated(comparison: &Comparison) -> Option<Markup> {
    let told = |(letter, line, words): (String, &Line, &str)| format!("≈ {letter}, {}: {words}", line.name());
    listed(comparison.estimates().map(|estimate| facts::plain(&told(estimate))))
}

fn settings(comparison: &Comparison) -> Option<Markup> {
    (!comparison.settings.is_empty()).then(|| {
        wide("Settings that differ", &html! { table {
            thead {
                tr { th scope="col" { "Setting" } @for (letter, _) in labels().zip(&comparison.sides) { th scope="col" { (letter) } } }
            }
            tbody {
                @for setting in &comparison.settings {
                    tr {
                        th scope="row" { (setting.name) }
                        @for value in &setting.values { td { (value.as_deref().map_or_else(|| "-".into(), facts::plain)) } }
                    }
                }
            }
        } })
    })
}
