//! Expected score: range of scores per MHz of a core type.

use super::{BOARDS_MIN, ROWS_MIN, Reference, Row, scatter};
use facts::figures::FigureKey;
use facts::stats::{median, quantile};
use record::{Variant, WorkloadId};
use std::collections::BTreeSet;

/// Method of 7-zip 16.02, which most results used.
const SEVENZIP_METHOD: u32 = 16;
/// Half the width of the range in scaled deviations, which excludes 3 of 1000 normally distributed values.
const DEVIATIONS: f64 = 3.0;
/// Minimum half width of the range, in percent: effect of kernels, memory and 32-bit userlands on the score of one core at one
/// clock.
const HALF_WIDTH_PERCENT_MIN: f64 = 8.0;
/// The range includes the quantiles of this share at either end, plus [`MARGIN_PERCENT`]: scores of a core type in SoCs with
/// and without a large cache form two groups, of which deviations from the median only reflect the larger one. Of 80 logs, 5
/// lie outside the range of the others (10 without this rule).
const TAIL: f64 = 0.1;
/// Margin around the quantiles of [`TAIL`], in percent.
const MARGIN_PERCENT: f64 = 3.0;

/// Range in which a figure is expected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExpectedRange {
    /// Lower end.
    pub low: f64,
    /// Median of other results.
    pub median: f64,
    /// Upper end.
    pub high: f64,
    /// Number of results.
    pub rows: usize,
    /// Number of boards.
    pub boards: usize,
}

impl Reference {
    /// Expected range of a figure for a core of this type at this measured clock; `None` with too few valid results.
    pub fn expected(&self, core_type: &str, clock_mhz: f64, key: &FigureKey) -> Option<ExpectedRange> {
        let mut per_mhz = Vec::new();
        let mut boards = BTreeSet::new();
        let mut rows = 0;
        for row in self.valid_rows() {
            let found = scores_per_mhz(row, core_type, key);
            if found.is_empty() {
                continue;
            }
            rows += 1;
            boards.insert(row.board.as_deref());
            per_mhz.extend(found);
        }
        if rows < ROWS_MIN || boards.len() < BOARDS_MIN {
            return None;
        }
        let middle = median(&per_mhz)?;
        let scatter = scatter(&per_mhz)?;
        let half = (DEVIATIONS * scatter).max(middle * HALF_WIDTH_PERCENT_MIN / 100.0);
        let inner_low = quantile(&per_mhz, TAIL)? * (1.0 - MARGIN_PERCENT / 100.0);
        let inner_high = quantile(&per_mhz, 1.0 - TAIL)? * (1.0 + MARGIN_PERCENT / 100.0);
        Some(ExpectedRange {
            low: (middle - half).max(0.0).min(inner_low) * clock_mhz,
            median: middle * clock_mhz,
            high: (middle + half).max(inner_high) * clock_mhz,
            rows,
            boards: boards.len(),
        })
    }

    /// Expected 7-zip score of one core of this type at this clock.
    pub fn expected_mips(&self, core_type: &str, clock_mhz: f64) -> Option<f64> {
        let single = FigureKey::new(WorkloadId::SevenZip.into(), SEVENZIP_METHOD, Variant::SINGLE.as_str());
        self.expected(core_type, clock_mhz, &single).map(|range| range.median)
    }
}

/// Score per MHz of every cluster of this type.
fn scores_per_mhz(row: &Row, core_type: &str, key: &FigureKey) -> Vec<f64> {
    // A fast check first, because most rows have no such core.
    if !row.cores.iter().any(|core| core.core_type.as_deref() == Some(core_type)) {
        return Vec::new();
    }
    let figures = row.figures.get(key).map_or(&[][..], Vec::as_slice);
    let of_type = figures.iter().filter(|figure| figure.comparable && row.core_type(figure) == Some(core_type));
    let per_mhz = of_type.filter_map(|figure| {
        let clock = row.clock_mhz(figure.cluster?)?;
        Some(figure.value / clock)
    });
    per_mhz.collect()
}

impl Row {
    /// Clock of a cluster, measured cold.
    pub fn clock_mhz(&self, cluster: usize) -> Option<f64> {
        let passes = self.figures.iter();
        let mut cold = passes.filter(|(key, _)| key.is_of(WorkloadId::Clock) && key.is_form(&Variant::COLD));
        cold.find_map(|(key, _)| self.figure(key, Some(cluster))).map(|figure| figure.value)
    }
}

#[cfg(test)]
mod tests {
    use crate::reference::{Reference, parse};
    use facts::figures::FigureKey;
    use record::{Variant, WorkloadId};

    /// A single-threaded score of 7-zip.
    fn single() -> FigureKey {
        FigureKey::new(WorkloadId::SevenZip.into(), 16, Variant::SINGLE.as_str())
    }

    /// Rows of `board core clock single verdict`.
    fn reference(rows: &[(&str, &str, u32, u32, &str)]) -> Reference {
        let mut text = "board\tsoc\tcores\tkernel\tdistribution\tdate\tversion\tverdict\tclock@0 \
                        cold/core\tsevenzip@16 single/core\tsource\n"
            .to_owned();
        for (board, core, clock, single, verdict) in rows {
            text.push_str(&format!("{board}\t-\t4x {core}\t-\t-\t-\t-\t{verdict}\t{clock}\t{single}\tx\n"));
        }
        Reference::of(parse(&text).unwrap())
    }

    #[test]
    fn range_needs_three_results_of_two_boards() {
        let a53 = |board, single| (board, "Cortex-A53", 1000, single, "valid");
        let odd = ("z", "Cortex-A53", 1000, 100, "invalid");
        for (rows, expected) in [
            (vec![a53("a", 750), a53("b", 760)], None),
            (vec![a53("a", 750), a53("a", 760), a53("a", 740), odd], None),
            (vec![a53("a", 750), a53("a", 760), a53("b", 740), odd], Some((690.0, 750.0, 810.0))),
            (vec![a53("a", 500), a53("a", 600), a53("b", 700)], Some((155.0, 600.0, 1045.0))),
        ] {
            let found = reference(&rows).expected("Cortex-A53", 1000.0, &single());
            let found = found.map(|range| (range.low.round(), range.median.round(), range.high.round()));
            assert_eq!(found, expected, "{rows:?}");
        }
    }

    #[test]
    fn range_grows_with_the_clock() {
        let rows = ["a", "b", "c"].map(|board| (board, "Cortex-A53", 1000, 750, "valid"));
        let reference = reference(&rows);
        let range = reference.expected("Cortex-A53", 2000.0, &single());
        assert_eq!(range.map(|range| range.median), Some(1500.0));
        assert_eq!(reference.expected("Cortex-A55", 2000.0, &single()), None);
        let other = FigureKey::new("other".into(), 1, "");
        assert_eq!(reference.expected("Cortex-A53", 2000.0, &other), None);
    }
}
