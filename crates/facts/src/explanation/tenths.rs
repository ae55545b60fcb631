//! Percent in whole tenths, so that printed values add up.

use record::{StableSort, Total};
use serde::{Serialize, Serializer};
use std::fmt;

/// Tenths of a percent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tenths(pub i64);

impl Tenths {
    /// Nearest value for this percentage.
    pub fn of_percent(percent: f64) -> Self {
        Self((percent * 10.0).round() as i64)
    }

    /// In percent.
    pub fn as_percent(self) -> f64 {
        self.0 as f64 / 10.0
    }
}

impl fmt::Display for Tenths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1}", self.as_percent())
    }
}

impl Serialize for Tenths {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.as_percent())
    }
}

/// Whole numbers that add up to the rounded sum, each rounded down or up: those with the largest remainders are rounded
/// up.
pub fn rounded_to_sum(values: &[f64]) -> Vec<i64> {
    let mut whole: Vec<i64> = values.iter().map(|value| value.floor() as i64).collect();
    let sum = values.iter().total::<f64>().round() as i64;
    let up = usize::try_from(sum.saturating_sub(whole.iter().total())).unwrap_or(0);
    let remainder = |index: &usize| values[*index] - values[*index].floor();
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.stable_sort_by(|a, b| remainder(b).total_cmp(&remainder(a)));
    order.into_iter().take(up).for_each(|index| whole[index] += 1);
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounded_numbers_add_up_to_the_rounded_sum() {
        for (values, expected) in [
            (&[1.4, 1.4, 1.4][..], &[2, 1, 1][..]),
            (&[0.5, 0.4], &[1, 0]),
            (&[33.3, 33.3, 33.4], &[33, 33, 34]),
            (&[], &[]),
        ] {
            assert_eq!(rounded_to_sum(values), expected);
        }
        assert_eq!(Tenths::of_percent(12.34).to_string(), "12.3");
    }
}
