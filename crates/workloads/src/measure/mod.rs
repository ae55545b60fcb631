//! Measurement of a step: context of a workload, pinned threads, counters, timed windows, repetitions.

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
