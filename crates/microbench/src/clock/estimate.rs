//! From windows to a clock: a pure function.
//!
//! Time can only be taken away from a window, so the fast windows are the true ones. Yet a single
//! window may be too fast, because the timer stepped or a virtual machine was moved, so it takes
//! several that agree. Subtracting two loop lengths, as other tools do, can overshoot and is not
//! done here.

/// Operations done and time taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Operations, one per cycle.
    pub operations: u64,
    /// Time taken in nanoseconds.
    pub elapsed_ns: u64,
}

impl Window {
    /// The rate in kHz; 0 if no time passed.
    pub fn khz(&self) -> u32 {
        rate_khz(self.operations, self.elapsed_ns)
    }
}

/// Windows that must agree before a rate counts.
pub const SUPPORTERS: usize = 3;

/// How closely the supporters of the best rate agree: 0.1 %, twice what a timer reading of the
/// longest allowed cost adds to a window.
pub const SUPPORT: f64 = 0.001;

/// How close to the best rate a window lies that counts as undisturbed: 0.5 %, a tenth of the
/// usual distance between two OPPs.
pub const AGREEMENT: f64 = 0.005;

/// What the windows tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Estimate {
    /// The highest rate that [`SUPPORTERS`] windows support.
    pub best_khz: u32,
    /// True if they agree within [`SUPPORT`]. If false, the agreement was widened until some did.
    pub supported: bool,
    /// All operations over all time.
    pub sustained_khz: u32,
    /// Share of windows within [`AGREEMENT`] of the best rate, in thousandths.
    pub agreeing_permille: u32,
}

/// Estimates the clock; none without a window that took time.
///
/// The best rate is the middle of the fastest three neighbours that agree: one of three may err
/// upwards without moving it. With fewer than three windows it is the slowest, as the fast ones
/// cannot be trusted.
pub fn estimate(windows: &[Window]) -> Option<Estimate> {
    let mut rates: Vec<u32> = windows.iter().map(Window::khz).filter(|khz| *khz > 0).collect();
    rates.sort_unstable_by(|a, b| b.cmp(a));
    let (best_khz, supported) = best(&rates)?;
    let operations = windows.iter().map(|window| window.operations).sum();
    let elapsed_ns = windows.iter().map(|window| window.elapsed_ns).sum();
    let agreeing = rates.iter().filter(|khz| within(AGREEMENT, best_khz, **khz)).count();
    Some(Estimate {
        best_khz,
        supported,
        sustained_khz: rate_khz(operations, elapsed_ns),
        agreeing_permille: (agreeing * 1000 / windows.len()) as u32,
    })
}

/// The best of rates sorted from fast to slow, and whether it has full support.
fn best(rates: &[u32]) -> Option<(u32, bool)> {
    if rates.len() < SUPPORTERS {
        return rates.last().map(|slowest| (*slowest, false));
    }
    let mut tolerance = SUPPORT;
    loop {
        let agreeing = rates.windows(SUPPORTERS).find(|group| within(tolerance, group[0], group[SUPPORTERS - 1]));
        if let Some(group) = agreeing {
            return Some((group[SUPPORTERS / 2], tolerance == SUPPORT));
        }
        // At the latest with a tolerance of 1 any three agree.
        tolerance *= 2.0;
    }
}

fn within(tolerance: f64, of_khz: u32, khz: u32) -> bool {
    f64::from(of_khz.abs_diff(khz)) <= f64::from(of_khz) * tolerance
}

/// kHz are operations per millisecond.
fn rate_khz(operations: u64, elapsed_ns: u64) -> u32 {
    if elapsed_ns == 0 {
        return 0;
    }
    let khz = u128::from(operations) * 1_000_000 / u128::from(elapsed_ns);
    u32::try_from(khz).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
