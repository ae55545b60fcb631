//! Known boards with their median of one figure, one for each clock of a board.

use super::super::board_names::NamedBoard;
use super::super::peers::KnownResult;
use facts::stats::median;
use record::Arrange;
use std::collections::BTreeMap;

/// Maximum ratio of neighbouring clocks of one setting.
const CLOCK_RATIO_MAX: f64 = 1.04;

/// Results of all boards with one name.
struct NamedResults<'a> {
    board: &'a NamedBoard,
    /// Clock in MHz and value of each.
    values: Vec<(Option<f64>, f64)>,
}

/// A known board.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Board {
    /// Name for people, with the clock unless it is the usual one.
    pub(super) name: String,
    /// Median of its results.
    pub(super) value: f64,
    /// Number of results.
    pub(super) results: usize,
    /// True for boards that many people know, at the usual clock.
    pub(super) is_familiar: bool,
}

/// Boards of these results, the best first.
pub(super) fn boards(known: &[KnownResult<'_>], higher_is_better: bool) -> Vec<Board> {
    // Spellings differ in maker, blanks and case; the first one is shown.
    let mut by_name: BTreeMap<&str, NamedResults<'_>> = BTreeMap::new();
    for result in known {
        if let (Some(board), Some(value)) = (result.named_board(), result.best(higher_is_better)) {
            let new = || NamedResults { board, values: Vec::new() };
            by_name.entry(&board.key).or_insert_with(new).values.push((result.clock_mhz(), value));
        }
    }
    let mut boards: Vec<Board> = Vec::new();
    for NamedResults { board, values } in by_name.into_values() {
        boards.extend(at_clocks(&board.name, board.is_familiar, values));
    }
    boards.arrange_by(|a, b| if higher_is_better { b.value.total_cmp(&a.value) } else { a.value.total_cmp(&b.value) });
    boards
}

/// One board for each clock. The name of the clock with the most results has no clock; it includes results of unknown clock.
fn at_clocks(name: &str, is_familiar: bool, mut values: Vec<(Option<f64>, f64)>) -> Vec<Board> {
    values.arrange_by(|a, b| a.0.unwrap_or(0.0).total_cmp(&b.0.unwrap_or(0.0)));
    let (unclocked, clocked): (Vec<_>, Vec<_>) = values.into_iter().partition(|(mhz, _)| mhz.is_none());
    let mut groups: Vec<(f64, Vec<f64>)> = Vec::new();
    for (mhz, value) in clocked.into_iter().filter_map(|(mhz, value)| Some((mhz?, value))) {
        match groups.last_mut() {
            Some((last, values)) if mhz <= *last * CLOCK_RATIO_MAX => {
                *last = mhz;
                values.push(value);
            }
            _ => groups.push((mhz, vec![value])),
        }
    }
    if groups.is_empty() {
        groups.push((0.0, Vec::new()));
    }
    let most = groups.iter().map(|(_, values)| values.len()).max().unwrap_or(0);
    let usual = groups.iter().position(|(_, values)| values.len() == most).unwrap_or(0);
    groups[usual].1.extend(unclocked.into_iter().map(|(_, value)| value));
    let board = |(index, (mhz, values)): (usize, (f64, Vec<f64>))| {
        let name =
            if index == usual { name.to_owned() } else { format!("{name} at {:.0} MHz", (mhz / 10.0).round() * 10.0) };
        let is_familiar = is_familiar && index == usual;
        Some(Board { name, value: median(&values)?, results: values.len(), is_familiar })
    };
    groups.into_iter().enumerate().filter_map(board).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_of_a_board_are_points_of_their_own() {
        let values = vec![(Some(2400.0), 11.0), (None, 12.0), (Some(3000.0), 14.0), (Some(2402.0), 10.0)];
        let boards = at_clocks("Raspberry Pi 5", true, values);
        let told: Vec<_> = boards.iter().map(|b| (b.name.as_str(), b.value, b.results, b.is_familiar)).collect();
        assert_eq!(told, [("Raspberry Pi 5", 11.0, 3, true), ("Raspberry Pi 5 at 3000 MHz", 14.0, 1, false)]);
    }
}
