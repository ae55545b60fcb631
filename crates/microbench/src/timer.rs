//! Timers for timed regions: `CLOCK_MONOTONIC` in nanoseconds, and the CPU time of a thread.
//!
//! The vDSO usually serves the clock, so a reading costs 20 to 60 ns and does not enter the kernel; [`cost`] shows
//! other cases.

#![allow(unsafe_code)]

use std::mem::MaybeUninit;

/// Nanoseconds of `CLOCK_MONOTONIC` (see `clock_gettime(2)`), comparable with readings of the same clock in other parts
/// of the program.
#[inline]
pub fn now_ns() -> u64 {
    read(libc::CLOCK_MONOTONIC)
}

/// CPU time of the calling thread in nanoseconds (`CLOCK_THREAD_CPUTIME_ID`). A system call of about a microsecond, so
/// unsuitable for timed regions.
pub fn thread_cpu_ns() -> u64 {
    read(libc::CLOCK_THREAD_CPUTIME_ID)
}

#[inline]
fn read(clock: libc::clockid_t) -> u64 {
    let mut time = MaybeUninit::<libc::timespec>::uninit();
    // SAFETY: the pointer is valid for writing a `timespec`. With these clocks and a valid pointer the call cannot fail
    // and writes the whole structure.
    let time = unsafe {
        libc::clock_gettime(clock, time.as_mut_ptr());
        time.assume_init()
    };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Cost and resolution of the timer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimerCost {
    /// Nanoseconds from one reading to the next: the minimum of many.
    pub reading_ns: u64,
    /// Smallest step between two different readings, in nanoseconds: the tick of the hardware timer, for example 41 ns
    /// at 24 MHz and 250 ns at 4 MHz, or `reading_ns` if that is larger.
    pub step_ns: u64,
}

/// Measures [`TimerCost`], usually within a few microseconds.
pub fn cost() -> TimerCost {
    // Enough readings for an average and enough ticks for the minimum. Limited, because a stopped clock never ticks.
    const READINGS_MIN: u64 = 200;
    const READINGS_MAX: u64 = 10_000_000;
    const TICKS: u32 = 4;
    let start = now_ns();
    let (mut last, mut readings, mut ticks) = (start, 0, 0);
    let mut step_ns = u64::MAX;
    while readings < READINGS_MIN || (ticks < TICKS && readings < READINGS_MAX) {
        let now = now_ns();
        if now > last {
            step_ns = step_ns.min(now - last);
            ticks += 1;
        }
        last = now;
        readings += 1;
    }
    TimerCost { reading_ns: ((last - start) / readings).min(step_ns), step_ns }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_never_goes_back() {
        let mut last = now_ns();
        for _ in 0..10_000 {
            let now = now_ns();
            assert!(now >= last);
            last = now;
        }
    }

    #[test]
    fn thread_is_on_a_cpu_no_longer_than_time_goes_by() {
        let (wall, cpu) = (now_ns(), thread_cpu_ns());
        let used = |since: u64| thread_cpu_ns() - since;
        while used(cpu) < 100_000 {}
        let cpu = used(cpu);
        assert!(cpu <= now_ns() - wall);
    }

    #[test]
    fn step_is_at_least_what_a_reading_costs() {
        let cost = cost();
        assert!(cost.step_ns >= 1);
        assert!(cost.step_ns >= cost.reading_ns);
    }
}
