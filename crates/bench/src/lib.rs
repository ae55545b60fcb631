//! Plans and runs a benchmark: gate, settings, clock passes, workloads, recorder.
//!
//! The only crate that starts programs. It reads the kernel's files through `machine`, times with
//! `kernel`, and produces one [`record::Record`]. It never prints: progress goes to the caller.

#![forbid(unsafe_code)]

mod plan;
mod recorder;

pub use plan::{Available, Job, Options};
pub use recorder::{Recorder, read_stream};
