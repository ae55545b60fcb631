//! Step of a run: one run of a workload, with CPUs, time window and outcome.

use crate::{BusyProcess, Fact, Missing, RepetitionStats, StepMeasurement, Variant, WorkloadName};
use serde::{Deserialize, Serialize};

/// Step of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Step {
    /// Id of the workload: `clock`, `memory-bandwidth`, `openssl`, `sevenzip` ...
    pub workload: WorkloadName,
    /// Raised whenever scores are no longer comparable. Only equal `workload@method` are compared.
    pub method: u32,
    /// Variant of the workload: `cold`, `aes-256-cbc`, `single`, `multi` ...
    pub variant: Variant,
    /// Pinned CPUs; empty if all were permitted.
    pub cpus: Vec<u32>,
    /// Number of working threads.
    pub threads: u32,
    /// Index of the run, from 0.
    pub repetition: u32,
    /// Time window.
    pub window: Window,
    /// CPUs on which it was observed (`getcpu`), if checked.
    #[serde(default)]
    pub seen_on: Vec<u32>,
    /// External program, if any.
    #[serde(default)]
    pub tool: Option<Tool>,
    /// Reason why the score is not comparable although the step succeeded, for example smaller dictionaries because of
    /// little memory.
    #[serde(default)]
    pub not_comparable: Option<String>,
    /// Counters of the step's threads.
    #[serde(default)]
    pub counters: Counters,
    /// Processes of others that used at least 2 % of one CPU during the step, busiest first. Empty in logs, in older
    /// Records, and for steps of less than a second, which is too short for the kernel's ticks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub busiest: Vec<BusyProcess>,
    /// Statistics of repetitions within the step, one for each repeated figure.
    #[serde(default)]
    pub repeated: Vec<RepetitionStats>,
    /// Outcome.
    pub outcome: Outcome,
    /// Clock of this step, if the run compares clocks.
    #[serde(default)]
    pub set_clock: Option<SetClock>,
    /// Line in a log.
    #[serde(default)]
    pub line: Option<u32>,
}

impl Step {
    /// Step with its outcome. The caller adds CPUs, time and observations; the default is one thread on all CPUs.
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

/// Clock set for a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SetClock {
    /// Emulated clock: CPU quota in percent.
    SharePercent(u32),
    /// cpufreq limit in kHz, of the fastest policy if there are several.
    Khz(u32),
}

/// Time window on both clocks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Window {
    /// Start, monotonic, since the start of the run.
    #[serde(deserialize_with = "crate::moments::one")]
    pub start_ms: i64,
    /// End, monotonic, since the start of the run.
    #[serde(deserialize_with = "crate::moments::one")]
    pub end_ms: i64,
    /// Start in UTC since 1970; `None` in logs without a date.
    #[serde(deserialize_with = "crate::moments::maybe", default)]
    pub start_utc_ms: Option<i64>,
    /// End in UTC since 1970; `None` in logs without a date.
    #[serde(deserialize_with = "crate::moments::maybe", default)]
    pub end_utc_ms: Option<i64>,
}

impl Window {
    /// Length in milliseconds.
    pub fn elapsed_ms(&self) -> i64 {
        // Files may contain arbitrary times.
        self.end_ms.saturating_sub(self.start_ms)
    }

    /// True if the time is in the window, both ends inclusive.
    pub fn contains(&self, at_ms: i64) -> bool {
        (self.start_ms..=self.end_ms).contains(&at_ms)
    }
}

/// External program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tool {
    /// Name, for example `7zz`.
    pub name: String,
    /// Path.
    pub path: String,
    /// Version string of the program.
    pub version: String,
    /// Command line.
    pub argv: Vec<String>,
}

/// Kernel counters of the working threads.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Counters {
    /// CPU cycles, including kernel mode if permitted (root): divided by time on a CPU, the clock under load.
    pub cycles: Fact<u64>,
    /// Time on a CPU in nanoseconds.
    pub task_clock_ns: Fact<u64>,
    /// Time runnable but waiting for a CPU (`schedstat`), in nanoseconds.
    pub run_delay_ns: Fact<u64>,
    /// User CPU time in milliseconds (`wait4`).
    pub user_ms: Fact<u64>,
    /// System CPU time in milliseconds.
    pub system_ms: Fact<u64>,
    /// Maximum resident set size in KiB.
    pub peak_resident_kib: Fact<u64>,
}

/// Outcome of a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The step succeeded.
    Done(StepMeasurement),
    /// The step failed.
    Failed(Failure),
    /// The step was not run.
    Skipped(Missing),
}

/// Failure of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Failure {
    /// Kind of failure.
    pub kind: FailureKind,
    /// One sentence for users.
    pub message: String,
    /// End of the program's output, at most 2000 characters.
    #[serde(default)]
    pub output_tail: String,
    /// Exit status of the program, or 128 plus the number of its signal.
    #[serde(default)]
    pub exit_status: Option<i32>,
}

impl Failure {
    /// Message of a step that a log monitored, and of which it prints nothing.
    pub const NOT_IN_LOG: &'static str = "the log has monitoring data but no result";
}

/// Kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The program could not be started.
    NotStarted,
    /// The program returned an error status.
    ExitStatus,
    /// The program was terminated by a signal.
    Signal,
    /// The OOM killer killed it.
    OutOfMemory,
    /// It exceeded the time limit and was killed.
    TimedOut,
    /// The output was invalid, or the program is another one with that name.
    Garbled,
    /// The run was interrupted.
    Interrupted,
    /// The result was wrong: unstable memory or CPU.
    WrongAnswer,
}
