//! Time left of a run: estimated and displayed.

use std::time::Duration;

/// A new estimate raises the shown time by at most this factor.
pub(super) const RISE_MAX: f64 = 1.1;

/// Time left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeLeft {
    /// Time left at the start of this step, scaled by the duration of completed steps.
    pub all: Duration,
    /// Time for the steps after this one; it does not change if the step takes longer.
    pub behind: Duration,
}

impl TimeLeft {
    /// Time left when the step has run for this long.
    pub fn after(&self, elapsed: Duration) -> Duration {
        self.all.saturating_sub(elapsed).max(self.behind)
    }
}

/// Displayed time left. A new estimate raises it by at most a tenth; otherwise it only falls.
#[derive(Debug, Default)]
pub struct TimeLeftDisplay {
    /// Current estimate, and the time of the run at which it was made.
    estimate: Option<(TimeLeft, Duration)>,
    /// Time shown last, and the longest that may be shown next, in seconds.
    shown_s: Option<u64>,
    most_s: Option<u64>,
}

impl TimeLeftDisplay {
    /// Takes an estimate that was made at this time of the run; `None` if it cannot be estimated.
    pub fn estimated(&mut self, estimate: Option<TimeLeft>, at: Duration) {
        self.estimate = estimate.map(|estimate| (estimate, at));
        // "almost done" is followed by no larger estimate.
        let most_s = |shown_s: u64| (shown_s.max(SHOWN_S_MIN) as f64 * RISE_MAX) as u64;
        self.most_s = self.shown_s.map(|shown_s| in_steps(most_s(shown_s), u64::div_euclid));
    }

    /// Seconds to show at this time of the run; `None` if they are unknown.
    pub fn at(&mut self, at: Duration) -> Option<u64> {
        let (estimate, since) = self.estimate?;
        let left = estimate.after(at.saturating_sub(since));
        let left_s = in_steps(left.as_millis().div_ceil(1000) as u64, u64::div_ceil);
        let shown_s = self.most_s.map_or(left_s, |most_s| left_s.min(most_s));
        (self.shown_s, self.most_s) = (Some(shown_s), Some(shown_s));
        Some(shown_s)
    }
}

/// Shorter times are shown as almost done.
pub const SHOWN_S_MIN: u64 = 10;

/// Rounds to a whole number of steps, each at most a tenth of the time.
fn in_steps(seconds: u64, divided: fn(u64, u64) -> u64) -> u64 {
    let step_s = match seconds {
        0..20 => 1,
        20..50 => 2,
        50..100 => 5,
        100..300 => 10,
        300..600 => 30,
        _ => 60,
    };
    divided(seconds, step_s) * step_s
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_time_never_rises_by_more_than_a_tenth() {
        // A generator of numbers (Marsaglia 2003), so that every test run has the same estimates.
        let mut state = 1_u64;
        let mut random = |below: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % below
        };
        for _ in 0..1000 {
            let (mut left, mut before, mut at) = (TimeLeftDisplay::default(), None, Duration::ZERO);
            for _ in 0..200 {
                if random(4) == 0 {
                    let size = random(24);
                    let all = Duration::from_millis(random(1 << size));
                    let estimate = TimeLeft { all, behind: all.mul_f64(random(100) as f64 / 100.0) };
                    left.estimated((random(9) > 0).then_some(estimate), at);
                }
                at += Duration::from_millis(random(5000));
                let Some(shown_s) = left.at(at) else { continue };
                let most_s = before.map_or(u64::MAX, |before: u64| before.max(SHOWN_S_MIN) * 11 / 10);
                assert!(shown_s <= most_s, "{before:?} {shown_s}");
                before = Some(shown_s);
            }
        }
    }

    #[test]
    fn shown_time_reaches_a_longer_estimate() {
        let mut left = TimeLeftDisplay::default();
        let all = |seconds| Some(TimeLeft { all: Duration::from_secs(seconds), behind: Duration::from_secs(seconds) });
        left.estimated(all(1), Duration::ZERO);
        assert_eq!(left.at(Duration::ZERO), Some(1));
        let shown = (0..200).map(|_| {
            left.estimated(all(7200), Duration::ZERO);
            left.at(Duration::ZERO).unwrap()
        });
        assert_eq!(shown.max(), Some(7200));
    }
}
