//! Difference between two runs that is within noise.

use facts::figures::{Figure, FigureKey};
use record::WorkloadId;

/// For workloads of which nothing is known.
const FLOOR_PERCENT_OTHER: f64 = 5.0;
/// Two standard deviations: one difference in twenty is that large by chance.
const DEVIATIONS: f64 = 2.0;

/// Noise in percent where the repetitions of a run do not show it, by workload.
///
/// These are the spreads (relative standard deviation of the repetitions within one run) that nine
/// of ten runs stay below, taken over the 182 logs of the reference data and rounded up: OpenSSL
/// 0.7 %, 7-zip 2.3 %, a miner 2.3 %, memory rates 2.3 to 3.6 %. Latencies are not repeated in
/// logs; where they were, pages of memory that lie elsewhere moved them by 4 to 11 %. Clocks are
/// the best of several readings, in some logs of one, and rounded to 5 MHz.
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

/// Noise between two figures in percent: twice their joint standard deviation where repetitions
/// show one, and never less than what is usual between runs; and what an estimate may be off by.
pub fn noise_percent(a: &Figure, b: &Figure) -> f64 {
    let square = |figure: &Figure| figure.spread_percent.unwrap_or(0.0).powi(2);
    let noise = floor_percent(&a.key).max(DEVIATIONS * (square(a) + square(b)).sqrt());
    noise + a.estimate_percent(b)
}
