//! What holds a workload back: seen from its CPU time, what its CPUs waited for, and its elasticity.

use super::{Elasticity, Level};
use crate::view;
use record::{Record, Step};

/// What holds a workload back at the highest clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limiter {
    /// One core is full while others idle.
    OneCore,
    /// All cores that it may use are full.
    AllCores,
    /// Its cores are full, but most of the clock does not arrive: they wait for memory.
    Memory,
    /// CPUs idle because storage does not answer.
    Storage,
    /// Its cores are not full, and nothing else that is watched is: network, GPU, a device, a pause.
    Other,
    /// Nothing tells.
    Unknown,
}

/// A core counts as full from this share on: the rest are starts, ends and the kernel's own work.
const FULL: f64 = 0.9;
/// Cores that are full and give less than this of the clock wait for something beside it.
const MEMORY_ELASTICITY_MAX: f64 = 0.7;
/// Waiting for storage shows from this share of one CPU on, in percent.
const IOWAIT_PERCENT_MIN: f64 = 10.0;
/// Work that is done on several cores in turns fills one core in sum, and its elasticity tells.
const ONE_CORE_ELASTICITY_MIN: f64 = 0.7;

impl Limiter {
    /// What holds `step` back, judged at this level.
    pub(super) fn of(
        record: &Record,
        step: &Step,
        level: &Level,
        elasticity: Option<Elasticity>,
    ) -> Self {
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
        match value {
            Some(value) if (is_full || one_is_full) && value < MEMORY_ELASTICITY_MAX => {
                if iowait_of_one >= IOWAIT_PERCENT_MIN {
                    Self::Storage
                } else {
                    Self::Memory
                }
            }
            _ if is_full && cores > 1.0 => Self::AllCores,
            _ if one_is_full => Self::OneCore,
            Some(value) if value >= ONE_CORE_ELASTICITY_MIN && used > 0.5 => Self::OneCore,
            _ if iowait_of_one >= IOWAIT_PERCENT_MIN => Self::Storage,
            _ => Self::Other,
        }
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::OneCore => "one core full",
            Self::AllCores => "all cores full",
            Self::Memory => "memory",
            Self::Storage => "storage",
            Self::Other => "waits for something else than CPUs",
            Self::Unknown => "not known",
        }
    }
}
