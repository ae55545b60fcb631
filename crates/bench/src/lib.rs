//! Plans and runs a benchmark: gate, settings, clock passes, workloads, recorder.
//!
//! The only crate that starts programs. It reads the kernel's files through `machine`, times with
//! `kernel`, and produces one [`record::Record`]. It never prints: progress goes to the caller.

#![forbid(unsafe_code)]

pub mod child;
mod clock_pass;
mod context;
mod counters;
mod definition;
pub mod efficiency;
mod estimate;
pub mod exporter;
mod gate;
mod guard;
mod heated;
pub mod lab;
mod load;
pub mod meters;
pub mod packages;
mod plan;
mod recorder;
mod repeat;
mod review;
mod run;
mod score;
pub mod sensitivity;
mod smart;
mod switch;
mod task;
#[cfg(test)]
mod testing;
pub mod thermal;
pub mod tools;
pub mod workloads;

pub use context::{Context, Finished, Progress};
pub use definition::{
    Definition, Pinning, Repeat, parse_definitions, parse_duration, parse_pinning, parse_repeat,
};
pub use guard::{Watched, stand_guard};
pub use lab::{Job, Lab};
pub use load::Load;
pub use plan::{Available, Options};
pub use recorder::{Recorder, died_streams, read_stream};
pub use review::Review;
pub use run::run;
pub use score::ScoreRule;
pub use smart::survey;
pub use task::{Ab, ClockTask, One, Setting, Side, Task, is_taken, score_both, side};
pub use tools::Tools;
pub use workloads::{Places, Shape, WORKLOADS, Workload};
