//! Expected score: range of scores per MHz of a core type.

use super::{Reference, Row};
use facts::figures::FigureKey;
use facts::stats::{median, median_absolute_deviation, quantile};
use record::{Variant, WorkloadId};
use std::collections::BTreeSet;

/// The method of 7-zip 16.02, of which most results are.
const SEVENZIP_METHOD: u32 = 16;
/// Fewer results than this tell nothing about a core type.
const ROWS_MIN: usize = 3;
/// All results of one board could share one fault.
const BOARDS_MIN: usize = 2;
/// Half the width of the range in scaled deviations: for values that scatter normally this leaves
/// out 3 of 1000.
const DEVIATIONS: f64 = 3.0;
/// Makes the median absolute deviation of normal values their standard deviation.
const NORMAL_SCALE: f64 = 1.4826;
/// The range is never narrower than this on either side, in percent: kernels, memory and 32-bit
/// userlands move a score by so much on the same core at the same clock.
const HALF_WIDTH_PERCENT_MIN: f64 = 8.0;
/// The range holds at least the inner part of what was seen, leaving this share at either end, and
/// [`MARGIN_PERCENT`] more: where a core type sits in SoCs with and without a large cache its
/// scores form two groups, and deviations from the median only see the larger one. Judged by
/// leaving each of 80 logs out of its own range, 5 lie outside (10 without this).
const TAIL: f64 = 0.1;
/// See [`TAIL`].
const MARGIN_PERCENT: f64 = 3.0;

/// The range in which a figure is expected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expected {
    /// Lower end.
    pub low: f64,
    /// The middle of what others reach.
    pub median: f64,
    /// Upper end.
    pub high: f64,
    /// Number of results behind it.
    pub rows: usize,
    /// Number of boards behind it.
    pub boards: usize,
}

impl Reference {
    /// The range in which the figure `key` is expected of a core of this type at this measured
    /// clock. None where too few valid results are known.
    pub fn expected(&self, core_type: &str, clock_mhz: f64, key: &FigureKey) -> Option<Expected> {
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
        let scatter = NORMAL_SCALE * median_absolute_deviation(&per_mhz)?;
        let half = (DEVIATIONS * scatter).max(middle * HALF_WIDTH_PERCENT_MIN / 100.0);
        let inner_low = quantile(&per_mhz, TAIL)? * (1.0 - MARGIN_PERCENT / 100.0);
        let inner_high = quantile(&per_mhz, 1.0 - TAIL)? * (1.0 + MARGIN_PERCENT / 100.0);
        Some(Expected {
            low: (middle - half).max(0.0).min(inner_low) * clock_mhz,
            median: middle * clock_mhz,
            high: (middle + half).max(inner_high) * clock_mhz,
            rows,
            boards: boards.len(),
        })
    }
}

impl Reference {
    /// 7-zip score of one core of this type at this clock: the median of what others reach.
    pub fn expected_mips(&self, core_type: &str, clock_mhz: f64) -> Option<f64> {
        let single = FigureKey::new(WorkloadId::SevenZip.into(), SEVENZIP_METHOD, Variant::SINGLE.as_str());
        self.expected(core_type, clock_mhz, &single).map(|range| range.median)
    }
}

/// Score per MHz of every cluster of this type.
fn scores_per_mhz(row: &Row, core_type: &str, key: &FigureKey) -> Vec<f64> {
    // Most rows have no such core, which is seen much faster than what is known of the others.
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
    /// The measured clock of a cluster before the workloads.
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
