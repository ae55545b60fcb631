//! Turns of threads with the same work at the same time, summed to one series. The workload defines a turn.

use record::Series;
use std::time::Duration;

/// One turn of one thread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Turn {
    /// End of the turn since the start of all threads.
    pub at: Duration,
    /// Rate of its work.
    pub rate: f64,
}

/// Sums of the rates of all threads by turn. Turns that some thread did not reach are omitted, because fewer threads worked
/// then.
pub(crate) fn series(threads: &[Vec<Turn>], unit: &str, detail: String) -> Series {
    let count = threads.iter().map(Vec::len).min().unwrap_or(0);
    let end = |index: usize| threads.iter().map(|turns| turns[index].at).max().unwrap_or_default();
    Series {
        unit: unit.to_owned(),
        higher_is_better: true,
        detail,
        at_ms: (0..count).map(|index| end(index).as_millis() as i64).collect(),
        values: (0..count).map(|index| threads.iter().map(|turns| turns[index].rate).sum()).collect(),
        ..Series::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_added_up_while_all_are_at_work() {
        let turn = |at_ms, rate| Turn { at: Duration::from_millis(at_ms), rate };
        let fast = vec![turn(500, 2.0), turn(1000, 2.0), turn(1500, 2.0)];
        let slow = vec![turn(1000, 1.0), turn(2000, 1.5)];
        let series = series(&[fast, slow], "MB/s", String::new());
        assert_eq!((series.values, series.at_ms), (vec![3.0, 3.5], vec![1000, 2000]));
    }
}
