//! What a reading of the clock came to.

/// A reading of the clock, and everything that it rests on.
#[derive(Debug, Clone, PartialEq)]
pub struct ClockReading {
    /// Number of windows.
    pub count: u32,
    /// The clock in kHz: the highest rate that three windows support within 0.1 %.
    pub best_khz: u32,
    /// False if no three windows agreed so closely: the measurement was disturbed, and `best_khz` is
    /// the best that could be made of it.
    pub supported: bool,
    /// All operations over all time from the first window to the last, in kHz: the clock that a
    /// program gets the use of. Lower than `best_khz` when time is stolen, preempted or withheld.
    pub sustained_khz: u32,
    /// Share of windows within 0.5 % of `best_khz`, in thousandths.
    pub agreeing_permille: u32,
    /// Share of the time of all windows in which this thread was not on a CPU, in thousandths:
    /// others of this system had it. What else is missing went to interrupts, or a hypervisor took it.
    pub preempted_permille: u32,
    /// Time from the first to the last window of the reading with its checks, in microseconds.
    pub elapsed_us: u32,
    /// Cycles of a dependent multiplication by this clock: close to a whole number (1 to 5 on known
    /// cores) if the chain does run at one operation a cycle. None if the measurement was disturbed.
    pub multiply_ratio: Option<f64>,
    /// Cycles of a dependent floating-point multiplication by this clock: 3 to 8 on most cores, 10 to 18
    /// on the slowest, far more in software. None if the measurement was disturbed.
    pub float_ratio: Option<f64>,
    /// Time from the start to the first window at full clock, in microseconds: how long governor and
    /// hardware took. None without pre-heating, or if the rate still rose at its end.
    pub ramp_us: Option<u32>,
    /// Length that the windows really were meant to have, in nanoseconds.
    pub window_ns: u64,
    /// Rate of every window in the order taken, in kHz.
    pub windows_khz: Vec<u32>,
}
