//! Distributions of figures over several results: a table, and histograms.

use super::{SiteResult, result_path};
use crate::draw::table::{cell, number, table, text};
use crate::draw::{Area, Plot, Scale, axis_x, linear_ticks, n, tick_words, word};
use crate::order::rank;
use explain::results::EntryFigure;
use facts::Verdict;
use facts::figures::FigureKey;
use facts::stats::median;
use maud::{Markup, html};
use record::Arrange;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Minimum number of values in a distribution.
const VALUES_MIN: usize = 3;
/// Number of unfolded plots.
const PLOTS_OPEN: usize = 6;
/// Maximum number of plots on a page; the table has the other figures.
const PLOTS_MAX: usize = 24;
const BINS: usize = 40;

/// One figure over all results that have it.
pub(super) struct Series<'a> {
    /// Title of the figure, with the core type.
    pub(super) title: String,
    pub(super) unit: String,
    pub(super) higher_is_better: bool,
    rank: usize,
    /// Values and results, the best first.
    pub(super) values: Vec<(f64, SiteResult<'a>)>,
}

impl Series<'_> {
    /// Minimum, median and maximum of the values.
    fn spread(&self) -> Option<[f64; 3]> {
        let values: Vec<f64> = self.values.iter().map(|(value, _)| *value).collect();
        let (first, last) = (*values.first()?, *values.last()?);
        Some([first.min(last), median(&values)?, first.max(last)])
    }
}

/// Every figure of results that are not invalid: main figures first, then by number of values. `value_of` selects the
/// value of a figure, with its unit.
pub(super) fn series<'a>(
    results: &[SiteResult<'a>],
    value_of: impl Fn(&EntryFigure) -> Option<(f64, String)>,
) -> Vec<Series<'a>> {
    let mut all: BTreeMap<(&str, Option<&str>), Series<'a>> = BTreeMap::new();
    for listed in results.iter().filter(|listed| listed.entry.row.verdict != Verdict::Invalid) {
        for figure in &listed.entry.figures {
            let Some((value, unit)) = value_of(figure).filter(|(value, _)| value.is_finite() && *value > 0.0) else {
                continue;
            };
            let core = figure.core_type.as_deref();
            let new = || Series {
                title: core.map_or_else(|| figure.title.clone(), |core| format!("{}, {core}", figure.title)),
                unit,
                higher_is_better: figure.higher_is_better,
                rank: rank_of(&figure.key),
                values: Vec::new(),
            };
            all.entry((&figure.key, core)).or_insert_with(new).values.push((value, *listed));
        }
    }
    // Two versions of a program may share a title.
    let mut titles: BTreeMap<String, usize> = BTreeMap::new();
    all.values().for_each(|series| *titles.entry(series.title.clone()).or_default() += 1);
    let mut made: Vec<Series<'a>> = Vec::new();
    for ((key, _), mut series) in all {
        if titles.get(&series.title).is_some_and(|count| *count > 1) {
            series.title = format!("{} [{}]", series.title, key.split(' ').next().unwrap_or(key));
        }
        let sign = if series.higher_is_better { -1.0 } else { 1.0 };
        series.values.arrange_by(|a, b| (sign * a.0).total_cmp(&(sign * b.0)));
        made.push(series);
    }
    made.arrange_by_key(|series| (series.rank, Reverse(series.values.len())));
    made
}

/// Main figures in order, then all others.
fn rank_of(key: &str) -> usize {
    let Ok(key) = key.parse::<FigureKey>();
    rank(&key).unwrap_or(usize::MAX)
}

/// Plots of the first figures, and a table of all.
pub(super) fn distributions(all: &[Series<'_>], up: &str) -> Option<Markup> {
    if all.is_empty() {
        return None;
    }
    let plots: Vec<Plot> =
        all.iter().enumerate().filter_map(|(at, series)| histogram(at, series)).take(PLOTS_MAX).collect();
    let (open, folded) = plots.split_at(plots.len().min(PLOTS_OPEN));
    Some(html! {
        p.soft { "Without invalid results and scores that cannot be compared. A result has a value for each cluster of cores." }
        (series_table(all, up))
        @for plot in open { (titled(plot)) }
        @if !folded.is_empty() {
            details { summary { (folded.len()) " more plots" } @for plot in folded { (titled(plot)) } }
        }
    })
}

fn titled(plot: &Plot) -> Markup {
    html! { h3 { (plot.title) } (plot.on_page()) }
}

fn series_table(all: &[Series<'_>], up: &str) -> Markup {
    let columns = [
        text("Figure"),
        text("Unit"),
        number("Values"),
        number("Lowest"),
        number("Median"),
        number("Highest"),
        text("Best result"),
    ];
    let row = |series: &Series<'_>| {
        let spread = series.spread().into_iter().flatten().map(|value| cell(facts::number(value, &series.unit)));
        let best = series.values.first().map_or_else(|| html! {}, |(_, best)| link(best, up));
        let first = [cell(facts::plain(&series.title)), cell(facts::plain(&series.unit)), cell(series.values.len())];
        first.into_iter().chain(spread).chain([best]).collect::<Vec<_>>()
    };
    table("Figures", &columns, &all.iter().map(row).collect::<Vec<_>>())
}

/// Link to the page of a result, labelled with its board, kernel and date.
pub(super) fn link(listed: &SiteResult<'_>, up: &str) -> Markup {
    let row = &listed.entry.row;
    let kernel = Some(row.cells[2].as_str()).filter(|kernel| *kernel != "-");
    let words = [Some(row.board().unwrap_or("not reported")), kernel, row.day.as_deref()];
    let words: Vec<&str> = words.into_iter().flatten().collect();
    html! { a href={ (up) (result_path(listed.page)) } { (facts::plain(&words.join(", "))) } }
}

/// Histogram of a figure; `None` if it has too few values or all are equal.
fn histogram(at: usize, series: &Series<'_>) -> Option<Plot> {
    let [low, middle, high] = series.spread()?;
    if series.values.len() < VALUES_MIN || high / low < 1.005 {
        return None;
    }
    let ticks = linear_ticks((low, high), 6);
    let ends = (ticks.first()?.min(low), ticks.last()?.max(high));
    let area = Area { left: 60.0, right: 960.0, top: 20.0, bottom: 110.0 };
    let scale = Scale::linear(ends, (area.left, area.right));
    let mut counts = [0_usize; BINS];
    for (value, _) in &series.values {
        let share = (value - ends.0) / (ends.1 - ends.0);
        counts[((share * BINS as f64) as usize).min(BINS - 1)] += 1;
    }
    let most = counts.into_iter().max()?;
    let width = (area.right - area.left) / BINS as f64;
    let height = Scale::linear((0.0, most as f64), (area.bottom, area.top));
    let named: Vec<(f64, String)> = ticks.iter().map(|tick| (*tick, tick_words(*tick, &ticks))).collect();
    let median = scale.at(middle);
    let shapes = html! {
        @for (bin, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            @let top = height.at(*count as f64);
            rect.bar x=(n(area.left + width * bin as f64 + 0.5)) y=(n(top)) width=(n(width - 1.0)) height=(n(area.bottom - top)) {}
        }
        line.limit x1=(n(median)) x2=(n(median)) y1=(n(area.top - 4.0)) y2=(n(area.bottom)) {}
        g.axis {
            (word(area.left - 8.0, area.top + 4.0, "end", &most.to_string()))
            (word(area.left - 8.0, area.bottom, "end", "0"))
        }
        (axis_x(area, &scale, &named, &format!("{} (line: median, height: number of values)", series.unit)))
    };
    let title = format!("{}: {} values", series.title, series.values.len());
    Some(Plot {
        id: format!("distribution-{at}"),
        title: facts::plain(&title),
        key: Vec::new(),
        height: 150.0,
        time: None,
        shapes,
    })
}
