//! Measurement of a step: context of a workload, pinned threads, counters, timed windows, repetitions.

pub mod context;
pub(crate) mod counter_reading;
pub mod counters;
pub mod emulation;
pub mod heat_interval;
pub mod repeat;
pub mod report;
#[cfg(test)]
mod tests;
pub mod thread_team;
pub(crate) mod turns;
pub mod window_gate;
pub(crate) mod worker;
