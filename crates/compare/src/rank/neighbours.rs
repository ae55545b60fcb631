//! Boards next to a result: slightly faster, slightly slower, and those that many people know.

use super::peers::known;
use super::{own_row, peers_of, without_own};
use crate::reference::Reference;
use facts::figures::Figure;
use facts::number::with_unit;
use facts::stats::median;
use facts::{Explanation, Facts};
use record::{Arrange, Variant, WorkloadId};
use std::collections::BTreeMap;

/// Boards that many people know, by the beginning of their names in the reference data.
const FAMILIAR: [&str; 3] = ["Raspberry Pi 3 Model B", "Raspberry Pi 4 Model B", "Raspberry Pi 5 Model B"];

/// Boards next to a result in 7-zip on all CPUs.
#[derive(Debug, Clone, PartialEq)]
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
    let mut boards: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for known in known(figure, &peers) {
        if let (Some(board), Some(value)) = (known.board(), known.best()) {
            boards.entry(short_name(board)).or_default().push(value);
        }
    }
    let medians = boards.into_iter().filter_map(|(board, values)| Some((board, median(&values)?)));
    let mut medians: Vec<(String, f64)> = medians.collect();
    medians.arrange_by(|a, b| b.1.total_cmp(&a.1));
    let faster = medians.iter().take_while(|(_, value)| *value > figure.value).count();
    let familiar = FAMILIAR.iter().filter_map(|name| {
        let board = medians.iter().find(|(board, _)| board == name)?;
        Some(((*name).trim_end_matches(" Model B").to_owned(), figure.value / board.1))
    });
    Some(Neighbours {
        place: faster + 1,
        of: medians.len() + 1,
        faster: faster.checked_sub(1).map(|index| medians[index].clone()),
        slower: medians.get(faster).cloned(),
        familiar: familiar.collect(),
    })
}

/// A board without its revision: boards of one kind are one.
fn short_name(board: &str) -> String {
    let cut = [" Rev ", " / ", " Plus Rev "].iter().filter_map(|mark| board.find(mark)).min().unwrap_or(board.len());
    board[..cut].replace("RPi ", "Raspberry Pi ")
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
            ("Raspberry Pi 4 Model B Rev 1.4 / BCM2711 Rev C0", "Raspberry Pi 4 Model B"),
            ("RPi 4 Model B Rev 1.1 / BCM2711 Rev B0", "Raspberry Pi 4 Model B"),
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
            familiar: vec![("Raspberry Pi 4".into(), 1.53), ("Raspberry Pi 5".into(), 0.5)],
        };
        assert_eq!(
            neighbours.sentence(),
            "Place 2 of 3 known boards in 7-zip on all CPUs: slower than A (9000 MIPS), faster than B (4000 MIPS); 1.5 times a \
             Raspberry Pi 4, 0.50 times a Raspberry Pi 5."
        );
    }
}
