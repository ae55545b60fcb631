//! What a run is for: the standard benchmark, one program, or two sides of a question, and what follows
//! from that for the run as a whole. Which stages it has is in [`stages`].

pub(crate) mod ab;
pub mod efficiency;
pub(crate) mod refusal;
pub(crate) mod review;
pub mod sensitivity;
pub mod thermal;

pub(crate) use crate::plan::stage::{Stage, repeated};
pub use ab::{Ab, Side, score_both, side};

use crate::job::definition::Definition;
use crate::job::setting::Setting;
use crate::plan::load::Load;
use crate::plan::options::Options;
use crate::question::efficiency::Efficiency;
use crate::question::review::Review;
use crate::question::sensitivity::Sensitivity;
use crate::question::thermal::Thermal;
use crate::workloads::workload;
use record::{Mode, Variant, WorkloadId};
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
    pub workload: WorkloadId,
    /// Which form of it; empty for its only one.
    pub variant: Variant,
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
    pub fn mode(&self, options: &Options) -> Mode {
        match self {
            Task::Standard if options.extensive => Mode::Extensive,
            Task::Standard => Mode::Standard,
            Task::Loads(loads) => {
                let first = loads.first().and_then(|load| workload(load.workload));
                let own = first.and_then(|workload| workload.attributes.mode);
                own.cloned().unwrap_or(Mode::Loads)
            }
            Task::Program(_) => Mode::Command,
            Task::Ab(_) => Mode::Ab,
            Task::Sensitivity(_) => Mode::Sensitivity,
            Task::Thermal(_) => Mode::Thermal,
            Task::Efficiency(_) => Mode::Efficiency,
            Task::DramThrottling => Mode::DramThrottling,
            Task::Review(_) => Mode::Review,
            Task::Clock(_) => Mode::Clock,
            Task::CoreToCore(_) => Mode::CoreToCore,
            Task::Memory(_) => Mode::Memory,
            Task::One(_) => Mode::Workload,
        }
    }

    /// True if it is worth waiting for a quiet system, and watching it: whoever asks for one figure
    /// wants it now, and is told how disturbed it was.
    pub fn is_whole_run(&self) -> bool {
        match self {
            Task::Standard | Task::Loads(_) | Task::Program(_) | Task::Ab(_) => true,
            Task::Sensitivity(_) | Task::Thermal(_) | Task::Efficiency(_) => true,
            Task::DramThrottling => true,
            Task::Review(review) => review.benchmarks,
            Task::Clock(_) | Task::CoreToCore(_) => false,
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
            Task::Ab(ab) => ab.sides.iter().any(|side| side.settings.iter().any(is_of_machine)),
            _ => false,
        }
    }

    /// Programs of the user's own that it runs.
    pub(crate) fn definitions(&self) -> Vec<&Definition> {
        use crate::question::sensitivity::Load;
        use crate::question::thermal::HeatLoad;
        match self {
            Task::Program(definition) => vec![definition],
            Task::Ab(ab) => ab.sides.iter().map(|side| &side.definition).collect(),
            Task::Sensitivity(task) => {
                let own = task.loads.iter().filter_map(|load| match load {
                    Load::Program(definition) => Some(&**definition),
                    _ => None,
                });
                own.collect()
            }
            Task::Thermal(Thermal { load: HeatLoad::Program(definition), .. }) => vec![definition],
            _ => Vec::new(),
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
