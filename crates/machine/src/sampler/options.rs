//! How to sample: what the owner of a sampler may choose.

use super::LatestValues;
use std::time::Duration;

/// How to sample.
#[derive(Debug, Clone)]
pub struct Options {
    /// Time between two samples; at least 20 ms.
    pub interval: Duration,
    /// Share of one core that the sampler may use, in millionths; it slows down to stay below.
    pub budget_ppm: u32,
    /// CPUs on which its threads may run; empty: wherever its owner may.
    pub cpus: Vec<u32>,
    /// Samples that are kept until the owner fetches them. Fewer are kept if they would need more
    /// than about a megabyte.
    pub rows: usize,
    /// Watches how long the threads of this process and of the programs it started wait for a CPU:
    /// for runs; a monitor has no such threads.
    pub measures: bool,
    /// What others read on threads of their own, such as meters on the network.
    pub feeds: Vec<LatestValues>,
}

impl Default for Options {
    /// Twice a second, at most 0.2 % of one core, 5 minutes kept.
    fn default() -> Self {
        Self {
            interval: Duration::from_millis(500),
            budget_ppm: 2000,
            cpus: Vec::new(),
            rows: 600,
            measures: false,
            feeds: Vec::new(),
        }
    }
}
