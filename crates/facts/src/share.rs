//! Shares of time, CPUs or scores, from 0 to 100 %.

use serde::Serialize;

/// A share of a whole, 0 to 100 %, in tenths of a percent.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct Share(f64);

/// Ticks and clocks are read at slightly different times: an excess up to this, in percent, counts as the whole.
const WHOLE_TOLERANCE_PERCENT: f64 = 1.0;

impl Share {
    /// Share of this percentage; `None` outside of 0 to 100, when its inputs contradict each other.
    pub fn percent(value: f64) -> Option<Self> {
        let is_share = (0.0..=100.0 + WHOLE_TOLERANCE_PERCENT).contains(&value);
        is_share.then(|| Self((value.min(100.0) * 10.0).round() / 10.0))
    }

    /// Share of a part in a whole; `None` as with [`Share::percent`].
    pub fn of(part: f64, whole: f64) -> Option<Self> {
        Self::percent(100.0 * part / whole)
    }

    /// In percent.
    pub fn as_percent(self) -> f64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn share_range() {
        for (percent, expected) in [
            (0.0, Some(0.0)),
            (12.34, Some(12.3)),
            (100.0, Some(100.0)),
            (100.9, Some(100.0)),
            (135.0, None),
            (-0.1, None),
            (f64::NAN, None),
            (f64::INFINITY, None),
        ] {
            let found = Share::percent(percent).map(Share::as_percent);
            assert_eq!(found, expected, "{percent}");
        }
        assert_eq!(Share::of(1.0, 4.0), Share::percent(25.0));
        assert_eq!(Share::of(1.0, 0.0), None);
    }
}
