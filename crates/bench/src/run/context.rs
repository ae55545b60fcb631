//! Input, progress and result of a run.

use crate::plan::estimate::ExpectedMips;
use crate::plan::options::Options;
use crate::plan::stage::Stage;
use crate::plan::time_left::TimeLeft;
use crate::question::Task;
use crate::run::history::NewRun;
use machine::settings::RestoreHandle;
use machine::{LazyMachine, Root, Timeline};
use record::{Gate, Invocation, Machine, Record, Resumption, Source, Step, Window, WorkloadId};
use std::path::Path;
use std::sync::atomic::AtomicI32;
use std::time::Duration;

/// Input of a run.
pub struct RunContext<'a> {
    /// Root of `/proc` and `/sys`.
    pub root: &'a Root,
    /// Machine.
    pub machine: &'a LazyMachine<'a>,
    /// Time axis.
    pub timeline: &'a Timeline,
    /// Task of the run.
    pub task: &'a dyn Task,
    /// Options.
    pub options: &'a Options,
    /// Options in words, for the Record.
    pub given: Vec<String>,
    /// The command line, for resumption.
    pub asked: Option<Invocation>,
    /// The run to resume, which also defines the time axis.
    pub earlier: Option<PreviousRun>,
    /// Offset of the local time zone from UTC.
    pub utc_offset_minutes: i32,
    /// The program, for the Record.
    pub source: Source,
    /// Stream of events.
    pub place: Option<NewRun>,
    /// Journal of changed settings; `None` to change none.
    pub journal: Option<&'a Path>,
    /// Number of the signal that interrupts the run, or 0.
    pub cancelled: &'a AtomicI32,
    /// Returns lines typed since the last call, if there is a terminal.
    pub marks: Option<&'a mut dyn FnMut() -> Vec<String>>,
    /// Work to do while the gate waits.
    pub while_waiting: fn(),
    /// Expected 7-zip score of a core type at a clock, for estimates of time.
    pub expected_mips: ExpectedMips,
    /// Receives the restore handle of the settings, for an exit that cannot wait.
    pub on_settings: &'a dyn Fn(RestoreHandle),
    /// True to report samples between steps and while an external program runs.
    pub shows_samples: bool,
    /// Receives progress.
    pub progress: &'a mut dyn FnMut(Progress),
}

/// A run that died, to be resumed.
#[derive(Debug, Clone)]
pub struct PreviousRun {
    /// Record so far.
    pub record: Record,
    /// Place of the death, and time of the resumption.
    pub resumed: Resumption,
}

/// Progress events for the caller, never sent within a timed region.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress<'a> {
    /// The system is busy: state of the gate and maximum time to wait, zero if the start is forced.
    GateWaits(&'a Gate, Duration),
    /// The machine has been identified and the run is planned; sent again once its settings are known.
    Planned(&'a Plan<'a>),
    /// A step begins.
    Step {
        /// Its name.
        name: &'a str,
        /// Approximate time for this step and all following ones; `None` if it cannot be estimated.
        left: Option<TimeLeft>,
        /// It is timed in this process: no progress is reported until its end.
        is_silent: bool,
    },
    /// A step has ended.
    StepEnded {
        /// Its name.
        name: &'a str,
        /// The step in the Record.
        step: &'a Step,
        /// Number of planned repetitions; 0 to repeat until the median is steady.
        runs: u32,
    },
    /// First estimate of the remaining time from measured clocks.
    Left(TimeLeft),
    /// A program is still running.
    ProgramRuns,
    /// New samples; the Record so far.
    Sampled(&'a Record),
    /// The interval of a monitor line has passed; the Record so far.
    Watched(&'a Record),
    /// A sentence for the user.
    Note(String),
}

/// Machine, workloads and time of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan<'a> {
    /// Machine.
    pub machine: &'a Machine,
    /// Workloads in their order, once each.
    pub workloads: Vec<WorkloadId>,
    /// Time of the run; `None` if it cannot be estimated.
    pub left: Option<TimeLeft>,
}

impl<'a> Plan<'a> {
    /// Plan of these stages.
    pub(crate) fn of(machine: &'a Machine, stages: &[Stage], left: Option<TimeLeft>) -> Self {
        let mut workloads = Vec::new();
        for stage in stages {
            let workload = match stage {
                Stage::ColdClocks | Stage::HotClocks | Stage::OppClock(..) => Some(WorkloadId::Clock),
                stage => stage.job().map(|job| job.workload),
            };
            workloads.extend(workload.filter(|workload| !workloads.contains(workload)));
        }
        Self { machine, workloads, left }
    }
}

/// A moment on both clocks of the timeline.
pub(crate) type Moment = (i64, i64);

/// This moment.
pub(crate) fn moment(timeline: &Timeline) -> Moment {
    (timeline.now_ms(), timeline.utc_ms())
}

/// Window from a moment until now.
pub(crate) fn window_since(timeline: &Timeline, start: Moment) -> Window {
    let end = moment(timeline);
    Window { start_ms: start.0, end_ms: end.0, start_utc_ms: Some(start.1), end_utc_ms: Some(end.1) }
}
