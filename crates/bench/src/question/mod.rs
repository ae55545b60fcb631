//! What can be asked of a machine: one file per question says in which stages it is answered, how a run of it behaves,
//! and why it cannot come to anything here. What the stages are is in `plan`, who goes through them is `run`.

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
use refusal::StartFacts;
use std::fmt::Debug;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;
use workloads::job::definition::Definition;
use workloads::job::pinning::CpuSelection;

/// All questions, sorted by id: those of the vocabulary, then those of their own. Each is answered by the entry of the same id in `rules`.
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

/// Question to a machine.
#[derive(Debug)]
pub struct Question {
    /// Which one it is.
    pub id: QuestionId,
    /// The words of the command line that ask it.
    pub asked_by: &'static str,
    /// The question itself.
    pub about: &'static str,
    /// How it is asked where nothing but CPUs belongs to it: `asked_by` is then a verb of the command line.
    pub plain_verb: Option<PlainVerb>,
}

/// A verb that takes CPUs and nothing of its own, and prints the report of the same name.
#[derive(Debug)]
pub struct PlainVerb {
    /// Line in the help, without a full stop.
    pub help: &'static str,
    /// Further text of its own help.
    pub more: &'static str,
    /// The question for these CPUs.
    pub task: fn(CpuSelection) -> AnyTask,
}

/// A question, understood.
pub trait Task: Debug + Send + Sync {
    /// Which question it is.
    fn question(&self) -> &'static Question;

    /// Mode of its runs in the Record.
    fn mode(&self, options: &Options) -> Mode;

    /// Behaviour of its runs.
    fn attributes(&self) -> Attributes {
        Attributes::default()
    }

    /// Stages on this machine, in order.
    fn stages(&self, planning: &Planning) -> Vec<Stage>;

    /// Why it cannot come to anything here, in one sentence with the way out; none if it can.
    fn refusal(&self, _: &StartFacts) -> Option<String> {
        None
    }

    /// Programs of the user's own that it runs.
    fn definitions(&self) -> Vec<&Definition> {
        Vec::new()
    }

    /// The CPUs of this machine that are wanted; empty for all.
    fn cpus(&self, _: &Machine) -> Vec<u32> {
        Vec::new()
    }

    /// Names of the two sides, if it has two.
    fn sides(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Input of the stages.
#[derive(Debug, Clone, Copy)]
pub struct Planning<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// Inspection of the machine, if requested.
    pub survey: &'a Survey,
    /// Options of the run.
    pub options: &'a Options,
    /// Which programs are there.
    pub available: AvailableTools,
}

/// Behaviour of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attributes {
    /// It is worth waiting for a quiet system: a request for one figure wants it now, and is told how disturbed it
    /// was.
    pub is_whole_run: bool,
    /// The machine is sampled meanwhile.
    pub is_watched: bool,
    /// Clocks are measured before settings are changed, so that the ramp to full clock is that of the governor as it
    /// was found.
    pub has_ramps: bool,
    /// True if the machine is inspected before settings are changed.
    pub looks_first: bool,
    /// True if governors and clocks are raised before the first stage; other runs change settings stage by stage.
    pub is_tuned: bool,
    /// Its stages depend on which programs are there. Asking them for their versions takes longer than all else
    /// between two steps.
    pub asks_for_tools: bool,
    /// The plan chooses the programs: a built-in workload takes the place of one that does not do its work.
    pub replaces_programs: bool,
    /// Share of one core that the sampler may use, in millionths; as usual where none is given.
    pub sampler_ppm: Option<u32>,
    /// Interval of the sampler.
    pub interval: Duration,
    /// Number of readings for each point of a clock pass.
    pub readings: usize,
    /// Duration of the load on all CPUs before clocks under load are measured.
    pub load_time: Duration,
    /// A side of it changes the machine, also one without cpufreq.
    pub changes_machine: bool,
    /// Why it cannot go on where it died, as the end of a sentence; none if it can.
    pub not_resumable: Option<&'static str>,
    /// Lines that are typed meanwhile are kept.
    pub reads_marks: bool,
    /// It has no results that could be wrong.
    pub only_watches: bool,
    /// The program of the user's own whose failure is that of the run.
    pub own_program: OwnProgram,
}

/// A program of the user's own whose failure is that of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnProgram {
    /// There is none.
    None,
    /// It is what is measured.
    Measured,
    /// The machine is watched while it runs.
    Watched,
}

/// Readings of each point: three, as logs have always shown.
const READINGS: usize = 3;
/// The load before the hot pass: long enough to be seen by governor and cooling.
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
    /// Behaviour of a question that is answered at once.
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

/// A task of any kind. Two are the same if they say the same of themselves.
#[derive(Debug, Clone)]
pub struct AnyTask(Arc<dyn Task>);

impl AnyTask {
    /// This one.
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
        format!("{self:?}") == format!("{other:?}")
    }
}

/// Selected CPUs.
pub(crate) fn retain_wanted(task: &dyn Task, machine: &Machine, cpus: &mut Vec<u32>) {
    let wanted = task.cpus(machine);
    cpus.retain(|cpu| wanted.is_empty() || wanted.contains(cpu));
}

#[cfg(test)]
mod tests {
    use super::ab::{Ab, side};
    use super::clock::Clock;
    use super::core_to_core::CoreToCore;
    use super::memory::Memory;
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
            Stage::Side(settings) => format!("set {}", settings.len()),
            other => format!("{other:?}"),
        };
        stages.iter().map(word).collect::<Vec<_>>().join(" ")
    }

    fn check(task: &dyn Task, expected: &str) {
        let (machine, survey, options) = (Machine::default(), Survey::default(), Options::default());
        let available = AvailableTools::default();
        let planning = Planning { machine: &machine, survey: &survey, options: &options, available };
        assert_eq!(words(&task.stages(&planning)), expected);
        assert_eq!(task.mode(&options).question().as_ref(), Some(&task.question().id));
    }

    #[test]
    fn questions_are_sorted_and_asked_differently() {
        assert!(QUESTIONS.windows(2).all(|pair| pair[0].id < pair[1].id));
        let words: std::collections::BTreeSet<_> = QUESTIONS.iter().map(|question| question.asked_by).collect();
        assert_eq!(words.len(), QUESTIONS.len());
        assert!(QUESTIONS.iter().all(|question| question.about.ends_with('?')));
        for verb in QUESTIONS.iter().filter_map(|question| question.plain_verb.as_ref()) {
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
        let clock = |heat| Clock { cpus: CpuSelection::Cpus(vec![0]), readings: 3, heat };
        check(&clock(None), "cold");
        check(&clock(Some(Duration::from_secs(9))), "cold hot");
        check(&CoreToCore { cpus: CpuSelection::All }, "0");
        let aes = SingleWorkload {
            workload: WorkloadId::Aes,
            variant: Variant::AES_256_CBC,
            cpus: CpuSelection::Cpus(vec![1]),
        };
        check(&aes, "aes-256-cbc0");
        check(&Memory { cpus: CpuSelection::All }, "0 0 0 small-pages0 tlb-light0 0 0");
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
