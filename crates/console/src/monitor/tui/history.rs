//! Past values of one quantity, and the columns of a plot that show them.

use std::collections::VecDeque;

/// Maximum number of values: 40 minutes at one per second.
const VALUES_MAX: usize = 2400;

#[derive(Debug, Default)]
pub(super) struct History {
    /// Oldest first; NaN for unknown values.
    values: VecDeque<f32>,
    pushed: usize,
}

impl History {
    pub(super) fn push(&mut self, value: Option<f64>) {
        if self.values.len() == VALUES_MAX {
            self.values.pop_front();
        }
        self.values.push_back(value.map_or(f32::NAN, |value| value as f32));
        self.pushed += 1;
    }

    /// The last columns before the latest `behind` values, oldest first. `choose` reduces the samples of a column. Columns
    /// begin at fixed times, so that complete ones never change.
    pub(super) fn columns(
        &self,
        behind: usize,
        width: usize,
        samples: usize,
        choose: fn(f32, f32) -> f32,
    ) -> Vec<Option<f32>> {
        let mut columns: Vec<Option<f32>> = Vec::with_capacity(width);
        let mut last = usize::MAX;
        for (back, value) in self.values.iter().rev().enumerate().skip(behind) {
            let column = (self.pushed - 1 - back) / samples;
            let value = (!value.is_nan()).then_some(*value);
            if column == last {
                let shown = columns.last_mut().expect("a column was begun");
                *shown = match (*shown, value) {
                    (Some(a), Some(b)) => Some(choose(a, b)),
                    (a, b) => a.or(b),
                };
                continue;
            }
            if columns.len() == width {
                break;
            }
            last = column;
            columns.push(value);
        }
        columns.reverse();
        columns
    }

    /// Lowest and highest value before the latest `behind` ones.
    pub(super) fn range(&self, behind: usize) -> Option<(f32, f32)> {
        let shown = || self.values.iter().rev().skip(behind).copied();
        let known = || shown().filter(|value| !value.is_nan());
        Some((known().reduce(f32::min)?, known().reduce(f32::max)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(values: impl IntoIterator<Item = Option<f64>>) -> History {
        let mut history = History::default();
        values.into_iter().for_each(|value| history.push(value));
        history
    }

    #[test]
    fn column_shows_extreme_sample() {
        let values = [1.0, 5.0, 3.0, 2.0, 4.0].map(Some);
        let history = history(values);
        assert_eq!(history.columns(0, 9, 2, f32::max), [Some(5.0), Some(3.0), Some(4.0)]);
        assert_eq!(history.columns(0, 2, 2, f32::min), [Some(2.0), Some(4.0)]);
        assert_eq!(history.columns(0, 2, 1, f32::min), [Some(2.0), Some(4.0)]);
        assert_eq!(history.columns(2, 2, 1, f32::min), [Some(5.0), Some(3.0)]);
        assert_eq!(history.columns(9, 2, 1, f32::min), []);
        assert_eq!(history.range(0), Some((1.0, 5.0)));
    }

    #[test]
    fn unknown_values_leave_gaps() {
        let gap = history([Some(1.0), None, None]);
        assert_eq!(gap.columns(0, 3, 1, f32::max), [Some(1.0), None, None]);
        assert_eq!(gap.columns(0, 3, 2, f32::max), [Some(1.0), None]);
        let long = history((0..5000).map(|value| Some(f64::from(value))));
        assert_eq!(long.range(0), Some((2600.0, 4999.0)));
        assert_eq!(History::default().columns(0, 3, 1, f32::max), []);
    }
}
