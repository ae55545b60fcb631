//! Result of a clock reading.

/// Clock reading with the data it is derived from.
#[derive(Debug, Clone, PartialEq)]
pub struct ClockReading {
    /// Number of windows.
    pub count: u32,
    /// Clock in kHz: the highest rate that three windows support within 0.1 %.
    pub best_khz: u32,
    /// False if no three windows agreed this closely: the measurement was disturbed, and `best_khz` is approximate.
    pub supported: bool,
    /// All operations divided by the time from the first window to the last, in kHz: the usable clock of a program.
    /// Lower than `best_khz` if the thread is preempted or throttled, or the hypervisor steals time.
    pub sustained_khz: u32,
    /// Share of windows within 0.5 % of `best_khz`, in thousandths.
    pub agreeing_permille: u32,
    /// Share of the time of all windows in which this thread was preempted by other threads of this system, in
    /// thousandths. The rest of the lost time went to interrupts or a hypervisor.
    pub preempted_permille: u32,
    /// Time from the first to the last window including checks, in microseconds.
    pub elapsed_us: u32,
    /// Cycles of a dependent multiplication at this clock: close to a whole number (1 to 5 on known cores) if the chain
    /// runs at one operation per cycle. `None` if the measurement was disturbed.
    pub multiply_ratio: Option<f64>,
    /// Cycles of a dependent floating-point multiplication at this clock: 3 to 8 on most cores, 10 to 18 on the
    /// slowest, far more in software. `None` if the measurement was disturbed.
    pub float_ratio: Option<f64>,
    /// Time from the start to the first window at full clock, in microseconds: delay of governor and hardware. `None`
    /// without pre-heating, or if the rate was still rising at its end.
    pub ramp_us: Option<u32>,
    /// Actual window length of the plan, in nanoseconds.
    pub window_ns: u64,
    /// Rate of every window in measured order, in kHz.
    pub windows_khz: Vec<u32>,
}
