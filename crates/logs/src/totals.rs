//! Steps of figures that stand without their tables: in reviews, console output, results lists and reports.
//!
//! Such texts do not contain the versions of their tools, so that their scores compare with no other.

use super::draft::{done, tool};
use record::{
    Bandwidth, BandwidthRow, Cipher, ClockPoint, Clocks, Compression, MemoryOperation, Series, Step, StepMeasurement,
    Variant, WorkloadId,
};

/// Ratings of 7-zip in MIPS, one step for each run. `why` says why they do not compare.
pub(super) fn sevenzip(variant: &Variant, runs: impl IntoIterator<Item = u32>, why: &str, line: u32) -> Vec<Step> {
    let step = |(repetition, total_mips): (usize, u32)| {
        let score = StepMeasurement::Compression(Compression { total_mips, ..Compression::default() });
        let step = done(WorkloadId::SevenZip, 0, variant.clone(), score, line);
        Step { repetition: repetition as u32, not_comparable: Some(why.to_owned()), tool: tool("7z", ""), ..step }
    };
    runs.into_iter().enumerate().map(step).collect()
}

/// Rates of a cipher in bytes per second by block size.
pub(super) fn cipher(algorithm: &str, rows: Vec<(u32, u64)>, why: &str, line: u32) -> Step {
    let algorithm = algorithm.to_owned();
    let variant = Variant::from(algorithm.as_str());
    let step = done(WorkloadId::OpenSsl, 0, variant, StepMeasurement::Cipher(Cipher { algorithm, rows }), line);
    Step { not_comparable: Some(why.to_owned()), tool: tool("openssl", ""), ..step }
}

/// Copy, fill and read of tinymembench; `None` without rows.
pub(super) fn memory(rows: Vec<BandwidthRow>) -> Option<Step> {
    let line = rows.first()?.line.unwrap_or(0);
    let measured = StepMeasurement::Bandwidth(Bandwidth { buffer_bytes: 0, verified: false, rows });
    let step = done(WorkloadId::MemoryBandwidth, 0, Variant::TINYMEMBENCH, measured, line);
    Some(Step { tool: tool("tinymembench", ""), ..step })
}

/// A routine of tinymembench, in MB/s.
pub(super) fn bandwidth_row(operation: MemoryOperation, mb_per_s: f64, line: u32) -> BandwidthRow {
    let routine = match operation {
        MemoryOperation::Copy => "libc memcpy copy",
        MemoryOperation::Fill => "libc memset fill",
        MemoryOperation::Read | MemoryOperation::Other => "libc memchr scan",
    };
    BandwidthRow {
        routine: routine.to_owned(),
        operation,
        bytes_per_s: vec![(mb_per_s * 1e6).round() as u64],
        printed_deviation_percent: None,
        line: Some(line),
    }
}

/// Clocks measured before and after the load.
pub(super) fn clocks(passes: [Vec<ClockPoint>; 2], line: u32) -> impl Iterator<Item = Step> {
    let passes = [Variant::COLD, Variant::HOT_AFTER].into_iter().zip(passes).filter(|(_, points)| !points.is_empty());
    passes.map(move |(variant, points)| {
        done(WorkloadId::Clock, 0, variant, StepMeasurement::Clock(Clocks { points }), line)
    })
}

/// Rates of cpuminer on all CPUs, in kH/s.
pub(super) fn miner(values: Vec<f64>, line: u32) -> Step {
    let series = Series { unit: "kH/s".to_owned(), higher_is_better: true, values, ..Series::default() };
    done(WorkloadId::Cpuminer, 1, Variant::ONLY, StepMeasurement::Series(series), line)
}
