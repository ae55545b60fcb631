//! One step of a run: a workload at one place, once, with its window and outcome.

use crate::{BusyProcess, Fact, Measured, Missing, Repeated, Variant, WorkloadName};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One step of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// Id in the table of workloads: `clock`, `memory-bandwidth`, `openssl`, `sevenzip` ...
    pub workload: WorkloadName,
    /// Rises whenever scores stop being comparable. Only equal `workload@method` are set side by
    /// side.
    pub method: u32,
    /// Which form of the workload: `cold`, `aes-256-cbc`, `single`, `multi` ...
    pub variant: Variant,
    /// CPUs it was pinned to; empty if it was free to use all.
    pub cpus: Vec<u32>,
    /// Number of threads that did the work.
    pub threads: u32,
    /// Which repetition, from 0.
    pub repetition: u32,
    /// When it ran.
    pub window: Window,
    /// CPUs it was really seen on (`getcpu`), if that was checked.
    #[serde(default)]
    pub seen_on: Vec<u32>,
    /// The external program, if it is one.
    #[serde(default)]
    pub tool: Option<Tool>,
    /// Why the score must not be compared with others although the step went well, for example
    /// because dictionaries were made smaller to fit the memory.
    #[serde(default)]
    pub not_comparable: Option<String>,
    /// Counters of the step's own threads.
    #[serde(default)]
    pub counters: Counters,
    /// Processes that this program did not start and that used at least 2 % of one CPU meanwhile, busiest first. Empty
    /// in logs, in older Records, and for steps of less than a second, which the kernel's ticks cannot tell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub busiest: Vec<BusyProcess>,
    /// What repetitions inside of it came to, one for each figure that was repeated.
    #[serde(default)]
    pub repeated: Vec<Repeated>,
    /// Its outcome.
    pub outcome: Outcome,
    /// The clock that it was made to run at, where the run compares clocks.
    #[serde(default)]
    pub set_clock: Option<SetClock>,
    /// Line in a log.
    #[serde(default)]
    pub line: Option<u32>,
}

impl Step {
    /// A step with its outcome. Where and when it ran, and all that was seen meanwhile, is to be filled
    /// in; until then it is one thread, free to use all CPUs.
    pub fn new(workload: impl Into<WorkloadName>, method: u32, variant: impl Into<Variant>, outcome: Outcome) -> Self {
        Self {
            workload: workload.into(),
            method,
            variant: variant.into(),
            cpus: Vec::new(),
            threads: 1,
            repetition: 0,
            window: Window::default(),
            seen_on: Vec::new(),
            tool: None,
            not_comparable: None,
            counters: Counters::default(),
            busiest: Vec::new(),
            repeated: Vec::new(),
            outcome,
            set_clock: None,
            line: None,
        }
    }
}

/// A clock that a step was made to run at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SetClock {
    /// Emulated: the step got this share of the time of its CPUs, by a CPU quota, in percent.
    SharePercent(u32),
    /// Limit of cpufreq in kHz, of the fastest policy where there are several.
    Khz(u32),
}

/// From when to when, on both clocks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Window {
    /// Monotonic, since the start of the run.
    #[serde(deserialize_with = "crate::moments::one")]
    pub start_ms: i64,
    /// Monotonic, since the start of the run.
    #[serde(deserialize_with = "crate::moments::one")]
    pub end_ms: i64,
    /// UTC since 1970; none in logs without a date.
    #[serde(deserialize_with = "crate::moments::maybe", default)]
    pub start_utc_ms: Option<i64>,
    /// UTC since 1970; none in logs without a date.
    #[serde(deserialize_with = "crate::moments::maybe", default)]
    pub end_utc_ms: Option<i64>,
}

impl Window {
    /// Length in milliseconds.
    pub fn elapsed_ms(&self) -> i64 {
        // A file can claim any moments.
        self.end_ms.saturating_sub(self.start_ms)
    }

    /// True if the moment lies inside, both ends included.
    pub fn contains(&self, at_ms: i64) -> bool {
        (self.start_ms..=self.end_ms).contains(&at_ms)
    }
}

/// An external program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tool {
    /// Name, for example `7zz`.
    pub name: String,
    /// Where it was found.
    pub path: String,
    /// Version in its own words.
    pub version: String,
    /// Command line that was run.
    pub argv: Vec<String>,
}

/// Kernel counters of the threads that did the work.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counters {
    /// CPU cycles, in the kernel as well where that may be counted (root): cycles over time on a CPU is
    /// the clock under load.
    pub cycles: Fact<u64>,
    /// Time on a CPU in nanoseconds.
    pub task_clock_ns: Fact<u64>,
    /// Time runnable but waiting for a CPU, in nanoseconds (`schedstat`).
    pub run_delay_ns: Fact<u64>,
    /// User and system CPU time in milliseconds (`wait4`).
    pub user_ms: Fact<u64>,
    /// System CPU time in milliseconds.
    pub system_ms: Fact<u64>,
    /// Largest resident set in KiB.
    pub peak_resident_kib: Fact<u64>,
}

/// The outcome of a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It ran and gave figures.
    Done(Measured),
    /// It ran and failed.
    Failed(Failure),
    /// It was not run.
    Skipped(Missing),
}

/// A step that went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// What kind of failure.
    pub kind: FailureKind,
    /// One sentence for people.
    pub message: String,
    /// The end of what the program printed, at most 2000 characters.
    #[serde(default)]
    pub output_tail: String,
    /// Exit status of the program, 128 and the number of the signal if one ended it.
    #[serde(default)]
    pub exit_status: Option<i32>,
}

/// Kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// It could not be started.
    NotStarted,
    /// It ended with an error status.
    ExitStatus,
    /// It was ended by a signal.
    Signal,
    /// The kernel killed it because memory ran out.
    OutOfMemory,
    /// It took too long and was killed.
    TimedOut,
    /// What it printed could not be understood, or it is another program of that name.
    Garbled,
    /// The run was interrupted.
    Interrupted,
    /// It computed a wrong answer: unstable memory or CPU.
    WrongAnswer,
}
