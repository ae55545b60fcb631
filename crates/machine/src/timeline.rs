//! Time axis of a run: milliseconds since its start on the monotonic clock, plus UTC. A fake timeline advances only by
//! sleeping, which makes tests instant and exact.

use crate::faults;
use rustix::time::{ClockId, Timespec, clock_gettime};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Minimum step of the system time in milliseconds: NTP slews by at most half a millisecond per second, and two clocks
/// are not read at the same moment.
pub(crate) const STEP_MS_MIN: i64 = 500;
/// Minimum suspend time in milliseconds; less may pass between reading two clocks on a machine under load.
pub const SUSPEND_MS_MIN: i64 = 100;

/// Time axis of a run. Clones share it.
#[derive(Debug, Clone)]
pub struct Timeline {
    start_utc_ms: i64,
    now: TimeSource,
}

#[derive(Debug, Clone)]
enum TimeSource {
    /// Clock reading at `from_ns` of the axis.
    Real {
        start_mono_ns: u64,
        suspended_ms: i64,
        from_ns: u64,
    },
    Fake {
        elapsed_ns: Arc<AtomicU64>,
    },
}

impl Timeline {
    /// Starts now, on the clocks of the machine.
    pub fn start() -> Self {
        Self::resume(utc_now_ms(), 0)
    }

    /// Continues an axis that started at this UTC, of which `behind_ms` have passed.
    pub fn resume(start_utc_ms: i64, behind_ms: i64) -> Self {
        let behind_ms = u64::try_from(behind_ms).unwrap_or(0);
        Self {
            start_utc_ms,
            now: TimeSource::Real {
                start_mono_ns: monotonic_ns(),
                suspended_ms: suspended_ms(),
                from_ns: behind_ms.saturating_mul(1_000_000),
            },
        }
    }

    /// Fake axis that starts at the given UTC and advances only by [`Timeline::sleep`].
    pub fn fake(start_utc_ms: i64) -> Self {
        Self { start_utc_ms, now: TimeSource::Fake { elapsed_ns: Arc::default() } }
    }

    /// UTC of the start in milliseconds since 1970.
    pub fn start_utc_ms(&self) -> i64 {
        self.start_utc_ms
    }

    /// Nanoseconds since the start.
    pub fn now_ns(&self) -> u64 {
        match &self.now {
            TimeSource::Real { start_mono_ns, from_ns, .. } => {
                from_ns.saturating_add(monotonic_ns().saturating_sub(*start_mono_ns))
            }
            TimeSource::Fake { elapsed_ns } => elapsed_ns.load(Ordering::Relaxed),
        }
    }

    /// Milliseconds since the start.
    pub fn now_ms(&self) -> i64 {
        (self.now_ns() / 1_000_000) as i64
    }

    /// Current UTC in milliseconds since 1970. Follows steps of the clock, unlike the other times.
    pub fn utc_ms(&self) -> i64 {
        match &self.now {
            TimeSource::Real { .. } => utc_now_ms(),
            TimeSource::Fake { .. } => self.start_utc_ms + self.now_ms(),
        }
    }

    /// UTC of the start by the current clock, if it was set since: a board without a battery-backed clock starts in
    /// 1970 and gets the time from the network.
    pub fn corrected_start_utc_ms(&self) -> Option<i64> {
        // The start of a resumed axis was in another boot.
        let TimeSource::Real { suspended_ms, from_ns: 0, .. } = &self.now else { return None };
        let elapsed_ms = self.now_ms() + self::suspended_ms() - suspended_ms;
        let start_utc_ms = self.utc_ms() - elapsed_ms;
        let is_other = (start_utc_ms - self.start_utc_ms).abs() >= STEP_MS_MIN;
        is_other.then_some(start_utc_ms)
    }

    /// Sleeps.
    pub fn sleep(&self, time: Duration) {
        match &self.now {
            TimeSource::Real { .. } => std::thread::sleep(time / faults::haste()),
            TimeSource::Fake { elapsed_ns } => {
                elapsed_ns.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
            }
        }
    }

    /// True for a fake axis, where real durations are not measured.
    pub fn is_fake(&self) -> bool {
        matches!(self.now, TimeSource::Fake { .. })
    }
}

/// CLOCK_MONOTONIC in nanoseconds. It stops during suspend.
pub fn monotonic_ns() -> u64 {
    nanoseconds(clock_gettime(ClockId::Monotonic))
}

/// CPU time of the calling thread in nanoseconds.
pub fn thread_cpu_ns() -> u64 {
    nanoseconds(clock_gettime(ClockId::ThreadCPUTime))
}

/// Total suspend time since boot in milliseconds: CLOCK_BOOTTIME, which includes suspend, minus CLOCK_MONOTONIC.
pub fn suspended_ms() -> i64 {
    let ahead = ms(clock_gettime(ClockId::Boottime)) - ms(clock_gettime(ClockId::Monotonic));
    ahead + faults::clock_shift().suspended_ms
}

/// System time in milliseconds since 1970.
pub(crate) fn utc_now_ms() -> i64 {
    let moved = faults::clock_shift();
    ms(clock_gettime(ClockId::Realtime)) + moved.suspended_ms + moved.utc_ms
}

fn ms(time: Timespec) -> i64 {
    time.tv_sec * 1000 + time.tv_nsec / 1_000_000
}

fn nanoseconds(time: Timespec) -> u64 {
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fake_timeline_moves_only_by_sleeping() {
        let timeline = Timeline::fake(1_000);
        assert_eq!((timeline.now_ms(), timeline.utc_ms()), (0, 1_000));
        timeline.clone().sleep(Duration::from_millis(1500));
        assert_eq!((timeline.now_ms(), timeline.utc_ms()), (1_500, 2_500));
    }

    #[test]
    fn real_timeline_goes_on() {
        let timeline = Timeline::start();
        let first = timeline.now_ns();
        timeline.sleep(Duration::from_millis(1));
        assert!(timeline.now_ns() >= first + 1_000_000);
        let resumed = Timeline::resume(7, 3_600_000);
        assert_eq!(resumed.start_utc_ms(), 7);
        assert!((3_600_000..3_700_000).contains(&resumed.now_ms()));
    }
}
