//! `memory-copy`: built-in copies of memory on all of its CPUs at once, for a time: a load that keeps memory busy. Every
//! CPU has a thread and buffers of its own, larger than its share of the caches.

use super::Workload;
use super::attributes::{Attributes, DurationRule};
use super::memory::{buffer, buffer_bytes, wanted_bytes};
use crate::measure::context::WorkloadContext;
use crate::measure::report::StepReport;
use crate::measure::turns::{Turn, series};
use process::child::failure;
use record::{Failure, FailureKind, StepMeasurement, WorkloadId};
use std::hint::black_box;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

/// The entry in the table of workloads.
pub(super) const MEMORY_COPY: Workload = Workload {
    id: WorkloadId::MemoryCopy,
    about: "Built-in copies of memory on all CPUs at once; a load that keeps memory busy.",
    link: "https://www.cs.virginia.edu/stream/ref.html",
    attributes: Attributes { takes: DurationRule::Fixed(TIME.as_secs() as f64), ..Attributes::PLAIN },
    lacking: |context| buffer_bytes(context, BYTES_MIN, 2 * context.job.cpus.len() as u64).err(),
    run,
    ..Workload::PLAIN
};

/// Rises when buffers or the way of copying change.
const METHOD: u32 = 1;
const TIME: Duration = Duration::from_secs(8);
/// Minimum size of a buffer.
const BYTES_MIN: u64 = 4 << 20;
/// Duration of a turn.
const TURN: Duration = Duration::from_millis(250);

fn run(context: &WorkloadContext, report: &mut StepReport) -> Result<StepMeasurement, Failure> {
    report.method = METHOD;
    let not_started = |why: String| failure(FailureKind::NotStarted, why, "");
    let count = u64::from(context.job.threads.max(1));
    let wanted = (wanted_bytes(context) / count).max(BYTES_MIN);
    let bytes = buffer_bytes(context, wanted, 2 * count).map_err(|missing| not_started(missing.to_string()))?;
    let (cancelled, time) = (context.cancelled, context.time_or(TIME));
    let threads = context.pinned_threads(report, |_| turns(bytes, cancelled, time))?;
    let turns = threads.into_iter().collect::<Result<Vec<_>, _>>().map_err(not_started)?;
    let detail = format!("sum of {count} threads, buffers of {} MiB", bytes >> 20);
    Ok(StepMeasurement::Series(series(&turns, "MB/s", detail)))
}

fn turns(bytes: u64, cancelled: &AtomicI32, time: Duration) -> Result<Vec<Turn>, String> {
    let (mut destination, mut source) = (buffer(bytes)?, buffer(bytes)?);
    source.as_mut_slice().fill(1);
    let started = Instant::now();
    let mut turns = Vec::new();
    while turns.is_empty() || (started.elapsed() < time && cancelled.load(Ordering::Relaxed) == 0) {
        let (start, mut copied) = (Instant::now(), 0_u64);
        while copied == 0 || start.elapsed() < TURN {
            destination.as_mut_slice().copy_from_slice(black_box(source.as_slice()));
            black_box(destination.as_slice());
            copied += bytes;
        }
        turns.push(Turn { at: started.elapsed(), rate: copied as f64 / 1e6 / start.elapsed().as_secs_f64() });
    }
    Ok(turns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_have_a_rate() {
        let turns = turns(BYTES_MIN, &AtomicI32::new(0), Duration::ZERO).unwrap();
        assert!(turns.len() == 1 && turns[0].rate > 0.0, "{turns:?}");
    }
}
