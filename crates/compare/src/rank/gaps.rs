//! Figures in which a result is worse than those of similar boards.

use super::{Entry, Range};
use facts::Cause;
use facts::figures::main::HEADLINES;
use facts::figures::{Core, Figure};
use record::{StableSort, Variant, WorkloadId};
use serde::Serialize;

/// Minimum distance of a gap from the median, in half ranges. Nine of ten boards lie within 1; of ten figures, one lies
/// outside by chance.
const DISTANCE_MIN: f64 = 1.4;
/// Minimum deficit of a gap, in percent.
const LOSS_PERCENT_MIN: f64 = 15.0;

/// A figure that is worse than expected.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gap {
    /// Name.
    pub title: String,
    /// Core type, for figures of one core.
    pub core: Option<String>,
    /// Difference from the usual value in percent; negative if lower.
    pub change_percent: f64,
    /// Logarithm of the factor by which others are better.
    #[serde(skip)]
    pub(super) log: f64,
    /// Index in `Ranking::entries`.
    #[serde(skip)]
    pub entry: usize,
    /// Others that are better.
    #[serde(skip)]
    pub(super) against: PeerKind,
    /// Place among the figures that people ask for first.
    #[serde(skip)]
    pub(super) headline: usize,
}

/// Others that a figure is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PeerKind {
    /// Boards with the same SoC.
    Soc,
    /// Cores of the same type at this clock.
    CoreType,
    /// Results of boards with the same name.
    Board,
}

/// Gaps, the widest first; second those that other results of this board have as well, which are properties of the board.
pub(super) fn gaps(entries: &[Entry]) -> (Vec<Gap>, Vec<Gap>) {
    let mut gaps: Vec<Gap> = entries.iter().enumerate().filter_map(gap).collect();
    gaps.retain(|gap| !follows_a_usual_clock(gap, entries));
    gaps.stable_sort_by(|a, b| b.log.total_cmp(&a.log));
    gaps.into_iter().partition(|gap| !is_of_this_board(&entries[gap.entry]))
}

fn is_of_this_board(entry: &Entry) -> bool {
    let lost = entry.same_board.and_then(|median| loss_log(&entry.figure, median));
    lost.is_some_and(|log| loss_percent(log) < entry.least.loss_percent)
}

/// Usual value of a figure: that of this board, if the figure reaches it or is compared with it, else that of similar boards.
/// Of clocks, which are equal on all boards with few exceptions, few boards suffice for the cause of a gap in another figure.
pub(super) fn usual(entry: &Entry) -> Option<f64> {
    let is_against_board = || gap((0, entry)).is_some_and(|gap| gap.against == PeerKind::Board);
    match entry.same_board {
        Some(median) if is_of_this_board(entry) || is_against_board() => Some(median),
        _ if entry.expected.is_none() && is_cold(&entry.figure) => Some(entry.same_soc.as_ref()?.median),
        _ => Some(entry.expected.as_ref()?.median),
    }
}

/// Loss in percent of the value of others.
fn loss_percent(log: f64) -> f64 {
    (1.0 - (-log).exp()) * 100.0
}

/// `31 %`; `20 times` for percentages of four digits.
pub(super) fn by(percent: f64) -> String {
    if percent >= 1000.0 { format!("{:.0} times", 1.0 + percent / 100.0) } else { format!("{percent:.0} %") }
}

/// Conditions for a gap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct GapConditions {
    /// Minimum distance from the median on the bad side, in half ranges.
    distance: f64,
    /// Minimum deficit relative to the median, in percent.
    loss_percent: f64,
}

/// Conditions for any figure.
const LEAST: GapConditions = GapConditions { distance: DISTANCE_MIN, loss_percent: LOSS_PERCENT_MIN };
/// Conditions if the result itself shows a cause.
const LEAST_WITH_CAUSE: GapConditions = GapConditions { distance: 0.5, loss_percent: 10.0 };

/// Conditions for this figure if the result shows these causes: 7-zip shows the cost of 32-bit programs and of lower clocks.
pub(super) fn least(figure: &Figure, shown: &[Cause]) -> GapConditions {
    let is_expected = |cause: &Cause| match cause {
        Cause::Userland => figure.key.is_of(WorkloadId::SevenZip),
        _ => figure.key.is_of(WorkloadId::SevenZip) || is_cold(figure),
    };
    if shown.iter().any(is_expected) { LEAST_WITH_CAUSE } else { LEAST }
}

/// True for a deficit that follows from a usual clock: if some boards of a SoC are overclocked, the others have no gap.
fn follows_a_usual_clock(gap: &Gap, entries: &[Entry]) -> bool {
    let Some(core) = entries[gap.entry].figure.core.as_ref().filter(|_| !is_cold(&entries[gap.entry].figure)) else {
        return false;
    };
    let clocks = entries.iter().filter(|entry| is_cold(&entry.figure));
    let mut own = clocks.filter(|entry| entry.figure.core.as_ref().is_some_and(|of| of.cluster == core.cluster));
    let Some(clock) = own.next().filter(|clock| !is_gap(clock)) else {
        return false;
    };
    let lost = clock.expected.as_ref().and_then(|range| loss_log(&clock.figure, range.median)).unwrap_or(0.0);
    loss_percent(gap.log - lost.max(0.0)) < entries[gap.entry].least.loss_percent
        && is_of_clock(&entries[gap.entry].figure)
}

fn is_cold(figure: &Figure) -> bool {
    figure.key.is_of(WorkloadId::Clock) && figure.key.is_form(&Variant::COLD)
}

fn is_of_clock(figure: &Figure) -> bool {
    !figure.key.workload().is_of_memory()
}

/// True if a figure is worse than expected.
pub(super) fn is_gap(entry: &Entry) -> bool {
    gap((0, entry)).is_some()
}

fn gap(place: (usize, &Entry)) -> Option<Gap> {
    let entry = place.1;
    let against = if entry.is_expected_by_core { PeerKind::CoreType } else { PeerKind::Soc };
    let to_similar = entry.expected.as_ref().and_then(|range| gap_to(place, range, entry.least, against));
    to_similar.or_else(|| {
        // A value that others with the SoC hardly exceed is normal, even if other boards of this name reach more.
        let lost = entry.expected.as_ref().and_then(|range| loss_log(&entry.figure, range.median));
        let is_low = lost.is_none_or(|log| loss_percent(log) >= LEAST_WITH_CAUSE.loss_percent);
        // Clocks and scores of a board depend on its settings and programs as well: some boards are overclocked.
        let is_of_memory = entry.figure.key.workload().is_of_memory();
        let range = entry.board_range.as_ref().filter(|_| is_low && is_of_memory)?;
        gap_to(place, range, LEAST, PeerKind::Board)
    })
}

fn gap_to((index, entry): (usize, &Entry), range: &Range, least: GapConditions, against: PeerKind) -> Option<Gap> {
    let figure = Some(&entry.figure).filter(|figure| counts(figure))?;
    let is_worse = worse_by(range, favourable(figure), figure) > least.distance;
    let change = figure.change_from(range.median);
    let log = loss_log(figure, range.median)?;
    let is_wide = loss_percent(log) >= least.loss_percent;
    (is_worse && is_wide).then_some(Gap {
        title: entry.title.clone(),
        core: figure.core.as_ref().map(Core::label),
        change_percent: change.percent()?,
        log,
        entry: index,
        against,
        headline: HEADLINES.iter().position(|headline| headline.is_of(&figure.key)).unwrap_or(HEADLINES.len()),
    })
}

/// Value of a figure; the favourable end of an estimate.
fn favourable(figure: &Figure) -> f64 {
    match (&figure.estimate, figure.higher_is_better) {
        (Some(estimate), true) => estimate.high,
        (Some(estimate), false) => estimate.low,
        (None, _) => figure.value,
    }
}

/// False for clocks during and after load, which belong to the verdict.
fn counts(figure: &Figure) -> bool {
    !figure.key.is_of(WorkloadId::Clock) || figure.key.is_form(&Variant::COLD)
}

/// Distance of a value on the bad side of a range, in half ranges.
fn worse_by(range: &Range, value: f64, figure: &Figure) -> f64 {
    let distance = range.distance(value);
    if figure.higher_is_better { -distance } else { distance }
}

/// Logarithm of the factor by which the other value is better.
pub(super) fn loss_log(figure: &Figure, other: f64) -> Option<f64> {
    let log = (other / figure.value).ln();
    log.is_finite().then_some(if figure.higher_is_better { log } else { -log })
}

/// Cold clock of the cores of a figure.
pub(super) fn clock_mhz(figures: &[Figure], of: &Figure) -> Option<f64> {
    let cluster = of.core.as_ref()?.cluster;
    let cold = figures.iter().filter(|clock| clock.key.is_of(WorkloadId::Clock) && clock.key.is_form(&Variant::COLD));
    let mut own = cold.filter(|clock| clock.core.as_ref().is_some_and(|core| core.cluster == cluster));
    own.next().map(|clock| clock.value)
}
