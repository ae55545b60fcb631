//! First page of a site: table with filters, and links to all other pages; also a page with all results in one table.
//!
//! Without its script it shows the first results and links to all of them. The data of all results is in the page, so
//! that the script loads nothing, and a filter draws only a few rows.

use super::table::{MARKS, row, table};
use super::{Group, Kind, Site, SiteResult, framed, page, result_path};
use crate::document::{Part, TABLE};
use crate::draw::wide;
use crate::result_row::{BarScale, FIRST_NUMBER, cells, head, short_distribution};
use compare::{ClockGroup, NamedBoard, by_clock};
use explain::results::{COLUMNS, Row};
use facts::stats::median;
use facts::{Verdict, how_many, number};
use maud::{Markup, PreEscaped, html};
use record::StableSort;
use rules::kernel::KernelVersion;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Number of boards in the unfolded chart.
const BARS_SHOWN: usize = 40;
/// Number of rows in the page without its script.
const ROWS_SHOWN: usize = 100;
/// Number of rows that the script draws at first: each filter redraws them, which takes a browser most of the time.
const ROWS_DRAWN: usize = 50;
/// Memory sizes on the market, in GiB.
const SOLD_GIB: [f64; 20] = [
    0.0625, 0.125, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0, 64.0, 96.0, 128.0, 256.0,
];

/// A filter: id, label, and its values of a result.
struct Choice {
    id: &'static str,
    label: &'static str,
    of: fn(&SiteResult<'_>) -> Vec<String>,
}

const CHOICES: [Choice; 6] = [
    Choice { id: "soc", label: "SoC", of: |listed| listed.entry.row.soc.clone().into_iter().collect() },
    Choice { id: "core", label: "Core type", of: |listed| listed.entry.core_types.clone() },
    Choice { id: "kernel", label: "Kernel", of: |listed| known(&listed.entry.row.cells[2]) },
    Choice {
        id: "distribution",
        label: "Distribution",
        of: |listed| known(&short_distribution(&listed.entry.row.cells[3])),
    },
    Choice { id: "verdict", label: "Verdict", of: |listed| vec![listed.entry.row.verdict.to_string()] },
    Choice { id: "memory", label: "Memory", of: |listed| listed.entry.memory_kib.map(memory).into_iter().collect() },
];

fn known(cell: &str) -> Vec<String> {
    Some(cell).filter(|cell| *cell != "-").map(str::to_owned).into_iter().collect()
}

/// Nominal memory size; the kernel reports less, because it reserves a part.
fn memory(kib: u64) -> String {
    let gib = kib as f64 / f64::from(1 << 20);
    match SOLD_GIB.iter().find(|sold| **sold >= gib) {
        Some(sold) if *sold < 1.0 => format!("{} MiB", sold * 1024.0),
        Some(sold) => format!("{sold} GiB"),
        None => format!("{} GiB", gib.ceil()),
    }
}

pub(super) fn index(site: &Site<'_>) -> String {
    let name = how_many(site.results.len(), "result");
    let top = html! {
        h1 { (name) " of sbc-bench" }
        p.soft { (MARKS) " Results of one machine differ from run to run." }
    };
    let kinds = [("boards", "Boards", Kind::Board), ("socs", "SoCs", Kind::Soc), ("cores", "Core types", Kind::Core)];
    let mut parts: Vec<Part> = Vec::new();
    parts.extend(board_bars(site).map(|body| Part::of("fastest", "Boards by 7-zip on all CPUs", body)));
    if !site.results.is_empty() {
        parts.push(Part::of("results", "Results", results(site)));
    }
    for (id, title, kind) in kinds {
        parts.extend(groups(site, kind).map(|body| Part::of(id, title, body)));
    }
    if !site.results.is_empty() {
        parts.push(Part::of("data", "Data", data(site)));
    }
    let feed = html! { @if site.base.is_some() { link rel="alternate" type="application/atom+xml" title="Results" href="feed.atom"; } };
    framed(&name, "", &top, &parts, Some(&TABLE), feed)
}

/// All results in one table, for readers without scripts and for a browser's search.
pub(super) fn all(site: &Site<'_>) -> String {
    let name = format!("All {}", how_many(site.results.len(), "result"));
    let top = html! {
        p.up { a href="index.html" { "Table with filters" } }
        h1 { (name) }
        p.soft { (MARKS) }
    };
    let body = (!site.results.is_empty()).then(|| table("Results", &site.results, ""));
    page(&name, "", &top, &[("results", "Results", body)])
}

/// Results by 7-zip on all CPUs, the best first; scores that cannot be compared and invalid ones follow.
fn ranked<'a>(site: &Site<'a>) -> Vec<SiteResult<'a>> {
    let mut results = site.results.clone();
    let is_behind = |row: &Row| (row.verdict == Verdict::Invalid, row.cells[FIRST_NUMBER].starts_with('~'));
    let mips = |row: &Row| row.figures[0].unwrap_or(0.0);
    results.stable_sort_by(|a, b| {
        let (a, b) = (&a.entry.row, &b.entry.row);
        is_behind(a).cmp(&is_behind(b)).then_with(|| mips(b).total_cmp(&mips(a)))
    });
    results
}

fn results(site: &Site<'_>) -> Markup {
    let ranked = ranked(site);
    let scale = BarScale::of(ranked.iter().map(|listed| &listed.entry.row));
    let shown = &ranked[..ranked.len().min(ROWS_SHOWN)];
    html! {
        (filters(site))
        p id="count" role="status" {
            @if shown.len() < site.results.len() { "The first " (shown.len()) " of " (how_many(site.results.len(), "result")) "; " a href="all.html" { "all in one table" } "." }
            @else { (how_many(shown.len(), "result")) "." }
        }
        (wide("Results", &html! { table.cards.results id="table" { thead { (head(true)) } tbody { @for listed in shown { (row(listed, "", &scale)) } } } }))
        p { button id="more" type="button" hidden { "Show more" } }
        div id="comparison" hidden { h3 { "Comparison" } (wide("Comparison of chosen results", &html! { table id="compared" { thead { } tbody { } } })) }
        script id="rows" type="application/json" { (PreEscaped(json(&ranked, &scale))) }
    }
}

/// Hidden until the script runs, because only the script filters.
fn filters(site: &Site<'_>) -> Markup {
    html! {
        fieldset.filters id="filters" hidden aria-label="Filters" {
            label { "Search" input id="search" type="search" autocomplete="off"; }
            @for choice in &CHOICES {
                @let values = values(site, choice);
                @if values.len() > 1 {
                    label {
                        (choice.label)
                        select id={ "choice-" (choice.id) } data-choice=(choice.id) {
                            option value="" { "any" }
                            @for (value, count) in values { option value=(facts::plain(&value)) { (facts::plain(&value)) " (" (count) ")" } }
                        }
                    }
                }
            }
            button id="compare" type="button" disabled { "Compare" }
            button id="reset" type="button" { "Reset" }
        }
    }
}

/// Values of a filter with their number of results; numeric names are sorted by number.
fn values(site: &Site<'_>, choice: &Choice) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    site.results.iter().flat_map(choice.of).for_each(|value| *counts.entry(value).or_default() += 1);
    let mut values: Vec<(String, usize)> = counts.into_iter().collect();
    let megabytes = |text: &str| {
        let number: f64 = text.split(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0.0);
        if text.ends_with("GiB") { number * 1024.0 } else { number }
    };
    match choice.id {
        "memory" => values.stable_sort_by(|a, b| megabytes(&a.0).total_cmp(&megabytes(&b.0))),
        "kernel" => values.stable_sort_by_key(|(kernel, _)| {
            std::cmp::Reverse(KernelVersion::parse(kernel).map(|version| version.series()))
        }),
        _ => {}
    }
    values
}

fn groups(site: &Site<'_>, kind: Kind) -> Option<Markup> {
    let all: Vec<_> = site.groups_of(kind).collect();
    (!all.is_empty()).then(|| html! {
        ul.groups { @for group in all { li { a href=(group.path) { (facts::plain(&group.name)) } span.soft { " " (group.results.len()) } } } }
    })
}

/// Bar of a board at one clock.
struct BoardBar<'a> {
    path: &'a str,
    name: String,
    /// Median of its results.
    mips: f64,
    results: usize,
}

impl<'a> BoardBar<'a> {
    /// Bars of the clocks of a board, without invalid results and scores that cannot be compared.
    fn of(group: &'a Group<'_>) -> Vec<Self> {
        let rows = group.results.iter().map(|listed| &listed.entry.row).filter(|row| row.verdict == Verdict::Valid);
        let comparable = rows.filter(|row| !row.cells[FIRST_NUMBER].starts_with('~'));
        let values =
            comparable.filter_map(|row| Some((row.clock_khz.map(|khz| f64::from(khz) / 1000.0), row.figures[0]?)));
        let clocks = by_clock(NamedBoard::of(&group.name).usual_mhz, values);
        let bar = |clock: &ClockGroup<f64>| {
            let (name, results) = (clock.name_of(&group.name), clock.results.len());
            Some(Self { path: &group.path, name, mips: median(&clock.results)?, results })
        };
        clocks.iter().filter_map(bar).collect()
    }
}

/// Boards with the median of their valid results in 7-zip on all CPUs, the best first.
fn board_bars(site: &Site<'_>) -> Option<Markup> {
    let boards = site.groups_of(Kind::Board).filter(|group| Kind::Board.nameless() != Some(group.name.as_str()));
    let mut bars: Vec<BoardBar<'_>> = boards.flat_map(BoardBar::of).collect();
    bars.stable_sort_by(|a, b| b.mips.total_cmp(&a.mips));
    // A few servers would leave nothing of the bars of all others: the bars of the fastest tenth are cut.
    let most = bars.get(bars.len() / 10)?.mips;
    let width = |mips: f64| (100.0 * mips / most).min(100.0);
    let rows = |bars: &[BoardBar<'_>]| {
        html! {
            table.boards {
                @for bar in bars {
                    tr {
                        th scope="row" { a href=(bar.path) { (facts::plain(&bar.name)) } @if bar.results > 1 { " (" (bar.results) ")" } }
                        td { (number(bar.mips, "MIPS")) }
                        td { div class=[(bar.mips > most).then_some("beyond")] style=(format!("width:{:.1}%", width(bar.mips))) {} }
                    }
                }
            }
        }
    };
    let (first, others) = bars.split_at(bars.len().min(BARS_SHOWN));
    Some(html! {
        p.soft { "Median of the valid results of each board at one clock in MIPS. Bars that fade are longer than the page." }
        (rows(first))
        @if !others.is_empty() { details { summary { (others.len()) " more boards" } (rows(others)) } }
    })
}

fn data(site: &Site<'_>) -> Markup {
    html! {
        p {
            @for page in &site.pages { a href=(page.path) { (page.words) } ", " }
            a href="all.html" { "All results in one table" } ", "
            a href="results.json" { "JSON" } ", " a href="results.csv" { "CSV" } ", " a href="results.md" { "Markdown" }
            @if site.base.is_some() { ", " a href="feed.atom" { "feed of the newest results" } ", " a href="sitemap.xml" { "sitemap" } }
            "."
        }
        @if !site.originals.is_empty() {
            p { "The files as they are:" }
            ul.notes { @for file in &site.originals { li { a href=(file.path) { (facts::plain(&file.words)) } } } }
        }
    }
}

/// Data of the script: headings, scores of full bars, and for each result page, file, verdict, cells, figures and filter values.
/// It contains no `<` that could end the element.
fn json(results: &[SiteResult<'_>], scale: &BarScale) -> String {
    let headings: Vec<&str> = COLUMNS.iter().copied().chain(["Verdict"]).collect();
    let rows = results.iter().map(|listed| {
        let row = &listed.entry.row;
        let cells = cells(row);
        let clock = row.clock_khz.map(f64::from);
        let figures: Vec<Option<f64>> = std::iter::once(clock).chain(row.figures).collect();
        let plain = |values: Vec<String>| values.iter().map(|value| facts::plain(value)).collect::<Vec<_>>();
        let choices: Vec<Vec<String>> = CHOICES.iter().map(|choice| plain((choice.of)(listed))).collect();
        let died = row.died_in.as_deref();
        let died = died.map_or(String::new(), |step| format!(", died during {}", facts::plain(step)));
        let texts = [result_path(listed.page), facts::plain(&row.file), row.verdict.to_string(), died];
        json!([texts, cells, figures, choices])
    });
    let data = json!({
        "headings": headings,
        "firstNumber": FIRST_NUMBER,
        "full": scale.0,
        "shown": ROWS_DRAWN,
        "choices": CHOICES.map(|choice| choice.id),
        "rows": rows.collect::<Vec<Value>>(),
    });
    harmless(&data)
}

/// JSON without any `<`.
fn harmless(data: &Value) -> String {
    data.to_string().replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_json_and_end_no_element() {
        for text in ["a\"b\\c", "</script><!--", "\u{1f600}\u{2028}", ""] {
            let quoted = harmless(&text.into());
            assert!(!quoted.contains('<'), "{quoted}");
            assert_eq!(serde_json::from_str::<String>(&quoted).unwrap(), text);
        }
    }

    #[test]
    fn memory_is_as_it_was_sold() {
        for (kib, expected) in
            [(3_884_360, "4 GiB"), (1_000_000, "1 GiB"), (495_000, "512 MiB"), (528_000_000, "504 GiB")]
        {
            assert_eq!(memory(kib), expected);
        }
    }
}
