//! Common parts of memory workloads: buffer sizes, and the choice of the fastest routine.

use crate::measure::context::WorkloadContext;
use machine::{available_kib, faults};
use microbench::arch::ROUTINES;
use microbench::buffer::{Buffer, Pages};
use microbench::memory;
use microbench::routine::{Operation, Routine};
use record::{MemoryOperation, Missing};

/// Size of a buffer in units of the last cache, as STREAM requires.
const CACHES: u64 = 4;
/// Minimum size, for small or unknown caches.
const BUFFER_BYTES_MIN: u64 = 32 << 20;
/// Maximum size; caches of servers would need gigabytes.
const BUFFER_BYTES_MAX: u64 = 512 << 20;
/// Minimum size in quick tests: whole turns of every routine.
const HASTE_BYTES_MIN: u64 = 1 << 20;
/// All buffers together take at most one in this many bytes of available memory.
const MEMORY_PART: u64 = 4;

/// Size beyond the caches of the CPU.
pub(super) fn wanted_bytes(context: &WorkloadContext) -> u64 {
    let cpu = context.job.cpus.first().copied().unwrap_or(0);
    let cpu = context.machine.cpus.iter().find(|known| known.cpu == cpu);
    let caches = cpu.map_or(&[][..], |cpu| &cpu.caches);
    let sizes = caches.iter().map(|cache| cache.size_bytes);
    let last = sizes.max().unwrap_or(0);
    in_haste((CACHES * last).clamp(BUFFER_BYTES_MIN, BUFFER_BYTES_MAX))
}

/// A size, reduced in quick tests.
pub(super) fn in_haste(bytes: u64) -> u64 {
    (bytes / u64::from(faults::haste())).max(bytes.min(HASTE_BYTES_MIN))
}

/// Size of each of several buffers: `wanted` or the available memory, in whole MiB, so that every routine has whole turns.
pub(super) fn buffer_bytes(context: &WorkloadContext, wanted: u64, buffers: u64) -> Result<u64, Missing> {
    let available = available_kib(context.root).map_or(u64::MAX, |kib| kib * 1024);
    let fits = (available / MEMORY_PART / buffers) >> 20 << 20;
    match wanted.min(fits) {
        bytes @ 1.. => Ok(bytes),
        _ => {
            Err(Missing::unsupported("/proc/meminfo", format!("only {} KiB of memory are available", available / 1024)))
        }
    }
}

/// A buffer in huge pages, or the error in one sentence.
pub(super) fn buffer(bytes: u64) -> Result<Buffer, String> {
    Buffer::new(bytes as usize, Pages::Huge).map_err(|refused| refused.to_string())
}

/// Routines that this machine has.
pub(super) fn available() -> impl Iterator<Item = &'static Routine> {
    ROUTINES.iter().filter(|routine| (routine.available)())
}

/// The fastest routine of an operation on the calling thread's CPU, by the best of three runs.
pub(super) fn fastest(operation: Operation, destination: &mut Buffer, source: &Buffer) -> &'static Routine {
    let mut best: Option<(u64, &'static Routine)> = None;
    for routine in available().filter(|routine| routine.operation == operation) {
        let mut run = || memory::once(routine, destination.as_mut_slice(), source.as_slice()).0;
        let runs = [run(), run(), run()];
        let ns = runs.into_iter().min().unwrap_or(u64::MAX);
        if best.is_none_or(|(known, _)| ns < known) {
            best = Some((ns, routine));
        }
    }
    best.expect("every operation has a routine that runs everywhere").1
}

/// The operation as in the Record.
pub(super) fn operation(of: Operation) -> MemoryOperation {
    match of {
        Operation::Copy => MemoryOperation::Copy,
        Operation::Fill => MemoryOperation::Fill,
        Operation::Read => MemoryOperation::Read,
    }
}

/// Bytes per second.
pub(super) fn rate(bytes: u64, elapsed_ns: u64) -> u64 {
    (u128::from(bytes) * 1_000_000_000 / u128::from(elapsed_ns.max(1))) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fastest_is_of_the_operation_that_was_asked_for() {
        let mut buffers = [0; 2].map(|_| Buffer::new(1 << 20, Pages::Default).unwrap());
        let [destination, source] = &mut buffers;
        for operation in [Operation::Copy, Operation::Fill, Operation::Read] {
            assert_eq!(fastest(operation, destination, source).operation, operation);
        }
    }

    #[test]
    fn rates_are_bytes_over_time() {
        assert_eq!(rate(1 << 20, 1_000_000), (1 << 20) * 1000);
        assert_eq!(rate(u64::MAX / 2, 1_000_000_000), u64::MAX / 2);
    }
}
