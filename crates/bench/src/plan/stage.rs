//! Stages of a run: the plan of a question on this machine. The runner (`run::steps`) executes them.

use crate::plan::heat::{StartAt, Thermal};
use crate::plan::standard::fallback_workload;
use machine::settings::Node;
use machine::suspend::SleepState;
use record::{Variant, WorkloadId};
use std::time::Duration;
use workloads::job::Job;
use workloads::job::definition::Repeat;
use workloads::job::setting::Setting;

/// Settings that are raised together.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Name for people.
    pub name: &'static str,
    /// Nodes and their new values.
    pub nodes: Vec<(Node, String)>,
}

/// Stage of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Stage {
    /// Clocks before any load.
    ColdClocks,
    /// One step.
    Job(Job),
    /// Repetitions of a step until the median is stable.
    UntilSteady(Job),
    /// Settings of a side; restores those of the other side first.
    ApplySettings(Vec<Setting>),
    /// Clocks under load, and right after it.
    HotClocks,
    /// Wait for a temperature, with its time limit.
    WaitFor(StartAt, Duration),
    /// A stress load.
    Heat(Thermal),
    /// Idle time with its name in the Record and its duration.
    Rest(Variant, Duration),
    /// The clock of these CPUs at this OPP.
    OppClock(Vec<u32>, u32),
    /// As `UntilSteady`, with a time limit.
    UntilSteadyWithin(Job, Duration),
    /// Inspection of the machine.
    Survey,
    /// Settings to raise for the rest of the run.
    Raise(Group),
    /// A short step that measures the effect of the raised settings, with their names.
    Probe(Job, Vec<String>),
    /// Monitoring until a signal, or until this command ends.
    Watch(Option<Job>),
    /// Rest, all CPUs busy, rest: its readings show the delay of a meter against the load.
    LoadStep,
    /// A state of the machine until its mean power is known.
    Power(PowerState),
    /// Sleep of this duration, until the clock of the machine wakes it.
    Suspend(SleepState, Duration),
}

/// A state of the machine whose power is measured.
#[derive(Debug, Clone, PartialEq)]
pub struct PowerState {
    /// Its name in plans, and in the Record for an idle machine.
    pub name: Variant,
    /// Work in this state.
    pub load: PowerLoad,
    /// Maximum time.
    pub limit: Duration,
}

/// Work in a state whose power is measured.
#[derive(Debug, Clone, PartialEq)]
pub enum PowerLoad {
    /// None.
    Idle,
    /// One job, repeated.
    Job(Job),
    /// These jobs at once.
    Together(Vec<Job>),
}

/// Name of the state in which these loads run at once.
pub(crate) fn at_once(workloads: impl Iterator<Item = WorkloadId>) -> Variant {
    let names: Vec<&str> = workloads.map(WorkloadId::label).collect();
    let (last, others) = names.split_last().unwrap_or((&"nothing", &[]));
    match others {
        [] => format!("{last} alone").into(),
        _ => format!("{} and {last} at once", others.join(", ")).into(),
    }
}

/// Durations of [`Stage::LoadStep`].
pub(crate) mod load_step {
    use std::time::Duration;

    /// Rest before the load.
    pub(crate) const BEFORE: Duration = Duration::from_secs(2);
    /// All CPUs busy.
    pub(crate) const BUSY: Duration = Duration::from_secs(2);
    /// Rest after it: readings of meters appear up to this time after the load.
    pub(crate) const AFTER: Duration = Duration::from_secs(6);
    /// All of it.
    pub(crate) const ALL: Duration = Duration::from_secs(10);
}

impl Stage {
    /// Key that identifies the stage when the run is resumed; `None` for settings, which are applied again.
    pub(crate) fn words(&self) -> Option<String> {
        let of_job = |job: &Job| {
            let at = job.set_clock.map(|clock| format!(" at {clock:?}"));
            let name = job.name();
            let Job { variant, cpus, repetition, .. } = job;
            format!("{name} {variant} on {cpus:?} run {repetition}{}", at.unwrap_or_default())
        };
        Some(match self {
            Self::ApplySettings(_) | Self::Raise(_) => return None,
            Self::ColdClocks => "clocks".into(),
            Self::HotClocks => "clocks under load".into(),
            Self::Job(job) => of_job(job),
            Self::UntilSteady(job) | Self::UntilSteadyWithin(job, _) => {
                format!("{} until stable", of_job(job))
            }
            Self::WaitFor(..) => WorkloadId::Wait.as_str().into(),
            Self::Heat(_) => WorkloadId::Heat.as_str().into(),
            Self::Rest(name, _) => name.to_string(),
            Self::OppClock(cpus, khz) => format!("clock of {cpus:?} at {khz} kHz"),
            Self::Survey => "look".into(),
            Self::Probe(job, raised) => format!("{} with {}", of_job(job), raised.join(" ")),
            Self::Watch(_) => WorkloadId::Watch.as_str().into(),
            Self::LoadStep => "step of the load".into(),
            Self::Power(PowerState { name, load: PowerLoad::Job(job), .. }) => {
                format!("power of {name} {}", of_job(job))
            }
            Self::Power(PowerState { name, .. }) => format!("power of {name}"),
            Self::Suspend(state, _) => format!("suspend {}", state.name()),
        })
    }

    /// The job of a stage that runs one workload.
    pub(crate) fn job(&self) -> Option<&Job> {
        match self {
            Self::Job(job) | Self::UntilSteady(job) | Self::UntilSteadyWithin(job, _) | Self::Probe(job, _) => {
                Some(job)
            }
            _ => None,
        }
    }

    /// True if the stage can have several steps.
    pub(crate) fn has_several_steps(&self) -> bool {
        // The time of an OPP is limited: its measured steps are complete.
        matches!(self, Self::ColdClocks | Self::HotClocks | Self::UntilSteady(_))
    }
}

/// Stages of a step with this repetition rule.
pub(crate) fn repeated(job: Job, repeat: Repeat) -> Vec<Stage> {
    match repeat {
        Repeat::UntilSteady => vec![Stage::UntilSteady(job)],
        Repeat::Times(times) => {
            (0..times).map(|repetition| Job { repetition, ..job.clone() }).map(Stage::Job).collect()
        }
    }
}

/// Encloses the stages in clock measurements: cold before them, hot after them.
pub(crate) fn between_clocks(stages: impl IntoIterator<Item = Stage>) -> Vec<Stage> {
    std::iter::once(Stage::ColdClocks).chain(stages).chain([Stage::HotClocks]).collect()
}

/// Replaces the program by the built-in workload in these stages.
pub(crate) fn replace_program(stages: &mut [Stage], program: WorkloadId) {
    for stage in stages {
        if let Stage::Job(job) | Stage::UntilSteady(job) | Stage::Probe(job, _) = stage
            && job.workload == program
            && let Some(other) = fallback_workload(job)
        {
            *job = other;
        }
    }
}
