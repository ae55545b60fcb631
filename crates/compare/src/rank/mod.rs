//! Rank of a result among others, and comparison with similar boards.
//!
//! Figures are converted to the methods of the known results ([`facts::figures::equivalent`]); estimates are ranked with
//! their interval. A result that is one of the known ones is not compared with itself.

mod answer;
mod board_names;
mod causes;
mod clock_groups;
mod formats;
mod gaps;
mod neighbours;
mod peers;
mod placement;
mod range;
mod text;

pub use answer::Answer;
pub use board_names::NamedBoard;
pub use causes::LikelyCause;
pub use clock_groups::{ClockGroup, by_clock};
pub use formats::{ranking_csv, ranking_markdown};
pub use gaps::Gap;
use neighbours::all_neighbours;
pub use neighbours::{Bar, Neighbours, neighbours};
pub use placement::Placement;
use placement::placement;
use range::is_estimated_from_few;
pub use range::{Extremes, OTHERS_MIN, Range};
pub use text::ranking_text;

use super::{Omission, invalid_because};
use crate::reference::{Reference, Row, builtin_rows, parse, soc_key, write};
use facts::figures::{Figure, FigureKey, titles_among};
use facts::number::number;
use facts::stats::median;
use facts::{Cause, Explained, Explanation, Facts, Verdict};
use peers::{OtherValues, Peer, PeerFilter, known, others};
use record::{Record, WorkloadId};
use serde::Serialize;
use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// A result among others.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ranking {
    /// Board of the result, or its host if the board is unknown.
    pub board: Option<String>,
    /// The verdict of the rules.
    pub verdict: Verdict,
    /// Reasons of an invalid result, in sentences; else empty.
    pub invalid_because: Vec<String>,
    /// Its SoC.
    pub soc: Option<String>,
    /// Comparison with similar boards, with causes of a deficit.
    pub answer: Answer,
    /// Boards next to it in each figure of `HEADLINES`.
    pub neighbours: Vec<Neighbours>,
    /// Other boards with this SoC, if too few for a range.
    pub others_with_soc: Vec<String>,
    /// Its main figures, each with its standing.
    pub entries: Vec<Entry>,
    /// Omitted figures and results.
    pub left_out: Vec<Omission>,
}

/// One figure with its standing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entry {
    /// The figure.
    pub figure: Figure,
    /// Title.
    pub title: String,
    /// Value and source of an estimate, in words.
    pub estimated: Option<String>,
    /// Among boards with the same SoC; for figures of one core, among its cores of this type.
    pub same_soc: Option<Placement>,
    /// Median of published results of boards with the same name: properties of the board affect all of them.
    pub same_board: Option<f64>,
    /// Among all cores of the same type per MHz of their clock; only for scores of one core.
    pub same_core_type: Option<Placement>,
    /// Among all boards, each with its best core.
    pub all: Placement,
    /// Range of similar boards: with the same SoC, else with cores of the same type at this clock.
    #[serde(skip_serializing_if = "is_estimated_from_few")]
    pub expected: Option<Range>,
    /// Lowest and highest of these boards, if too few for a range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extremes: Option<Extremes>,
    /// Range of published results of boards with the same name, if they are several.
    #[serde(skip)]
    board_range: Option<Range>,
    /// True if `expected` is the range of cores of the same type.
    #[serde(skip)]
    is_expected_by_core: bool,
    /// Conditions for a gap.
    #[serde(skip)]
    least: gaps::GapConditions,
}

impl Entry {
    /// Value as text: `≈9900` if it was estimated.
    pub fn value_words(&self) -> String {
        let mark = if self.estimated.is_some() { "≈" } else { "" };
        format!("{mark}{}", number(self.figure.value, &self.figure.unit))
    }

    /// `15236 to 17644`, the range of nine in ten similar boards, or `8471 (A) to 17556 (B)` if they are too few for one.
    pub fn range_words(&self) -> Option<String> {
        let unit = &self.figure.unit;
        match (&self.extremes, &self.expected) {
            (Some(extremes), _) => Some(extremes.words(unit)),
            (None, range) => range.map(|range| format!("{} to {}", number(range.low, unit), number(range.high, unit))),
        }
    }

    /// Median of similar boards.
    pub fn median_words(&self) -> Option<String> {
        let standing = self.same_soc.as_ref().filter(|_| self.extremes.is_some()).map(|standing| standing.median);
        let median = self.expected.map(|range| range.median).or(standing);
        median.map(|median| number(median, &self.figure.unit))
    }
}

/// Ranks the main figures of a result among the sound figures of the reference data.
pub fn rank(explained: &Explained<'_>, reference: &Reference) -> Ranking {
    rank_for_people(explained.facts.in_lines(), &explained.assessment, reference)
}

/// Same as [`rank`], for facts whose texts are safe to show.
pub fn rank_for_people(facts: &Facts<'_>, explained: &Explanation, reference: &Reference) -> Ranking {
    let peers = Peers::of(reference);
    let peers = peers.without_own(facts, explained, reference);
    let (mut entries, left_out, soc) = ranked(facts, reference, &peers, Scope::All);
    let mut left_out: Vec<Omission> = left_out.into_iter().collect();
    left_out.extend(rows_left_out(reference));
    set_titles(&mut entries);
    Ranking {
        board: facts::machine_name(&facts.machine).cloned(),
        verdict: explained.verdict,
        invalid_because: invalid_because(explained),
        answer: answer::answer(facts, explained, soc.as_deref(), &entries),
        neighbours: all_neighbours(facts, explained, &peers),
        others_with_soc: others_with_soc(facts, &peers),
        soc,
        entries,
        left_out,
    }
}

/// Names of other boards with the SoC of a result; empty if they are enough for a range.
fn others_with_soc(facts: &Facts<'_>, peers: &[&Peer<'_>]) -> Vec<String> {
    let Some(key) = facts.soc().known().map(|soc| soc_key(soc)) else { return Vec::new() };
    let others = peers.iter().map(|peer| peer.row).filter(|row| row.soc_key.as_deref() == Some(&key));
    let names = others.filter_map(|row| row.name.as_deref().or(row.board.as_deref()));
    let names: BTreeSet<String> = names.map(facts::plain).collect();
    if names.len() < range::RANGE_OTHERS_MIN { names.into_iter().collect() } else { Vec::new() }
}

/// Answer for a result with its entries and SoC: the same as that of [`rank`] in a fraction of the time. The entries are ranked
/// among similar boards only.
pub fn answer_among_similar(
    facts: &Facts<'_>,
    explained: &Explanation,
    reference: &Reference,
) -> (Answer, Vec<Entry>, Option<String>) {
    let peers = Peers::of(reference);
    let peers = peers.without_own(facts, explained, reference);
    let (mut entries, _, soc) = ranked(facts, reference, &peers, Scope::Similar);
    set_titles(&mut entries);
    (answer::answer(facts, explained, soc.as_deref(), &entries), entries, soc)
}

/// Boards that a figure is ranked among.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Scope {
    All,
    /// Boards with the same SoC, else with the same core types.
    Similar,
}

fn set_titles(entries: &mut [Entry]) {
    let titles = titles_among(entries.iter().map(|entry| &entry.figure.key));
    for (entry, title) in entries.iter_mut().zip(titles) {
        entry.title = title;
    }
}

/// Row of a result as in the reference data; `None` if no row has its date.
fn own_row(facts: &Facts<'_>, explained: &Explanation, reference: &Reference) -> Option<Row> {
    let own = Row::of(facts, explained, "-");
    reference.rows().any(|row| row.date == own.date).then(|| stored(&own)).flatten()
}

/// Name of the board in the list of published results, if a result is one of them.
pub fn published_name(facts: &Facts<'_>, explained: &Explanation) -> Option<&'static str> {
    let own = own_row(facts, explained, Reference::builtin())?;
    builtin_rows().iter().find(|row| row.is_same_result(&own))?.name.as_deref()
}

/// All peers except the result itself.
struct Peers<'a> {
    builtin: &'a [Peer<'a>],
    own: Vec<Peer<'a>>,
}

impl<'a> Peers<'a> {
    fn of(reference: &'a Reference) -> Self {
        static BUILTIN: LazyLock<Vec<Peer<'static>>> = LazyLock::new(|| builtin_rows().iter().map(Peer::of).collect());
        let builtin = if reference.has_builtin { BUILTIN.as_slice() } else { &[] };
        Self { builtin, own: reference.own.iter().map(Peer::of).collect() }
    }

    /// All but the row of the result itself.
    fn without_own(&self, facts: &Facts<'_>, explained: &Explanation, reference: &Reference) -> Vec<&Peer<'a>> {
        let own = own_row(facts, explained, reference);
        let is_other = |peer: &&Peer<'_>| own.as_ref().is_none_or(|own| !peer.row.is_same_result(own));
        self.builtin.iter().chain(&self.own).filter(is_other).collect()
    }
}

/// Entries of the main figures, omitted figures, and the SoC.
fn ranked(
    facts: &Facts<'_>,
    reference: &Reference,
    peers: &[&Peer<'_>],
    scope: Scope,
) -> (Vec<Entry>, BTreeSet<Omission>, Option<String>) {
    let soc = facts.soc().known().cloned();
    let key_of_soc = soc.as_deref().map(soc_key);
    let has_soc = |peer: &&&Peer<'_>| key_of_soc.is_some() && peer.row.soc_key == key_of_soc;
    let same_soc: Vec<&Peer<'_>> = peers.iter().filter(has_soc).copied().collect();
    let all = facts.known_figures();
    let own = OwnProperties {
        soc: key_of_soc.as_deref(),
        board: facts.machine.board.known().map(String::as_str),
        causes: &causes::shown(facts),
    };
    let find = |figure: &Figure| {
        let among = |peers: &[&Peer<'_>]| entry(facts, figure, all, peers, own);
        let first = (scope == Scope::Similar).then(|| among(&same_soc)).flatten();
        let has_range = |entry: &Entry| entry.same_soc.as_ref().is_some_and(|standing| standing.range.is_some());
        match first {
            Some(entry) if !is_by_clock(&figure.key) => Some(entry),
            Some(entry) if has_range(&entry) && !own.causes.contains(&Cause::Userland) => Some(entry),
            None if scope == Scope::Similar && !is_by_clock(&figure.key) => None,
            _ => among(peers),
        }
    };
    let keys = LazyCell::new(|| keys(reference));
    let mut left_out = BTreeSet::new();
    let mut entries = Vec::new();
    for figure in all.iter().filter(|figure| figure.is_main) {
        if let Some(why) = figure.not_comparable.clone() {
            let what = figure.name();
            left_out.insert(Omission { what, why });
            continue;
        }
        match find(figure) {
            Some(entry) => entries.push((entry, place(figure, all))),
            None if scope == Scope::Similar => {}
            None => {
                left_out.insert(no_equal(figure, &keys));
            }
        }
    }
    (keep_best(entries), left_out, soc)
}

/// Peers of the reference data. Those of the built-in data are made once, because a site ranks thousands of results.
fn keep_best(entries: Vec<(Entry, usize)>) -> Vec<Entry> {
    let kept = entries.into_iter().filter(|(entry, place)| *place == 0 || gaps::is_gap(entry));
    kept.map(|(entry, _)| entry).collect()
}

/// Number of clusters of the same core type with a better value.
fn place(figure: &Figure, all: &[Figure]) -> usize {
    let core_type = |figure: &Figure| figure.core.as_ref().and_then(|core| core.core_type.clone());
    let cluster = |figure: &Figure| figure.core.as_ref().map(|core| core.cluster);
    let own = core_type(figure);
    let same = all.iter().filter(|other| {
        other.key == figure.key && own.is_some() && core_type(other) == own && other.not_comparable.is_none()
    });
    let better = same.filter(|other| {
        let gain = other.gain_percent(figure.value).unwrap_or(0.0);
        gain > 0.0 || (gain == 0.0 && cluster(other) < cluster(figure))
    });
    better.count()
}

/// The row with the rounded values of the table, so that a log finds itself in the reference data.
fn stored(row: &Row) -> Option<Row> {
    parse(&write(std::slice::from_ref(row))).ok()?.pop()
}

/// Properties of a result that select similar boards.
#[derive(Debug, Clone, Copy)]
struct OwnProperties<'a> {
    soc: Option<&'a str>,
    board: Option<&'a str>,
    /// Causes that the result itself shows.
    causes: &'a [Cause],
}

fn entry(
    record: &Record,
    figure: &Figure,
    all: &[Figure],
    peers: &[&Peer<'_>],
    own: OwnProperties<'_>,
) -> Option<Entry> {
    let place = place(figure, all);
    let soc = own.soc;
    let known = known(figure, peers);
    let same_board =
        soc.zip(own.board).map(|(soc, board)| others(figure, place, &known, PeerFilter::Board(soc, board)));
    let same_soc = soc.and_then(|soc| placement(figure, &others(figure, place, &known, PeerFilter::Soc(soc)), 1.0));
    let clock_mhz = gaps::clock_mhz(all, figure).filter(|_| is_by_clock(&figure.key));
    let same_core_type = clock_mhz.and_then(|mhz| {
        let mut others = others(figure, place, &known, PeerFilter::CorePerMhz);
        others.keep_same_instructions(figure, mhz);
        placement(figure, &others, mhz)
    });
    let among_all = placement(figure, &others(figure, place, &known, PeerFilter::All), 1.0)?;
    let range = |standing: &Option<Placement>| standing.as_ref().is_some_and(|standing| standing.range.is_some());
    // The clock of other boards would hide the cost of 32-bit programs.
    let is_expected_by_core = range(&same_core_type) && (!range(&same_soc) || own.causes.contains(&Cause::Userland));
    let like = if is_expected_by_core { &same_core_type } else { &same_soc };
    let like = like.as_ref().filter(|standing| standing.range.is_some());
    // Other results of the board may have another userland, or another clock.
    let same_board = same_board.filter(|_| !(is_expected_by_core && own.causes.contains(&Cause::Userland)));
    let of_board = same_board.map(|others| others.times(1.0));
    Some(Entry {
        expected: like.and_then(|standing| standing.range),
        extremes: like.or(same_soc.as_ref()).and_then(|standing| standing.extremes.clone()),
        estimated: figure.estimated_words(facts::figures::equivalent::version_of(record, figure).as_deref()),
        title: String::new(),
        least: gaps::least(figure, own.causes),
        board_range: of_board.as_ref().and_then(|values| range::range_of_board(&figure.key, values)),
        same_board: of_board.and_then(|values| median(&values)),
        is_expected_by_core,
        figure: figure.clone(),
        same_soc,
        same_core_type,
        all: among_all,
    })
}

/// True for scores that depend on the clock of one core.
fn is_by_clock(key: &FigureKey) -> bool {
    [WorkloadId::SevenZip, WorkloadId::Lzma].into_iter().any(|id| key.is_of(id)) || is_cipher(key)
}

/// True for rates of ciphers.
fn is_cipher(key: &FigureKey) -> bool {
    key.is_of(WorkloadId::OpenSsl) || key.is_of(WorkloadId::Aes) || key.is_libressl()
}

impl OtherValues<'_> {
    /// Keeps cores with the same instructions for ciphers, which are optional in some core types and change the speed of a
    /// cipher by a large factor.
    fn keep_same_instructions(&mut self, figure: &Figure, clock_mhz: f64) {
        const CIPHER_FACTOR: f64 = 4.0;
        if is_cipher(&figure.key) {
            let own = figure.value / clock_mhz;
            self.values.retain(|(value, _)| (value / own).ln().abs() < CIPHER_FACTOR.ln());
        }
    }
}

/// Keys of all figures of the reference data. Those of the built-in data are collected once.
fn keys(reference: &Reference) -> BTreeSet<&FigureKey> {
    fn of(rows: &[Row]) -> impl Iterator<Item = &FigureKey> {
        rows.iter().flat_map(|row| row.figures.keys())
    }
    static BUILTIN: LazyLock<BTreeSet<&FigureKey>> = LazyLock::new(|| of(builtin_rows()).collect());
    let builtin = reference.has_builtin.then(|| BUILTIN.iter().copied());
    builtin.into_iter().flatten().chain(of(&reference.own)).collect()
}

/// Reason for omitting a figure without counterpart.
fn no_equal(figure: &Figure, keys: &BTreeSet<&FigureKey>) -> Omission {
    let workload = figure.key.workload_at_method();
    let of_workload = keys.iter().filter(|known| known.workload() == figure.key.workload());
    let workloads: BTreeSet<&str> = of_workload.map(|known| known.workload_at_method()).collect();
    if workloads.contains(workload) {
        let why = "no valid reference result has this figure".to_owned();
        let what = figure.key.title();
        return Omission { what, why };
    }
    let known: Vec<&str> = workloads.into_iter().collect();
    Omission {
        what: workload.to_owned(),
        why: match known.as_slice() {
            [] => "no reference result has this workload".to_owned(),
            known => format!("reference results used {}, which is not comparable", known.join(", ")),
        },
    }
}

/// Omitted results of the reference data.
fn rows_left_out(reference: &Reference) -> Vec<Omission> {
    let invalid = |row: &&Row| row.verdict != Verdict::Valid;
    let count = reference.rows().filter(invalid).count();
    let left_out = (count > 0).then(|| Omission {
        what: format!("what was lowered in {count} of {} reference results", reference.rows().count()),
        why: "degraded or invalid".to_owned(),
    });
    left_out.into_iter().collect()
}

#[cfg(test)]
mod tests;
