//! Computes the clock from windows; a pure function.
//!
//! Interruptions only slow windows down, so fast windows are the correct ones. A single window may still be too fast,
//! because the timer was adjusted or a virtual machine was migrated, so several must agree. Other tools subtract two
//! loop lengths; that can overshoot and is not done here.

/// Number of operations and elapsed time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Operations of one cycle each.
    pub operations: u64,
    /// Elapsed time in nanoseconds.
    pub elapsed_ns: u64,
}

impl Window {
    /// Rate in kHz; 0 if no time passed.
    pub fn khz(&self) -> u32 {
        rate_khz(self.operations, self.elapsed_ns)
    }
}

/// Windows that must agree before a rate counts.
pub const SUPPORTERS: usize = 3;

/// Maximum spread of the windows that support the best rate: 0.1 %, twice the timer cost permitted for a window.
pub const SUPPORT: f64 = 0.001;

/// Maximum distance of an undisturbed window from the best rate: 0.5 %, a tenth of the usual distance between two OPPs.
pub const AGREEMENT: f64 = 0.005;

/// Clock estimated from windows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Estimate {
    /// The highest rate that [`SUPPORTERS`] windows support.
    pub best_khz: u32,
    /// True if they agree within [`SUPPORT`]; false if the tolerance was widened until some did.
    pub supported: bool,
    /// All operations divided by the total time.
    pub sustained_khz: u32,
    /// Share of windows within [`AGREEMENT`] of the best rate, in thousandths.
    pub agreeing_permille: u32,
}

/// Estimates the clock; `None` without a window that took time.
///
/// The best rate is the middle of the fastest three neighbours that agree, so one outlier does not affect it. With
/// fewer than three windows it is the slowest, because a fast one could be an outlier.
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

/// Best of the rates, sorted from fast to slow, and whether it has full support.
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
        // With a tolerance of 1 any three agree, so the loop ends.
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
