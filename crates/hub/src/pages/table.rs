//! Pages of lists: results, names, boards by stability.

use super::markup::{Link, day, page as whole_page};
use crate::counts::NameCount;
use crate::names::Kind;
use crate::query;
use crate::sorts::SORTS;
use maud::{Markup, html};

/// Headings of the cells of a result.
const HEADINGS: [&str; 10] = [
    "Device",
    "Clock",
    "Kernel",
    "Distribution",
    "7-zip multi (MIPS)",
    "7-zip single (MIPS)",
    "AES (kB/s)",
    "memcpy (MB/s)",
    "memset (MB/s)",
    "cpuminer (kH/s)",
];
/// Index of the first cell that is a figure.
const FIRST_FIGURE: usize = 4;
/// Introduction of the site.
const ABOUT: &str = "What boards and small servers really do, measured by sbc-bench. Each result has a verdict: valid, degraded or \
                     invalid with its cause, or unproven where nothing shows it.";

/// Filters with a field in the form.
const FIELDS: [&str; 3] = ["q", "verdict", "sort"];

/// Table of results with its filters; `next` is the address of the next page.
pub(crate) fn table(
    title: &str,
    page: &query::Page,
    filters: &[(&str, Option<&str>)],
    next: Option<&str>,
    total: i64,
    spreads: &[Spread],
) -> String {
    let body = html! {
        @if spreads.is_empty() { p { (ABOUT) } } @else { (spread_table(spreads)) }
        (form(filters))
        form method="get" action="/compare" {
            div.wide tabindex="0" {
                table.cards {
                    thead {
                        tr {
                            @for (at, heading) in HEADINGS.iter().enumerate() { th.n[at >= FIRST_FIGURE] scope="col" { (heading) } }
                            th scope="col" { "Verdict" } th scope="col" { "Date" }
                        }
                    }
                    tbody { @for row in &page.rows { (table_row(row)) } }
                }
            }
            @if page.rows.len() >= 2 { p { button { "Compare 2 to 5 of them" } } }
        }
        @if page.rows.is_empty() { p { "No results." } }
        @if let Some(next) = next { p { a rel="next" href=(next) { "Next page" } } }
        p { (facts::how_many(total as usize, "result")) " on this hub." }
    };
    whole_page(title, &body)
}

/// Distribution of a figure over the valid results of a name.
pub(crate) struct Spread {
    pub(crate) heading: &'static str,
    pub(crate) unit: &'static str,
    /// Value and slug of each result, the highest first.
    pub(crate) values: Vec<(f64, String)>,
}

/// Size of a strip in pixels.
const STRIP_WIDTH: f64 = 220.0;
const STRIP_HEIGHT: u32 = 16;

fn spread_table(spreads: &[Spread]) -> Markup {
    let row = |spread: &Spread| {
        let values: Vec<f64> = spread.values.iter().map(|(value, _)| *value).collect();
        let ((highest, best), lowest) = (spread.values.first()?, *values.last()?);
        let median = facts::stats::median(&values)?;
        // Equal values are at the left end.
        let width = (highest - lowest).max(f64::MIN_POSITIVE);
        let x = |value: f64| format!("{:.1}", 2.0 + (STRIP_WIDTH - 4.0) * (value - lowest) / width);
        let words = |value: f64| facts::number::number(value, spread.unit);
        Some(html! {
            tr {
                td { (spread.heading) }
                td.n data-label="Results" { (values.len()) }
                td.n data-label="Lowest" { (words(lowest)) }
                td.n data-label="Median" { (words(median)) }
                td.n data-label="Highest" { a href={ "/r/" (best) } { (words(*highest)) } }
                td {
                    svg.strip width=(STRIP_WIDTH) height=(STRIP_HEIGHT) role="img" aria-label={ (words(lowest)) " to " (words(*highest)) } {
                        @for value in &values { line x1=(x(*value)) x2=(x(*value)) y1="2" y2=(STRIP_HEIGHT - 2) opacity="0.5" {} }
                        circle cx=(x(median)) cy=(STRIP_HEIGHT / 2) r="4" {}
                    }
                }
            }
        })
    };
    html! {
        h2 { "Figures of valid results" }
        table.cards {
            thead {
                tr {
                    th scope="col" { "Figure" }
                    @for heading in ["Results", "Lowest", "Median", "Highest"] { th.n scope="col" { (heading) } }
                    th scope="col" { "Each result; dot: median" }
                }
            }
            tbody { @for spread in spreads { (row(spread).unwrap_or_default()) } }
        }
        h2 { "Results" }
    }
}

fn table_row(row: &query::ListRow) -> Markup {
    let word = row.died_in.as_ref().map_or_else(|| row.verdict.clone(), |step| format!("died during {step}"));
    html! {
        tr class=(row.verdict) {
            @for (at, cell) in row.cells.iter().enumerate().take(HEADINGS.len()) {
                td.n[at >= FIRST_FIGURE] data-label=[(at > 0).then_some(HEADINGS[at])] {
                    @if at == 0 {
                        input type="checkbox" name="id" value=(row.slug) aria-label={ "Compare " (cell) };
                        " " a href={ "/r/" (row.slug) } { (cell) }
                    } @else { (cell) }
                }
            }
            td data-label="Verdict" { (word) }
            td data-label="Date" { (row.started_utc_ms.map_or_else(|| format!("sent {}", day(row.listed_utc_ms)), day)) }
        }
    }
}

fn form(filters: &[(&str, Option<&str>)]) -> Markup {
    let value = |name: &str| filters.iter().find(|(of, _)| *of == name).and_then(|(_, value)| *value).unwrap_or("");
    let option = |name: &str, word: &str, words: &str| {
        html! { option value=(word) selected[value(name) == word] { (words) } }
    };
    // Filters without a field come from a link and stay.
    let kept = filters.iter().filter(|(name, _)| !FIELDS.contains(name) && !value(name).is_empty());
    html! {
        form method="get" {
            @for (name, _) in kept { input type="hidden" name=(name) value=(value(name)); }
            label { "Search " input name="q" value=(value("q")); }
            " " label {
                "Verdict "
                select name="verdict" {
                    (option("verdict", "", "any verdict"))
                    @for word in ["valid", "unproven", "degraded", "invalid"] { (option("verdict", word, word)) }
                }
            }
            " " label {
                "Sort by "
                select name="sort" {
                    (option("sort", "", "newest"))
                    @for sort in SORTS { (option("sort", sort.column, sort.heading)) }
                }
            }
            " " button { "Show" }
        }
    }
}

pub(crate) fn names(kind: Kind, names: &[NameCount]) -> String {
    let title = match kind {
        Kind::Board => "Boards",
        Kind::Soc => "SoCs",
        Kind::Core => "Core types",
        Kind::Cores => "Combinations of core types",
        Kind::Kernel => "Kernels",
        Kind::Distribution => "Distributions",
    };
    let link = |name: &NameCount| {
        let to = match kind {
            Kind::Board | Kind::Soc | Kind::Core => format!("/{}/{}", kind.word(), name.slug),
            _ => format!("/?{}={}", kind.word(), name.slug),
        };
        Link { to, words: name.words.clone() }.html()
    };
    let body = html! {
        table {
            thead { tr { th scope="col" { "Name" } th.n scope="col" { "Results" } } }
            tbody { @for name in names { tr { td { (link(name)) } td.n { (name.count) } } } }
        }
    };
    whole_page(title, &body)
}

/// Boards by the share of runs that died.
pub(crate) fn stability(boards: &[NameCount]) -> String {
    let mut died: Vec<&NameCount> = boards.iter().filter(|board| board.died > 0).collect();
    died.sort_by(|a, b| (b.died * a.count).cmp(&(a.died * b.count)).then_with(|| a.words.cmp(&b.words)));
    let share = |board: &NameCount| 100.0 * board.died as f64 / board.count.max(1) as f64;
    let body = html! {
        @if died.is_empty() { p { "No run died." } }
        @else {
            table {
                thead {
                    tr { th scope="col" { "Board" } @for heading in ["Died", "Results", "Share"] { th.n scope="col" { (heading) } } }
                }
                tbody {
                    @for board in died {
                        tr {
                            td { a href={ "/board/" (board.slug) "?died=1" } { (board.words) } }
                            td.n { (board.died) }
                            td.n { (board.count) }
                            td.n { (format!("{:.1} %", share(board))) }
                        }
                    }
                }
            }
        }
    };
    whole_page("Stability", &body)
}
