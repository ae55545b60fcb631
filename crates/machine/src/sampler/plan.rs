//! When one source is read next, and what its reads cost so far. Pure arithmetic.

use super::failure::Failure;
use crate::sensors::SampleInterval;
use std::time::Duration;

/// Failures so many times in a row are retried at once: some drivers answer EAGAIN now and then.
const QUICK_RETRIES: u32 = 2;
/// Then a probe is tried again after this time only.
const RETRY_NS: u64 = 5_000_000_000;
/// What is forbidden stays so, as the rights of a process do not grow; so does what a machine does
/// not have.
const NEVER_NS: u64 = u64::MAX;
/// No probe may take more than one hundredth of the time, so that a slow bus (I2C, firmware) does
/// not hold up the others.
const DUTY_FACTOR: u64 = 100;
/// A source that sleeps at every read holds up the others; it is handed to a thread of its own.
/// The dearest file of `/proc` takes a tenth of this on a slow board.
const SLOW_READ_NS: u64 = 1_000_000;
/// So many reads in a row must have been slow: single ones were interrupted.
const SLOW_READS_MIN: u64 = 3;

/// The plan of one source.
#[derive(Debug)]
pub(super) struct Plan {
    beat_ns: u64,
    due_ns: u64,
    failures: u32,
    /// The shortest read so far: a longer one only says that something else had the CPU.
    read_ns_min: u64,
    read_ns_total: u64,
    reads: u64,
}

impl Plan {
    pub(super) fn new(beat: SampleInterval) -> Self {
        let beat_ns = beat.time().as_nanos() as u64;
        Self { beat_ns, due_ns: 0, failures: 0, read_ns_min: u64::MAX, read_ns_total: 0, reads: 0 }
    }

    /// True if it is to be read at a tick now; ticks come every `interval_ns`, so that the nearest
    /// one is right.
    pub(super) fn is_due(&self, now_ns: u64, interval_ns: u64) -> bool {
        self.due_ns <= now_ns.saturating_add(interval_ns / 2)
    }

    /// True if it is not read at every tick, although it answers, and a good part of its beat has passed:
    /// over a shorter time its resolution would show more than its growth.
    pub(super) fn is_worth_a_last_read(&self, now_ns: u64) -> bool {
        let answers = self.failures == 0 && !self.is_slow();
        let passed_enough = self.due_ns < now_ns.saturating_add(self.beat_ns / 4 * 3);
        self.beat_ns > 0 && answers && passed_enough
    }

    pub(super) fn due_ns(&self) -> u64 {
        self.due_ns
    }

    /// Decides when it is read next, after a read that took `read_ns`.
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
        let wait_ns = self.beat_ns.max(retry_ns).max(duty_ns);
        self.due_ns = now_ns.saturating_add(wait_ns);
    }

    /// The same beat and costs, due at once: for a thread with another clock.
    pub(super) fn restarted(mut self) -> Self {
        self.due_ns = 0;
        self
    }

    /// How long to wait for the next answer before its silence is told: the time between two
    /// reads, and `patience` on top.
    pub(super) fn patience(&self, patience: Duration) -> Duration {
        let duty_ns = match self.read_ns_min {
            u64::MAX => 0,
            read_ns => read_ns.saturating_mul(DUTY_FACTOR),
        };
        Duration::from_nanos(self.beat_ns.max(duty_ns).max(RETRY_NS)) + patience
    }

    /// True if every read so far was slow.
    pub(super) fn is_slow(&self) -> bool {
        self.reads >= SLOW_READS_MIN && self.read_ns_min > SLOW_READ_NS
    }

    /// Number of reads, and their time in all in nanoseconds.
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
            let mut plan = Plan::new(SampleInterval::EveryTick);
            for read_ns in reads_ns {
                plan.after_read(0, *read_ns, Ok(()));
            }
            assert_eq!((plan.due_ns(), plan.is_slow()), (due_ns, slow), "{reads_ns:?}");
        }
    }

    #[test]
    fn slow_sources_are_read_at_end() {
        for (beat, failed, now_ms, again) in [
            (SampleInterval::AtMostEveryMs(6000), false, 5000, true),
            (SampleInterval::AtMostEveryMs(6000), false, 500, false),
            (SampleInterval::AtMostEveryMs(6000), true, 5000, false),
            (SampleInterval::EveryTick, false, 5000, false),
        ] {
            let mut plan = Plan::new(beat);
            let outcome = match failed {
                true => Err(Failure::Errno(libc::EAGAIN)),
                false => Ok(()),
            };
            plan.after_read(0, 10_000, outcome);
            let now_ns = now_ms * MS;
            assert_eq!(plan.is_worth_a_last_read(now_ns), again, "{beat:?} {now_ms}");
        }
    }

    #[test]
    fn denied_sources_are_not_retried() {
        for (errno, again) in [(libc::EACCES, false), (libc::EOPNOTSUPP, false), (libc::EAGAIN, true)] {
            let mut plan = Plan::new(SampleInterval::AtMostEveryMs(1));
            plan.after_read(5, 1, Err(Failure::Errno(errno)));
            assert_eq!(plan.is_due(u64::MAX - 1, 0), again, "{errno}");
        }
    }
}
