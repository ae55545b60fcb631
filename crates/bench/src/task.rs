//! What a run is for: the standard benchmark, one program, or two sides of a question. Each becomes
//! a list of stages by a pure function; the runner goes through them and decides nothing.

mod setting;

pub use setting::Setting;

use crate::definition::{Definition, Pinning, Repeat};
use crate::efficiency::{self, Efficiency};
use crate::load::Load;
use crate::plan::{self, Available, Options};
use crate::review::{self, Group, Review};
use crate::sensitivity::{self, Sensitivity};
use crate::thermal::{self, StartAt, Thermal};
use crate::{Job, ScoreRule};
use record::{Machine, Survey};
use std::sync::Arc;
use std::time::Duration;

/// What a run is for.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Task {
    /// The standard benchmark.
    #[default]
    Standard,
    /// Loads of the table, by name.
    Loads(Vec<Load>),
    /// One program of the user's own.
    Program(Definition),
    /// Does a setting, or another program, make a difference?
    Ab(Box<Ab>),
    /// Nothing but clocks, at once.
    Clock(ClockTask),
    /// Nothing but the latency between these CPUs (all if empty), at once.
    CoreToCore(Vec<u32>),
    /// What do workloads lose when the clock falls?
    Sensitivity(Sensitivity),
    /// What does the machine make of heat?
    Thermal(Thermal),
    /// What does performance cost, OPP by OPP?
    Efficiency(Efficiency),
    /// Is the memory controller throttled by heat?
    DramThrottling,
    /// What settings of this machine cost, and what happens while it is watched.
    Review(Review),
    /// Nothing but memory, at once: of each core type, or of the first of these CPUs; the others of
    /// them load it.
    Memory(Vec<u32>),
    /// One workload, once, at once.
    One(One),
}

/// One workload at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct One {
    /// Its id.
    pub workload: &'static str,
    /// Which form of it; empty for its only one.
    pub variant: String,
    /// On these CPUs, a thread on each; empty for the fastest CPU.
    pub cpus: Vec<u32>,
}

/// Which clocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClockTask {
    /// Of these CPUs; empty for all.
    pub cpus: Vec<u32>,
    /// Successive readings of each CPU.
    pub readings: usize,
    /// All CPUs work for so long, then the clocks are measured again while they go on.
    pub heat: Option<Duration>,
}

/// Readings of each point: three, as logs have always shown.
const READINGS: usize = 3;
/// The load before the hot pass: long enough to be seen by governor and cooling.
const LOAD_TIME: Duration = Duration::from_millis(1500);

impl Task {
    /// The mode in the Record.
    pub fn mode(&self, options: &Options) -> &'static str {
        match self {
            Task::Standard if options.extensive => "extensive",
            Task::Standard => "standard",
            Task::Loads(loads) => match loads.first().map(|load| load.workload) {
                // Names of the bash program, which stand in published lists.
                Some("geekbench") => "gb",
                Some("phoronix") => "pts",
                _ => "loads",
            },
            Task::Program(_) => "command",
            Task::Ab(_) => "ab",
            Task::Sensitivity(_) => "sensitivity",
            Task::Thermal(_) => "thermal",
            Task::Efficiency(_) => "efficiency",
            Task::DramThrottling => "dram-throttling",
            Task::Review(_) => "review",
            Task::Clock(_) => "clock",
            Task::CoreToCore(_) => "core-to-core",
            Task::Memory(_) => "memory",
            Task::One(_) => "workload",
        }
    }

    /// True if it is worth waiting for a quiet system, and watching it: whoever asks for one figure
    /// wants it now, and is told how disturbed it was.
    pub fn is_whole_run(&self) -> bool {
        match self {
            Task::Standard | Task::Loads(_) | Task::Program(_) | Task::Ab(_) => true,
            Task::Sensitivity(_) | Task::Thermal(_) | Task::Efficiency(_) => true,
            Task::DramThrottling => true,
            Task::Review(_) | Task::Clock(_) | Task::CoreToCore(_) => false,
            Task::Memory(_) | Task::One(_) => false,
        }
    }

    /// True if clocks are measured before settings are changed, so that the ramp to full clock is that of
    /// the governor as it was found.
    pub(crate) fn has_ramps(&self) -> bool {
        self.is_whole_run() || matches!(self, Task::Clock(_))
    }

    /// The CPUs that are wanted; empty for all.
    pub fn cpus(&self) -> &[u32] {
        match self {
            Task::Clock(clock) => &clock.cpus,
            Task::CoreToCore(cpus) | Task::Memory(cpus) => cpus,
            Task::One(one) => &one.cpus,
            _ => &[],
        }
    }

    /// True if this CPU is wanted.
    pub(crate) fn wants(&self, cpu: u32) -> bool {
        self.cpus().is_empty() || self.cpus().contains(&cpu)
    }

    /// How long all CPUs work before the clocks under load are measured.
    pub(crate) fn load_time(&self) -> Duration {
        match self {
            Task::Clock(clock) => clock.heat.unwrap_or(LOAD_TIME),
            _ => LOAD_TIME,
        }
    }

    /// How many readings a point of a clock pass has.
    pub(crate) fn readings(&self) -> usize {
        match self {
            Task::Clock(clock) => clock.readings.max(1),
            _ => READINGS,
        }
    }

    /// True if a side of it changes the machine.
    pub(crate) fn has_settings(&self) -> bool {
        let is_of_machine = |setting: &Setting| !matches!(setting, Setting::Cpus(_));
        match self {
            Task::Ab(ab) => ab
                .sides
                .iter()
                .any(|side| side.settings.iter().any(is_of_machine)),
            _ => false,
        }
    }

    /// What the two sides are, in words.
    pub(crate) fn sides(&self) -> Vec<String> {
        match self {
            Task::Ab(ab) => ab.sides.iter().map(|side| side.words.clone()).collect(),
            _ => Vec::new(),
        }
    }
}

/// Two sides that are run in turns: A B B A, so that drift falls on both alike.
#[derive(Debug, Clone, PartialEq)]
pub struct Ab {
    /// A and B.
    pub sides: [Side; 2],
    /// Number of blocks of four runs.
    pub blocks: u32,
}

/// One side.
#[derive(Debug, Clone, PartialEq)]
pub struct Side {
    /// As it was given.
    pub words: String,
    /// Settings that hold while it runs.
    pub settings: Vec<Setting>,
    /// What it runs.
    pub definition: Definition,
}

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
    Rest(&'static str, Duration),
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

/// All stages of a run.
pub(crate) fn stages(
    machine: &Machine,
    survey: &Survey,
    options: &Options,
    available: Available,
) -> Vec<Stage> {
    if let Task::Review(task) = &options.task {
        return review::stages(task, machine, survey, options, available);
    }
    let mut stages = vec![Stage::ColdClocks];
    match &options.task {
        Task::Clock(clock) => {
            stages.extend(clock.heat.map(|_| Stage::HotClocks));
            return stages;
        }
        Task::CoreToCore(cpus) => return vec![Stage::Job(plan::core_to_core(machine, cpus))],
        Task::Memory(cpus) => {
            let jobs = plan::memory(machine, cpus);
            return jobs.into_iter().map(Stage::Job).collect();
        }
        Task::One(one) => return vec![Stage::Job(plan::one(machine, one))],
        Task::Standard => {
            let jobs = plan::jobs(machine, options, available);
            stages.extend(jobs.into_iter().map(Stage::Job));
            if options.scores && (options.stockfish || options.extensive) {
                stages.extend(Load::usual("stockfish").stages(machine));
            }
        }
        Task::Loads(loads) => {
            let of_load = |load: &Load| load.stages(machine);
            stages.extend(loads.iter().flat_map(of_load));
        }
        Task::Program(definition) => stages.extend(repeated(machine, definition)),
        Task::Ab(ab) => stages.extend(blocks(machine, ab)),
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

fn repeated(machine: &Machine, definition: &Definition) -> Vec<Stage> {
    let mut stages = Vec::new();
    for cpus in places(machine, &definition.pinning) {
        let job = job(definition, cpus, &definition.variant);
        match definition.repeat {
            Repeat::UntilSteady => stages.push(Stage::UntilSteady(job)),
            Repeat::Times(times) => stages.extend((0..times).map(|repetition| {
                Stage::Job(Job {
                    repetition,
                    ..job.clone()
                })
            })),
        }
    }
    stages
}

/// A B B A, B A A B, ... after one run of each that does not count: it fills caches of the disk.
fn blocks(machine: &Machine, ab: &Ab) -> Vec<Stage> {
    let [a, b] = &ab.sides;
    let same_settings = a.settings == b.settings;
    let mut stages = Vec::new();
    let mut run = |side: &Side, variant: &str, repetition: u32| {
        let pinned = side.settings.iter().find_map(|setting| match setting {
            Setting::Cpus(pinning) => Some(pinning),
            _ => None,
        });
        let pinning = pinned.unwrap_or(&side.definition.pinning);
        let cpus = places(machine, pinning)
            .into_iter()
            .next()
            .unwrap_or_default();
        if !same_settings {
            stages.push(Stage::Side(side.settings.clone()));
        }
        let job = job(&side.definition, cpus, variant);
        stages.push(Stage::Job(Job { repetition, ..job }));
    };
    run(a, "warm-up", 0);
    run(b, "warm-up", 1);
    for block in 0..ab.blocks {
        let (first, second) = match block % 2 {
            0 => ((a, "a"), (b, "b")),
            _ => ((b, "b"), (a, "a")),
        };
        for ((side, variant), half) in [(first, 0), (second, 0), (second, 1), (first, 1)] {
            run(side, variant, 2 * block + half);
        }
    }
    stages
}

fn job(definition: &Definition, cpus: Vec<u32>, variant: &str) -> Job {
    Job {
        workload: "program",
        variant: variant.to_owned(),
        threads: cpus.len() as u32,
        cpus,
        repetition: 0,
        definition: Some(Arc::new(definition.clone())),
        ..Job::default()
    }
}

/// The sets of CPUs that a program runs on, one after the other; an empty set stands for all.
pub(crate) fn places(machine: &Machine, pinning: &Pinning) -> Vec<Vec<u32>> {
    match pinning {
        Pinning::All => vec![Vec::new()],
        Pinning::Cpus(cpus) => vec![cpus.clone()],
        Pinning::Fastest => vec![vec![plan::fastest_cpu(machine)]],
        Pinning::CoreTypes => plan::cpus_by_core_type(machine),
    }
}

/// The side of a command line: settings of the one program, or a program of its own.
///
/// # Errors
/// One sentence about what is wrong.
pub fn side(words: &str, program: Option<&Definition>) -> Result<Side, String> {
    let settings = Setting::parse_list(words)?;
    let (settings, definition) = match (settings, program) {
        (Some(settings), Some(program)) => (settings, program.clone()),
        (Some(_), None) => {
            return Err(format!(
                "{words} is a setting: say what to run with it behind --"
            ));
        }
        (None, Some(_)) => {
            return Err(format!(
                "{words:?} is no setting such as governor=schedutil; with a command behind -- both sides are settings"
            ));
        }
        (None, None) if words.trim().is_empty() => return Err("a side is empty".into()),
        (None, None) => {
            let shell = ["/bin/sh", "-c", words].map(str::to_owned).to_vec();
            (Vec::new(), Definition::of_command(shell))
        }
    };
    Ok(Side {
        words: words.to_owned(),
        settings,
        definition,
    })
}

/// True if a name stands for something else in Records already.
pub fn is_taken(name: &str) -> bool {
    name == "clock" || crate::workloads::workload(name).is_some()
}

/// Both sides are scored alike.
pub fn score_both(ab: &mut Ab, score: &ScoreRule, unit: &str, higher_is_better: bool) {
    for side in &mut ab.sides {
        side.definition.score = score.clone();
        side.definition.unit = unit.to_owned();
        side.definition.higher_is_better = higher_is_better;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program() -> Definition {
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
        let options = Options {
            task,
            ..Options::default()
        };
        let available = Available::default();
        assert_eq!(
            words(&stages(
                &Machine::default(),
                &Survey::default(),
                &options,
                available
            )),
            expected
        );
    }

    #[test]
    fn a_program_runs_as_often_as_wanted() {
        check(Task::Program(program()), "cold steady -j4 hot");
        let three = Definition {
            repeat: Repeat::Times(3),
            ..program()
        };
        check(Task::Program(three), "cold -j40 -j41 -j42 hot");
    }

    #[test]
    fn single_questions_have_short_answers() {
        let clock = |heat| {
            Task::Clock(ClockTask {
                cpus: vec![0],
                readings: 3,
                heat,
            })
        };
        check(clock(None), "cold");
        check(clock(Some(Duration::from_secs(9))), "cold hot");
        check(Task::CoreToCore(Vec::new()), "0");
        let aes = One {
            workload: "aes",
            variant: "aes-256-cbc".into(),
            cpus: vec![1],
        };
        check(Task::One(aes), "aes-256-cbc0");
        check(Task::Memory(Vec::new()), "0 0 small-pages0 tlb-light0 0 0");
    }

    #[test]
    fn sides_alternate_so_that_drift_cancels() {
        let sides = ["maxkhz=1", "maxkhz=2,cpus=0,1"].map(|s| side(s, Some(&program())).unwrap());
        check(
            Task::Ab(Box::new(Ab { sides, blocks: 2 })),
            "cold set 1 warm-up0 set 2 warm-up1 \
             set 1 a0 set 2 b0 set 2 b1 set 1 a1 set 2 b2 set 1 a2 set 1 a3 set 2 b3 hot",
        );
        let sides = ["true", "sleep 1"].map(|s| side(s, None).unwrap());
        check(
            Task::Ab(Box::new(Ab { sides, blocks: 1 })),
            "cold warm-up0 warm-up1 a0 b0 b1 a1 hot",
        );
    }

    #[test]
    fn settings_are_told_from_commands() {
        for (text, expected) in [
            ("governor=schedutil", Ok(Some(1))),
            ("maxKHz=1416000,cpus=0-3,6", Ok(Some(2))),
            ("thp=never,cpus=1", Ok(Some(2))),
            ("make -j4", Ok(None)),
            ("env A=b make", Ok(None)),
            ("true", Ok(None)),
            ("maxkhz=fast", Err("clock in kHz")),
            ("colour=red", Err("governor, maxkhz")),
            ("cpus=many", Err("CPUs are all")),
        ] {
            let found = Setting::parse_list(text).map(|list| list.map(|list| list.len()));
            match (found, expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{text}"),
                (Err(why), Err(words)) => assert!(why.contains(words), "{why}"),
                (found, _) => panic!("{text}: {found:?}"),
            }
        }
    }

    #[test]
    fn a_side_without_its_other_half_is_refused() {
        for (words, program, expected) in [
            ("governor=x", None, "behind --"),
            ("make", Some(program()), "no setting"),
            (" ", None, "empty"),
        ] {
            let error = side(words, program.as_ref()).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
