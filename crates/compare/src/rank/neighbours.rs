//! Boards next to a result: slightly faster, slightly slower, and those that many people know.

use super::peers::known;
use super::{own_row, peers_of, without_own};
use crate::reference::{Reference, soc_key};
use facts::figures::Figure;
use facts::number::with_unit;
use facts::soc::bare_key;
use facts::stats::median;
use facts::{Explanation, Facts};
use record::{Arrange, Variant, WorkloadId};
use serde::Serialize;
use std::collections::BTreeMap;

/// Boards that many people know, by their names in the reference data.
const FAMILIAR: [&str; 4] = ["Raspberry Pi 3 B+", "Raspberry Pi 4 B", "Raspberry Pi 5 B", "ROCK 5B"];
/// Columns of a chart for the name and for the value.
const NAME_COLUMNS: usize = 26;
const VALUE_COLUMNS: usize = 8;
/// Shortest longest bar.
const BAR_COLUMNS_MIN: usize = 8;

/// Boards next to a result in 7-zip on all CPUs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Neighbours {
    /// Place from 1, the fastest first.
    pub place: usize,
    /// Number of known boards, with this one.
    pub of: usize,
    /// The next faster board and its median, in MIPS.
    pub faster: Option<(String, f64)>,
    /// The next slower board and its median, in MIPS.
    pub slower: Option<(String, f64)>,
    /// Boards that many people know, and the ratio of this result to the median of each.
    pub familiar: Vec<(String, f64)>,
    /// This board and those to compare it with, the fastest first.
    pub bars: Vec<Bar>,
}

/// A board in a chart.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bar {
    /// Its name; of several boards with the same SoC that SoC.
    pub name: String,
    /// Median of its results in MIPS.
    pub mips: f64,
    /// Number of results.
    pub results: usize,
    /// True for the result itself.
    pub is_this: bool,
}

/// Boards next to a result; none without a comparable score of 7-zip on all CPUs.
pub fn neighbours(facts: &Facts<'_>, explained: &Explanation, reference: &Reference) -> Option<Neighbours> {
    let is_score = |figure: &&Figure| {
        let is_multi = figure.key.is_of(WorkloadId::SevenZip) && figure.key.is_form(&Variant::MULTI);
        figure.is_main && figure.not_comparable.is_none() && is_multi
    };
    let figure = facts.known_figures().iter().find(is_score)?;
    let peers = peers_of(reference);
    let peers = without_own(&peers, own_row(facts, explained, reference).as_ref());
    // Names of one board differ in their maker, blanks and case; the first one is shown.
    let mut boards: BTreeMap<String, (String, Vec<f64>)> = BTreeMap::new();
    let known = known(figure, &peers);
    for known in &known {
        if let (Some(board), Some(value)) = (known.board(), known.best()) {
            let name = short_name(board);
            boards.entry(bare_key(&name)).or_insert((name, Vec::new())).1.push(value);
        }
    }
    let medians = boards.into_values().filter_map(|(board, values)| Some((board, median(&values)?, values.len())));
    let mut medians: Vec<(String, f64, usize)> = medians.collect();
    medians.arrange_by(|a, b| b.1.total_cmp(&a.1));
    let faster = medians.iter().take_while(|(_, value, _)| *value > figure.value).count();
    let familiar = FAMILIAR.map(bare_key).into_iter();
    let familiar = familiar.filter_map(|key| medians.iter().find(|(board, ..)| bare_key(board) == key));
    let familiar: Vec<&(String, f64, usize)> = familiar.collect();
    let next = [faster.checked_sub(1).and_then(|index| medians.get(index)), medians.get(faster)];
    let same_soc: Vec<f64> = match facts.soc().known() {
        Some(soc) => {
            let key = soc_key(soc);
            known.iter().filter(|known| known.is_of_soc(&key)).filter_map(|known| known.best()).collect()
        }
        None => Vec::new(),
    };
    let mut bars = vec![Bar { name: "this board".to_owned(), mips: figure.value, results: 1, is_this: true }];
    for (name, mips, results) in next.into_iter().flatten().chain(familiar.iter().copied()) {
        if !bars.iter().any(|bar| bar.name == *name) {
            bars.push(Bar { name: facts::plain(name), mips: *mips, results: *results, is_this: false });
        }
    }
    if let (Some(soc), Some(mips)) = (facts.soc().known(), median(&same_soc)) {
        let name = format!("other {}", soc.split_once(' ').map_or(soc.as_str(), |(_, part)| part));
        bars.push(Bar { name: facts::plain(&name), mips, results: same_soc.len(), is_this: false });
    }
    bars.arrange_by(|a, b| b.mips.total_cmp(&a.mips));
    let pair = |(board, mips, _): &(String, f64, usize)| (board.clone(), *mips);
    Some(Neighbours {
        place: faster + 1,
        of: medians.len() + 1,
        faster: next[0].map(pair),
        slower: next[1].map(pair),
        familiar: familiar.iter().map(|(board, mips, _)| (board.clone(), figure.value / mips)).collect(),
        bars,
    })
}

/// A board without its revision: boards of one kind are one.
fn short_name(board: &str) -> String {
    let cut = [" Rev ", " / "].iter().filter_map(|mark| board.find(mark)).min().unwrap_or(board.len());
    let name = board[..cut].replace("RPi ", "Raspberry Pi ").replace(" Model B Plus", " B+").replace(" Model B", " B");
    if name.starts_with("Raspberry Pi ") { name } else { board[..cut].to_owned() }
}

impl Neighbours {
    /// `Place 61 of 190 known boards in 7-zip on all CPUs: slower than A (8600 MIPS), faster than B (8100 MIPS); 1.5 times
    /// a Raspberry Pi 4.`
    pub fn sentence(&self) -> String {
        let side = |word: &str, board: &Option<(String, f64)>| {
            board.as_ref().map(|(board, mips)| format!("{word} {} ({})", facts::plain(board), with_unit(*mips, "MIPS")))
        };
        let sides = [side("slower than", &self.faster), side("faster than", &self.slower)];
        let sides = sides.into_iter().flatten().collect::<Vec<_>>().join(", ");
        let familiar = self.familiar.iter().map(|(board, factor)| format!("{} times a {board}", factor_words(*factor)));
        let familiar = familiar.collect::<Vec<_>>().join(", ");
        let familiar = if familiar.is_empty() { String::new() } else { format!("; {familiar}") };
        format!("Place {} of {} known boards in 7-zip on all CPUs: {sides}{familiar}.", self.place, self.of)
    }
}

impl Neighbours {
    /// Bars of 7-zip on all CPUs in lines of at most so many columns.
    pub fn chart(&self, columns: usize) -> Vec<String> {
        let most = self.bars.iter().map(|bar| bar.mips).fold(0.0, f64::max);
        let room = columns.saturating_sub(NAME_COLUMNS + VALUE_COLUMNS + 4).max(BAR_COLUMNS_MIN);
        let line = |bar: &Bar| {
            let name = match bar.results {
                _ if bar.is_this => bar.name.clone(),
                1 => bar.name.clone(),
                several => format!("{} ({several})", bar.name),
            };
            let name: String = name.chars().take(NAME_COLUMNS).collect();
            let length = (bar.mips / most * room as f64).round().max(1.0) as usize;
            let mark = if bar.is_this { "=" } else { "#" };
            let mips = bar.mips.round();
            format!("   {name:<NAME_COLUMNS$}{mips:>VALUE_COLUMNS$} {}", mark.repeat(length.min(room)))
        };
        self.bars.iter().map(line).collect()
    }
}

/// Two digits.
fn factor_words(factor: f64) -> String {
    match factor {
        factor if factor >= 10.0 => format!("{factor:.0}"),
        factor if factor >= 1.0 => format!("{factor:.1}"),
        _ => format!("{factor:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revisions_are_one_board() {
        for (board, expected) in [
            ("Raspberry Pi 4 Model B Rev 1.4 / BCM2711 Rev C0", "Raspberry Pi 4 B"),
            ("RPi 4 Model B Rev 1.1 / BCM2711 Rev B0", "Raspberry Pi 4 B"),
            ("Raspberry Pi 3 Model B Plus Rev 1.3", "Raspberry Pi 3 B+"),
            ("Radxa ROCK 5B", "Radxa ROCK 5B"),
        ] {
            assert_eq!(short_name(board), expected);
        }
    }

    #[test]
    fn place_and_factors_are_one_sentence() {
        let neighbours = Neighbours {
            place: 2,
            of: 3,
            faster: Some(("A".into(), 9000.0)),
            slower: Some(("B".into(), 4000.0)),
            familiar: vec![("Raspberry Pi 4 B".into(), 1.53), ("Raspberry Pi 5 B".into(), 0.5)],
            bars: vec![
                Bar { name: "A".into(), mips: 9000.0, results: 3, is_this: false },
                Bar { name: "this board".into(), mips: 4500.0, results: 1, is_this: true },
            ],
        };
        assert_eq!(
            neighbours.chart(60),
            [
                "   A (3)                         9000 ######################",
                "   this board                    4500 ===========",
            ]
        );
        assert_eq!(
            neighbours.sentence(),
            "Place 2 of 3 known boards in 7-zip on all CPUs: slower than A (9000 MIPS), faster than B (4000 MIPS); 1.5 times a \
             Raspberry Pi 4 B, 0.50 times a Raspberry Pi 5 B."
        );
    }
}
