//! Questions to a machine: one file per question has its stages, the behaviour of its runs, and the reasons for
//! refusal. `plan` defines the stages, `run` executes them.

pub(crate) mod ab;
pub(crate) mod clock;
pub(crate) mod core_to_core;
pub(crate) mod dram_throttling;
pub mod efficiency;
pub(crate) mod loads;
pub(crate) mod memory;
pub mod power;
pub(crate) mod program;
pub(crate) mod refusal;
pub(crate) mod review;
pub(crate) mod scaling;
pub mod sensitivity;
pub(crate) mod standard;
pub mod thermal;
pub(crate) mod workload;

use crate::plan::options::Options;
use crate::plan::stage::Stage;
use crate::plan::standard::AvailableTools;
use record::{Machine, Mode, QuestionId, Survey};
use refusal::{StartFacts, fewer_than_two};
use std::any::Any;
use std::fmt::Debug;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;
use workloads::job::Job;
use workloads::job::definition::Definition;
use workloads::job::pinning::CpuSelection;

/// All questions, sorted by id: vocabulary first, then private ids. `rules` has the answer of the same id.
pub static QUESTIONS: [&Question; 15] = [
    &ab::QUESTION,
    &clock::QUESTION,
    &core_to_core::QUESTION,
    &dram_throttling::QUESTION,
    &efficiency::QUESTION,
    &loads::QUESTION,
    &memory::QUESTION,
    &program::QUESTION,
    &review::QUESTION,
    &sensitivity::QUESTION,
    &standard::QUESTION,
    &thermal::QUESTION,
    &workload::QUESTION,
    &power::QUESTION,
    &scaling::QUESTION,
];

/// All verbs that take only CPUs.
pub static PLAIN_VERBS: [&PlainVerb; 3] = [&core_to_core::VERB, &memory::VERB, &scaling::VERB];

/// What a run is to find out about a machine: its stages, and the reasons to refuse it.
#[derive(Debug, PartialEq)]
pub struct Question {
    /// Name in the Record and on the command line.
    pub id: QuestionId,
    /// Mode of its runs in the Record.
    pub mode: Mode,
    /// Words of the command line.
    pub asked_by: &'static str,
    /// The question itself.
    pub about: &'static str,
}

/// A verb that takes only CPUs, measures at once and prints the report of the same name.
#[derive(Debug)]
pub struct PlainVerb {
    /// The question, whose `asked_by` is the verb.
    pub question: &'static Question,
    /// Line in the help, without a full stop.
    pub help: &'static str,
    /// Further text of the long help.
    pub more: &'static str,
    /// Jobs on these CPUs; without CPUs, on those of the machine.
    jobs: fn(&Machine, &[u32]) -> Vec<Job>,
    /// Subject that takes two CPUs to measure; `None` if one is enough.
    between_two: Option<&'static str>,
    /// True if the sampler runs, because clocks and heat explain the figures.
    is_watched: bool,
}

impl PartialEq for PlainVerb {
    fn eq(&self, other: &Self) -> bool {
        self.question == other.question
    }
}

/// Measurement of a plain verb, without waiting for an idle system.
#[derive(Debug, Clone, PartialEq)]
pub struct CpuMeasurement {
    /// The verb.
    pub verb: &'static PlainVerb,
    /// CPUs to measure.
    pub cpus: CpuSelection,
}

impl Task for CpuMeasurement {
    fn question(&self) -> &'static Question {
        self.verb.question
    }

    fn attributes(&self) -> Attributes {
        Attributes { is_watched: self.verb.is_watched, ..Attributes::at_once() }
    }

    fn stages(&self, planning: &PlanInput) -> Vec<Stage> {
        let jobs = (self.verb.jobs)(planning.machine, &self.cpus(planning.machine));
        jobs.into_iter().map(Stage::Job).collect()
    }

    fn refusal(&self, asked: &StartFacts) -> Option<String> {
        let about = self.verb.between_two?;
        let machine = asked.identified.machine();
        fewer_than_two(machine, &self.cpus(machine), about)
    }

    fn cpus(&self, machine: &Machine) -> Vec<u32> {
        self.cpus.of_one_measurement(machine)
    }
}

/// Comparison of values behind `dyn Task`.
pub trait SameTask: Any {
    /// True if the other value has the same type and is equal.
    fn same(&self, other: &dyn Any) -> bool;
}

impl<T: PartialEq + Any> SameTask for T {
    fn same(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }
}

/// A question with its parameters.
pub trait Task: SameTask + Debug + Send + Sync {
    /// The question.
    fn question(&self) -> &'static Question;

    /// Mode of its runs in the Record.
    fn mode(&self, _: &Options) -> Mode {
        self.question().mode.clone()
    }

    /// Behaviour of its runs.
    fn attributes(&self) -> Attributes {
        Attributes::default()
    }

    /// Stages on this machine, in order.
    fn stages(&self, planning: &PlanInput) -> Vec<Stage>;

    /// Reason why this machine cannot answer it, as one sentence with the remedy; `None` if it can.
    fn refusal(&self, _: &StartFacts) -> Option<String> {
        None
    }

    /// User's programs that it runs.
    fn definitions(&self) -> Vec<&Definition> {
        Vec::new()
    }

    /// Wanted CPUs; empty for all.
    fn cpus(&self, _: &Machine) -> Vec<u32> {
        Vec::new()
    }

    /// Names of the two sides of a comparison.
    fn sides(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Input of the stages.
#[derive(Debug, Clone, Copy)]
pub struct PlanInput<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// Inspection of the machine, if requested.
    pub survey: &'a Survey,
    /// Options of the run.
    pub options: &'a Options,
    /// Available programs.
    pub available: AvailableTools,
}

/// Behaviour of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attributes {
    /// True if the run waits for an idle system. A single measurement starts at once and records how disturbed it was.
    pub is_whole_run: bool,
    /// True if the sampler runs.
    pub is_watched: bool,
    /// True if the ramp to full clock is measured before settings change, with the governor as found.
    pub has_ramps: bool,
    /// True if the machine is inspected before settings are changed.
    pub looks_first: bool,
    /// True if governors and clocks are raised before the first stage; other runs change settings stage by stage.
    pub is_tuned: bool,
    /// True if the stages depend on the available programs. Querying their versions is slow.
    pub asks_for_tools: bool,
    /// True if the plan chooses the programs, so that a built-in workload may replace one that fails.
    pub replaces_programs: bool,
    /// Share of one core that the sampler may use, in millionths; `None` for the default.
    pub sampler_ppm: Option<u32>,
    /// True if chips with power are read at every tick.
    pub follows_power: bool,
    /// Interval of the sampler.
    pub interval: Duration,
    /// Number of readings for each point of a clock pass.
    pub readings: usize,
    /// Duration of the load on all CPUs before clocks under load are measured.
    pub load_time: Duration,
    /// True if it changes settings even without cpufreq.
    pub changes_machine: bool,
    /// Reason why a run cannot be resumed, as the end of a sentence; `None` if it can.
    pub not_resumable: Option<&'static str>,
    /// True if typed lines become marks.
    pub reads_marks: bool,
    /// True if it has no results whose validity could be doubted.
    pub only_watches: bool,
    /// Role of a user's program; its failure is that of the run.
    pub own_program: OwnProgram,
}

/// Role of a user's program whose failure is that of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnProgram {
    /// No such program.
    None,
    /// The program is measured.
    Measured,
    /// The machine is monitored while the program runs.
    Watched,
}

/// Readings per point: three, as in logs of the bash program.
const READINGS: usize = 3;
/// Duration of the load before the hot pass: long enough for governor and cooling to react.
const LOAD_TIME: Duration = Duration::from_millis(1500);

impl Default for Attributes {
    /// Behaviour of a whole run, which can be resumed.
    fn default() -> Self {
        Self {
            is_whole_run: true,
            is_watched: true,
            has_ramps: true,
            looks_first: false,
            is_tuned: true,
            asks_for_tools: true,
            replaces_programs: false,
            sampler_ppm: None,
            follows_power: false,
            interval: Duration::from_millis(500),
            readings: READINGS,
            load_time: LOAD_TIME,
            changes_machine: false,
            not_resumable: None,
            reads_marks: false,
            only_watches: false,
            own_program: OwnProgram::None,
        }
    }
}

impl Attributes {
    /// Behaviour of a short single measurement.
    fn at_once() -> Self {
        Self {
            is_whole_run: false,
            is_watched: false,
            has_ramps: false,
            not_resumable: Some("it is a short single measurement; repeat it instead"),
            ..Self::default()
        }
    }
}

/// A task of any kind.
#[derive(Debug, Clone)]
pub struct AnyTask(Arc<dyn Task>);

impl AnyTask {
    /// Wraps a task.
    pub fn of(task: impl Task + 'static) -> Self {
        Self(Arc::new(task))
    }
}

impl Deref for AnyTask {
    type Target = dyn Task;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl PartialEq for AnyTask {
    fn eq(&self, other: &Self) -> bool {
        self.0.same(&*other.0)
    }
}

/// Keeps the CPUs that the task wants.
pub(crate) fn retain_wanted(task: &dyn Task, machine: &Machine, cpus: &mut Vec<u32>) {
    let wanted = task.cpus(machine);
    cpus.retain(|cpu| wanted.is_empty() || wanted.contains(cpu));
}

#[cfg(test)]
mod tests {
    use super::ab::{Ab, side};
    use super::clock::Clock;
    use super::program::Program;
    use super::standard::Standard;
    use super::workload::SingleWorkload;
    use super::*;
    use record::{Variant, WorkloadId};
    use workloads::job::definition::Repeat;

    fn make() -> Definition {
        Definition::of_command(vec!["make".into(), "-j4".into()])
    }

    fn words(stages: &[Stage]) -> String {
        let word = |stage: &Stage| match stage {
            Stage::ColdClocks => "cold".to_owned(),
            Stage::HotClocks => "hot".to_owned(),
            Stage::Job(job) => format!("{}{}", job.variant, job.repetition),
            Stage::UntilSteady(job) => format!("steady {}", job.variant),
            Stage::ApplySettings(settings) => format!("set {}", settings.len()),
            other => format!("{other:?}"),
        };
        stages.iter().map(word).collect::<Vec<_>>().join(" ")
    }

    fn check(task: &dyn Task, expected: &str) {
        let (machine, survey, options) = (Machine::default(), Survey::default(), Options::default());
        let available = AvailableTools::default();
        let planning = PlanInput { machine: &machine, survey: &survey, options: &options, available };
        assert_eq!(words(&task.stages(&planning)), expected);
        assert_eq!(task.mode(&options).question().as_ref(), Some(&task.question().id));
    }

    #[test]
    fn questions_are_sorted_and_asked_differently() {
        assert!(QUESTIONS.windows(2).all(|pair| pair[0].id < pair[1].id));
        let words: std::collections::BTreeSet<_> = QUESTIONS.iter().map(|question| question.asked_by).collect();
        assert_eq!(words.len(), QUESTIONS.len());
        assert!(QUESTIONS.iter().all(|question| question.about.ends_with('?')));
        for verb in PLAIN_VERBS {
            assert!(!verb.help.ends_with('.') && verb.more.ends_with('.'), "{verb:?}");
        }
    }

    #[test]
    fn program_runs_as_often_as_wanted() {
        check(&Program(make()), "cold steady -j4 hot");
        let three = Definition { repeat: Repeat::Times(3), ..make() };
        check(&Program(three), "cold -j40 -j41 -j42 hot");
    }

    #[test]
    fn single_measurement_stages() {
        let plain = |verb| CpuMeasurement { verb, cpus: CpuSelection::All };
        let clock = |heat| Clock { cpus: CpuSelection::Cpus(vec![0]), readings: 3, heat };
        check(&clock(None), "cold");
        check(&clock(Some(Duration::from_secs(9))), "cold hot");
        check(&plain(&core_to_core::VERB), "0");
        let aes = SingleWorkload {
            workload: WorkloadId::Aes,
            variant: Variant::AES_256_CBC,
            cpus: CpuSelection::Cpus(vec![1]),
        };
        check(&aes, "aes-256-cbc0");
        check(&plain(&memory::VERB), "0 0 0 small-pages0 tlb-light0 0 0");
    }

    #[test]
    fn sides_alternate_so_that_drift_cancels() {
        let sides = ["maxkhz=1", "maxkhz=2,cpus=0,1"].map(|s| side(s, Some(&make())).unwrap());
        check(
            &Ab { sides, blocks: 2 },
            "cold set 1 warm-up0 set 2 warm-up1 \
             set 1 a0 set 2 b0 set 2 b1 set 1 a1 set 2 b2 set 1 a2 set 1 a3 set 2 b3 hot",
        );
        let sides = ["true", "sleep 1"].map(|s| side(s, None).unwrap());
        check(&Ab { sides, blocks: 1 }, "cold warm-up0 warm-up1 a0 b0 b1 a1 hot");
    }

    #[test]
    fn tasks_are_the_same_if_they_ask_the_same() {
        let clock = |readings| AnyTask::of(Clock { cpus: CpuSelection::All, readings, heat: None });
        assert_eq!(clock(3), clock(3));
        assert_ne!(clock(3), clock(4));
        assert_ne!(clock(3), AnyTask::of(Standard));
    }
}
