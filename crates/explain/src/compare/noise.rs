//! How large a difference between two runs may be without meaning anything.

use crate::figures::Figure;

/// Noise in percent where the repetitions of a run do not show it, by workload.
///
/// These are the spreads (relative standard deviation of the repetitions within one run) that nine
/// of ten runs stay below, taken over the 182 logs of the reference data and rounded up: OpenSSL
/// 0.7 %, 7-zip 2.3 %, a miner 2.3 %, memory rates 2.3 to 3.6 %. Latencies are not repeated in
/// logs; where they were, pages of memory that lie elsewhere moved them by 4 to 11 %. Clocks are
/// the best of several readings, in some logs of one, and rounded to 5 MHz.
const FLOORS_PERCENT: [(&str, f64); 8] = [
    ("aes@", 1.0),
    ("clock@", 1.0),
    ("cpuminer@", 2.5),
    ("libressl@", 1.0),
    ("memory-bandwidth@", 4.0),
    ("memory-latency@", 6.0),
    ("openssl@", 1.0),
    ("sevenzip@", 2.5),
];
/// For workloads of which nothing is known.
const FLOOR_PERCENT_OTHER: f64 = 5.0;
/// Two standard deviations: one difference in twenty is that large by chance.
const DEVIATIONS: f64 = 2.0;

/// Noise between two figures in percent: twice their joint standard deviation where repetitions
/// show one, and never less than what is usual between runs.
pub fn noise_percent(a: &Figure, b: &Figure) -> f64 {
    let floor = FLOORS_PERCENT
        .iter()
        .find(|(workload, _)| a.key.starts_with(workload))
        .map_or(FLOOR_PERCENT_OTHER, |(_, percent)| *percent);
    let square = |figure: &Figure| figure.spread_percent.unwrap_or(0.0).powi(2);
    floor.max(DEVIATIONS * (square(a) + square(b)).sqrt())
}
