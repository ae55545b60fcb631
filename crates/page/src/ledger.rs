//! Section: expected value and losses of each main score, as a waterfall.

use crate::draw::{Bar, Plot, Scale, bars, n, wide};
use crate::{Section, Subject};
use facts::Ledger;
use maud::{Markup, html};

pub(crate) const SECTION: Section = Section {
    plots: |subject| lost(subject).into_iter().filter_map(|ledger| waterfall(subject, ledger)).collect(),
    ..Section::of("losses", "Where the score went", body)
};

/// Scores below the expected value.
fn lost<'a>(subject: &Subject<'a>) -> Vec<&'a Ledger> {
    subject.explained.ledgers.iter().filter(|ledger| ledger.lost().0 > 0).collect()
}

fn body(subject: &Subject<'_>) -> Option<Markup> {
    let lost = lost(subject);
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

/// Row of a ledger.
struct Row {
    name: String,
    /// Index of the related diagnosis.
    cause: Option<usize>,
    share: String,
    look: &'static str,
    /// Start and end of the bar, in thousandths of the expected value.
    from_to: (i64, i64),
}

/// Rows for the expected value, each cause, the unexplained rest, and the measured value.
fn rows(subject: &Subject<'_>, ledger: &Ledger) -> Vec<Row> {
    let told = ledger.whole_percents();
    let mut left = 1000_i64;
    let mut step = |tenths: i64| {
        let from = left;
        left -= tenths;
        (left.min(from), left.max(from))
    };
    let amount = |value: f64| facts::with_unit(value, &facts::plain(&ledger.unit));
    let mut rows: Vec<Row> = Vec::new();
    if let Some(expected) = ledger.expected.known() {
        let name = format!("Expected: {}", amount(expected.value));
        rows.push(Row { name, cause: None, share: "100 %".into(), look: "rest", from_to: (0, 1000) });
    }
    for (part, percent) in ledger.parts.iter().zip(&told.parts) {
        let at_most = if part.points.at_most { "at most " } else { "" };
        rows.push(Row {
            name: cause(subject, part.diagnosis),
            cause: Some(part.diagnosis),
            share: format!("{at_most}{percent} %"),
            look: "lost",
            from_to: step(part.points.percent.0),
        });
    }
    let from_to = step(ledger.unexplained.percent.0);
    if told.unexplained != 0 {
        let share = format!("{} %", told.unexplained);
        rows.push(Row { name: "Unexplained".into(), cause: None, share, look: "rest", from_to });
    }
    let name = format!("Reached: {}", amount(ledger.reached));
    let share = format!("{} %", 100 - told.lost);
    rows.push(Row { name, cause: None, share, look: "reached", from_to: (0, left) });
    rows
}

fn table(subject: &Subject<'_>, ledger: &Ledger) -> Markup {
    html! {
        (wide("Where the score went", &html! { table {
            thead { tr { th scope="col" { "Part" } th.number scope="col" { "Share" } th scope="col" { "Of what was expected" } } }
            tbody {
                @for row in rows(subject, ledger) {
                    tr {
                        th scope="row" {
                            @match row.cause { Some(cause) => a href={ "#cause-" (cause) } { (row.name) }, None => (row.name) }
                        }
                        td.number { (row.share) } td { (bar(row.look, row.from_to)) }
                    }
                }
            }
        } }))
    }
}

/// Waterfall as a plot.
fn waterfall(subject: &Subject<'_>, ledger: &Ledger) -> Option<Plot> {
    let percent = |(from, to): (i64, i64)| (from as f64 / 10.0, to as f64 / 10.0);
    let bar = |row: Row| Bar { name: row.name, words: row.share, look: row.look, from_to: percent(row.from_to) };
    let all: Vec<Bar> = rows(subject, ledger).into_iter().map(bar).collect();
    let score = ledger.score.words();
    let id = score.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' });
    let title = format!("Where the score went: {score}");
    bars(format!("losses-{}", id.collect::<String>()), title, "percent of what was expected", &all)
}

/// First words of the sentence that names a cause.
fn cause(subject: &Subject<'_>, diagnosis: usize) -> String {
    let found = subject.explained.diagnoses.get(diagnosis);
    let sentence =
        found.and_then(|diagnosis| subject.explained.findings.get(diagnosis.root)).map(facts::Finding::sentence);
    let words = sentence.unwrap_or_default();
    let mut cut: String = words.chars().take(60).collect();
    if cut.len() < words.len() {
        cut.push('…');
    }
    facts::plain(&cut)
}

/// Bar from one position to another, in thousandths of the whole.
fn bar(look: &str, (from, to): (i64, i64)) -> Markup {
    let scale = Scale::linear((0.0, 1000.0), (0.0, 240.0));
    let (from, to) = (scale.at(from as f64), scale.at(to as f64));
    html! {
        svg width="240" height="14" viewBox="0 0 240 14" aria-hidden="true" {
            rect class=(look) x=(n(from)) y="2" width=(n((to - from).max(1.0))) height="10" {}
        }
    }
}
