//! `simd`: five minutes of multiply-adds on the widest unit of every CPU. The rate by second shows throttling.

use super::Workload;
use super::attributes::{Attributes, ClockForm, DurationRule, ONLY};
use crate::measure::context::WorkloadContext;
use crate::measure::report::StepReport;
use machine::faults;
use record::{Failure, Series, StepMeasurement, WorkloadId};
use std::sync::atomic::{AtomicI32, Ordering};

/// The entry in the table of workloads.
pub(super) const SIMD: Workload = Workload {
    id: WorkloadId::Simd,
    about: "Five minutes of multiply-adds on the widest SIMD unit of all CPUs; maximum heat.",
    link: "https://en.wikipedia.org/wiki/Multiply%E2%80%93accumulate_operation",
    attributes: Attributes {
        takes: DurationRule::Fixed(300.0),
        at_a_clock: Some(ClockForm { variant: ONLY, on_all_cpus: true }),
        ticks: true,
        ..Attributes::PLAIN
    },
    run,
    ..Workload::PLAIN
};

/// Rises when the loop changes.
const METHOD: u32 = 1;
/// As long as it takes a heatsink to get warm.
const SECONDS: usize = 300;
/// Turns between two looks at the clock: well under a millisecond.
const TURNS: usize = 4096;

fn run(context: &WorkloadContext, report: &mut StepReport) -> Result<StepMeasurement, Failure> {
    report.method = METHOD;
    let cancelled = context.cancelled;
    let own_time = context.job.time.map(|time| time.as_secs() as usize);
    let seconds = own_time.unwrap_or(SECONDS);
    let seconds = seconds.div_ceil(faults::haste() as usize);
    let threads = context.pinned_threads(report, |_| operations_by_second(seconds, cancelled))?;
    let seconds = threads.iter().map(Vec::len).min().unwrap_or(0);
    let rate = |second: usize| {
        let operations: u64 = threads.iter().map(|thread| thread[second]).sum();
        operations as f64 / 1e9
    };
    Ok(StepMeasurement::Series(Series {
        unit: "Gop/s".into(),
        higher_is_better: true,
        detail: "multiply-adds on the widest SIMD unit; each lane counts as two operations".into(),
        at_ms: (1..=seconds as i64).map(|second| second * 1000).collect(),
        values: (0..seconds).map(rate).collect(),
        ..Series::default()
    }))
}

/// Operations done in every second.
fn operations_by_second(seconds: usize, cancelled: &AtomicI32) -> Vec<u64> {
    let mut operations = Vec::with_capacity(seconds);
    let start_ns = microbench::timer::now_ns();
    while operations.len() < seconds && cancelled.load(Ordering::Relaxed) == 0 {
        let end_ns = start_ns + (operations.len() as u64 + 1) * 1_000_000_000;
        let mut done = 0;
        while microbench::timer::now_ns() < end_ns {
            done += microbench::load::heat(TURNS);
        }
        operations.push(done);
    }
    operations
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_second_has_its_operations() {
        let operations = operations_by_second(1, &AtomicI32::new(0));
        assert_eq!(operations.len(), 1);
        assert!(operations[0] > 0);
        assert!(operations_by_second(1, &AtomicI32::new(15)).is_empty());
    }
}
