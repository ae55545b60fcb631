//! Page of a board or SoC: results, distributions of figures, settings of the best results, common causes of lower
//! scores, and the score by clock.

use super::figures::{Point, Series, by_clock_plot, distributions, link, series};
use super::table::{MARKS, table};
use super::{Group, Kind, Site, SiteResult};
use crate::draw;
use crate::draw::table::{cell, number, text};
use compare::{ClockGroup, by_clock};
use facts::{Verdict, how_many};
use maud::{Markup, html};
use record::StableSort;
use std::collections::{BTreeMap, BTreeSet};

/// Relative path to the site's root from a page of a SoC or board.
const UP: &str = "../";
/// Maximum number of figures whose best result is described.
const BEST_MAX: usize = 12;
/// Minimum number of results for common settings and causes.
const USUAL_MIN: usize = 3;

pub(super) fn page(site: &Site<'_>, group: &Group<'_>) -> String {
    let all = series(&group.results, |figure| Some((figure.value, figure.unit.clone())));
    let name = facts::plain(&group.name);
    let top = html! {
        h1 { (name) }
        p { (summary(&group.results)) (related(site, group)) }
        p.soft { (MARKS) }
    };
    let parts = [
        ("figures", "Figures", distributions(&all, UP)),
        (
            "clocks",
            "Score by clock",
            all.first().and_then(|series| by_clock_plot(series, UP)).map(|plot| plot.on_page()),
        ),
        ("results", "Results", Some(table("Results", &group.results, UP))),
        ("findings", "Usual causes of lower scores", usual(&group.results)),
        ("best", "Settings of the best results", best(&all)),
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
        let named: BTreeMap<&str, String> = names.filter_map(|name| Some((site.path_of(kind, &name)?, name))).collect();
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

/// Settings of the best result of each figure that most other results lack.
fn best(all: &[Series<'_>]) -> Option<Markup> {
    let told: Vec<&Series<'_>> = all.iter().filter(|series| series.values.len() >= USUAL_MIN).take(BEST_MAX).collect();
    let row = |series: &Series<'_>| {
        let best = series.values.first()?;
        let differing: Vec<String> = differing(&best.listed, &at_clock_of(best, series));
        if differing.is_empty() {
            return None;
        }
        Some(vec![
            cell(facts::plain(&series.title)),
            cell(facts::plain(&facts::with_unit(best.value, &series.unit))),
            link(&best.listed, UP),
            cell(facts::plain(&differing.join("; "))),
        ])
    };
    let rows: Vec<_> = told.into_iter().filter_map(row).collect();
    let columns = [text("Figure"), number("Best"), text("Result"), text("Differs from most in")];
    (!rows.is_empty()).then(|| {
        html! {
            p { "Settings in which the best result differs from most of the others. That they are the cause is not shown." }
            (draw::table::table("", &columns, &rows))
        }
    })
}

/// The values at the clock of one of them: other clocks differ in more than settings.
fn at_clock_of<'a, 'b>(point: &Point<'_>, series: &'b Series<'a>) -> Vec<&'b Point<'a>> {
    let groups = by_clock(None, series.values.iter().map(|point| (point.clock_mhz(), point)));
    let own = |group: &ClockGroup<&Point<'_>>| group.results.iter().any(|other| other.listed.page == point.listed.page);
    groups.into_iter().find(own).map_or_else(Vec::new, |group| group.results)
}

/// Settings of a result that differ from those of most others: `governor performance (most: ondemand)`.
fn differing(best: &SiteResult<'_>, all: &[&Point<'_>]) -> Vec<String> {
    // Properties of the machine and the program, which are not settings.
    const NOT_SET: [&str; 6] = ["board", "SoC", "cores", "memory (GiB)", "clock measured (MHz)", "sbc-bench"];
    let settings = best.entry.settings.iter().filter(|(name, _)| !NOT_SET.contains(&name.as_str()));
    let usual = |wanted: &str| {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for point in all {
            let own = point.listed.entry.settings.iter().find(|(name, _)| name == wanted);
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

/// Causes of lower scores, by number of results. What a valid result lost is too little for its verdict.
pub(super) fn usual(results: &[SiteResult<'_>]) -> Option<Markup> {
    let mut counts: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let is_lowered =
        |listed: &&SiteResult<'_>| matches!(listed.entry.row.verdict, Verdict::Degraded | Verdict::Invalid);
    for listed in results.iter().filter(is_lowered) {
        for cause in &listed.entry.causes {
            counts.entry(cause).or_default().insert(listed.page);
        }
    }
    let mut told: Vec<(&str, usize)> = counts.into_iter().map(|(cause, pages)| (cause, pages.len())).collect();
    told.stable_sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let share = |count: usize| format!("{:.0} %", 100.0 * count as f64 / results.len() as f64);
    let row = |(cause, count): &(&str, usize)| vec![cell(facts::plain(about(cause))), cell(count), cell(share(*count))];
    let rows: Vec<_> = told.iter().map(row).collect();
    (!rows.is_empty()).then(|| draw::table::table("", &[text("Cause"), number("Results"), number("Share")], &rows))
}

/// Description of a rule; its id if it is unknown.
fn about(id: &str) -> &str {
    rules::of_runs().find(|rule| rule.id.as_str() == id).map_or(id, |rule| rule.about)
}
