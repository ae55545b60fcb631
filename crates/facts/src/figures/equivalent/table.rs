//! `data/method_ratios.tsv`: equal figures, and ratios of scores of two versions.

use super::MachineTraits;
use crate::figures::FigureKey;
use record::table::{Row, Table};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

const TEXT: &str = include_str!("../../../../../data/method_ratios.tsv");

/// All rows by workload and method, each in order of precedence: special ones first.
static CONVERSIONS: LazyLock<BTreeMap<&str, Vec<Conversion>>> = LazyLock::new(|| {
    let mut all: BTreeMap<&str, Vec<Conversion>> = BTreeMap::new();
    for conversion in Table::of(TEXT).rows().filter_map(parse) {
        let of = conversion.from.split(' ').next().unwrap_or_default();
        all.entry(of).or_default().push(conversion);
    }
    all
});

/// Rows for the workload and method of a figure, indexed because few of the many figures have one.
pub(super) fn conversions(key: &FigureKey) -> &'static [Conversion] {
    CONVERSIONS.get(key.workload_at_method()).map_or(&[], Vec::as_slice)
}

/// Any value of a column.
const ANY: &str = "*";
/// In the column `core`: a core with AES instructions, as shown by its throughput.
const AES: &str = "aes-instructions";
/// Throughput in kB/s per MHz above which a core has AES instructions: without them at most 150, with them more (Zen 5
/// reaches 239 with 256-bit keys).
const AES_KB_PER_S_PER_MHZ: f64 = 200.0;

/// Sources of ratios, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    /// Not estimated: both methods measure the same quantity.
    SameQuantity,
    /// Both versions ran in one run, on this machine or one with the same cores.
    MeasuredPair,
    /// Both versions ran alternately on one machine.
    SideBySide,
    /// Known results of one core type at one clock with either version.
    KnownResults,
    /// Instructions executed by both versions for the same work.
    Instructions,
}

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Conversion {
    from: &'static str,
    to: &'static str,
    figure: &'static str,
    isa: &'static str,
    core: &'static str,
    /// Result of the method `from` divided by the result of `to`.
    pub(super) ratio: f64,
    pub(super) ratio_low: f64,
    pub(super) ratio_high: f64,
    pub(super) grade: Grade,
}

impl Conversion {
    /// True if the row applies to this figure measured on this machine.
    pub(super) fn fits(&self, key: &FigureKey, value: f64, on: MachineTraits<'_>) -> bool {
        let Some(rest) = self.rest(key) else {
            return false;
        };
        let is_core = match self.core {
            AES => on.clock_mhz.is_some_and(|mhz| value / mhz >= AES_KB_PER_S_PER_MHZ),
            core => core == ANY || on.core_type == Some(core),
        };
        (self.figure == ANY || self.figure == rest) && (self.isa == ANY || on.isa == Some(self.isa)) && is_core
    }

    /// Suffix of the key after method and form.
    fn rest<'a>(&self, key: &'a FigureKey) -> Option<&'a str> {
        // Each row is asked for each figure: most have another length.
        let is_end = key.as_str().as_bytes().get(self.from.len()).is_none_or(|next| *next == b' ');
        is_end.then(|| key.as_str().strip_prefix(self.from)).flatten().map(str::trim_start)
    }

    /// The key of the figure in the other method.
    pub(super) fn key(&self, key: &FigureKey) -> FigureKey {
        let text = match self.rest(key).unwrap_or_default() {
            "" => self.to.to_owned(),
            rest => format!("{} {rest}", self.to),
        };
        let Ok(key) = text.parse();
        key
    }
}

fn parse(row: Row<'static>) -> Option<Conversion> {
    let number = |column: &str| row.get(column).parse::<f64>().ok().filter(|ratio| *ratio > 0.0);
    Some(Conversion {
        from: row.get("from"),
        to: row.get("to"),
        figure: row.get("figure"),
        isa: row.get("isa"),
        core: row.get("core"),
        ratio: number("ratio")?,
        ratio_low: number("low")?,
        ratio_high: number("high")?,
        grade: match row.get("grade") {
            "same-quantity" => Grade::SameQuantity,
            "side-by-side" => Grade::SideBySide,
            "known-results" => Grade::KnownResults,
            "instructions" => Grade::Instructions,
            _ => return None,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_whole() {
        let all = || CONVERSIONS.values().flatten();
        assert_eq!(Table::of(TEXT).rows().count(), all().count());
        assert!(all().count() > 10);
        for row in all() {
            assert!(row.ratio_low <= row.ratio && row.ratio <= row.ratio_high, "{row:?}");
            let wide = (row.ratio_high / row.ratio).max(row.ratio / row.ratio_low) - 1.0;
            assert!(wide <= 0.12, "{row:?} tells nothing");
            assert!(row.grade != Grade::SameQuantity || row.ratio.to_bits() == 1.0_f64.to_bits(), "{row:?}");
            // A chain of conversions has no cycle.
            let Ok(key) = row.to.parse::<FigureKey>();
            assert!(!all().any(|other| other.rest(&key).is_some() && other.to == row.from), "{row:?}");
        }
    }
}
