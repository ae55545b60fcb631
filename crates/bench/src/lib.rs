//! Plans and runs the workloads: child processes, tools, the table of workloads.
//!
//! The only crate that starts programs. What the kernel says is read by `machine`; nothing here
//! prints.

#![forbid(unsafe_code)]

pub mod child;
pub mod lab;
mod room;
#[cfg(test)]
mod testing;
pub mod tools;
pub mod workloads;

pub use lab::{Job, Lab};
pub use tools::Tools;
pub use workloads::{WORKLOADS, Workload};
