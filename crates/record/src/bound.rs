//! What a workload is bound by: what has to be quicker for its score to rise.

use crate::{Variant, WorkloadName};
use serde::{Deserialize, Serialize};

/// What a workload spends its time on. A rule about the use of a resource checks this first:
/// a drive is waited for by design while a drive is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// Computing in user mode.
    Cpu,
    /// Moving data between CPUs and memory.
    Memory,
    /// A drive, and the kernel's way to it.
    Storage,
    /// A network, and the kernel's way to it.
    Network,
    /// Drawing, by a GPU or in its place.
    Gpu,
    /// Services of the kernel: system calls, pipes, switches between tasks.
    Kernel,
    /// Nothing: it is waited, or another program is monitored.
    Idle,
    /// A program of the user's own or a suite of all kinds of them.
    Unknown,
}

impl Bound {
    /// What this form of a workload is bound by; [`Bound::Unknown`] for a program of the user's own.
    pub fn of(workload: &WorkloadName, variant: &Variant) -> Self {
        let id = workload.id();
        id.map_or(Self::Unknown, |id| id.bound(variant))
    }
}
