//! What other boards with the same SoC reach: memory depends on the SoC and on how its firmware sets it
//! up, hardly on the clock of the cores.

use super::{Reference, Row, soc_key};
use facts::figures::FigureKey;
use facts::stats::median;
use std::collections::BTreeSet;

/// Fewer results than this are no rule. The result that is asked about may be one of them.
const ROWS_MIN: usize = 3;
/// All results of one board could share one fault.
const BOARDS_MIN: usize = 2;

/// Usual values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Usual {
    /// The middle of all results.
    pub median: f64,
    /// Number of results behind it.
    pub rows: usize,
    /// Number of boards behind it.
    pub boards: usize,
}

impl Reference {
    /// Usual value of a core of this type in this SoC; `None` with too few known results.
    pub fn usual_of_soc(&self, soc: &str, core_type: Option<&str>, key: &FigureKey) -> Option<Usual> {
        let wanted = soc_key(soc);
        self.usual(core_type, key, |row| row.soc_key.as_ref() == Some(&wanted))
    }

    /// Usual value of a core of this type in any SoC; `None` with too few known results.
    pub fn usual_of_core(&self, core_type: &str, key: &FigureKey) -> Option<Usual> {
        self.usual(Some(core_type), key, |_| true)
    }

    fn usual(&self, core_type: Option<&str>, key: &FigureKey, is_wanted: impl Fn(&Row) -> bool) -> Option<Usual> {
        let mut boards = BTreeSet::new();
        let mut values = Vec::new();
        for row in self.rows().filter(|row| is_wanted(row)) {
            let figures = row.figures.get(key).map_or(&[][..], Vec::as_slice);
            let of_type: Vec<f64> = figures
                .iter()
                .filter(|figure| figure.comparable && row.core_type(figure) == core_type)
                .map(|figure| figure.value)
                .collect();
            // Clusters of one type see the same memory: one board counts once.
            if let Some(value) = median(&of_type) {
                values.push(value);
                boards.insert(row.board.as_deref());
            }
        }
        if values.len() < ROWS_MIN || boards.len() < BOARDS_MIN {
            return None;
        }
        Some(Usual { median: median(&values)?, rows: values.len(), boards: boards.len() })
    }
}
