//! Memory latency of one CPU: one random ring through all cache lines of buffers from 4 KiB on, walked
//! by 1, 2, 4 and 8 chains at once.

use super::Workload;
use crate::Lab;
use crate::child::failure;
use kernel::buffer::{Buffer, Pages};
use kernel::latency::{LatencyPlan, Order, Walk};
use machine::available_kib;
use record::{Failure, FailureKind, Latency, LatencyRow, Measured};
use std::sync::atomic::{AtomicI32, Ordering};

/// The entry in the table of workloads.
pub(super) const MEMORY_LATENCY: Workload = Workload {
    id: "memory-latency",
    about: "Nanoseconds from one dependent memory access to the next, by size of the buffer.",
    link: "https://lmbench.sourceforge.net/man/lat_mem_rd.8.html",
    unit: "ns",
    higher_is_better: false,
    tool: None,
    shape: None,
    lacking: |_| None,
    run,
};

/// Rises when the ring or the way of repeating changes.
const METHOD: u32 = 1;
/// Smallest size: in the first cache of everything.
const SIZE_BYTES_MIN: u64 = 4 << 10;
/// Largest size, beyond the caches of nearly everything.
const SIZE_BYTES_MAX: u64 = 128 << 20;
/// The walk takes at most this part of the available memory.
const MEMORY_PART: u64 = 4;
/// Chains that are walked at once, and the names of their columns as readers of logs know them.
const CHAINS: [(usize, &str); 4] = [(1, "1xPTR"), (2, "2xPTR"), (4, "4xPTR"), (8, "8xPTR")];
/// Seed of the ring: the same for everyone.
const SEED: u64 = 0x5bc_be7c;

fn run(lab: &mut Lab) -> Result<Measured, Failure> {
    lab.method = METHOD;
    let available = available_kib(lab.root).map_or(SIZE_BYTES_MAX, |kib| kib * 1024);
    let largest = (available / MEMORY_PART).clamp(SIZE_BYTES_MIN, SIZE_BYTES_MAX);
    let sizes: Vec<u64> = std::iter::successors(Some(SIZE_BYTES_MIN), |size| Some(size * 2))
        .take_while(|size| *size <= largest)
        .collect();
    let cancelled = lab.cancelled;
    let rows = lab.pinned(|| rows(&sizes, cancelled))?;
    let rows = rows.map_err(|why| failure(FailureKind::NotStarted, why, ""))?;
    Ok(Measured::Latency(Latency {
        columns: CHAINS.map(|(_, name)| name.to_owned()).to_vec(),
        rows,
        pages: "huge pages where the kernel gives them".to_owned(),
    }))
}

fn rows(sizes: &[u64], cancelled: &AtomicI32) -> Result<Vec<LatencyRow>, String> {
    let largest = sizes.last().copied().unwrap_or(SIZE_BYTES_MIN) as usize;
    let mut buffer = Buffer::new(largest, Pages::Huge).map_err(|refused| refused.to_string())?;
    let mut rows = Vec::with_capacity(sizes.len());
    for size_bytes in sizes {
        if cancelled.load(Ordering::Relaxed) != 0 {
            break;
        }
        let mut walk = Walk::new(&mut buffer, *size_bytes as usize, Order::Random, SEED);
        let plan = LatencyPlan::default();
        let best_ns = CHAINS.map(|(chains, _)| Some(walk.measure(chains, &plan).best_ns));
        rows.push(LatencyRow {
            size_bytes: *size_bytes,
            ns: best_ns.to_vec(),
            line: None,
        });
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_has_every_column() {
        let rows = rows(&[4 << 10, 64 << 10], &AtomicI32::new(0)).unwrap();
        assert_eq!(rows.len(), 2);
        for row in rows {
            assert_eq!(row.ns.len(), CHAINS.len());
            assert!(row.ns.iter().all(|ns| ns.is_some_and(|ns| ns > 0.0)));
        }
    }

    #[test]
    fn an_interrupted_walk_ends() {
        assert!(rows(&[4 << 10], &AtomicI32::new(2)).unwrap().is_empty());
    }
}
