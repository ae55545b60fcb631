//! Difference between two runs that is within noise.

use facts::figures::{Figure, FigureKey};
use record::WorkloadId;

/// Noise of workloads without data.
const FLOOR_PERCENT_OTHER: f64 = 5.0;
/// Two standard deviations: one difference in twenty is that large by chance.
const DEVIATIONS: f64 = 2.0;

/// Minimum noise by workload, in percent.
///
/// The 90th percentile of the relative standard deviation within a run, over the 182 logs of the reference data, rounded
/// up: OpenSSL 0.7 %, 7-zip 2.3 %, a miner 2.3 %, memory rates 2.3 to 3.6 %. Logs do not repeat latencies; in runs that do,
/// the placement of memory pages changes them by 4 to 11 %. Clocks are the best of several readings, in some logs of one,
/// and rounded to 5 MHz.
fn floor_percent(key: &FigureKey) -> f64 {
    use WorkloadId::*;
    match key.workload().id() {
        Some(Aes | Clock | OpenSsl) => 1.0,
        Some(Cpuminer | SevenZip) => 2.5,
        Some(MemoryBandwidth | MemoryLibc) => 4.0,
        Some(MemoryLatency) => 6.0,
        None if key.is_libressl() => 1.0,
        _ => FLOOR_PERCENT_OTHER,
    }
}

/// Noise between two figures in percent: twice their joint standard deviation, at least the usual noise between runs, plus
/// the uncertainty of estimates.
pub fn noise_percent(a: &Figure, b: &Figure) -> f64 {
    let square = |figure: &Figure| figure.spread_percent.unwrap_or(0.0).powi(2);
    let noise = floor_percent(&a.key).max(DEVIATIONS * (square(a) + square(b)).sqrt());
    noise + a.estimate_percent(b)
}
