//! Statistics for verdicts: median, median absolute deviation, relative standard deviation and the exact confidence
//! interval of the median.

use record::{StableSort, Total};

pub use record::MedianInterval;
pub use record::statistics::{median, median_absolute_deviation, median_interval};

/// Arithmetic mean; `None` without values.
pub fn mean(values: &[f64]) -> Option<f64> {
    match values.len() {
        0 => None,
        n => Some(values.iter().total::<f64>() / n as f64),
    }
}

/// Standard deviation of the sample (divided by n - 1). None for fewer than two values.
pub fn standard_deviation(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let centre = mean(values)?;
    // Two passes: subtracting the mean first keeps the digits that a sum of squares would lose.
    let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).total();
    Some((squares / (values.len() - 1) as f64).sqrt())
}

/// Standard deviation in percent of the mean. None for fewer than two values or a mean of zero.
pub fn relative_standard_deviation_percent(values: &[f64]) -> Option<f64> {
    let centre = mean(values).filter(|centre| *centre != 0.0)?;
    Some(100.0 * standard_deviation(values)? / centre.abs())
}

/// The value below which a share of all values lies (nearest rank). `share` is 0 to 1.
pub fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let sorted = sorted(values);
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied()
}

/// Straight line through points by least squares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// Value at zero.
    pub offset: f64,
    /// Rise of the second number per unit of the first.
    pub slope: f64,
    /// Correlation of both, -1 to 1.
    pub correlation: f64,
}

impl Line {
    /// Fits the line; `None` if all points have the same abscissa.
    pub fn through(points: &[(f64, f64)]) -> Option<Self> {
        let count = points.len() as f64;
        let centre = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).total::<f64>() / count;
        let (x, y) = (centre(&|point| point.0), centre(&|point| point.1));
        let products =
            |of: &dyn Fn(f64, f64) -> f64| points.iter().map(|point| of(point.0 - x, point.1 - y)).total::<f64>();
        let (xx, xy, yy) = (products(&|x, _| x * x), products(&|x, y| x * y), products(&|_, y| y * y));
        let slope = xy / xx;
        let correlation = if yy > 0.0 { xy / (xx * yy).sqrt() } else { 0.0 };
        (points.len() > 1 && xx > 1e-9).then_some(Self { offset: y - slope * x, slope, correlation })
    }
}

/// Ascending, without NaN.
fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
    sorted.stable_sort_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn line_through_points() {
        let line = Line::through(&[(1.0, 5.0), (2.0, 7.0), (3.0, 9.0)]).unwrap();
        assert_eq!((line.offset, line.slope, line.correlation), (3.0, 2.0, 1.0));
        assert_eq!(Line::through(&[(1.0, 5.0), (1.0, 7.0), (1.0, 9.0)]), None);
        assert_eq!(Line::through(&[(1.0, 5.0), (2.0, 5.0)]).map(|line| line.correlation), Some(0.0));
        assert_eq!(Line::through(&[(1.0, 5.0)]), None);
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
