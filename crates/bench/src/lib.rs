//! Plans and runs a benchmark: gate, settings, clock passes, workloads, recorder.
//!
//! The only crate that starts programs. It reads the kernel's files through `machine`, times with
//! `microbench`, and produces one [`record::Record`]. It never prints: progress goes to the caller.

#![forbid(unsafe_code)]
// Tests make their boards and programs by path, in folders of their own.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod doctor;
pub mod foreign;
mod job;
mod measure;
mod net;
mod plan;
mod process;
mod question;
mod run;
mod scratch;
mod survey;
#[cfg(test)]
mod testing;
pub mod update;
pub mod workloads;

pub use job::definition::{Definition, Repeat, command_line, parse_definitions, parse_repeat};
pub use job::duration::{parse_duration, parse_time};
pub use job::pinning::{CpuSelection, parse_cpu_selection};
pub use job::score::ScoreRule;
pub use job::{Job, setting::Setting};
pub use measure::context::{CounterReading, OpenCounters, ReadCounters, WorkloadContext};
pub use measure::emulation::identified;
pub use measure::report::StepReport;
pub use net::{browser, exporter, hub, meters, references, server};
pub use plan::load::Load;
pub use plan::options::Options;
pub use plan::standard::Available;
pub use plan::variant::{Form, workloads_with_variants};
pub use process::guard::{Watched, run_guard};
pub use process::search_path::{SearchPath, search_path};
pub use process::standstill::pause;
pub use process::{child, lava, tools, tools::Tools};
pub use question::ab::{Ab, Side, score_both, side};
pub use question::clock::Clock;
pub use question::core_to_core::CoreToCore;
pub use question::dram_throttling::DramThrottling;
pub use question::loads::Loads;
pub use question::memory::Memory;
pub use question::program::Program;
pub use question::refusal::{Asked, refusal};
pub use question::review::Review;
pub use question::standard::Standard;
pub use question::workload::SingleWorkload;
pub use question::{AnyTask, Attributes, OwnProgram, PlainVerb, Planning, QUESTIONS, Question, Task};
pub use question::{efficiency, sensitivity, thermal};
pub use run::context::{Earlier, Finished, Progress, RunContext};
pub use run::history::{DeadRun, Left, NewRun, Runs};
pub use run::recorder::{Recorded, Recorder};
pub use run::resume::other_machine;
pub use run::{run, settle};
pub use scratch::host::Host;
pub use scratch::{ScratchDirs, Targets};
pub use survey::survey;
pub use workloads::{Needs, Places, Shape, WORKLOADS, Workload, is_taken, packages};
