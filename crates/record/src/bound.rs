//! Resources that limit workloads.

use crate::{Variant, WorkloadName};
use serde::{Deserialize, Serialize};

/// Resource that limits a workload. Rules about the use of a resource check this first: waiting for a drive is normal
/// while a drive is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkBound {
    /// Computation in user mode.
    Cpu,
    /// Data transfer between CPUs and memory.
    Memory,
    /// A drive, including its path through the kernel.
    Storage,
    /// A network, including its path through the kernel.
    Network,
    /// Rendering, by a GPU or in software.
    Gpu,
    /// Kernel services: system calls, pipes, context switches.
    Kernel,
    /// Nothing: the step waits, or monitors another program.
    Idle,
    /// A user's own program, or a suite of mixed workloads.
    Unknown,
}

impl WorkBound {
    /// Resource that limits this variant of a workload; [`WorkBound::Unknown`] for a user's own program.
    pub fn of(workload: &WorkloadName, variant: &Variant) -> Self {
        let id = workload.id();
        id.map_or(Self::Unknown, |id| id.bound(variant))
    }
}
