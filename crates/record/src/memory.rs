//! Memory measurements beyond one CPU and one access: bandwidth of several CPUs, latency under load. All repetitions
//! are kept.

use crate::MemoryOperation;
use serde::{Deserialize, Serialize};

/// Bandwidth by number of CPUs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BandwidthCurve {
    /// Rows for each operation and number of CPUs.
    pub rows: Vec<CurveRow>,
}

/// Bandwidth of several CPUs running the same routine in separate buffers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CurveRow {
    /// Name of the routine: the fastest of its operation on the first CPU.
    pub routine: String,
    /// Operation.
    pub operation: MemoryOperation,
    /// CPUs, with one thread each.
    pub cpus: Vec<u32>,
    /// Size of each buffer in bytes; copying has two for each CPU.
    pub buffer_bytes: u64,
    /// Every repetition in bytes per second, all CPUs together.
    pub bytes_per_s: Vec<u64>,
}

/// Latency of one CPU while others read memory at full speed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoadedLatency {
    /// CPU whose latency was measured.
    pub cpu: u32,
    /// CPUs that generate load.
    pub load_cpus: Vec<u32>,
    /// Size of the pointer chase in bytes, larger than the caches.
    pub size_bytes: u64,
    /// Rows by load, the lowest first.
    pub rows: Vec<LoadedRow>,
}

/// Latency at one load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoadedRow {
    /// Share of time that the other CPUs read, in percent.
    pub duty_percent: u32,
    /// Bandwidth of the other CPUs at this load, in bytes per second.
    pub load_bytes_per_s: u64,
    /// Nanoseconds per access, every repetition.
    pub ns: Vec<f64>,
}
