//! Plans and runs a benchmark: gate, settings, clock passes, workloads, recorder.
//!
//! The only crate that starts programs. It reads the kernel's files through `machine`, times with
//! `kernel`, and produces one [`record::Record`]. It never prints: progress goes to the caller.

#![forbid(unsafe_code)]

pub mod child;
pub mod lab;
mod plan;
mod recorder;
pub mod tools;
pub mod workloads;

pub use lab::{Job, Lab};
pub use plan::{Available, Options};
pub use recorder::{Recorder, read_stream};
pub use tools::Tools;
pub use workloads::{WORKLOADS, Workload};
