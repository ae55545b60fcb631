//! Clock of this machine, measured repeatedly: a virtual board divides it, and it changes with other guests of the
//! host.

use microbench::clock::{ClockPlan, measure};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Time between two readings. A reading takes about 5 ms of one CPU.
const PAUSE: Duration = Duration::from_secs(2);
/// Number of readings for the median, so that a single disturbed one has no effect.
const READINGS: usize = 5;

/// Clock of this machine.
pub(super) struct Host {
    fixed_khz: Option<u32>,
    readings: VecDeque<u32>,
    last: Instant,
}

impl Host {
    /// Measures the clock, or uses the given one.
    pub(super) fn new(fixed_khz: Option<u32>) -> Self {
        let mut host = Self { fixed_khz, readings: VecDeque::new(), last: Instant::now() };
        if fixed_khz.is_none() {
            // The first reading warms up and is discarded.
            measure(&ClockPlan::default());
            (0..READINGS).for_each(|_| host.read());
        }
        host
    }

    /// Measures again if the interval has passed.
    pub(super) fn refresh(&mut self) {
        if self.fixed_khz.is_none() && self.last.elapsed() >= PAUSE {
            self.read();
        }
    }

    /// Clock in kHz.
    pub(super) fn khz(&self) -> u32 {
        let mut sorted: Vec<u32> = self.readings.iter().copied().collect();
        sorted.sort_unstable();
        let measured = sorted.get(sorted.len() / 2).copied();
        self.fixed_khz.or(measured).unwrap_or(1).max(1)
    }

    fn read(&mut self) {
        self.readings.push_back(measure(&ClockPlan::warm()).best_khz);
        if self.readings.len() > READINGS {
            self.readings.pop_front();
        }
        self.last = Instant::now();
    }
}
