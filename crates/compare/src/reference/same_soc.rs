//! Usual values of a SoC, for memory: it depends on the SoC and its firmware, hardly on the clock of the cores.

use super::{BOARDS_MIN, ROWS_MIN, Reference, Row, soc_key};
use facts::figures::FigureKey;
use facts::stats::median;
use std::collections::BTreeSet;

/// Usual values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UsualValues {
    /// Median of all results.
    pub median: f64,
    /// Number of results.
    pub rows: usize,
    /// Number of boards.
    pub boards: usize,
}

impl Reference {
    /// Usual value of a core of this type in this SoC; `None` with too few known results.
    pub fn usual_of_soc(&self, soc: &str, core_type: Option<&str>, key: &FigureKey) -> Option<UsualValues> {
        let wanted = soc_key(soc);
        self.usual(core_type, key, |row| row.soc_key.as_ref() == Some(&wanted))
    }

    /// Usual value of a core of this type in any SoC; `None` with too few known results.
    pub fn usual_of_core(&self, core_type: &str, key: &FigureKey) -> Option<UsualValues> {
        self.usual(Some(core_type), key, |_| true)
    }

    fn usual(&self, core_type: Option<&str>, key: &FigureKey, is_wanted: impl Fn(&Row) -> bool) -> Option<UsualValues> {
        let mut boards = BTreeSet::new();
        let mut values = Vec::new();
        for row in self.rows().filter(|row| is_wanted(row)) {
            let figures = row.figures.get(key).map_or(&[][..], Vec::as_slice);
            let of_type: Vec<f64> = figures
                .iter()
                .filter(|figure| figure.comparable && row.core_type(figure) == core_type)
                .map(|figure| figure.value)
                .collect();
            // Clusters of one type have the same memory: a board counts once.
            if let Some(value) = median(&of_type) {
                values.push(value);
                boards.insert(row.board.as_deref());
            }
        }
        if values.len() < ROWS_MIN || boards.len() < BOARDS_MIN {
            return None;
        }
        Some(UsualValues { median: median(&values)?, rows: values.len(), boards: boards.len() })
    }
}
