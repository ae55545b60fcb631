//! Answer of a ranking: whether a result is as good as those of similar boards, and likely causes if not.

use super::causes::{LikelyCause, causes};
use super::gaps::{Gap, PeerKind, by, gaps};
use super::range::OTHERS_MIN;
use super::{Entry, Placement};
use facts::lines::capitalised;
use facts::{Explanation, Facts, Verdict};
use record::StableSort;
use serde::Serialize;

/// Minimum unexplained part of a difference that is reported, in percent.
const UNEXPLAINED_PERCENT_MIN: f64 = 15.0;
/// Maximum number of figures and causes in a sentence; the table has the others.
const NAMED_MAX: usize = 3;

/// Others of figures that are compared by core type.
const BY_CORE_TYPE: &str = "what its core types and clocks let expect";

/// Comparison of a result with similar boards.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// The answer in one or two sentences.
    pub sentence: String,
    /// Number of other boards with this SoC that have comparable figures.
    pub boards: usize,
    /// Figures that are worse than those of similar boards, the widest gap first.
    pub gaps: Vec<Gap>,
    /// Figures that are worse than those of other boards with this SoC, also in other results of this board.
    pub gaps_of_this_board: Vec<Gap>,
    /// Likely causes, by explained share.
    pub causes: Vec<LikelyCause>,
    /// Unexplained part of all gaps in percent; `None` without a gap, or if the share of a cause is unknown.
    pub unexplained_percent: Option<f64>,
}

/// Answer for a result with these entries.
pub(super) fn answer(facts: &Facts<'_>, explained: &Explanation, soc: Option<&str>, entries: &[Entry]) -> Answer {
    let others = |standing: &Placement| standing.of - 1;
    let boards = entries.iter().filter_map(|entry| entry.same_soc.as_ref()).map(others).max().unwrap_or(0);
    let (gaps, gaps_of_this_board) = gaps(entries);
    let (causes, unexplained_percent) =
        if gaps.is_empty() { (Vec::new(), None) } else { causes(facts, explained, entries, &gaps) };
    let like = match (boards >= OTHERS_MIN, soc) {
        (true, Some(soc)) => format!("the {boards} other boards with {}", facts::plain::plain(soc)),
        _ => BY_CORE_TYPE.to_owned(),
    };
    let has_range = |entry: &&Entry| entry.expected.is_some() || entry.board_range.is_some();
    let expected = entries.iter().filter(has_range).count();
    let sentence = match (expected, gaps.is_empty()) {
        (0, _) => few(boards, soc),
        (_, true) if gaps_of_this_board.is_empty() && explained.verdict == Verdict::Degraded => {
            format!("Even so as good as {like}.")
        }
        (_, true) if gaps_of_this_board.is_empty() => format!("As good as {like}."),
        (_, true) => {
            let named = named(&gaps_of_this_board.iter().collect::<Vec<_>>());
            format!("As good as other results of boards with this name. Those are worse than {like} as well: {named}.")
        }
        (_, false) => worse(&gaps, expected, &like, &causes, unexplained_percent),
    };
    Answer { sentence, boards, gaps, gaps_of_this_board, causes, unexplained_percent }
}

/// Reason why no figure has an expected range.
fn few(boards: usize, soc: Option<&str>) -> String {
    let Some(soc) = soc.map(facts::plain::plain) else {
        return "The SoC is not known, so that its figures have no expected range.".to_owned();
    };
    match boards {
        0 => format!("No other result with {soc} is known, so that its figures have no expected range."),
        1 => format!("One other result with {soc} is known: too few for an expected range."),
        boards => format!("{boards} other results with {soc} are known: too few for an expected range."),
    }
}

fn worse(gaps: &[Gap], expected: usize, like: &str, causes: &[LikelyCause], unexplained: Option<f64>) -> String {
    let rest = if gaps.len() == expected { "" } else { ", other figures are as expected" };
    let mut text = format!("{}{rest}", capitalised(&against_each(gaps, like)));
    let words: Vec<String> = causes.iter().take(NAMED_MAX).map(LikelyCause::behind_colon).collect();
    match words.as_slice() {
        [] => text.push_str(". No cause is visible in this result."),
        words => {
            text.push_str(&format!(": {}.", words.join("; ")));
            if let Some(rest) = unexplained.filter(|rest| *rest >= UNEXPLAINED_PERCENT_MIN) {
                text.push_str(&format!(" About {rest:.0} % of the difference is unexplained."));
            }
        }
    }
    text
}

/// The widest gaps against each kind of others.
fn against_each(gaps: &[Gap], like: &str) -> String {
    let kinds = [
        (PeerKind::Soc, like),
        (PeerKind::CoreType, BY_CORE_TYPE),
        (PeerKind::Board, "other results of boards with this name"),
    ];
    let of_kind = |(kind, others): (PeerKind, &str)| {
        let of_kind: Vec<&Gap> = gaps.iter().filter(|gap| gap.against == kind).collect();
        (!of_kind.is_empty()).then(|| format!("{} against {others}", named(&of_kind)))
    };
    kinds.into_iter().filter_map(of_kind).collect::<Vec<_>>().join(", ")
}

/// The first gaps, and the number of the others: figures that people ask for first, then the widest.
fn named(gaps: &[&Gap]) -> String {
    let mut gaps = gaps.to_vec();
    gaps.stable_sort_by_key(|gap| gap.headline);
    let named: Vec<String> = gaps.iter().take(NAMED_MAX).map(|gap| gap_sentence(gap)).collect();
    let named = facts::lines::listed(&named);
    match gaps.len().saturating_sub(NAMED_MAX) {
        0 => named,
        more => format!("{named} (and {more} more)"),
    }
}

/// `memory copy is 31 % lower`.
fn gap_sentence(gap: &Gap) -> String {
    let core = gap.core.as_ref().map_or(String::new(), |core| format!(" ({core})"));
    let word = if gap.change_percent < 0.0 { "lower" } else { "higher" };
    format!("{}{core} is {} {word}", facts::plain::plain(&gap.title), by(gap.change_percent.abs()))
}
