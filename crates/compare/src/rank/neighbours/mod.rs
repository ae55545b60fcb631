//! Boards next to a result: the next better and worse one, and boards that many people know.

mod boards;

use super::board_names::NamedBoard;
use super::clock_groups::by_clock;
use super::peers::{KnownResult, known};
use super::{Peer, Peers, is_cipher};
use crate::reference::{Reference, soc_key};
use crate::word_size::userland_bits;
use boards::{Board, boards};
use facts::figures::Figure;
use facts::figures::main::HEADLINES;
use facts::lines::{padded, width};
use facts::number::{number, with_unit};
use facts::stats::median;
use facts::{Explanation, Facts, Verdict};
use record::{StableSort, Variant, report_words};
use serde::Serialize;

/// Width of names and values in a chart, in columns.
const NAME_COLUMNS: usize = 26;
const VALUE_COLUMNS: usize = 8;
/// Minimum width of the longest bar.
const BAR_COLUMNS_MIN: usize = 8;
/// Maximum number of well-known boards in a chart and in a sentence; the nearest ones are chosen.
const FAMILIAR_BARS_MAX: usize = 4;
const FAMILIAR_WORDS_MAX: usize = 2;

/// Boards next to a result in one figure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Neighbours {
    /// Figure in words.
    pub figure: String,
    /// Unit of all values.
    pub unit: String,
    /// True if a higher value is better.
    pub higher_is_better: bool,
    /// Place from 1, the best first.
    pub place: usize,
    /// Number of known boards, including this one.
    pub of: usize,
    /// The next better board and its median.
    pub better: Option<(String, f64)>,
    /// The next worse board and its median.
    pub worse: Option<(String, f64)>,
    /// Well-known boards and the factor of this result relative to the median of each, the nearest first.
    pub familiar: Vec<(String, f64)>,
    /// This board and those next to it, the best first.
    pub bars: Vec<Bar>,
}

/// A board in a chart.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bar {
    /// Name of the board, or of the SoC for all boards with it.
    pub name: String,
    /// Median of its results.
    pub value: f64,
    /// Interval of a value that was estimated from another version of the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<(f64, f64)>,
    /// Number of results.
    pub results: usize,
    /// True for the result itself.
    pub is_this: bool,
}

/// Boards next to a result in its first comparable headline figure.
pub fn neighbours(facts: &Facts<'_>, explained: &Explanation, reference: &Reference) -> Option<Neighbours> {
    let peers = Peers::of(reference);
    let peers = peers.without_own(facts, explained, reference);
    let own = OwnResult::of(facts, explained, &peers)?;
    headlines(facts).find_map(|(figure, words)| own.among(figure, words))
}

/// Same as [`neighbours`], for every headline figure.
pub(super) fn all_neighbours(facts: &Facts<'_>, explained: &Explanation, peers: &[&Peer<'_>]) -> Vec<Neighbours> {
    let Some(own) = OwnResult::of(facts, explained, peers) else { return Vec::new() };
    headlines(facts).filter_map(|(figure, words)| own.among(figure, words)).collect()
}

/// Figures of [`HEADLINES`] that a result has.
fn headlines<'a>(facts: &'a Facts<'_>) -> impl Iterator<Item = (&'a Figure, &'static str)> {
    HEADLINES.iter().filter_map(|headline| Some((headline.best(facts.known_figures())?, headline.words)))
}

/// A result and the known results.
struct OwnResult<'a> {
    peers: &'a [&'a Peer<'a>],
    board: Option<NamedBoard>,
    soc: Option<String>,
    /// Measured clock of its fastest cluster.
    clock_mhz: Option<f64>,
    userland_bits: Option<u32>,
}

impl<'a> OwnResult<'a> {
    /// `None` for invalid results and emulated CPUs.
    fn of(facts: &Facts<'_>, explained: &Explanation, peers: &'a [&'a Peer<'a>]) -> Option<Self> {
        let is_usable = explained.verdict != Verdict::Invalid && facts.machine.emulated_by().is_none();
        let clocks = || facts.cluster_clocks(&Variant::COLD).into_iter().map(|clock| clock.measured_khz);
        is_usable.then(|| Self {
            peers,
            board: facts.machine.board.known().map(|board| NamedBoard::of(board)),
            soc: facts.soc().known().cloned(),
            clock_mhz: clocks().max().map(|khz| f64::from(khz) / 1000.0),
            userland_bits: userland_bits(&facts.machine),
        })
    }

    fn among(&self, figure: &Figure, words: &'static str) -> Option<Neighbours> {
        let mut known = known(figure, self.peers);
        let is_narrow = is_cipher(&figure.key) && self.userland_bits == Some(32);
        if is_cipher(&figure.key) {
            // Builds for 32 and 64 bits have other routines, so that their figures are not those of one board.
            known.retain(|known| !self.userland_bits.is_some_and(|own| known.is_of_other_userland(own)));
        }
        let is_higher_better = figure.higher_is_better;
        let all = boards(&known, is_higher_better, self.board.as_ref().map(|board| (board, self.clock_mhz)));
        if all.is_empty() {
            return None;
        }
        let is_better = |board: &&Board| {
            if is_higher_better { board.value > figure.value } else { board.value < figure.value }
        };
        let better = all.iter().take_while(is_better).count();
        let next = [better.checked_sub(1).and_then(|index| all.get(index)), all.get(better)];
        let times = |board: &Board| {
            if is_higher_better { figure.value / board.value } else { board.value / figure.value }
        };
        let mut familiar: Vec<&Board> = all.iter().filter(|board| board.is_familiar).collect();
        familiar.stable_sort_by(|a, b| times(a).ln().abs().total_cmp(&times(b).ln().abs()));
        let interval = figure.estimate.as_ref().map(|estimate| (estimate.low, estimate.high));
        let this =
            Bar { name: report_words::THIS_BOARD.to_owned(), value: figure.value, interval, results: 1, is_this: true };
        let mut bars = vec![this];
        for board in next.into_iter().flatten().chain(familiar.iter().copied().take(FAMILIAR_BARS_MAX)) {
            if !bars.iter().any(|bar| bar.name == board.name) {
                bars.push(bar(&board.name, board.value, board.results));
            }
        }
        // The other results with this SoC can be those of one board that has a bar.
        let is_shown = |soc: &Bar| bars.iter().any(|bar| !bar.is_this && bar.value == soc.value);
        bars.extend(self.same_soc(&known, is_higher_better).filter(|soc| !is_shown(soc)));
        bars.stable_sort_by(
            |a, b| if is_higher_better { b.value.total_cmp(&a.value) } else { a.value.total_cmp(&b.value) },
        );
        let pair = |board: &Board| (board.name.clone(), board.value);
        Some(Neighbours {
            figure: if is_narrow { format!("{words} of 32-bit programs") } else { words.to_owned() },
            unit: figure.unit.clone(),
            higher_is_better: is_higher_better,
            place: better + 1,
            of: all.len() + 1,
            better: next[0].map(pair),
            worse: next[1].map(pair),
            familiar: familiar.into_iter().map(|board| (board.name.clone(), times(board))).collect(),
            bars,
        })
    }

    /// Median of the other results with this SoC at the clock next to that of the result; results at several clocks have no
    /// common one.
    fn same_soc(&self, known: &[KnownResult<'_>], higher_is_better: bool) -> Option<Bar> {
        let soc = self.soc.as_ref()?;
        let key = soc_key(soc);
        let of_soc = known.iter().filter(|known| known.is_of_soc(&key));
        let mut groups =
            by_clock(None, of_soc.filter_map(|known| Some((known.clock_mhz(), known.best(higher_is_better)?))));
        match self.clock_mhz {
            Some(own) => groups.stable_sort_by(|a, b| a.distance(own).total_cmp(&b.distance(own))),
            None => groups.retain(|group| group.is_usual),
        }
        let nearest = groups.first()?;
        let part = soc.split_once(' ').map_or(soc.as_str(), |(_, part)| part);
        Some(bar(&nearest.name_of(&format!("other {part}")), median(&nearest.results)?, nearest.results.len()))
    }
}

fn bar(name: &str, value: f64, results: usize) -> Bar {
    Bar { name: facts::plain(name), value, interval: None, results, is_this: false }
}

impl Neighbours {
    /// `Between A (8600 MIPS) and B (8100 MIPS) in 7-zip on all CPUs, place 61 of 190 known boards; 1.5 times a Raspberry Pi
    /// 4 B.`
    pub fn sentence(&self) -> String {
        let named =
            |(board, value): &(String, f64)| format!("{} ({})", facts::plain(board), with_unit(*value, &self.unit));
        let place = match (self.better.as_ref().map(named), self.worse.as_ref().map(named)) {
            (Some(better), Some(worse)) => format!("Between {better} and {worse}"),
            (None, Some(worse)) => format!("Ahead of {worse}"),
            (Some(better), None) => format!("Behind {better}"),
            (None, None) => "Alone".to_owned(),
        };
        let familiar = self.familiar.iter().take(FAMILIAR_WORDS_MAX);
        let familiar = familiar.map(|(board, factor)| format!("{} {} {board}", factor_words(*factor), article(board)));
        let familiar = familiar.collect::<Vec<_>>().join(", ");
        let familiar = if familiar.is_empty() { String::new() } else { format!("; {familiar}") };
        format!("{place} in {}, place {} of {} known boards{familiar}.", self.figure, self.place, self.of)
    }

    /// Title of the chart, with its unit.
    pub fn caption(&self) -> String {
        let direction = if self.higher_is_better { "" } else { ", lower is better" };
        format!("{} ({}{direction})", self.figure, self.unit)
    }

    /// Largest value in the chart, including the intervals of estimates.
    pub fn value_max(&self) -> f64 {
        let ends = self.bars.iter().map(|bar| bar.interval.map_or(bar.value, |(_, high)| high.max(bar.value)));
        ends.fold(f64::MIN_POSITIVE, f64::max)
    }

    /// Bars in lines of at most `columns` columns.
    pub fn chart(&self, columns: usize) -> Vec<String> {
        let most = self.bars.iter().map(|bar| bar.value).fold(f64::MIN_POSITIVE, f64::max);
        let name_columns = NAME_COLUMNS.min(columns.saturating_sub(VALUE_COLUMNS + 4 + BAR_COLUMNS_MIN));
        let room = columns.saturating_sub(name_columns + VALUE_COLUMNS + 4).max(BAR_COLUMNS_MIN);
        let line = |bar: &Bar| {
            let name = padded(&bar.label_within(name_columns), name_columns);
            let length = (bar.value / most * room as f64).round().max(1.0) as usize;
            let mark = if bar.is_this { "=" } else { "#" };
            let value = bar.value_words(&self.unit);
            format!("   {name}{value:>VALUE_COLUMNS$} {}", mark.repeat(length.min(room)))
        };
        self.bars.iter().map(line).collect()
    }
}

impl Neighbours {
    /// The chart as a block of Markdown.
    pub fn chart_markdown(&self, columns: usize) -> String {
        format!("\n```\n{}\n```\n", self.chart(columns).join("\n"))
    }
}

impl Bar {
    /// Name, with the number of results if there are several.
    pub fn label(&self) -> String {
        if self.is_this || self.results == 1 { self.name.clone() } else { format!("{} ({})", self.name, self.results) }
    }

    /// Label of at most `columns` columns: without the number of results, then with the board cut before its clock.
    fn label_within(&self, columns: usize) -> String {
        let short = [self.label(), self.name.clone()].into_iter().find(|label| width(label) <= columns);
        short.unwrap_or_else(|| {
            let (board, clock) = self.name.split_at(self.name.rfind(" at ").unwrap_or(self.name.len()));
            padded(board, columns.saturating_sub(width(clock))).trim_end().to_owned() + clock
        })
    }

    /// Value without its unit; `≈` marks an estimate.
    pub fn value_words(&self, unit: &str) -> String {
        let mark = if self.interval.is_some() { "≈" } else { "" };
        format!("{mark}{}", number(self.value, unit))
    }
}

fn article(noun: &str) -> &'static str {
    if noun.starts_with(['A', 'E', 'I', 'O', 'U']) { "an" } else { "a" }
}

/// `1.5 times`; `as good as` for imperceptible differences.
fn factor_words(factor: f64) -> String {
    if (0.975..1.025).contains(&factor) { "as good as".to_owned() } else { crate::times(factor) }
}

#[cfg(test)]
mod tests {
    use super::super::tests::figure;
    use super::*;

    /// Median of the results of a board within 4 % of its usual clock, or of unknown clock.
    fn usual_median(board: &str, known: &[KnownResult<'_>], higher_is_better: bool) -> f64 {
        let values = known.iter().filter_map(|result| {
            let named = result.named_board().filter(|named| named.name == board)?;
            let usual = named.usual_mhz?;
            let is_usual = result.clock_mhz().is_none_or(|mhz| (mhz / usual).max(usual / mhz) <= 1.04);
            result.best(higher_is_better).filter(|_| is_usual)
        });
        median(&values.collect::<Vec<f64>>()).unwrap()
    }

    #[test]
    fn factor_is_that_against_the_median_of_the_others() {
        let peers = Peers::of(Reference::builtin());
        let mut factors = 0;
        for row in peers.builtin.iter().map(|peer| peer.row) {
            let others: Vec<&Peer<'_>> = peers.builtin.iter().filter(|peer| !peer.row.is_same_result(row)).collect();
            let own = OwnResult {
                peers: &others,
                board: row.name.as_deref().or(row.board.as_deref()).map(NamedBoard::of),
                soc: row.soc.clone(),
                clock_mhz: (0..row.cores.len()).filter_map(|cluster| row.clock_mhz(cluster)).reduce(f64::max),
                userland_bits: None,
            };
            for (key, values) in &row.figures {
                let Some(headline) = HEADLINES.iter().find(|headline| headline.is_of(key)) else { continue };
                for figure in values.iter().filter(|of| of.comparable).map(|of| figure(row, key, of)) {
                    let Some(found) = own.among(&figure, headline.words) else { continue };
                    let known = known(&figure, &others);
                    for (board, factor) in found.familiar {
                        let median = usual_median(&board, &known, figure.higher_is_better);
                        let times = if figure.higher_is_better { figure.value / median } else { median / figure.value };
                        assert_eq!(factor, times, "{} against {board} in {}", row.source, headline.words);
                        factors += 1;
                    }
                }
            }
        }
        assert!(factors > 4000, "{factors}");
    }

    #[test]
    fn place_and_factors_are_one_sentence() {
        let neighbours = Neighbours {
            figure: "7-zip on all CPUs".into(),
            unit: "MIPS".into(),
            higher_is_better: true,
            place: 2,
            of: 3,
            better: Some(("A".into(), 9000.0)),
            worse: Some(("B".into(), 4000.0)),
            familiar: vec![("Raspberry Pi 4 B".into(), 1.53), ("Intel N100".into(), 0.5), ("C".into(), 0.1)],
            bars: vec![
                bar("A", 9000.0, 3),
                Bar { interval: Some((4400.0, 4600.0)), is_this: true, ..bar("this board", 4500.0, 1) },
            ],
        };
        assert_eq!(
            neighbours.chart(60),
            [
                "   A (3)                         9000 ######################",
                "   this board                   ≈4500 ===========",
            ]
        );
        assert!(neighbours.chart(40).iter().all(|line| line.chars().count() <= 40));
        assert_eq!(
            neighbours.sentence(),
            "Between A (9000 MIPS) and B (4000 MIPS) in 7-zip on all CPUs, place 2 of 3 known boards; 1.5 times a Raspberry \
             Pi 4 B, 0.50 times an Intel N100."
        );
        let last = Neighbours { worse: None, ..neighbours };
        assert!(last.sentence().starts_with("Behind A (9000 MIPS) in 7-zip"));
    }
}
