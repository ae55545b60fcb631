//! What memory does beyond one CPU and one access: bandwidth of several CPUs, latency under load. Every
//! repetition is kept.

use crate::MemoryOperation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bandwidth of one, two ... all CPUs at once.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BandwidthCurve {
    /// One row for each operation and number of CPUs.
    pub rows: Vec<CurveRow>,
}

/// Several CPUs that do the same, each in buffers of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CurveRow {
    /// Name of the routine: the fastest of its operation on the first CPU.
    pub routine: String,
    /// What it does.
    pub operation: MemoryOperation,
    /// CPUs that worked, one thread on each.
    pub cpus: Vec<u32>,
    /// Size of each buffer in bytes; copying has two for each CPU.
    pub buffer_bytes: u64,
    /// Every repetition in bytes per second, all CPUs together.
    pub bytes_per_s: Vec<u64>,
}

/// Latency that one CPU sees while others read memory as fast as they may.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoadedLatency {
    /// CPU whose latency was measured.
    pub cpu: u32,
    /// CPUs that read.
    pub load_cpus: Vec<u32>,
    /// Size of the walk in bytes: beyond the caches.
    pub size_bytes: u64,
    /// One row for each strength of the load, the weakest first.
    pub rows: Vec<LoadedRow>,
}

/// One strength of the load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoadedRow {
    /// Share of its time that every other CPU reads, in percent.
    pub duty_percent: u32,
    /// What the other CPUs read meanwhile, in bytes per second.
    pub load_bytes_per_s: u64,
    /// Nanoseconds per access, every repetition.
    pub ns: Vec<f64>,
}
