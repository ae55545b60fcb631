//! Options of a sampler, chosen by its owner.

use super::LatestValues;
use std::time::Duration;

/// Options of a sampler.
#[derive(Debug, Clone)]
pub struct Options {
    /// Interval between samples; at least 20 ms.
    pub interval: Duration,
    /// CPU budget as a share of one core, in millionths; the sampler slows down to stay within it.
    pub budget_ppm: u32,
    /// Keeps the interval if it exceeds the budget, and notes its cost once.
    pub keeps_interval: bool,
    /// Affinity of its threads; empty for the affinity of the owner.
    pub cpus: Vec<u32>,
    /// Number of rows kept until the owner fetches them, limited to about one megabyte.
    pub rows: usize,
    /// Records how long threads of this process and of its programs wait for a CPU. For runs only; a monitor does not
    /// start such threads.
    pub measures: bool,
    /// Reads expensive totals of the whole machine every 6 s instead of every 2 s. For a monitor that does not show them, or
    /// shows a row per second or less.
    pub is_leisurely: bool,
    /// Reads chips with power, voltage and current at every tick, instead of twice a second.
    pub follows_power: bool,
    /// Values read by other threads, such as network meters.
    pub external_values: Vec<LatestValues>,
}

impl Default for Options {
    /// Twice a second, at most 0.2 % of one core, 5 minutes of rows.
    fn default() -> Self {
        Self {
            interval: Duration::from_millis(500),
            budget_ppm: 2000,
            keeps_interval: false,
            cpus: Vec::new(),
            rows: 600,
            measures: false,
            is_leisurely: false,
            follows_power: false,
            external_values: Vec::new(),
        }
    }
}
