//! What can be asked of a machine, and what a Record answers: each question's result, text, plot and rule.

pub mod ab;
pub(crate) mod clock;
pub(crate) mod core_to_core;
pub(crate) mod core_use;
pub(crate) mod dram_throttling;
pub mod efficiency;
pub(crate) mod memory;
pub mod sensitivity;
pub mod thermal;
