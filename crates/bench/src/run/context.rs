//! Input, progress and result of a run.

use crate::plan::estimate::{ExpectedMips, TimeLeft};
use crate::plan::options::Options;
use crate::question::Task;
use crate::run::history::NewRun;
use machine::settings::RestoreHandle;
use machine::{LazyMachine, Root, Timeline};
use record::{Gate, Invocation, Machine, Missing, Record, Resumption, Source, Step};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicI32;
use std::time::Duration;

/// Input of a run.
pub struct RunContext<'a> {
    /// Root of `/proc` and `/sys`.
    pub root: &'a Root,
    /// Machine.
    pub machine: &'a LazyMachine<'a>,
    /// The axis of time.
    pub timeline: &'a Timeline,
    /// Task of the run.
    pub task: &'a dyn Task,
    /// Options.
    pub options: &'a Options,
    /// The same in words, for the Record.
    pub given: Vec<String>,
    /// And as it was typed, so that the run can be resumed if it dies.
    pub asked: Option<Invocation>,
    /// The run that goes on, where this is none of its own; then the axis of time is that of its start.
    pub earlier: Option<PreviousRun>,
    /// Offset of the local time zone from UTC.
    pub utc_offset_minutes: i32,
    /// The program, for the Record.
    pub source: Source,
    /// Stream of events.
    pub place: Option<NewRun>,
    /// Journal of changed settings; without one nothing is changed.
    pub journal: Option<&'a Path>,
    /// Number of the signal that interrupts the run, or 0.
    pub cancelled: &'a AtomicI32,
    /// Lines that were typed since the last time, where there is a terminal.
    pub marks: Option<&'a mut dyn FnMut() -> Vec<String>>,
    /// Done while the gate waits anyway, when the machine was looked at and nothing is measured.
    pub while_waiting: fn(),
    /// 7-zip score of a core type at a clock, by other boards: how long this one will take.
    pub expected_mips: ExpectedMips,
    /// Is handed the way back of all settings, as soon as there are any, for an end that cannot wait.
    pub on_settings: &'a dyn Fn(RestoreHandle),
    /// Samples are shown as they come: they are told between steps, and while a program runs that is not timed here.
    pub shows_samples: bool,
    /// Told what happens.
    pub progress: &'a mut dyn FnMut(Progress),
}

/// A run that died, to be gone on with.
#[derive(Debug, Clone)]
pub struct PreviousRun {
    /// Record so far.
    pub record: Record,
    /// Place of the death, and time of the resumption.
    pub resumed: Resumption,
}

/// Progress events for the caller. Never told inside a timed region.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress<'a> {
    /// The system is busy: what the gate saw, and how long it will wait at most; not at all where the start is forced.
    GateWaits(&'a Gate, Duration),
    /// The machine is known.
    Identified(&'a Machine),
    /// A step begins.
    Step {
        /// Its name.
        name: &'a str,
        /// Approximate time for this step and all following ones; `None` if it cannot be estimated.
        left: Option<TimeLeft>,
    },
    /// A step has ended, under the name with which it began.
    StepEnded {
        /// Its name.
        name: &'a str,
        /// The step as it stands in the Record.
        step: &'a Step,
        /// Number of planned repetitions; 0 to repeat until the median is steady.
        runs: u32,
    },
    /// Estimate of the remaining time by the first measurements.
    Left(Duration),
    /// A program is still running.
    ProgramRuns,
    /// Samples have come, where they are shown; the Record so far.
    Sampled(&'a Record),
    /// A line's worth of watching has passed; the Record so far.
    Watched(&'a Record),
    /// Something is worth a line.
    Note(String),
}

/// A run that ended.
pub struct FinishedRun {
    /// The Record.
    pub record: Record,
    /// Path of its stream.
    pub stream: Option<PathBuf>,
    /// Error of writing the stream.
    pub trouble: Option<Missing>,
    /// True if the stream lacks the end of the run.
    pub broken: bool,
}
