//! A benchmark run from its plan to its Record: gate, settings, clock passes, workloads, recorder.
//!
//! Reads the kernel's files through `machine`, starts programs through `process`, and produces one [`record::Record`]. It never
//! prints: progress goes to the caller.

#![forbid(unsafe_code)]
// Tests make their boards and programs by path, in folders of their own.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod doctor;
pub mod foreign;
mod plan;
mod question;
mod run;

pub use plan::estimate::ExpectedMips;
pub use plan::load::Load;
pub use plan::options::Options;
pub use plan::standard::AvailableTools;
pub use plan::time_left::{SHOWN_S_MIN, TimeLeft, TimeLeftDisplay};
pub use plan::variant::{Form, RepeatedWorkload, workloads_with_variants};
pub use question::ab::{Ab, Side, score_both, side};
pub use question::clock::Clock;
pub use question::dram_throttling::DramThrottling;
pub use question::loads::Loads;
pub use question::program::Program;
pub use question::refusal::{StartFacts, refusal};
pub use question::review::Review;
pub use question::standard::Standard;
pub use question::workload::SingleWorkload;
pub use question::{
    AnyTask, Attributes, CpuMeasurement, OwnProgram, PLAIN_VERBS, PlainVerb, PlanInput, QUESTIONS, Question, Task,
};
pub use question::{efficiency, power, sensitivity, thermal};
pub use run::context::{Plan, PreviousRun, Progress, RunContext};
pub use run::history::{DeadRun, Leftover, NewRun, Runs};
pub use run::recorder::{FinishedRun, Recorder};
pub use run::resume::other_machine;
pub use run::{run, settle};
