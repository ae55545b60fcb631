//! One step as it is measured: what a workload is given, threads on their CPUs, counters, windows, repetitions.

pub(crate) mod context;
pub(crate) mod counted;
pub(crate) mod counters;
pub(crate) mod crew;
pub(crate) mod emulation;
pub(crate) mod heated;
pub(crate) mod quiet;
pub(crate) mod repeat;
pub(crate) mod report;
#[cfg(test)]
mod tests;
pub(crate) mod worker;
