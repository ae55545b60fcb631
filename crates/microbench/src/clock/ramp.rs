//! Ramp of a CPU to full clock after idling: end and duration.
//!
//! Pure: the caller runs the windows and pushes them in. The duration includes governor and hardware, which cannot be
//! separated here.

use super::estimate::{Window, estimate};

/// Smaller rises are noise.
const RISE: f64 = 0.005;
/// The ramp ends at the first window this close to the full rate.
const FULL: f64 = 0.01;

/// Rates of a CPU while it ramps up.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ramp {
    starts_ns: Vec<u64>,
    windows: Vec<Window>,
    highest_khz: u32,
    risen_at_ns: u64,
}

impl Ramp {
    /// Reserves room for this many windows, so that pushing them does not allocate.
    pub fn with_capacity(windows: usize) -> Self {
        Self { starts_ns: Vec::with_capacity(windows), windows: Vec::with_capacity(windows), ..Self::default() }
    }

    /// Adds a window that began `start_ns` after the start.
    pub fn push(&mut self, start_ns: u64, window: Window) {
        if f64::from(window.khz()) > f64::from(self.highest_khz) * (1.0 + RISE) {
            self.highest_khz = window.khz();
            self.risen_at_ns = start_ns + window.elapsed_ns;
        }
        self.starts_ns.push(start_ns);
        self.windows.push(window);
    }

    /// True if the rate has not risen for `settle_ns`.
    pub fn settled(&self, now_ns: u64, settle_ns: u64) -> bool {
        now_ns.saturating_sub(self.risen_at_ns) >= settle_ns
    }

    /// Time from the start to the first window at full rate, in microseconds; 0 if the first window was at full rate.
    pub fn time_to_full_us(&self) -> Option<u32> {
        let full_khz = f64::from(estimate(&self.windows)?.best_khz) * (1.0 - FULL);
        let first = self.windows.iter().position(|window| f64::from(window.khz()) >= full_khz)?;
        let time_ns = if first == 0 { 0 } else { self.starts_ns[first] };
        u32::try_from(time_ns / 1000).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW_NS: u64 = 100_000;

    /// Ramp of windows of 100 µs: `(windows, kHz)` in sequence. Returns the time at which it settled.
    fn run(rates: &[(usize, u32)], settle_ns: u64) -> (Ramp, Option<u64>) {
        let mut ramp = Ramp::default();
        let rates = rates.iter().flat_map(|(count, khz)| std::iter::repeat_n(*khz, *count));
        for (at, khz) in rates.enumerate() {
            let start_ns = at as u64 * WINDOW_NS;
            let operations = u64::from(khz) * WINDOW_NS / 1_000_000;
            ramp.push(start_ns, Window { operations, elapsed_ns: WINDOW_NS });
            if ramp.settled(start_ns + WINDOW_NS, settle_ns) {
                return (ramp, Some(start_ns + WINDOW_NS));
            }
        }
        (ramp, None)
    }

    fn check(rates: &[(usize, u32)], settled_ns: Option<u64>, full_us: u32) {
        let (ramp, settled) = run(rates, 2_000_000);
        assert_eq!(settled, settled_ns, "{rates:?}");
        assert_eq!(ramp.time_to_full_us(), Some(full_us), "{rates:?}");
    }

    #[test]
    fn cpu_at_full_clock_settles_at_once() {
        check(&[(100, 1_800_000)], Some(2_100_000), 0);
    }

    #[test]
    fn step_is_timed() {
        check(&[(15, 600_000), (100, 1_800_000)], Some(3_600_000), 1_500);
        check(&[(5, 600_000), (10, 1_200_000), (99, 1_800_000)], Some(3_600_000), 1_500);
    }

    #[test]
    fn rise_that_never_ends_does_not_settle() {
        let rates: Vec<(usize, u32)> = (0..50).map(|step| (1, 600_000 + step * 20_000)).collect();
        assert_eq!(run(&rates, 2_000_000).1, None);
    }

    #[test]
    fn noise_and_stolen_windows_do_not_restart_the_wait() {
        check(&[(5, 1_800_000), (5, 1_803_000), (3, 900_000), (99, 1_801_000)], Some(2_100_000), 0);
    }

    #[test]
    fn one_window_that_is_too_fast_does_not_set_the_full_rate() {
        check(&[(3, 1_800_000), (1, 4_000_000), (99, 1_800_000)], Some(2_400_000), 0);
    }
}
