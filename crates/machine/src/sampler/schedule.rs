//! Schedule of one source: time of its next read, and cost so far. Pure arithmetic.

use super::failure::Failure;
use crate::sensors::SampleInterval;
use std::time::Duration;

/// Interval of [`SampleInterval::Rarely`]: often enough for steps of a run.
const RARELY_MS: u32 = 2000;

/// Number of failures in a row that are retried at once, because some drivers occasionally return EAGAIN.
const QUICK_RETRIES: u32 = 2;
/// Retry interval after that.
const RETRY_NS: u64 = 5_000_000_000;
/// Permission errors and unsupported sources are not retried, because the rights of a process do not grow.
const NEVER_NS: u64 = u64::MAX;
/// A source may take at most one hundredth of the time, so that a slow bus (I2C, firmware) does not delay others.
const DUTY_FACTOR: u64 = 100;
/// Minimum read time of a slow source, which gets its own thread because it delays others. The most expensive file of
/// `/proc` takes a tenth of this on a slow board.
const SLOW_READ_NS: u64 = 1_000_000;
/// Number of slow reads in a row before a source counts as slow, because single reads may be interrupted.
const SLOW_READS_MIN: u64 = 3;

/// Schedule of one source.
#[derive(Debug)]
pub(super) struct ReadSchedule {
    interval_ns: u64,
    due_ns: u64,
    failures: u32,
    /// Shortest read so far; longer ones include preemption.
    read_ns_min: u64,
    read_ns_total: u64,
    reads: u64,
}

impl ReadSchedule {
    pub(super) fn new(interval: SampleInterval) -> Self {
        let interval_ms = match interval {
            SampleInterval::EveryTick => 0,
            SampleInterval::AtMostEveryMs(ms) => ms,
            SampleInterval::Rarely => RARELY_MS,
        };
        let interval_ns = u64::from(interval_ms) * 1_000_000;
        Self { interval_ns, due_ns: 0, failures: 0, read_ns_min: u64::MAX, read_ns_total: 0, reads: 0 }
    }

    /// True if it is due at a tick now. Ticks have a distance of `interval_ns`, so the nearest tick is chosen.
    pub(super) fn is_due(&self, now_ns: u64, interval_ns: u64) -> bool {
        self.due_ns <= now_ns.saturating_add(interval_ns / 2)
    }

    /// True if it works, is not read at every tick, and a significant part of its interval has passed: for shorter
    /// times its resolution would exceed its growth.
    pub(super) fn is_worth_a_last_read(&self, now_ns: u64) -> bool {
        let answers = self.failures == 0 && !self.is_slow();
        let passed_enough = self.due_ns < now_ns.saturating_add(self.interval_ns / 4 * 3);
        self.interval_ns > 0 && answers && passed_enough
    }

    pub(super) fn due_ns(&self) -> u64 {
        self.due_ns
    }

    /// Schedules the next read after one that took `read_ns`.
    pub(super) fn after_read(&mut self, now_ns: u64, read_ns: u64, outcome: Result<(), Failure>) {
        self.read_ns_min = self.read_ns_min.min(read_ns);
        self.read_ns_total += read_ns;
        self.reads += 1;
        self.failures = outcome.err().map_or(0, |_| self.failures + 1);
        let retry_ns = match outcome {
            Err(Failure::Errno(libc::EACCES | libc::EPERM | libc::EOPNOTSUPP)) => NEVER_NS,
            Err(_) if self.failures > QUICK_RETRIES => RETRY_NS,
            _ => 0,
        };
        let duty_ns = self.read_ns_min.saturating_mul(DUTY_FACTOR);
        let wait_ns = self.interval_ns.max(retry_ns).max(duty_ns);
        self.due_ns = now_ns.saturating_add(wait_ns);
    }

    /// The same interval and costs, due at once, for a thread with another clock.
    pub(super) fn restarted(mut self) -> Self {
        self.due_ns = 0;
        self
    }

    /// Patience for the next answer: the interval plus `patience`.
    pub(super) fn patience(&self, patience: Duration) -> Duration {
        let duty_ns = match self.read_ns_min {
            u64::MAX => 0,
            read_ns => read_ns.saturating_mul(DUTY_FACTOR),
        };
        Duration::from_nanos(self.interval_ns.max(duty_ns).max(RETRY_NS)) + patience
    }

    /// True if every read so far was slow.
    pub(super) fn is_slow(&self) -> bool {
        self.reads >= SLOW_READS_MIN && self.read_ns_min > SLOW_READ_NS
    }

    /// Number of reads, and their total time in nanoseconds.
    pub(super) fn cost(&self) -> (u64, u64) {
        (self.reads, self.read_ns_total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn slow_sources_are_read_rarely() {
        for (reads_ns, due_ns, slow) in [
            (&[10_000, 9_000][..], 900_000, false),
            (&[50 * MS, 60 * MS], 5_000 * MS, false),
            (&[50 * MS, 60 * MS, 2 * MS], 200 * MS, true),
            (&[50 * MS, 60 * MS, MS / 2], 50 * MS, false),
        ] {
            let mut schedule = ReadSchedule::new(SampleInterval::EveryTick);
            for read_ns in reads_ns {
                schedule.after_read(0, *read_ns, Ok(()));
            }
            assert_eq!((schedule.due_ns(), schedule.is_slow()), (due_ns, slow), "{reads_ns:?}");
        }
    }

    #[test]
    fn slow_sources_are_read_at_end() {
        for (interval, failed, now_ms, again) in [
            (SampleInterval::AtMostEveryMs(6000), false, 5000, true),
            (SampleInterval::AtMostEveryMs(6000), false, 500, false),
            (SampleInterval::AtMostEveryMs(6000), true, 5000, false),
            (SampleInterval::EveryTick, false, 5000, false),
        ] {
            let mut schedule = ReadSchedule::new(interval);
            let outcome = if failed { Err(Failure::Errno(libc::EAGAIN)) } else { Ok(()) };
            schedule.after_read(0, 10_000, outcome);
            let now_ns = now_ms * MS;
            assert_eq!(schedule.is_worth_a_last_read(now_ns), again, "{interval:?} {now_ms}");
        }
    }

    #[test]
    fn denied_sources_are_not_retried() {
        for (errno, again) in [(libc::EACCES, false), (libc::EOPNOTSUPP, false), (libc::EAGAIN, true)] {
            let mut schedule = ReadSchedule::new(SampleInterval::AtMostEveryMs(1));
            schedule.after_read(5, 1, Err(Failure::Errno(errno)));
            assert_eq!(schedule.is_due(u64::MAX - 1, 0), again, "{errno}");
        }
    }
}
