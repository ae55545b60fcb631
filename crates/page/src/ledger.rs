//! Section: what each main score should have been, and what took the rest, as a waterfall.

use crate::draw::{Scale, n, wide};
use crate::{Section, Subject};
use explain::Ledger;
use explain::shown;
use maud::{Markup, html};

pub(crate) const SECTION: Section = Section { id: "losses", title: "Where the score went", body };

fn body(subject: &Subject<'_>) -> Option<Markup> {
    let lost: Vec<&Ledger> = subject.explained.ledgers.iter().filter(|ledger| ledger.lost().0 > 0).collect();
    if lost.is_empty() {
        return None;
    }
    Some(html! {
        @for ledger in lost {
            h3 { (ledger.score.words()) }
            (table(subject, ledger))
        }
    })
}

/// One row each for what was expected, each cause, what none explains, and what was reached.
fn table(subject: &Subject<'_>, ledger: &Ledger) -> Markup {
    let told = ledger.whole_percents();
    let mut left = 1000_i64;
    let mut step = |tenths: i64| {
        let from = left;
        left -= tenths;
        (left.min(from), left.max(from))
    };
    let parts: Vec<_> = ledger
        .parts
        .iter()
        .zip(&told.parts)
        .map(|(part, percent)| (part, *percent, step(part.points.percent.0)))
        .collect();
    let rest = step(ledger.unexplained.percent.0);
    html! {
        (wide("Where the score went", &html! { table {
            thead { tr { th scope="col" { "Part" } th.number scope="col" { "Share" } th scope="col" { "Of what was expected" } } }
            tbody {
                @if let Some(expected) = ledger.expected.known() {
                    tr {
                        th scope="row" { "Expected: " (shown(expected.value)) " " (ledger.unit) }
                        td.number { "100 %" } td { (bar("rest", (0, 1000))) }
                    }
                }
                @for (part, percent, place) in parts {
                    tr {
                        th scope="row" { a href={ "#cause-" (part.diagnosis) } { (cause(subject, part.diagnosis)) } }
                        td.number { @if part.points.at_most { "at most " } (percent) " %" } td { (bar("lost", place)) }
                    }
                }
                @if told.unexplained != 0 {
                    tr { th scope="row" { "Unexplained" } td.number { (told.unexplained) " %" } td { (bar("rest", rest)) } }
                }
                tr {
                    th scope="row" { "Reached: " (shown(ledger.reached)) " " (ledger.unit) }
                    td.number { (100 - told.lost) " %" } td { (bar("reached", (0, left))) }
                }
            }
        } }))
    }
}

/// The first words of the sentence that names a cause.
fn cause(subject: &Subject<'_>, diagnosis: usize) -> String {
    let found = subject.explained.diagnoses.get(diagnosis);
    let sentence =
        found.and_then(|diagnosis| subject.explained.findings.get(diagnosis.root)).map(explain::Finding::sentence);
    let words = sentence.unwrap_or_default();
    let mut cut: String = words.chars().take(60).collect();
    if cut.len() < words.len() {
        cut.push('…');
    }
    explain::plain(&cut)
}

/// A bar from one place to another, in thousandths of the whole.
fn bar(look: &str, (from, to): (i64, i64)) -> Markup {
    let scale = Scale::linear((0.0, 1000.0), (0.0, 240.0));
    let (from, to) = (scale.at(from as f64), scale.at(to as f64));
    html! {
        svg width="240" height="14" viewBox="0 0 240 14" aria-hidden="true" {
            rect class=(look) x=(n(from)) y="2" width=(n((to - from).max(1.0))) height="10" {}
        }
    }
}
