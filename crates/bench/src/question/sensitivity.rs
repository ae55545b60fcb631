//! Question: loss of workloads at lower clocks. Stages are a pure function of the machine; the answer is computed from
//! the Record (`rules::sensitivity`).
//!
//! Every round runs all workloads at all clocks, alternately upwards and downwards, so that drift affects all clocks
//! equally.

use super::refusal::{StartFacts, no_stage_runs, not_online};
use super::{Planning, Question, Task};
use crate::plan::options::Options;
use crate::plan::stage::Stage;
use crate::plan::variant::Form;
use record::{Arrange, Machine, Mode, Policy, QuestionId, SetClock, Variant, WorkloadId};
use std::sync::Arc;
use std::time::Duration;
use workloads::job::Job;
use workloads::job::cpus::{fastest_cpu, online_cpus, settable_opps};
use workloads::job::definition::Definition;
use workloads::job::pinning::CpuSelection;
use workloads::job::setting::Setting;
use workloads::{named, workload};

/// A comparison of clocks.
#[derive(Debug, Clone, PartialEq)]
pub struct Sensitivity {
    /// Clocks to compare.
    pub at: ClockSelection,
    /// Workloads at each clock.
    pub loads: Vec<Load>,
    /// Number of rounds; a 95 % interval needs at least six.
    pub rounds: u32,
}

impl Sensitivity {
    /// Ids of its loads that are in the table of workloads.
    pub fn workload_ids(&self) -> Vec<WorkloadId> {
        let id = |load: &Load| match load {
            Load::Workload(id) => Some(*id),
            Load::Form(form) => Some(form.workload),
            Load::Program(_) => None,
        };
        self.loads.iter().filter_map(id).collect()
    }
}

/// Selection of clocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClockSelection {
    /// Highest and lowest clock.
    Extremes,
    /// Every OPP of the fastest policy.
    All,
    /// Clocks in kHz, rounded down to OPPs.
    Khz(Vec<u32>),
}

/// Workload.
#[derive(Debug, Clone, PartialEq)]
pub enum Load {
    /// A built-in workload or a known program, by id.
    Workload(WorkloadId),
    /// One form of a workload with several.
    Form(Form),
    /// A user's program.
    Program(Box<Definition>),
}

/// CPU shares in percent that emulate clocks without cpufreq.
const SHARES: [u32; 2] = [40, 100];
/// Duration of built-in workloads at each clock; short, for short rounds.
const TIME: Duration = Duration::from_secs(2);
/// Duration under a quota, which works in slices of 0.1 s: long enough that the first and last do not matter.
const TIME_EMULATED: Duration = Duration::from_secs(4);
/// Duration for drives, networks and decoders, which settle more slowly than loops.
const TIME_FORM: Duration = Duration::from_secs(6);
/// Default workloads: integer, cipher, memory.
pub const DEFAULT_LOADS: [WorkloadId; 3] = [WorkloadId::Lzma, WorkloadId::Aes, WorkloadId::MemoryBandwidth];

/// The workload of this name, if it supports several clocks.
pub fn load(name: &str) -> Option<Load> {
    let workload = named(name)?;
    let id = workload.attributes.at_a_clock.map(|_| workload.id);
    id.map(Load::Workload)
}

/// One clock with its settings.
#[derive(Debug, Clone, PartialEq)]
struct Level {
    clock: SetClock,
    settings: Vec<Setting>,
}

pub(super) static QUESTION: Question = Question {
    id: QuestionId::Sensitivity,
    asked_by: "sensitivity",
    about: "How do workloads depend on the CPU clock?",
    plain_verb: None,
};

impl Task for Sensitivity {
    fn question(&self) -> &'static Question {
        &QUESTION
    }

    fn mode(&self, _: &Options) -> Mode {
        Mode::Sensitivity
    }

    fn stages(&self, planning: &Planning) -> Vec<Stage> {
        // No hot clocks: the stages measure clocks under load.
        std::iter::once(Stage::ColdClocks).chain(stages(planning.machine, self)).collect()
    }

    fn refusal(&self, asked: &StartFacts) -> Option<String> {
        let machine = asked.identified.machine();
        let mut loads = self.loads.iter();
        let pinned = loads.find_map(|load| match load {
            Load::Program(definition) => match &definition.pinning {
                CpuSelection::Cpus(cpus) => not_online(machine, cpus),
                _ => None,
            },
            _ => None,
        });
        pinned.or_else(|| no_stage_runs(asked, stages(machine, &Sensitivity { rounds: 1, ..self.clone() })))
    }

    fn definitions(&self) -> Vec<&Definition> {
        let own = self.loads.iter().filter_map(|load| match load {
            Load::Program(definition) => Some(&**definition),
            _ => None,
        });
        own.collect()
    }
}

fn stages(machine: &Machine, task: &Sensitivity) -> Vec<Stage> {
    let levels = levels(machine, &task.at);
    let mut stages = Vec::new();
    for round in 0..task.rounds {
        let order: Vec<&Level> = match round % 2 {
            0 => levels.iter().collect(),
            _ => levels.iter().rev().collect(),
        };
        for level in order {
            stages.push(Stage::Side(level.settings.clone()));
            for load in &task.loads {
                let job = job(machine, load, level.clock);
                stages.push(Stage::Job(Job { repetition: round, ..job }));
            }
        }
    }
    stages.push(Stage::Side(Vec::new()));
    stages
}

/// Clocks with their settings, lowest first.
fn levels(machine: &Machine, at: &ClockSelection) -> Vec<Level> {
    let Some(fastest) = fastest_policy(machine) else {
        let level =
            |percent| Level { clock: SetClock::SharePercent(percent), settings: vec![Setting::SharePercent(percent)] };
        return SHARES.into_iter().map(level).collect();
    };
    let opps = settable_opps(fastest);
    let wanted: Vec<u32> = match at {
        ClockSelection::All => opps,
        ClockSelection::Khz(khz) => khz.iter().map(|khz| at_most(&opps, *khz)).collect(),
        ClockSelection::Extremes => [opps.first(), opps.last()].into_iter().flatten().copied().collect(),
    };
    let mut levels: Vec<Level> = wanted
        .iter()
        .map(|khz| Level { clock: SetClock::Khz(*khz), settings: policies_at(machine, fastest, *khz) })
        .collect();
    levels.arrange_by_key(|level| level.clock);
    levels.dedup();
    levels
}

/// Settings of all policies: their lowest clock if the fastest policy is at its lowest, else the next lower OPP.
fn policies_at(machine: &Machine, fastest: &Policy, khz: u32) -> Vec<Setting> {
    let is_lowest = settable_opps(fastest).first() == Some(&khz);
    let policies = machine.policies.iter();
    policies
        .flat_map(|policy| {
            let own = settable_opps(policy);
            let lowest = own.first().copied().unwrap_or(khz);
            let max = if is_lowest { lowest } else { at_most(&own, khz) };
            // A higher minimum would override the maximum.
            [Setting::PolicyMinKhz(policy.policy, lowest), Setting::PolicyMaxKhz(policy.policy, max)]
        })
        .collect()
}

fn fastest_policy(machine: &Machine) -> Option<&Policy> {
    let policies = machine.policies.iter();
    policies
        .filter(|policy| !settable_opps(policy).is_empty())
        .max_by_key(|policy| policy.clock_khz_max.known().copied().unwrap_or(0))
}

/// The next lower OPP, or the lowest.
fn at_most(opps: &[u32], khz: u32) -> u32 {
    let below = opps.iter().rev().find(|opp| **opp <= khz);
    below.or(opps.first()).copied().unwrap_or(khz)
}

fn job(machine: &Machine, load: &Load, clock: SetClock) -> Job {
    let cpu = fastest_cpu(machine);
    let is_emulated = matches!(clock, SetClock::SharePercent(_));
    let time = if is_emulated { TIME_EMULATED } else { TIME };
    // A quota for several CPUs does not limit a program that uses only one.
    let anywhere = if is_emulated { vec![cpu] } else { Vec::new() };
    let (workload, variant, cpus, time, definition) = match load {
        Load::Program(definition) => {
            let cpus = match &definition.pinning {
                CpuSelection::All => anywhere,
                CpuSelection::Cpus(cpus) => cpus.clone(),
                CpuSelection::Fastest | CpuSelection::OnePerCoreType | CpuSelection::CoreTypes => vec![cpu],
            };
            let own = Arc::new((**definition).clone());
            (WorkloadId::Program, definition.variant.clone(), cpus, time, Some(own))
        }
        Load::Form(form) => (form.workload, form.variant.clone(), anywhere, TIME_FORM, None),
        Load::Workload(id) => {
            let how = workload(*id).and_then(|workload| workload.attributes.at_a_clock);
            let cpus = if how.is_some_and(|how| how.on_all_cpus) { online_cpus(machine) } else { vec![cpu] };
            (*id, how.map_or(Variant::ONLY, |how| how.variant.clone()), cpus, time, None)
        }
    };
    Job {
        workload,
        variant,
        threads: cpus.len() as u32,
        cpus,
        time: Some(time),
        set_clock: Some(clock),
        definition,
        ..Job::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Fact;

    fn policy(number: u32, opps_khz: &[u32]) -> Policy {
        Policy {
            policy: number,
            clock_khz_min: Fact::Known(opps_khz[0]),
            clock_khz_max: Fact::Known(*opps_khz.last().unwrap()),
            opps_khz: opps_khz.to_vec(),
            ..Policy::default()
        }
    }

    fn check(policies: &[Policy], at: ClockSelection, expected: &[(SetClock, &str)]) {
        let machine = Machine { policies: policies.to_vec(), ..Machine::default() };
        let words = |level: &Level| {
            let settings = level.settings.iter().filter_map(|setting| match setting {
                Setting::PolicyMaxKhz(policy, khz) => Some(format!("{policy}:{khz}")),
                Setting::SharePercent(percent) => Some(format!("{percent} %")),
                _ => None,
            });
            settings.collect::<Vec<_>>().join(" ")
        };
        let found = levels(&machine, &at);
        let found: Vec<_> = found.iter().map(|l| (l.clock, words(l))).collect();
        let expected: Vec<_> = expected.iter().map(|(c, w)| (*c, w.to_string())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn clocks_are_those_of_the_policies() {
        let (little, big) = (policy(0, &[400, 1400]), policy(4, &[600, 1200, 2000]));
        let both = [little, big];
        check(
            &both,
            ClockSelection::Extremes,
            &[(SetClock::Khz(600), "0:400 4:600"), (SetClock::Khz(2000), "0:1400 4:2000")],
        );
        check(
            &both,
            ClockSelection::Khz(vec![5000, 1300, 1250]),
            &[(SetClock::Khz(1200), "0:400 4:1200"), (SetClock::Khz(2000), "0:1400 4:2000")],
        );
        check(
            &[],
            ClockSelection::All,
            &[(SetClock::SharePercent(40), "40 %"), (SetClock::SharePercent(100), "100 %")],
        );
    }

    #[test]
    fn rounds_go_up_and_down() {
        let task =
            Sensitivity { at: ClockSelection::Extremes, loads: vec![Load::Workload(WorkloadId::Lzma)], rounds: 2 };
        let shares: Vec<u32> = stages(&Machine::default(), &task)
            .iter()
            .filter_map(|stage| match stage {
                Stage::Job(job) => match job.set_clock? {
                    SetClock::SharePercent(percent) => Some(percent),
                    SetClock::Khz(_) => None,
                },
                _ => None,
            })
            .collect();
        assert_eq!(shares, [40, 100, 100, 40]);
        assert_eq!(load(WorkloadId::Lzma.as_str()).as_ref(), task.loads.first());
        assert_eq!(load("nothing"), None);
    }
}
