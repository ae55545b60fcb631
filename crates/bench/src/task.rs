//! What a run is for: the standard benchmark, one program, or two sides of a question. Each becomes
//! a list of stages by a pure function; the runner goes through them and decides nothing.

use crate::definition::{Definition, Pinning, Repeat, parse_pinning};
use crate::efficiency::{self, Efficiency};
use crate::plan::{self, Available, Options};
use crate::sensitivity::{self, Sensitivity};
use crate::thermal::{self, StartAt, Thermal};
use crate::{Job, ScoreRule};
use record::Machine;
use std::sync::Arc;
use std::time::Duration;

/// What a run is for.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Task {
    /// The standard benchmark.
    #[default]
    Standard,
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
            Task::Program(_) => "command",
            Task::Ab(_) => "ab",
            Task::Sensitivity(_) => "sensitivity",
            Task::Thermal(_) => "thermal",
            Task::Efficiency(_) => "efficiency",
            Task::DramThrottling => "dram-throttling",
            Task::Clock(_) => "clock",
            Task::CoreToCore(_) => "core-to-core",
        }
    }

    /// True if it is worth waiting for a quiet system, and watching it: whoever asks for one figure
    /// wants it now, and is told how disturbed it was.
    pub(crate) fn is_whole_run(&self) -> bool {
        !matches!(self, Task::Clock(_) | Task::CoreToCore(_))
    }

    /// True if clocks are measured before settings are changed, so that the ramp to full clock is that of
    /// the governor as it was found.
    pub(crate) fn has_ramps(&self) -> bool {
        !matches!(self, Task::CoreToCore(_))
    }

    /// The CPUs that are wanted; empty for all.
    pub fn cpus(&self) -> &[u32] {
        match self {
            Task::Clock(clock) => &clock.cpus,
            Task::CoreToCore(cpus) => cpus,
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

/// A setting of the machine, or of where the program runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Setting {
    /// Governor of all cpufreq policies.
    Governor(String),
    /// Highest clock of all policies, in kHz.
    ClockMaxKhz(u32),
    /// Lowest clock of all policies, in kHz.
    ClockMinKhz(u32),
    /// CPUs the program may use.
    Cpus(Pinning),
    /// Highest clock of one policy, in kHz.
    PolicyMaxKhz(u32, u32),
    /// Lowest clock of one policy, in kHz.
    PolicyMinKhz(u32, u32),
    /// Emulated clock: what runs gets this share of the time of its CPUs, in percent.
    SharePercent(u32),
}

impl Setting {
    /// Reads `governor=schedutil,maxkhz=1416000,cpus=0-3`. None if it is a command and no list of
    /// settings.
    ///
    /// # Errors
    /// It is a list of settings with something wrong in it, in one sentence.
    pub fn parse_list(text: &str) -> Result<Option<Vec<Setting>>, String> {
        // A list of CPUs has commas of its own, so that a part without `=` belongs to the one before.
        let mut parts: Vec<String> = Vec::new();
        for part in text.split(',') {
            match parts.last_mut() {
                Some(last) if !part.contains('=') => {
                    last.push(',');
                    last.push_str(part);
                }
                _ => parts.push(part.to_owned()),
            }
        }
        let pairs: Vec<(&str, &str)> = parts
            .iter()
            .filter_map(|part| part.split_once('='))
            .collect();
        let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphabetic() || c == '_');
        if pairs.len() != parts.len() || !pairs.iter().all(|(name, _)| is_name(name)) {
            return Ok(None);
        }
        let settings = pairs.iter().map(|(name, value)| Self::parse(name, value));
        settings.collect::<Result<Vec<_>, _>>().map(Some)
    }

    fn parse(name: &str, value: &str) -> Result<Setting, String> {
        let khz = || {
            let khz = value.parse().ok().filter(|khz| *khz > 0);
            khz.ok_or_else(|| format!("{name} is a clock in kHz such as 1416000, not {value:?}"))
        };
        match name.to_lowercase().as_str() {
            "governor" => Ok(Setting::Governor(value.to_owned())),
            "maxkhz" => khz().map(Setting::ClockMaxKhz),
            "minkhz" => khz().map(Setting::ClockMinKhz),
            "cpus" => parse_pinning(value).map(Setting::Cpus),
            _ => Err(format!(
                "settings are governor, maxkhz, minkhz and cpus, not {name:?}"
            )),
        }
    }
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
}

/// All stages of a run.
pub(crate) fn stages(machine: &Machine, options: &Options, available: Available) -> Vec<Stage> {
    let mut stages = vec![Stage::ColdClocks];
    match &options.task {
        Task::Clock(clock) => {
            stages.extend(clock.heat.map(|_| Stage::HotClocks));
            return stages;
        }
        Task::CoreToCore(cpus) => return vec![Stage::Job(plan::core_to_core(machine, cpus))],
        Task::Standard => {
            let jobs = plan::jobs(machine, options, available);
            stages.extend(jobs.into_iter().map(Stage::Job));
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
fn places(machine: &Machine, pinning: &Pinning) -> Vec<Vec<u32>> {
    match pinning {
        Pinning::All => vec![Vec::new()],
        Pinning::Cpus(cpus) => vec![cpus.clone()],
        Pinning::Fastest => vec![vec![plan::fastest_cpu(machine)]],
        Pinning::CoreTypes => plan::cpus_by_core_type(machine),
    }
}

/// About how long a stage takes, in seconds: for the progress bar.
pub(crate) fn estimate_s(stage: &Stage, clusters: u64, run_s: u64) -> u64 {
    match stage {
        Stage::ColdClocks => (clusters + 2) * plan::CLOCK_STEP_S,
        Stage::HotClocks => (clusters + 1) * plan::CLOCK_STEP_S,
        Stage::Job(job) if job.definition.is_some() => run_s,
        Stage::Job(job) => plan::estimate_s(job),
        Stage::UntilSteady(_) => 10 * run_s,
        Stage::Side(_) => 0,
        // Most waits are short against the longest that is allowed.
        Stage::WaitFor(_, limit) => limit.as_secs() / 4,
        Stage::Heat(thermal) => thermal.time.as_secs(),
        Stage::Rest(_, time) | Stage::UntilSteadyWithin(_, time) => time.as_secs(),
        Stage::OppClock(..) => plan::CLOCK_STEP_S,
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
        let available = Available {
            sevenzip: false,
            openssl: false,
        };
        assert_eq!(
            words(&stages(&Machine::default(), &options, available)),
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
