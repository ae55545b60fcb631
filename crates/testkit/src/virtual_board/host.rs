//! The clock of this machine, measured again and again: a virtual board divides it, and it moves with
//! what the neighbours of a virtual machine do.

use microbench::clock::{ClockPlan, measure};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Time between two readings. One takes about 5 ms of one CPU.
const PAUSE: Duration = Duration::from_secs(2);
/// The median of so many readings counts: a disturbed one changes nothing.
const READINGS: usize = 5;

/// The clock of this machine.
pub(super) struct Host {
    fixed_khz: Option<u32>,
    readings: VecDeque<u32>,
    last: Instant,
}

impl Host {
    /// Measures the clock, or believes what it is told.
    pub(super) fn new(fixed_khz: Option<u32>) -> Self {
        let mut host = Self { fixed_khz, readings: VecDeque::new(), last: Instant::now() };
        if fixed_khz.is_none() {
            // The first reading warms up and does not count.
            measure(&ClockPlan::default());
            (0..READINGS).for_each(|_| host.read());
        }
        host
    }

    /// Measures again if it is time to.
    pub(super) fn refresh(&mut self) {
        if self.fixed_khz.is_none() && self.last.elapsed() >= PAUSE {
            self.read();
        }
    }

    /// The clock in kHz.
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
