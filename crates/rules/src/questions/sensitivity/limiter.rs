//! Limiting resource of a workload, by its CPU time, the waits of its CPUs, and its elasticity.

use super::{Elasticity, Level};
use facts::view;
use record::{Record, Step};

/// Bottleneck of a workload at the highest clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limiter {
    /// One core is busy while others idle.
    OneCore,
    /// All cores that it may use are full.
    AllCores,
    /// Its cores are full, but most of the clock does not arrive: they wait for memory.
    Memory,
    /// CPUs idle because storage does not answer.
    Storage,
    /// Neither cores nor other monitored resources are busy: network, GPU, a device, a pause.
    Other,
    /// Unknown.
    Unknown,
}

/// A core counts as full from this share on: the rest are starts, ends and the kernel's own work.
const FULL: f64 = 0.9;
/// Cores that are full and give less than this of the clock wait for something else.
const MEMORY_ELASTICITY_MAX: f64 = 0.7;
/// Elasticity from which on a workload follows the clock.
const PROPORTIONAL_MIN: f64 = 0.9;
/// Minimum I/O wait in percent of one CPU.
const IOWAIT_PERCENT_MIN: f64 = 10.0;
/// Elasticity from which work that fills one core in sum is limited by that core; below it, several of its parts are
/// busy next to a slower resource.
const ONE_CORE_ELASTICITY_MIN: f64 = 0.4;

impl Limiter {
    /// Bottleneck of `step` at this level.
    pub(super) fn of(record: &Record, step: &Step, level: &Level, elasticity: Option<Elasticity>) -> Self {
        let online = f64::from(view::cpu_count(record).unwrap_or(1));
        let cores = match step.cpus.len() {
            0 => online,
            pinned => pinned as f64,
        };
        let iowait_of_one = level.iowait_percent.map_or(0.0, |percent| percent * online);
        let busiest = level.cores.iter().map(|(_, percent)| *percent);
        let busiest = busiest.fold(0.0, f64::max) / 100.0;
        let Some(used) = level.cpu_s_per_s else {
            return match busiest {
                0.0 => Self::Unknown,
                _ if iowait_of_one >= IOWAIT_PERCENT_MIN => Self::Storage,
                _ => Self::Other,
            };
        };
        let value = elasticity.map(|elasticity| elasticity.value);
        let is_full = used >= FULL * cores;
        let one_is_full = used >= FULL;
        let waits_for_storage = iowait_of_one >= IOWAIT_PERCENT_MIN;
        match value {
            Some(value) if is_full && value < MEMORY_ELASTICITY_MAX => {
                if waits_for_storage {
                    Self::Storage
                } else {
                    Self::Memory
                }
            }
            _ if is_full && cores > 1.0 => Self::AllCores,
            _ if is_full => Self::OneCore,
            // Unpinned work fills one core in sum; its elasticity shows whether that core limits it.
            Some(value) if one_is_full && value >= ONE_CORE_ELASTICITY_MIN => Self::OneCore,
            None if one_is_full => Self::OneCore,
            // A score proportional to the clock is limited by the CPU, regardless of its CPU time.
            Some(value) if value >= PROPORTIONAL_MIN => Self::OneCore,
            Some(value) if value >= MEMORY_ELASTICITY_MAX && used > 0.5 => Self::OneCore,
            _ if waits_for_storage => Self::Storage,
            _ => Self::Other,
        }
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::OneCore => "one core saturated",
            Self::AllCores => "all cores saturated",
            Self::Memory => "memory",
            Self::Storage => "storage",
            Self::Other => "waits that are not visible here, while CPUs idle",
            Self::Unknown => "unknown",
        }
    }
}
