//! Page of a board or SoC: results, distributions of figures, settings of the best results, common causes of lower
//! scores, and figures by kernel.

use super::figures::{Series, distributions, link, series};
use super::table::{MARKS, table};
use super::{Group, Kind, Site, SiteResult};
use crate::draw::wide;
use crate::several;
use compare::trend::Trend;
use explain::results::COLUMNS;
use facts::stats::median;
use facts::{Verdict, how_many, number};
use maud::{Markup, html};
use record::Arrange;
use rules::kernel::KernelVersion;
use std::collections::{BTreeMap, BTreeSet};

/// Relative path to the site's root from a page of a SoC or board.
const UP: &str = "../";
/// Maximum number of figures whose best result is described.
const BEST_MAX: usize = 12;
/// Minimum number of results for common settings and causes.
const USUAL_MIN: usize = 3;

pub(super) fn page(site: &Site<'_>, group: &Group<'_>, trends: &[Trend]) -> String {
    let all = series(&group.results, |figure| Some((figure.value, figure.unit.clone())));
    let name = facts::plain(&group.name);
    let top = html! {
        h1 { (name) }
        p { (summary(&group.results)) (related(site, group)) }
        p.soft { (MARKS) }
    };
    let is_board = group.kind == Kind::Board;
    let parts = [
        ("results", "Results", Some(table("Results", &group.results, UP))),
        ("kernels", "By kernel", is_board.then(|| by_kernel(&group.results)).flatten()),
        (
            "changes",
            "Changes over time",
            trends.iter().any(|trend| !trend.is_only_short()).then(|| several::machines(trends)),
        ),
        ("figures", "Distribution of figures", distributions(&all, UP)),
        ("best", "Settings of the best results", best(&all)),
        ("findings", "Usual causes of lower scores", usual(&group.results)),
    ];
    super::page(&name, UP, &top, &parts)
}

/// `7 results: 3 valid, 2 degraded, 2 invalid.`
pub(super) fn summary(results: &[SiteResult<'_>]) -> String {
    let of = |verdict| results.iter().filter(|listed| listed.entry.row.verdict == verdict).count();
    let verdicts = Verdict::ALL.map(|verdict| (of(verdict), verdict));
    let told = verdicts.iter().filter(|(count, _)| *count > 0).map(|(count, verdict)| format!("{count} {verdict}"));
    format!("{}: {}.", how_many(results.len(), "result"), told.collect::<Vec<_>>().join(", "))
}

/// Links to other groups of its results.
fn related(site: &Site<'_>, group: &Group<'_>) -> Markup {
    let others = Kind::ALL.into_iter().filter(|kind| *kind != group.kind);
    let links = others.map(|kind| {
        let names = group.results.iter().flat_map(|listed| kind.names(listed.entry));
        let named: BTreeMap<&str, &str> = names.filter_map(|name| Some((site.path_of(kind, name)?, name))).collect();
        (kind, named)
    });
    html! {
        @for (kind, named) in links.filter(|(_, named)| !named.is_empty()) {
            " " (match kind { Kind::Board => "Boards", Kind::Soc => "SoC", Kind::Core => "Core types" }) ": "
            @for (at, (path, name)) in named.iter().enumerate() {
                @if at > 0 { ", " } a href={ (UP) (path) } { (facts::plain(name)) }
            }
            "."
        }
    }
}

/// Median of each column by kernel, if there are at least two kernels.
fn by_kernel(results: &[SiteResult<'_>]) -> Option<Markup> {
    let mut kernels: BTreeMap<&str, Vec<&SiteResult<'_>>> = BTreeMap::new();
    for listed in results.iter().filter(|listed| listed.entry.row.verdict != Verdict::Invalid) {
        let kernel = listed.entry.row.cells[2].as_str();
        if kernel == "-" {
            continue;
        }
        kernels.entry(kernel).or_default().push(listed);
    }
    // 5.10 is newer than 5.9.
    let mut kernels: Vec<(&str, Vec<&SiteResult<'_>>)> = kernels.into_iter().collect();
    kernels.arrange_by_key(|(kernel, _)| KernelVersion::parse(kernel).map(|version| version.series()));
    let typical = |of: &[&SiteResult<'_>], column: usize| {
        let comparable =
            of.iter().map(|listed| &listed.entry.row).filter(|row| !row.cells[4 + column].starts_with('~'));
        median(&comparable.filter_map(|row| row.figures[column]).collect::<Vec<f64>>())
    };
    let words = |of: &[&SiteResult<'_>], column: usize| {
        let unit = if column == 5 { "kH/s" } else { "MIPS" };
        typical(of, column).map_or_else(|| "-".to_owned(), |value| number(value, unit))
    };
    (kernels.len() > 1).then(|| html! {
        p { "Medians of the results of each kernel, without invalid results and scores that cannot be compared (~). Results of two kernels may differ in more than the kernel." }
        (wide("Figures by kernel", &html! { table {
            thead { tr {
                th scope="col" { "Kernel" } th.number scope="col" { "Results" }
                @for heading in &COLUMNS[4..] { th.number scope="col" { (heading) } }
            } }
            tbody { @for (kernel, of) in &kernels {
                tr {
                    th scope="row" { (facts::plain(kernel)) } td.number { (of.len()) }
                    @for column in 0..6 { td.number { (words(of, column)) } }
                }
            } }
        } }))
    })
}

/// Settings of the best result of each figure that most other results lack.
fn best(all: &[Series<'_>]) -> Option<Markup> {
    let told: Vec<&Series<'_>> = all.iter().filter(|series| series.values.len() >= USUAL_MIN).take(BEST_MAX).collect();
    let row = |series: &Series<'_>| {
        let (value, best) = series.values.first()?;
        let differing: Vec<String> = differing(best, &series.values);
        Some(html! {
            tr {
                th.name scope="row" { (facts::plain(&series.title)) }
                td.number { (number(*value, &series.unit)) " " (facts::plain(&series.unit)) }
                td { (link(best, UP)) }
                td.long { @if differing.is_empty() { "no known setting" } @else { (facts::plain(&differing.join("; "))) } }
            }
        })
    };
    (!told.is_empty()).then(|| html! {
        p { "Settings in which the best result differs from most of the others. That they are the cause is not shown." }
        (wide("Best results", &html! { table {
            thead { tr {
                th scope="col" { "Figure" } th.number scope="col" { "Best" } th scope="col" { "Result" } th scope="col" { "Differs from most in" }
            } }
            tbody { @for series in told { @if let Some(row) = row(series) { (row) } } }
        } }))
    })
}

/// Settings of a result that differ from those of most others: `governor performance (most: ondemand)`.
fn differing(best: &SiteResult<'_>, all: &[(f64, SiteResult<'_>)]) -> Vec<String> {
    // Properties of the machine and the program, which are not settings.
    const NOT_SET: [&str; 4] = ["board", "SoC", "cores", "sbc-bench"];
    let settings = best.entry.settings.iter().filter(|(name, _)| !NOT_SET.contains(&name.as_str()));
    let usual = |wanted: &str| {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, listed) in all {
            let own = listed.entry.settings.iter().find(|(name, _)| name == wanted);
            own.into_iter().for_each(|(_, value)| *counts.entry(value).or_default() += 1);
        }
        let known: usize = counts.values().copied().fold(0, usize::saturating_add);
        counts.into_iter().find(|(_, count)| *count * 2 > known).map(|(value, _)| value.to_owned())
    };
    let told = settings.filter_map(|(name, value)| {
        let usual = usual(name).filter(|usual| usual != value)?;
        Some(format!("{name} {value} (most: {usual})"))
    });
    told.collect()
}

/// Causes of lower scores, by number of results.
pub(super) fn usual(results: &[SiteResult<'_>]) -> Option<Markup> {
    let mut counts: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for listed in results {
        for cause in &listed.entry.causes {
            counts.entry(cause).or_default().insert(listed.page);
        }
    }
    let mut told: Vec<(&str, usize)> = counts.into_iter().map(|(cause, pages)| (cause, pages.len())).collect();
    told.arrange_by_key(|(_, count)| std::cmp::Reverse(*count));
    (!told.is_empty()).then(|| wide("Causes", &html! { table {
        thead { tr { th scope="col" { "Cause" } th scope="col" { "Rule" } th.number scope="col" { "Results" } th.number scope="col" { "Share" } } }
        tbody { @for (cause, count) in told {
            tr {
                th.name scope="row" { (facts::plain(about(cause))) } td { (facts::plain(cause)) }
                td.number { (count) } td.number { (format!("{:.0} %", 100.0 * count as f64 / results.len() as f64)) }
            }
        } }
    } }))
}

/// Description of a rule; its id if it is unknown.
fn about(id: &str) -> &str {
    rules::of_runs().find(|rule| rule.id.as_str() == id).map_or(id, |rule| rule.about)
}
