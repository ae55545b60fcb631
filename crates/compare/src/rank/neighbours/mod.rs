//! Boards next to a result: slightly better, slightly worse, and those that many people know.

mod boards;

use super::peers::known;
use super::{Peer, Peers};
use crate::reference::{Reference, soc_key};
use boards::{Board, boards};
use facts::figures::Figure;
use facts::lines::padded;
use facts::number::{number, with_unit};
use facts::stats::median;
use facts::{Explanation, Facts, Verdict};
use record::{Arrange, MemoryOperation, Variant, WorkloadId};
use serde::Serialize;

/// Figures that have a chart, the most telling one first: workload, form, name, and words.
const HEADLINES: [(WorkloadId, Option<Variant>, Option<&str>, &str); 5] = [
    (WorkloadId::SevenZip, Some(Variant::MULTI), None, "7-zip on all CPUs"),
    (WorkloadId::SevenZip, Some(Variant::SINGLE), None, "7-zip on one CPU"),
    (WorkloadId::OpenSsl, Some(Variant::AES_256_CBC), Some("16384"), "AES-256-CBC"),
    (WorkloadId::MemoryLibc, None, Some(MemoryOperation::Copy.as_str()), "memory copy"),
    (WorkloadId::MemoryLatency, Some(Variant::RAMLAT), Some("16M"), "memory latency"),
];
/// Columns of a chart for the name and for the value.
const NAME_COLUMNS: usize = 26;
const VALUE_COLUMNS: usize = 8;
/// Shortest longest bar.
const BAR_COLUMNS_MIN: usize = 8;
/// Maximum number of boards that many people know in a chart, and in a sentence: those next to the result.
const FAMILIAR_BARS_MAX: usize = 4;
const FAMILIAR_WORDS_MAX: usize = 2;

/// Boards next to a result in one figure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Neighbours {
    /// The figure in words.
    pub figure: &'static str,
    /// Unit of all values.
    pub unit: String,
    /// True if a higher value is better.
    pub higher_is_better: bool,
    /// Place from 1, the best first.
    pub place: usize,
    /// Number of known boards, with this one.
    pub of: usize,
    /// The next better board and its median.
    pub better: Option<(String, f64)>,
    /// The next worse board and its median.
    pub worse: Option<(String, f64)>,
    /// Boards that many people know, and how many times as good as the median of each this result is; the nearest
    /// first.
    pub familiar: Vec<(String, f64)>,
    /// This board and those to compare it with, the best first.
    pub bars: Vec<Bar>,
}

/// A board in a chart.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bar {
    /// Its name; of several boards with the same SoC that SoC.
    pub name: String,
    /// Median of its results.
    pub value: f64,
    /// Lowest and highest value that it may have, if it was estimated from another version of the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<(f64, f64)>,
    /// Number of results.
    pub results: usize,
    /// True for the result itself.
    pub is_this: bool,
}

/// Boards next to a result in its most telling figure; none without a comparable one.
pub fn neighbours(facts: &Facts<'_>, explained: &Explanation, reference: &Reference) -> Option<Neighbours> {
    let peers = Peers::of(reference);
    let peers = peers.without_own(facts, explained, reference);
    let own = OwnResult::of(facts, explained, &peers)?;
    headlines(facts).find_map(|(figure, words)| own.among(figure, words))
}

/// As [`neighbours`], in every figure that has a chart.
pub(super) fn all_neighbours(facts: &Facts<'_>, explained: &Explanation, peers: &[&Peer<'_>]) -> Vec<Neighbours> {
    let Some(own) = OwnResult::of(facts, explained, peers) else { return Vec::new() };
    headlines(facts).filter_map(|(figure, words)| own.among(figure, words)).collect()
}

/// The best comparable value of each figure that has a chart.
fn headlines<'a>(facts: &'a Facts<'_>) -> impl Iterator<Item = (&'a Figure, &'static str)> {
    let best = |(workload, form, name, words): &(WorkloadId, Option<Variant>, Option<&str>, &'static str)| {
        let is_it = |figure: &&Figure| {
            let key = &figure.key;
            let is_form =
                form.as_ref().is_none_or(|form| key.is_form(form)) && name.is_none_or(|name| key.name() == name);
            figure.is_main && figure.not_comparable.is_none() && key.is_of(*workload) && is_form
        };
        let all = facts.known_figures().iter().filter(is_it);
        let best = all.reduce(|best, next| if next.gain_percent(best.value) > Some(0.0) { next } else { best });
        best.map(|figure| (figure, *words))
    };
    HEADLINES.iter().filter_map(best).collect::<Vec<_>>().into_iter()
}

/// A result and the others that it is set among.
struct OwnResult<'a> {
    peers: &'a [&'a Peer<'a>],
    soc: Option<String>,
}

impl<'a> OwnResult<'a> {
    /// `None` for results that say nothing of a board.
    fn of(facts: &Facts<'_>, explained: &Explanation, peers: &'a [&'a Peer<'a>]) -> Option<Self> {
        let is_usable = explained.verdict != Verdict::Invalid && facts.machine.emulated_by().is_none();
        is_usable.then(|| Self { peers, soc: facts.soc().known().cloned() })
    }

    fn among(&self, figure: &Figure, words: &'static str) -> Option<Neighbours> {
        let known = known(figure, self.peers);
        let is_higher_better = figure.higher_is_better;
        let all = boards(&known, is_higher_better);
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
        familiar.arrange_by(|a, b| times(a).ln().abs().total_cmp(&times(b).ln().abs()));
        let interval = figure.estimate.as_ref().map(|estimate| (estimate.low, estimate.high));
        let this = Bar { name: THIS.to_owned(), value: figure.value, interval, results: 1, is_this: true };
        let mut bars = vec![this];
        for board in next.into_iter().flatten().chain(familiar.iter().copied().take(FAMILIAR_BARS_MAX)) {
            if !bars.iter().any(|bar| bar.name == board.name) {
                bars.push(bar(&board.name, board.value, board.results));
            }
        }
        // The other results with this SoC can be those of one board that has a bar.
        let is_shown = |soc: &Bar| bars.iter().any(|bar| !bar.is_this && bar.value == soc.value);
        bars.extend(self.same_soc(&known, is_higher_better).filter(|soc| !is_shown(soc)));
        bars.arrange_by(
            |a, b| if is_higher_better { b.value.total_cmp(&a.value) } else { a.value.total_cmp(&b.value) },
        );
        let pair = |board: &Board| (board.name.clone(), board.value);
        Some(Neighbours {
            figure: words,
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

    /// Median of the other results with this SoC.
    fn same_soc(&self, known: &[super::peers::KnownResult<'_>], higher_is_better: bool) -> Option<Bar> {
        let soc = self.soc.as_ref()?;
        let key = soc_key(soc);
        let values =
            known.iter().filter(|known| known.is_of_soc(&key)).filter_map(|known| known.best(higher_is_better));
        let values: Vec<f64> = values.collect();
        let part = soc.split_once(' ').map_or(soc.as_str(), |(_, part)| part);
        Some(bar(&format!("other {part}"), median(&values)?, values.len()))
    }
}

/// Name of the result itself in a chart.
const THIS: &str = "this board";

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

    /// What the chart shows, with its unit.
    pub fn caption(&self) -> String {
        let direction = if self.higher_is_better { "" } else { ", lower is better" };
        format!("{} ({}{direction})", self.figure, self.unit)
    }

    /// Largest value of the chart, with the intervals of estimates.
    pub fn value_max(&self) -> f64 {
        let ends = self.bars.iter().map(|bar| bar.interval.map_or(bar.value, |(_, high)| high.max(bar.value)));
        ends.fold(f64::MIN_POSITIVE, f64::max)
    }

    /// Bars in lines of at most so many columns.
    pub fn chart(&self, columns: usize) -> Vec<String> {
        let most = self.bars.iter().map(|bar| bar.value).fold(f64::MIN_POSITIVE, f64::max);
        let name_columns = NAME_COLUMNS.min(columns.saturating_sub(VALUE_COLUMNS + 4 + BAR_COLUMNS_MIN));
        let room = columns.saturating_sub(name_columns + VALUE_COLUMNS + 4).max(BAR_COLUMNS_MIN);
        let line = |bar: &Bar| {
            let name = padded(&bar.label(), name_columns);
            let length = (bar.value / most * room as f64).round().max(1.0) as usize;
            let mark = if bar.is_this { "=" } else { "#" };
            let value = bar.value_words(&self.unit);
            format!("   {name}{value:>VALUE_COLUMNS$} {}", mark.repeat(length.min(room)))
        };
        self.bars.iter().map(line).collect()
    }
}

impl Bar {
    /// Its name, with the number of results where there are several.
    pub fn label(&self) -> String {
        if self.is_this || self.results == 1 { self.name.clone() } else { format!("{} ({})", self.name, self.results) }
    }

    /// Its value without the unit; `≈` marks an estimate.
    pub fn value_words(&self, unit: &str) -> String {
        let mark = if self.interval.is_some() { "≈" } else { "" };
        format!("{mark}{}", number(self.value, unit))
    }
}

fn article(noun: &str) -> &'static str {
    if noun.starts_with(['A', 'E', 'I', 'O', 'U']) { "an" } else { "a" }
}

/// `1.5 times`, with two digits; `as good as` for what nobody would notice.
fn factor_words(factor: f64) -> String {
    if (0.975..1.025).contains(&factor) { "as good as".to_owned() } else { crate::times(factor) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn place_and_factors_are_one_sentence() {
        let neighbours = Neighbours {
            figure: "7-zip on all CPUs",
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
