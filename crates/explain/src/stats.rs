//! The statistics behind verdicts: median, median absolute deviation, relative standard deviation
//! and the exact confidence interval of the median. Nothing here knows what the numbers mean.

/// The middle value, or the mean of the two middle ones. None without values.
pub fn median(values: &[f64]) -> Option<f64> {
    let sorted = sorted(values);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[middle]),
        _ => Some((sorted[middle - 1] + sorted[middle]) / 2.0),
    }
}

/// The median of the distances from the median: a measure of spread that outliers do not move.
pub fn median_absolute_deviation(values: &[f64]) -> Option<f64> {
    let centre = median(values)?;
    let distances: Vec<f64> = values.iter().map(|value| (value - centre).abs()).collect();
    median(&distances)
}

/// The arithmetic mean. None without values.
pub fn mean(values: &[f64]) -> Option<f64> {
    match values.len() {
        0 => None,
        n => Some(values.iter().sum::<f64>() / n as f64),
    }
}

/// Standard deviation of the sample (divided by n - 1). None for fewer than two values.
pub fn standard_deviation(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let centre = mean(values)?;
    // Two passes: subtracting the mean first keeps the digits that a sum of squares would lose.
    let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}

/// Standard deviation in percent of the mean. None for fewer than two values or a mean of zero.
pub fn relative_standard_deviation_percent(values: &[f64]) -> Option<f64> {
    let centre = mean(values).filter(|centre| *centre != 0.0)?;
    Some(100.0 * standard_deviation(values)? / centre.abs())
}

/// A confidence interval of the median.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MedianInterval {
    /// Lower end: one of the values.
    pub low: f64,
    /// Upper end: one of the values.
    pub high: f64,
    /// How often such an interval really holds the median, in percent: at least what was asked.
    pub coverage_percent: f64,
}

/// The exact interval of the sign test: the closest pair of order statistics that holds the
/// median at least `confidence_percent` of the time, whatever the distribution. None where there
/// are too few values for that (fewer than six for 95 %).
///
/// Run times are skewed (a run can be disturbed, never be faster than the machine), so intervals
/// that assume symmetry promise more than they hold.
pub fn median_interval(values: &[f64], confidence_percent: f64) -> Option<MedianInterval> {
    let sorted = sorted(values);
    let n = sorted.len();
    if n == 0 {
        return None;
    }
    // The median lies below the k-th smallest value if fewer than k values are below it, which
    // has the probability of fewer than k heads in n throws of a coin.
    // As logarithms, because two to the minus n is no number any more for long series.
    let mut ln_probability = n as f64 * 0.5_f64.ln();
    let mut tail = 0.0;
    let mut best = None;
    for k in 1..=n.div_ceil(2) {
        tail += ln_probability.exp();
        let coverage_percent = 100.0 * (1.0 - 2.0 * tail);
        if coverage_percent < confidence_percent {
            break;
        }
        best = Some(MedianInterval {
            low: sorted[k - 1],
            high: sorted[n - k],
            coverage_percent,
        });
        ln_probability += ((n - k + 1) as f64 / k as f64).ln();
    }
    best
}

/// The value below which a share of all values lies (nearest rank). `share` is 0 to 1.
pub fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let sorted = sorted(values);
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied()
}

/// Ascending, without what is not a number.
fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
    sorted.sort_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        for (values, expected) in [
            (&[][..], None),
            (&[3.0], Some(3.0)),
            (&[3.0, 1.0], Some(2.0)),
            (&[9.0, 1.0, 2.0], Some(2.0)),
        ] {
            assert_eq!(median(values), expected, "{values:?}");
        }
    }

    #[test]
    fn deviation_from_the_median() {
        // Worked example of the Wikipedia article "Median absolute deviation".
        let values = [1.0, 1.0, 2.0, 2.0, 4.0, 6.0, 9.0];
        assert_eq!(median_absolute_deviation(&values), Some(1.0));
    }

    #[test]
    fn certified_values_of_nist() {
        // NIST Statistical Reference Datasets, univariate summary statistics, set NumAcc1: the
        // mean 10000002 and the standard deviation 1 are exact.
        let numacc1 = [10_000_001.0, 10_000_003.0, 10_000_002.0];
        assert_eq!(mean(&numacc1), Some(10_000_002.0));
        assert_eq!(standard_deviation(&numacc1), Some(1.0));
        let relative = relative_standard_deviation_percent(&numacc1).unwrap();
        assert!((relative - 1e-5).abs() < 1e-11, "{relative}");
    }

    #[test]
    fn interval_of_the_median_has_the_published_ranks() {
        // Ranks and coverages for 95 % as in the tables of exact intervals of the median, for
        // example Conover, Practical Nonparametric Statistics (1999), table A3.
        for (n, low, high, coverage) in [
            (6, 1, 6, 96.875),
            (10, 2, 9, 97.852),
            (15, 4, 12, 96.484),
            (20, 6, 15, 95.861),
            (25, 8, 18, 95.671),
        ] {
            let values: Vec<f64> = (1..=n).map(f64::from).collect();
            let interval = median_interval(&values, 95.0).unwrap();
            assert_eq!((interval.low, interval.high), (low.into(), high.into()));
            assert!((interval.coverage_percent - coverage).abs() < 0.001);
        }
        assert_eq!(median_interval(&[1.0, 2.0, 3.0, 4.0, 5.0], 95.0), None);
        assert_eq!(median_interval(&[], 95.0), None);
    }

    #[test]
    fn interval_of_a_long_series() {
        // For many values the ranks are those of the normal approximation: 2500 -+ 1.96 * 25.
        let values: Vec<f64> = (1..=2500).map(f64::from).collect();
        let interval = median_interval(&values, 95.0).unwrap();
        assert_eq!((interval.low, interval.high), (1201.0, 1300.0));
    }

    #[test]
    fn quantiles_are_values_that_occurred() {
        let values = [5.0, 1.0, 4.0, 2.0, 3.0];
        assert_eq!(quantile(&values, 0.1), Some(1.0));
        assert_eq!(quantile(&values, 0.5), Some(3.0));
        assert_eq!(quantile(&values, 1.0), Some(5.0));
        assert_eq!(quantile(&[], 0.5), None);
    }
}
