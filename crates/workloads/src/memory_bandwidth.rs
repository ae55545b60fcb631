//! Memory bandwidth of one CPU: each of its routines copies, fills or reads buffers larger than the caches. Results are
//! verified, so a flipped bit is a failure and not a figure.

use super::Workload;
use super::attributes::{Attributes, ClockForm};
use super::memory::{available, buffer, buffer_bytes, operation, rate, wanted_bytes};
use super::scored::{not_started, wrong_answer};
use crate::measure::context::WorkloadContext;
use crate::measure::repeat::until_known;
use crate::measure::report::StepReport;
use microbench::buffer::Buffer;
use microbench::memory::{BitFlip, checksum, first_flip, first_pattern_error, once, scatter};
use microbench::routine::{Operation, Routine};
use record::{Bandwidth, BandwidthRow, Failure, RepetitionStats, StepMeasurement, StoppingRule, WorkloadId};
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

/// The entry in the table of workloads.
pub(super) const MEMORY_BANDWIDTH: Workload = Workload {
    id: WorkloadId::MemoryBandwidth,
    about: "Memory copy, fill and read bandwidth of one CPU, per routine.",
    link: "https://www.cs.virginia.edu/stream/ref.html",
    attributes: Attributes { at_a_clock: Some(ClockForm::ONE_FORM), ..Attributes::PLAIN },
    lacking: |context| buffer_bytes(context, wanted_bytes(context), 2).err(),
    run,
    ..Workload::PLAIN
};

/// Rises when a routine, the buffers or the repetition change.
const METHOD: u32 = 2;
/// Repetitions of a routine.
const RULE: StoppingRule = StoppingRule::new(22, Duration::from_millis(150));
/// Seed of the pattern that is copied and verified.
const SEED: u64 = 0x5bc_be7c;

fn run(context: &WorkloadContext, report: &mut StepReport) -> Result<StepMeasurement, Failure> {
    report.method = METHOD;
    let wanted = wanted_bytes(context);
    let bytes = buffer_bytes(context, wanted, 2).map_err(not_started)?;
    if bytes < wanted {
        let mib = bytes >> 20;
        let why = format!("buffers are only {mib} MiB for lack of memory and partly fit into caches");
        report.not_comparable = Some(why);
    }
    let cancelled = context.cancelled;
    let measured = context.pinned(report, || measure_all(bytes as usize, cancelled))?;
    let AllRates { rows, repeated, wrong } = measured.map_err(not_started)?;
    report.repeated = repeated;
    match wrong {
        None if rows.is_empty() && context.is_cancelled() => Err(context.interruption()),
        Some(message) => Err(wrong_answer(message)),
        None => Ok(StepMeasurement::Bandwidth(Bandwidth { buffer_bytes: bytes, verified: true, rows })),
    }
}

/// Rates of all routines.
#[derive(Debug, Default)]
struct AllRates {
    rows: Vec<BandwidthRow>,
    repeated: Vec<RepetitionStats>,
    /// The first wrong result, in one sentence.
    wrong: Option<String>,
}

fn measure_all(bytes: usize, cancelled: &AtomicI32) -> Result<AllRates, String> {
    let (mut destination, mut source) = (buffer(bytes as u64)?, buffer(bytes as u64)?);
    scatter(source.as_mut_slice(), SEED);
    let sum = checksum(source.as_slice());
    let mut all = AllRates::default();
    let is_cancelled = || cancelled.load(Ordering::Relaxed) != 0;
    // A routine with its verification takes a small board seconds, which is too long after an interruption.
    for routine in available().take_while(|_| !is_cancelled()) {
        let wrong = measure(routine, &mut destination, &source, sum, cancelled, &mut all);
        all.wrong = all.wrong.or(wrong);
    }
    if is_cancelled() {
        return Ok(all);
    }
    let flip = first_pattern_error(source.as_slice(), SEED);
    let source_wrong = flip.map(|flip| flip_error("The copy source", flip));
    all.wrong = all.wrong.or(source_wrong);
    Ok(all)
}

/// Repeats one routine and verifies the result; returns its error.
fn measure(
    routine: &Routine,
    destination: &mut Buffer,
    source: &Buffer,
    sum: u64,
    cancelled: &AtomicI32,
    all: &mut AllRates,
) -> Option<String> {
    let bytes = destination.len() as u64;
    let mut wrong = None;
    let mut repetition = || {
        let (elapsed_ns, read) = once(routine, destination.as_mut_slice(), source.as_slice());
        if routine.operation == Operation::Read && read != sum {
            let why = format!("{} returned checksum {read:x}, expected {sum:x}", routine.id);
            wrong = Some(corruption_error(&why));
        }
        rate(bytes, elapsed_ns)
    };
    // The first repetition runs with the caches of another routine.
    repetition();
    let mut bytes_per_s = Vec::with_capacity(RULE.times_max);
    let (rates, ended) = until_known(&RULE, cancelled, || {
        let rate = repetition();
        bytes_per_s.push(rate);
        rate as f64 / 1e6
    });
    all.repeated.extend(RepetitionStats::of(routine.id, "MB/s", &rates, ended));
    all.rows.push(BandwidthRow {
        routine: routine.id.to_owned(),
        operation: operation(routine.operation),
        bytes_per_s,
        printed_deviation_percent: None,
        line: None,
    });
    let flip = first_flip(routine, destination.as_slice(), source.as_slice());
    wrong.or(flip.map(|flip| flip_error(routine.id, flip)))
}

fn flip_error(subject: &str, flip: BitFlip) -> String {
    let BitFlip { at, expected, found } = flip;
    corruption_error(&format!("{subject} has {found:#04x} at byte {at}, expected {expected:#04x}"))
}

fn corruption_error(what: &str) -> String {
    format!("{what}; memory or CPU of this machine is unstable.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use microbench::buffer::Pages;
    use record::MemoryOperation;

    #[test]
    fn every_operation_is_measured_and_verified() {
        let all = measure_all(1 << 20, &AtomicI32::new(0)).unwrap();
        assert_eq!(all.wrong, None);
        for operation in [MemoryOperation::Copy, MemoryOperation::Fill, MemoryOperation::Read] {
            assert!(all.rows.iter().any(|row| row.operation == operation), "{operation:?}");
        }
        for (row, repeated) in all.rows.iter().zip(&all.repeated) {
            assert_eq!(row.routine, repeated.name);
            assert_eq!(row.bytes_per_s.len(), repeated.n as usize);
            assert!(row.bytes_per_s.iter().all(|rate| *rate > 0));
        }
    }

    #[test]
    fn cancelled_measurement_begins_no_other_routine() {
        let all = measure_all(1 << 20, &AtomicI32::new(2)).unwrap();
        assert_eq!((all.rows.len(), all.wrong), (0, None));
    }

    #[test]
    fn wrong_bytes_and_checksums_fail() {
        let buffer = || Buffer::new(1 << 16, Pages::Default).unwrap();
        let (mut destination, mut source) = (buffer(), buffer());
        scatter(source.as_mut_slice(), SEED);
        let (mut all, goes_on) = (AllRates::default(), AtomicI32::new(0));
        for routine in available() {
            let sum = checksum(source.as_slice()) ^ 1;
            let wrong = measure(routine, &mut destination, &source, sum, &goes_on, &mut all);
            let is_blamed = wrong.is_some_and(|why| why.contains("unstable"));
            assert_eq!(is_blamed, routine.operation == Operation::Read, "{}", routine.id);
        }
        let flip = BitFlip { at: 77, expected: 0x5a, found: 0x5b };
        assert!(flip_error("fill-words", flip).starts_with("fill-words has 0x5b at byte 77, expected 0x5a"));
    }
}
