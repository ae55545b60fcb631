//! Filter of the results in a table.

use super::Row;
use facts::Verdict;

/// Conditions for a result; absent conditions always hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Text in the name of the SoC, ignoring case.
    pub soc: Option<String>,
    /// Text in the name of the board, ignoring case.
    pub board: Option<String>,
    /// Measured on this day or later: `2026-11-23`.
    pub since: Option<String>,
    /// Whether only results with the verdict `valid` are wanted.
    pub valid: bool,
}

impl Filter {
    /// Whether a result matches. Unknown values match no condition.
    pub fn wants(&self, row: &Row) -> bool {
        let holds = |text: &str, part: &str| text.to_lowercase().contains(&part.to_lowercase());
        let board = Some(row.cells[0].as_str()).filter(|board| *board != "-");
        self.soc.as_ref().is_none_or(|part| row.soc.as_ref().is_some_and(|soc| holds(soc, part)))
            && self.board.as_ref().is_none_or(|part| board.is_some_and(|board| holds(board, part)))
            && self.since.as_ref().is_none_or(|since| row.day.as_ref().is_some_and(|day| day >= since))
            && (!self.valid || (row.verdict == Verdict::Valid && row.died_in.is_none()))
    }

    /// Conditions as typed: `--soc RK3588 --valid`; empty without conditions.
    pub fn words(&self) -> String {
        let texts = [("--soc", &self.soc), ("--board", &self.board), ("--since", &self.since)];
        let given = texts.into_iter().filter_map(|(name, text)| Some(format!("{name} {}", text.as_ref()?)));
        given.chain(self.valid.then(|| "--valid".to_owned())).collect::<Vec<_>>().join(" ")
    }
}
