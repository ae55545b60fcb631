//! Plans and runs a benchmark: gate, settings, clock passes, workloads, recorder.
//!
//! The only crate that starts programs. It reads the kernel's files through `machine`, times with
//! `kernel`, and produces one [`record::Record`]. It never prints: progress goes to the caller.

#![forbid(unsafe_code)]
// Tests make their boards and programs by path, in folders of their own.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod child;
mod clock_pass;
mod context;
mod counters;
mod cpus;
mod crew;
mod definition;
mod duration;
pub mod efficiency;
mod estimate;
pub mod exporter;
pub mod foreign;
pub mod form;
mod gate;
mod guard;
mod heated;
mod host;
mod hotplug;
mod job;
pub mod lab;
mod load;
pub mod meters;
mod options;
pub mod packages;
mod pinning;
mod places;
mod plan;
mod quiet;
mod recorder;
mod refusal;
mod repeat;
mod resume;
mod review;
mod run;
mod runs;
mod score;
mod search_path;
pub mod sensitivity;
mod site;
mod smart;
mod standstill;
mod switch;
mod tape;
mod task;
#[cfg(test)]
mod testing;
pub mod thermal;
pub mod tools;
pub mod workloads;

pub use context::{Context, Finished, Progress};
pub use definition::{Definition, Repeat, command_line, is_taken, parse_definitions, parse_repeat};
pub use duration::parse_duration;
pub use guard::{Watched, stand_guard};
pub use host::Host;
pub use job::Job;
pub use lab::Lab;
pub use load::Load;
pub use options::Options;
pub use pinning::{Pinning, parse_pinning};
pub use plan::Available;
pub use recorder::{Recorded, Recorder};
pub use refusal::refusal;
pub use resume::{Earlier, not_resumable, other_machine};
pub use review::Review;
pub use run::run;
pub use runs::{Left, LeftRun, NewRun, Runs};
pub use score::ScoreRule;
pub use search_path::{SearchPath, search_path};
pub use site::{Site, Targets};
pub use smart::survey;
pub use standstill::pause;
pub use task::{Ab, ClockTask, One, Setting, Side, Task, score_both, side};
pub use tools::Tools;
pub use workloads::{Places, Shape, WORKLOADS, Workload};
