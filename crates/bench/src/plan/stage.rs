//! The stages of a run: what a task comes to on this machine, one thing after the other. Nothing is
//! done here; the runner (`run::steps`) goes through the list.

use crate::job::definition::{Definition, Repeat};
use crate::job::pinning::places;
use crate::job::setting::Setting;
use crate::plan::load::Load;
use crate::plan::options::Options;
use crate::plan::standard::{self, Available};
use crate::question::review::{self, Group};
use crate::question::thermal::{self, StartAt, Thermal};
use crate::question::{One, Task, ab};
use crate::question::{efficiency, sensitivity};
use crate::{Job, Pinning};
use record::{Machine, Survey, Variant, WorkloadId};
use std::sync::Arc;
use std::time::Duration;

/// One thing after the other.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Stage {
    /// Clocks before any load.
    ColdClocks,
    /// One step.
    Job(Job),
    /// Steps of the same kind until their median is steady.
    UntilSteady(Job),
    /// The settings of a side; those of the other side go back before.
    Side(Vec<Setting>),
    /// Clocks under load and after it.
    HotClocks,
    /// A temperature is waited for, at most so long.
    WaitFor(StartAt, Duration),
    /// A load that heats.
    Heat(Thermal),
    /// No load, under watch; what it is called in the Record, and for how long.
    Rest(Variant, Duration),
    /// The clock of these CPUs at this OPP.
    OppClock(Vec<u32>, u32),
    /// As `UntilSteady`, but no longer than this.
    UntilSteadyWithin(Job, Duration),
    /// A look over the machine.
    Survey,
    /// Settings are raised, and stay so.
    Raise(Group),
    /// A short step that tells what the raised settings gave, with their names.
    Probe(Job, Vec<String>),
    /// Watching until a signal, or until this command ends.
    Watch(Option<Job>),
}

impl Stage {
    /// Words by which the same stage is known when the same run is started again; none for settings, which
    /// are put in place anew.
    pub(crate) fn words(&self) -> Option<String> {
        let of_job = |job: &Job| {
            let at = job.set_clock.map(|clock| format!(" at {clock:?}"));
            let name = job.name();
            let Job { variant, cpus, repetition, .. } = job;
            format!("{name} {variant} on {cpus:?} run {repetition}{}", at.unwrap_or_default())
        };
        Some(match self {
            Self::Side(_) | Self::Raise(_) => return None,
            Self::ColdClocks => "clocks".into(),
            Self::HotClocks => "clocks under load".into(),
            Self::Job(job) => of_job(job),
            Self::UntilSteady(job) | Self::UntilSteadyWithin(job, _) => {
                format!("{} until steady", of_job(job))
            }
            Self::WaitFor(..) => WorkloadId::Wait.as_str().into(),
            Self::Heat(_) => WorkloadId::Heat.as_str().into(),
            Self::Rest(name, _) => name.to_string(),
            Self::OppClock(cpus, khz) => format!("clock of {cpus:?} at {khz} kHz"),
            Self::Survey => "look".into(),
            Self::Probe(job, raised) => format!("{} with {}", of_job(job), raised.join(" ")),
            Self::Watch(_) => WorkloadId::Watch.as_str().into(),
        })
    }

    /// True if it can have more than one step.
    pub(crate) fn has_several_steps(&self) -> bool {
        // A point of a walk has a bounded time: what was measured of it is what there is.
        matches!(self, Self::ColdClocks | Self::HotClocks | Self::UntilSteady(_))
    }
}

/// All stages of a run.
pub(crate) fn stages(machine: &Machine, survey: &Survey, options: &Options, available: Available) -> Vec<Stage> {
    if let Task::Review(task) = &options.task {
        return review::stages(task, machine, survey, options, available);
    }
    let mut stages = vec![Stage::ColdClocks];
    match &options.task {
        Task::Clock(clock) => {
            stages.extend(clock.heat.map(|_| Stage::HotClocks));
            return stages;
        }
        Task::CoreToCore(cpus) => return vec![Stage::Job(standard::core_to_core(machine, cpus))],
        Task::Memory(cpus) => {
            let jobs = standard::memory(machine, cpus);
            return jobs.into_iter().map(Stage::Job).collect();
        }
        Task::One(one) => return one_stages(machine, one),
        Task::Standard => {
            let jobs = standard::jobs(machine, options, available);
            stages.extend(jobs.into_iter().map(Stage::Job));
            if options.scores && (options.stockfish || options.extensive) {
                stages.extend(Load::usual(WorkloadId::Stockfish).stages(machine));
            }
        }
        Task::Loads(loads) => {
            let of_load = |load: &Load| load.stages(machine);
            stages.extend(loads.iter().flat_map(of_load));
        }
        Task::Program(definition) => stages.extend(program(machine, definition)),
        Task::Ab(ab) => stages.extend(ab::blocks(machine, ab)),
        Task::Sensitivity(task) => {
            // The clocks under load are what the stages measure already.
            stages.extend(sensitivity::stages(machine, task));
            return stages;
        }
        Task::Thermal(thermal) => return thermal::stages(thermal),
        Task::Efficiency(walk) => return efficiency::stages(machine, walk, options, available),
        Task::DramThrottling => return efficiency::dram_stages(machine, available),
        Task::Review(_) => {}
    }
    stages.push(Stage::HotClocks);
    stages
}

fn program(machine: &Machine, definition: &Definition) -> Vec<Stage> {
    let places = places(machine, &definition.pinning).into_iter();
    places
        .map(|cpus| job(definition, cpus, definition.variant.clone()))
        .flat_map(|job| repeated(job, definition.repeat))
        .collect()
}

/// A step as often as wanted.
pub(crate) fn repeated(job: Job, repeat: Repeat) -> Vec<Stage> {
    match repeat {
        Repeat::UntilSteady => vec![Stage::UntilSteady(job)],
        Repeat::Times(times) => {
            (0..times).map(|repetition| Job { repetition, ..job.clone() }).map(Stage::Job).collect()
        }
    }
}

pub(crate) fn job(definition: &Definition, cpus: Vec<u32>, variant: Variant) -> Job {
    Job {
        workload: WorkloadId::Program,
        variant,
        threads: cpus.len() as u32,
        cpus,
        repetition: 0,
        definition: Some(Arc::new(definition.clone())),
        ..Job::default()
    }
}

/// One workload; all its forms if it has several and none is named.
fn one_stages(machine: &Machine, one: &One) -> Vec<Stage> {
    let has_forms = crate::workloads::workload(one.workload).is_some_and(|w| w.shape.is_some());
    if !has_forms {
        return vec![Stage::Job(standard::one(machine, one))];
    }
    let variant = Some(one.variant.clone()).filter(|variant| !variant.is_only());
    let load = Load {
        variants: variant.into_iter().collect(),
        pinning: (!one.cpus.is_empty()).then(|| Pinning::Cpus(one.cpus.clone())),
        repeat: Some(Repeat::Times(1)),
        ..Load::usual(one.workload)
    };
    load.stages(machine)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::{Ab, ClockTask, One, side};

    fn make() -> Definition {
        Definition::of_command(vec!["make".into(), "-j4".into()])
    }

    fn words(stages: &[Stage]) -> String {
        let word = |stage: &Stage| match stage {
            Stage::ColdClocks => "cold".to_owned(),
            Stage::HotClocks => "hot".to_owned(),
            Stage::Job(job) => format!("{}{}", job.variant, job.repetition),
            Stage::UntilSteady(job) => format!("steady {}", job.variant),
            Stage::Side(settings) => format!("set {}", settings.len()),
            other => format!("{other:?}"),
        };
        stages.iter().map(word).collect::<Vec<_>>().join(" ")
    }

    fn check(task: Task, expected: &str) {
        let options = Options { task, ..Options::default() };
        let available = Available::default();
        assert_eq!(words(&stages(&Machine::default(), &Survey::default(), &options, available)), expected);
    }

    #[test]
    fn a_program_runs_as_often_as_wanted() {
        check(Task::Program(make()), "cold steady -j4 hot");
        let three = Definition { repeat: Repeat::Times(3), ..make() };
        check(Task::Program(three), "cold -j40 -j41 -j42 hot");
    }

    #[test]
    fn single_questions_have_short_answers() {
        let clock = |heat| Task::Clock(ClockTask { cpus: vec![0], readings: 3, heat });
        check(clock(None), "cold");
        check(clock(Some(Duration::from_secs(9))), "cold hot");
        check(Task::CoreToCore(Vec::new()), "0");
        let aes = One { workload: WorkloadId::Aes, variant: Variant::AES_256_CBC, cpus: vec![1] };
        check(Task::One(aes), "aes-256-cbc0");
        check(Task::Memory(Vec::new()), "0 0 small-pages0 tlb-light0 0 0");
    }

    #[test]
    fn sides_alternate_so_that_drift_cancels() {
        let sides = ["maxkhz=1", "maxkhz=2,cpus=0,1"].map(|s| side(s, Some(&make())).unwrap());
        check(
            Task::Ab(Box::new(Ab { sides, blocks: 2 })),
            "cold set 1 warm-up0 set 2 warm-up1 \
             set 1 a0 set 2 b0 set 2 b1 set 1 a1 set 2 b2 set 1 a2 set 1 a3 set 2 b3 hot",
        );
        let sides = ["true", "sleep 1"].map(|s| side(s, None).unwrap());
        check(Task::Ab(Box::new(Ab { sides, blocks: 1 })), "cold warm-up0 warm-up1 a0 b0 b1 a1 hot");
    }
}
