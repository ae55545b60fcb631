//! What a workload is bound by: what has to be quicker for its score to rise.

use serde::{Deserialize, Serialize};

/// What a workload spends its time on. Whoever judges a run by the use of something asks this first:
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
    /// Nothing: it is waited, or somebody else's work is watched.
    Idle,
    /// A program of the user's own or a suite of all kinds of them.
    Unknown,
}

/// Workloads by id. Forms that differ from the rest of their workload stand in [`FORMS`].
const WORKLOADS: [(&str, Bound); 28] = [
    ("aes", Bound::Cpu),
    ("clock", Bound::Cpu),
    ("core-to-core", Bound::Memory),
    ("cpuminer", Bound::Cpu),
    ("drive", Bound::Storage),
    ("geekbench", Bound::Cpu),
    ("heat", Bound::Unknown),
    ("lzma", Bound::Cpu),
    ("memory-bandwidth", Bound::Memory),
    ("memory-latency", Bound::Memory),
    ("memory-loaded", Bound::Memory),
    ("memory-scaling", Bound::Memory),
    ("network", Bound::Network),
    ("network-cpu", Bound::Network),
    ("opengl", Bound::Gpu),
    ("openssl", Bound::Cpu),
    ("perf-bench", Bound::Kernel),
    ("phoronix", Bound::Unknown),
    ("program", Bound::Unknown),
    ("rsync", Bound::Storage),
    ("sevenzip", Bound::Cpu),
    ("sftp", Bound::Network),
    ("simd", Bound::Cpu),
    ("stockfish", Bound::Cpu),
    ("stress-ng", Bound::Unknown),
    ("sysbench", Bound::Cpu),
    ("video", Bound::Cpu),
    ("wait", Bound::Idle),
];

/// Forms of workloads that are bound by something of their own.
const FORMS: [(&str, &str, Bound); 8] = [
    ("heat", "simd", Bound::Cpu),
    ("perf-bench", "mem", Bound::Memory),
    ("stress-ng", "cpu", Bound::Cpu),
    ("stress-ng", "matrix", Bound::Cpu),
    ("stress-ng", "stream", Bound::Memory),
    ("stress-ng", "vm", Bound::Memory),
    ("sysbench", "fileio", Bound::Storage),
    ("sysbench", "memory", Bound::Memory),
];

impl Bound {
    /// What this form of a workload is bound by; [`Bound::Unknown`] for what is not in the table.
    pub fn of(workload: &str, variant: &str) -> Self {
        let form = variant.split([' ', '-', '/']).next().unwrap_or_default();
        let is_form = |(own, begins, _): &&(&str, &str, Bound)| *own == workload && *begins == form;
        if let Some((_, _, bound)) = FORMS.iter().find(is_form) {
            return *bound;
        }
        Self::of_workload(workload).unwrap_or(Bound::Unknown)
    }

    /// What a workload is bound by in most of its forms; none if the table does not have it.
    pub fn of_workload(workload: &str) -> Option<Self> {
        let found = WORKLOADS.iter().find(|(id, _)| *id == workload);
        found.map(|(_, bound)| *bound)
    }
}
