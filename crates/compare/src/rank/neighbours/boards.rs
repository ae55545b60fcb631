//! Known boards with their median of one figure, one for each clock of a board.

use super::super::board_names::NamedBoard;
use super::super::clock_groups::by_clock;
use super::super::peers::KnownResult;
use facts::stats::median;
use record::StableSort;
use std::collections::BTreeMap;

/// Results of all boards with one name.
struct NamedResults<'a> {
    board: &'a NamedBoard,
    /// Clock in MHz and value of each; no value for the examined result.
    values: Vec<(Option<f64>, Option<f64>)>,
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

/// Boards of these results, the best first. The clock of the examined board counts for the names, so that a board has one name
/// in the charts of all results.
pub(super) fn boards(
    known: &[KnownResult<'_>],
    higher_is_better: bool,
    own: Option<(&NamedBoard, Option<f64>)>,
) -> Vec<Board> {
    // Spellings differ in maker, blanks and case; the first one is shown.
    let mut by_name: BTreeMap<&str, NamedResults<'_>> = BTreeMap::new();
    for result in known {
        if let (Some(board), Some(value)) = (result.named_board(), result.best(higher_is_better)) {
            let new = || NamedResults { board, values: Vec::new() };
            by_name.entry(&board.key).or_insert_with(new).values.push((result.clock_mhz(), Some(value)));
        }
    }
    if let Some((board, mhz)) = own
        && let Some(named) = by_name.get_mut(board.key.as_str())
    {
        named.values.push((mhz, None));
    }
    let mut boards: Vec<Board> = Vec::new();
    for NamedResults { board, values } in by_name.into_values() {
        let at_clock = by_clock(board.usual_mhz, values).into_iter().filter_map(|group| {
            let values: Vec<f64> = group.results.iter().flatten().copied().collect();
            let is_familiar = board.usual_mhz.is_some() && group.is_usual;
            Some(Board {
                name: group.name_of(&board.name),
                value: median(&values)?,
                results: values.len(),
                is_familiar,
            })
        });
        boards.extend(at_clock);
    }
    boards.stable_sort_by(
        |a, b| if higher_is_better { b.value.total_cmp(&a.value) } else { a.value.total_cmp(&b.value) },
    );
    boards
}
