//! Clock jumps between two ticks: suspend, and steps of the system time.
//!
//! Samples use the monotonic clock, which is unaffected, so jumps are recorded; otherwise a temperature that falls by
//! 20 degrees within one sample would be inexplicable.

use super::failure::Failure;
use crate::timeline::{STEP_MS_MIN, SUSPEND_MS_MIN, monotonic_ns, suspended_ms, utc_now_ms};

/// Offsets between the clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ClockOffsets {
    /// Boot time (includes suspend) minus monotonic time.
    suspended_ms: i64,
    /// System time minus boot time.
    utc_ms: i64,
}

impl ClockOffsets {
    /// Current offsets.
    pub(super) fn now() -> Self {
        let suspended_ms = suspended_ms();
        let boot_ms = (monotonic_ns() / 1_000_000) as i64 + suspended_ms;
        Self { suspended_ms, utc_ms: utc_now_ms() - boot_ms }
    }

    /// Jumps between `before` and these offsets.
    pub(super) fn jumps_since(self, before: Self) -> [Option<Failure>; 2] {
        let suspended_ms = self.suspended_ms - before.suspended_ms;
        let stepped_ms = self.utc_ms - before.utc_ms;
        [
            (suspended_ms >= SUSPEND_MS_MIN).then_some(Failure::Suspended(suspended_ms as u64)),
            (stepped_ms.abs() >= STEP_MS_MIN).then_some(Failure::TimeStepped(stepped_ms)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_jumps_are_distinguished() {
        let at = |suspended_ms, utc_ms| ClockOffsets { suspended_ms, utc_ms };
        let before = at(5_000, 1_700_000_000_000);
        for (now, expected) in [
            (at(5_020, 1_700_000_000_010), [None, None]),
            (at(65_000, 1_700_000_000_000), [Some(Failure::Suspended(60_000)), None]),
            (at(5_000, 1_699_996_400_000), [None, Some(Failure::TimeStepped(-3_600_000))]),
        ] {
            assert_eq!(now.jumps_since(before), expected);
        }
    }

    #[test]
    fn no_jump_on_running_system() {
        let before = ClockOffsets::now();
        assert_eq!(ClockOffsets::now().jumps_since(before), [None, None]);
    }
}
