//! Memory bandwidth of one CPU: every routine that it can run copies, fills or reads buffers that
//! no cache holds. Results are verified, so that a flipped bit is a failure and not a figure.

use super::Workload;
use crate::Lab;
use crate::child::failure;
use kernel::arch::ROUTINES;
use kernel::buffer::{Buffer, Pages};
use kernel::memory::{BandwidthPlan, bandwidth, verify};
use kernel::routine::{Operation, Routine};
use machine::available_kib;
use record::{Bandwidth, BandwidthRow, Failure, FailureKind, Measured, MemoryOperation, Missing};

/// The entry in the table of workloads.
pub(super) const MEMORY_BANDWIDTH: Workload = Workload {
    id: "memory-bandwidth",
    about: "Bytes per second that one CPU copies, fills and reads in memory, routine by routine.",
    link: "https://www.cs.virginia.edu/stream/ref.html",
    unit: "MB/s",
    higher_is_better: true,
    tool: None,
    shape: None,
    lacking: |lab| buffer_bytes(lab).err(),
    run,
};

/// Rises when a routine, the buffers or the way of repeating changes.
const METHOD: u32 = 1;
/// STREAM's rule: four times the last cache, so that the caches hold little of it.
const CACHES: u64 = 4;
/// The least that is measured, where caches are small or not known.
const BUFFER_BYTES_MIN: u64 = 32 << 20;
/// The most: caches of servers would ask for gigabytes.
const BUFFER_BYTES_MAX: u64 = 512 << 20;
/// Both buffers together take at most this part of the available memory.
const MEMORY_PART: u64 = 4;
/// Seed of the pattern that is copied and verified.
const SEED: u64 = 0x5bc_be7c;

/// Size that each of the two buffers should have: beyond the caches of the CPU.
fn wanted_bytes(lab: &Lab) -> u64 {
    let cpu = lab.job.cpus.first().copied().unwrap_or(0);
    let cpu = lab.machine.cpus.iter().find(|known| known.cpu == cpu);
    let caches = cpu.map_or(&[][..], |cpu| &cpu.caches);
    let last = caches
        .iter()
        .map(|cache| cache.size_bytes)
        .max()
        .unwrap_or(0);
    (CACHES * last).clamp(BUFFER_BYTES_MIN, BUFFER_BYTES_MAX)
}

/// Size of each of the two buffers.
fn buffer_bytes(lab: &Lab) -> Result<u64, Missing> {
    let wanted = wanted_bytes(lab);
    let available = available_kib(lab.root).map_or(u64::MAX, |kib| kib * 1024);
    // Whole MiB, so that every routine finds whole turns.
    let fits = (available / MEMORY_PART / 2) >> 20 << 20;
    match wanted.min(fits) {
        bytes @ 1.. => Ok(bytes),
        _ => Err(Missing::unsupported(
            "/proc/meminfo",
            format!("only {} KiB of memory are available", available / 1024),
        )),
    }
}

fn run(lab: &mut Lab) -> Result<Measured, Failure> {
    lab.method = METHOD;
    let not_started = |why: String| failure(FailureKind::NotStarted, why, "");
    let bytes = buffer_bytes(lab).map_err(|missing| not_started(missing.to_string()))?;
    if bytes < wanted_bytes(lab) {
        let mib = bytes >> 20;
        let why = format!("buffers of {mib} MiB, the memory there was, partly fit into caches");
        lab.not_comparable = Some(why);
    }
    let measured = lab.pinned(|| measure_all(bytes as usize))?;
    let (rows, wrong) = measured.map_err(not_started)?;
    if let Some(routine) = wrong {
        let message = format!(
            "{routine} gave a wrong result: the memory or the CPU of this machine is not reliable."
        );
        return Err(failure(FailureKind::WrongAnswer, message, ""));
    }
    Ok(Measured::Bandwidth(Bandwidth {
        buffer_bytes: bytes,
        verified: true,
        rows,
    }))
}

/// All rows, and the first routine whose result was wrong.
fn measure_all(bytes: usize) -> Result<(Vec<BandwidthRow>, Option<&'static str>), String> {
    let map = || Buffer::new(bytes, Pages::Huge).map_err(|refused| refused.to_string());
    let (mut destination, mut source) = (map()?, map()?);
    kernel::memory::scatter(source.as_mut_slice(), SEED);
    let mut rows = Vec::new();
    let mut wrong = None;
    for routine in ROUTINES.iter().filter(|routine| (routine.available)()) {
        rows.push(measure(routine, &mut destination, &source));
        if !verify(routine, destination.as_mut_slice(), source.as_slice(), SEED) {
            wrong.get_or_insert(routine.id);
        }
    }
    Ok((rows, wrong))
}

fn measure(routine: &Routine, destination: &mut Buffer, source: &Buffer) -> BandwidthRow {
    let bytes = destination.len() as u64;
    let plan = BandwidthPlan {
        ns_max: 250_000_000,
        ..BandwidthPlan::default()
    };
    let elapsed_ns = bandwidth(
        routine,
        destination.as_mut_slice(),
        source.as_slice(),
        &plan,
    );
    let rate = |ns: &u64| (u128::from(bytes) * 1_000_000_000 / u128::from((*ns).max(1))) as u64;
    BandwidthRow {
        routine: routine.id.to_owned(),
        operation: match routine.operation {
            Operation::Copy => MemoryOperation::Copy,
            Operation::Fill => MemoryOperation::Fill,
            Operation::Read => MemoryOperation::Read,
        },
        bytes_per_s: elapsed_ns.iter().map(rate).collect(),
        printed_deviation_percent: None,
        line: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_is_measured_and_verified() {
        let (rows, wrong) = measure_all(1 << 20).unwrap();
        assert_eq!(wrong, None);
        for operation in [
            MemoryOperation::Copy,
            MemoryOperation::Fill,
            MemoryOperation::Read,
        ] {
            assert!(
                rows.iter().any(|row| row.operation == operation),
                "{operation:?}"
            );
        }
        assert!(
            rows.iter()
                .all(|row| row.bytes_per_s.iter().all(|rate| *rate > 0))
        );
    }
}
