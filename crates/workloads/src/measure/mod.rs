//! One step as it is measured: what a workload is given, threads on their CPUs, counters, windows, repetitions.

pub mod context;
pub(crate) mod counted;
pub mod counters;
pub mod crew;
pub mod emulation;
pub mod heated;
pub mod quiet;
pub mod repeat;
pub mod report;
#[cfg(test)]
mod tests;
pub(crate) mod turns;
pub(crate) mod worker;
