//! Distributions of figures over several results: strip plots, and a table.

use super::{SiteResult, result_path};
use crate::draw::table::{cell, number, table, text};
use crate::draw::{Area, Plot, Scale, axis_x, axis_y, linear_ticks, n, named, width_of, word};
use crate::order::rank;
use compare::by_clock;
use explain::results::EntryFigure;
use facts::Verdict;
use facts::figures::FigureKey;
use facts::stats::median;
use maud::{Markup, html};
use record::{StableSort, WorkloadId};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Minimum number of values in a distribution.
const VALUES_MIN: usize = 3;
/// Number of unfolded plots.
const PLOTS_OPEN: usize = 6;
/// Maximum number of plots on a page; the table has the other figures.
const PLOTS_MAX: usize = 24;
/// Diameter of a dot with its margin, in SVG units.
const DOT: f64 = 9.0;
/// Maximum height of all dots above each other.
const LEVELS_HEIGHT_MAX: f64 = 90.0;
/// A result below this share of the median is far below it.
const FAR: f64 = 0.85;
/// Maximum number of results that are named.
const OUTLIERS_MAX: usize = 3;

/// Value of one result.
pub(super) struct Point<'a> {
    pub(super) value: f64,
    pub(super) listed: SiteResult<'a>,
    /// False if something lowered it.
    is_sound: bool,
    /// Largest cause, in words.
    lost_to: Option<&'a str>,
}

impl Point<'_> {
    /// Highest measured clock of its result.
    pub(super) fn clock_mhz(&self) -> Option<f64> {
        self.listed.entry.row.clock_khz.map(|khz| f64::from(khz) / 1000.0)
    }
}

/// One figure over all results that have it.
pub(super) struct Series<'a> {
    /// Title of the figure, with the core type.
    pub(super) title: String,
    pub(super) unit: String,
    pub(super) higher_is_better: bool,
    is_of_memory: bool,
    rank: usize,
    /// Values and results, the best first.
    pub(super) values: Vec<Point<'a>>,
}

impl Series<'_> {
    /// Minimum and maximum of the values.
    fn spread(&self) -> Option<[f64; 2]> {
        let (first, last) = (self.values.first()?.value, self.values.last()?.value);
        Some([first.min(last), first.max(last)])
    }

    /// Median of the sound values at each clock, and the clock in MHz if there are several; figures of memory and clocks have
    /// one for all.
    fn medians(&self) -> Vec<(Option<f64>, f64)> {
        let sound = self.values.iter().filter(|point| point.is_sound);
        let has_clock = !self.is_of_memory && self.unit != "MHz";
        let groups = by_clock(None, sound.map(|point| (point.clock_mhz().filter(|_| has_clock), point.value)));
        let is_one = groups.len() == 1;
        let medians =
            groups.into_iter().filter_map(|group| Some((group.mhz.filter(|_| !is_one), median(&group.results)?)));
        medians.collect()
    }

    /// `10951 at 2400 MHz, 13170 at 3000 MHz`; one value for one clock.
    fn median_words(&self) -> String {
        let words = self.medians().into_iter().map(|(mhz, value)| {
            let value = facts::number(value, &self.unit);
            mhz.map_or_else(|| value.clone(), |mhz| format!("{value} at {:.0} MHz", (mhz / 10.0).round() * 10.0))
        });
        words.collect::<Vec<_>>().join(", ")
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
                is_of_memory: figure.is_of_memory,
                rank: rank_of(&figure.key),
                values: Vec::new(),
            };
            all.entry((&figure.key, core)).or_insert_with(new).values.push(Point {
                value,
                listed: *listed,
                is_sound: figure.is_sound,
                lost_to: figure.lost_to.as_deref(),
            });
        }
    }
    // Two versions of a program may share a title.
    let mut titles: BTreeMap<String, usize> = BTreeMap::new();
    all.values().for_each(|series| *titles.entry(series.title.clone()).or_default() += 1);
    let mut made: Vec<Series<'a>> = Vec::new();
    for ((key, _), mut series) in all {
        if titles.get(&series.title).is_some_and(|count| *count > 1) {
            series.title = format!("{} ({})", series.title, method_words(key));
        }
        let sign = if series.higher_is_better { -1.0 } else { 1.0 };
        series.values.stable_sort_by(|a, b| (sign * a.value).total_cmp(&(sign * b.value)));
        made.push(series);
    }
    made.stable_sort_by_key(|series| (series.rank, Reverse(series.values.len())));
    made
}

/// Version of the program whose figures are comparable: the ids of the methods of programs are their main versions.
fn method_words(key: &str) -> String {
    let Ok(key) = key.parse::<FigureKey>();
    match key.workload().id() {
        Some(WorkloadId::OpenSsl) => format!("OpenSSL {}", key.method()),
        Some(WorkloadId::SevenZip) => format!("7-zip {}", key.method()),
        _ => format!("version {} of the measurement", key.method()),
    }
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
        all.iter().enumerate().filter_map(|(at, series)| strip(at, series, up)).take(PLOTS_MAX).collect();
    let (open, folded) = plots.split_at(plots.len().min(PLOTS_OPEN));
    Some(html! {
        p.soft { "Without invalid results and scores that cannot be compared. A result has a value for each cluster of cores." }
        @for plot in open { (titled(plot)) }
        @if !folded.is_empty() {
            details { summary { (folded.len()) " more plots" } @for plot in folded { (titled(plot)) } }
        }
        details open[open.is_empty()] { summary { "All figures" } (series_table(all, up)) }
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
        text("Median of sound values"),
        number("Highest"),
        text("Best result"),
    ];
    let row = |series: &Series<'_>| {
        let [low, high] =
            series.spread().map_or_else(Default::default, |ends| ends.map(|value| facts::number(value, &series.unit)));
        let spread = [cell(low), cell(series.median_words()), cell(high)];
        let best = series.values.first().map_or_else(|| html! {}, |best| link(&best.listed, up));
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

/// A dot for each result, green or, where something lowered it, amber; `None` for too few values or equal ones. The line is the median of the
/// others, and the furthest of the lower ones are named with what took most of them.
fn strip(at: usize, series: &Series<'_>, up: &str) -> Option<Plot> {
    let [low, high] = series.spread()?;
    if series.values.len() < VALUES_MIN || high / low < 1.005 {
        return None;
    }
    let ticks = linear_ticks((low, high), 6);
    let ends = (ticks.first()?.min(low), ticks.last()?.max(high));
    let scale = Scale::linear(ends, (30.0, 970.0));
    let mut stacks: BTreeMap<i64, f64> = BTreeMap::new();
    let mut place = |value: f64| {
        let column = (scale.at(value) / DOT).floor();
        let level = stacks.entry(column as i64).or_default();
        *level += 1.0;
        ((column + 0.5) * DOT, *level - 1.0)
    };
    let places: Vec<(f64, f64)> = series.values.iter().map(|point| place(point.value)).collect();
    let levels = places.iter().map(|(_, level)| level + 1.0).fold(1.0, f64::max);
    // Dots of a high stack overlap, so that the plot keeps its height.
    let step = (LEVELS_HEIGHT_MAX / levels).min(DOT);
    let area = Area { left: 30.0, right: 970.0, top: 46.0, bottom: 56.0 + step * levels };
    let sound: Vec<f64> = series.values.iter().filter(|point| point.is_sound).map(|point| point.value).collect();
    let worst = median(&sound).map_or_else(Vec::new, |typical| outliers(series, typical));
    let medians = series.medians();
    let shapes = html! {
        @for (_, typical) in &medians {
            @let x = scale.at(*typical);
            line.edge x1=(n(x)) x2=(n(x)) y1="18" y2=(n(area.bottom)) {}
        }
        @if let Some((_, typical)) = medians.first() {
            @let (x, anchor) = if medians.len() > 1 { (area.left, "start") } else { (scale.at(*typical), if scale.at(*typical) > 500.0 { "end" } else { "start" }) };
            (word(x, 14.0, anchor, &format!("median {} {}", series.median_words(), if medians.len() > 1 { "" } else { &series.unit })))
        }
        @for (x, row, words) in named_outliers(&worst, &scale) {
            (word(x, 28.0 + 13.0 * row as f64, if x > 700.0 { "end" } else { "start" }, words))
        }
        @for ((x, level), point) in places.iter().zip(&series.values) {
            a href={ (up) (result_path(point.listed.page)) } {
                circle.verdict-valid[point.is_sound].verdict-degraded[!point.is_sound] cx=(n(*x)) cy=(n(area.bottom - 6.0 - step * level)) r="4" {
                    title { (facts::with_unit(point.value, &series.unit)) ": " (words_of(point)) }
                }
            }
        }
        (axis_x(area, &scale, &named(&ticks), &series.unit))
    };
    let below = series.values.len() - sound.len();
    let not_counted =
        if below == 0 { String::new() } else { format!(", {below} of them lowered and not in the median") };
    let title = format!("{}: {} results{not_counted}", series.title, series.values.len());
    Some(Plot::of(&format!("distribution-{at}"), &facts::plain(&title), area.bottom + 42.0, shapes))
}

/// A dot for each result over its clock; `None` unless results have several clocks.
pub(super) fn by_clock_plot(series: &Series<'_>, up: &str) -> Option<Plot> {
    let points: Vec<(f64, &Point<'_>)> =
        series.values.iter().filter_map(|point| Some((point.clock_mhz()?, point))).collect();
    if points.len() < VALUES_MIN || by_clock(None, points.iter().map(|(mhz, _)| (Some(*mhz), ()))).len() < 2 {
        return None;
    }
    let ends_of = |values: &[f64]| {
        let ticks =
            linear_ticks((values.iter().copied().reduce(f64::min)?, values.iter().copied().reduce(f64::max)?), 6);
        Some(((*ticks.first()?, *ticks.last()?), ticks))
    };
    let (x_ends, x_ticks) = ends_of(&points.iter().map(|(mhz, _)| *mhz).collect::<Vec<_>>())?;
    let (y_ends, y_ticks) = ends_of(&points.iter().map(|(_, point)| point.value).chain([0.0]).collect::<Vec<_>>())?;
    let area = Area { left: 76.0, right: 970.0, top: 30.0, bottom: 260.0 };
    let (x, y) = (Scale::linear(x_ends, (area.left, area.right)), Scale::linear(y_ends, (area.bottom, area.top)));
    let shapes = html! {
        (axis_y(area, &y, &named(&y_ticks), &series.unit))
        @for (mhz, point) in &points {
            a href={ (up) (result_path(point.listed.page)) } {
                circle.verdict-valid[point.is_sound].verdict-degraded[!point.is_sound] cx=(n(x.at(*mhz))) cy=(n(y.at(point.value))) r="4" {
                    title { (format!("{mhz:.0} MHz, ")) (facts::with_unit(point.value, &series.unit)) ": " (words_of(point)) }
                }
            }
        }
        (axis_x(area, &x, &named(&x_ticks), "highest measured clock in MHz"))
    };
    let title = format!("{} by clock: {} results", series.title, points.len());
    Some(Plot::of("score-by-clock", &facts::plain(&title), area.bottom + 42.0, shapes))
}

/// The results furthest below a typical value, with what took most of them.
fn outliers(series: &Series<'_>, typical: f64) -> Vec<(f64, String)> {
    let is_far = |value: f64| if series.higher_is_better { value < FAR * typical } else { value * FAR > typical };
    let worst = series.values.iter().rev().filter(|point| is_far(point.value));
    let words = |point: &Point<'_>| Some((point.value, point.lost_to?.to_owned()));
    worst.filter_map(words).take(OUTLIERS_MAX).collect()
}

/// Position and row of the names of outliers in two rows; names without room are omitted.
fn named_outliers<'a>(outliers: &'a [(f64, String)], scale: &Scale) -> Vec<(f64, usize, &'a str)> {
    let mut rows: [Vec<(f64, f64)>; 2] = Default::default();
    let named = outliers.iter().filter_map(|(value, words)| {
        let x = scale.at(*value);
        let (from, to) = if x > 700.0 { (x - width_of(words), x) } else { (x, x + width_of(words)) };
        let row = rows.iter().position(|row| row.iter().all(|(start, end)| to < *start || *end < from))?;
        rows[row].push((from, to));
        Some((x, row, words.as_str()))
    });
    named.collect()
}

/// Board, kernel, verdict and loss of a result in words.
fn words_of(point: &Point<'_>) -> String {
    let row = &point.listed.entry.row;
    let lost = point.lost_to.map_or_else(String::new, |lost| format!(" ({lost})"));
    let kernel = Some(row.cells[2].as_str())
        .filter(|kernel| *kernel != "-")
        .map_or_else(String::new, |kernel| format!(", {kernel}"));
    facts::plain(&format!("{}{kernel}, {}{lost}", row.board().unwrap_or("not reported"), row.verdict))
}
