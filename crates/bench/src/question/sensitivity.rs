//! Question: loss of workloads at lower clocks. Stages are a pure function of the machine; the answer is computed from
//! the Record (`rules::sensitivity`).
//!
//! Every round runs all workloads at all clocks, alternately upwards and downwards, so that drift affects all clocks
//! equally.

use super::refusal::{StartFacts, no_place, no_stage_runs};
use super::{PlanInput, Question, Task};
use crate::plan::stage::Stage;
use crate::plan::variant::{Form, RepeatedWorkload};
use record::{Machine, Mode, Policy, QuestionId, SetClock, StableSort, WorkloadId};
use std::time::Duration;
use workloads::job::Job;
use workloads::job::cpus::{fastest_cpu, online_cpus, settable_opps};
use workloads::job::definition::Definition;
use workloads::job::pinning::CpuSelection;
use workloads::job::setting::{Setting, clock_limits};
use workloads::{ClockForm, named, workload};

/// A comparison of clocks.
#[derive(Debug, Clone, PartialEq)]
pub struct Sensitivity {
    /// Clocks to compare.
    pub at: ClockSelection,
    /// Workloads at each clock.
    pub loads: Vec<RepeatedWorkload>,
    /// Number of rounds; a 95 % interval needs at least six.
    pub rounds: u32,
}

impl Sensitivity {
    /// Ids of its loads that are in the table of workloads.
    pub fn workload_ids(&self) -> Vec<WorkloadId> {
        self.loads.iter().filter_map(RepeatedWorkload::workload_id).collect()
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

/// CPU shares in percent that emulate clocks without cpufreq.
const SHARES: [u32; 2] = [40, 100];
/// Duration of built-in workloads at each clock; short, for short rounds.
const TIME: Duration = Duration::from_secs(2);
/// Duration under a quota, which works in slices of 0.1 s: long enough that the first and last do not matter.
const TIME_EMULATED: Duration = Duration::from_secs(4);
/// Duration for drives, networks and decoders, which settle more slowly than loops.
const TIME_FORM: Duration = Duration::from_secs(6);
/// Default workloads: integer, cipher, memory.
const DEFAULT_LOADS: [WorkloadId; 3] = [WorkloadId::Lzma, WorkloadId::Aes, WorkloadId::MemoryBandwidth];

/// The workload of this name, if it has a form for comparisons of clocks.
pub fn load(name: &str) -> Option<RepeatedWorkload> {
    let workload = named(name)?;
    let variant = workload.attributes.at_a_clock?.variant.clone();
    Some(RepeatedWorkload::Form(Form { workload: workload.id, variant }))
}

/// Default workloads.
pub fn default_loads() -> Vec<RepeatedWorkload> {
    DEFAULT_LOADS.iter().filter_map(|id| load(id.as_str())).collect()
}

/// One clock with its settings.
#[derive(Debug, Clone, PartialEq)]
struct Level {
    clock: SetClock,
    settings: Vec<Setting>,
}

pub(super) static QUESTION: Question = Question {
    id: QuestionId::Sensitivity,
    mode: Mode::Sensitivity,
    asked_by: "sensitivity",
    about: "How do workloads depend on the CPU clock?",
};

impl Task for Sensitivity {
    fn question(&self) -> &'static Question {
        &QUESTION
    }

    fn stages(&self, planning: &PlanInput) -> Vec<Stage> {
        // No hot clocks: the stages measure clocks under load.
        std::iter::once(Stage::ColdClocks).chain(stages(planning.machine, self)).collect()
    }

    fn refusal(&self, asked: &StartFacts) -> Option<String> {
        let machine = asked.identified.machine();
        no_place(asked, self.definitions().into_iter().map(|own| &own.pinning))
            .or_else(|| no_stage_runs(asked, stages(machine, &Sensitivity { rounds: 1, ..self.clone() })))
    }

    fn definitions(&self) -> Vec<&Definition> {
        self.loads.iter().filter_map(RepeatedWorkload::program).collect()
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
            stages.push(Stage::ApplySettings(level.settings.clone()));
            for load in &task.loads {
                let job = job(machine, load, level.clock);
                stages.push(Stage::Job(Job { repetition: round, ..job }));
            }
        }
    }
    stages.push(Stage::ApplySettings(Vec::new()));
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
    levels.stable_sort_by_key(|level| level.clock);
    levels.dedup();
    levels
}

/// Settings of all policies: their lowest clock if the fastest policy is at its lowest, else the next lower OPP.
fn policies_at(machine: &Machine, fastest: &Policy, khz: u32) -> Vec<Setting> {
    let is_lowest = settable_opps(fastest).first() == Some(&khz);
    clock_limits(machine, khz, |_| !is_lowest)
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

fn job(machine: &Machine, load: &RepeatedWorkload, clock: SetClock) -> Job {
    let cpu = fastest_cpu(machine);
    let is_emulated = matches!(clock, SetClock::SharePercent(_));
    let time = if is_emulated { TIME_EMULATED } else { TIME };
    // A quota for several CPUs does not limit a program that uses only one.
    let anywhere = if is_emulated { vec![cpu] } else { Vec::new() };
    let (job, time) = match load {
        RepeatedWorkload::Program(definition) => {
            let cpus = match &definition.pinning {
                CpuSelection::All => anywhere,
                CpuSelection::Cpus(cpus) => cpus.clone(),
                CpuSelection::Fastest | CpuSelection::OnePerCoreType | CpuSelection::CoreTypes => vec![cpu],
            };
            (Job::of_program(definition, cpus), time)
        }
        RepeatedWorkload::Form(form) => {
            match workload(form.workload).and_then(|workload| workload.attributes.at_a_clock) {
                Some(ClockForm { on_all_cpus: true, .. }) => (form.job(online_cpus(machine)), time),
                Some(_) => (form.job(vec![cpu]), time),
                None => (form.job(anywhere), TIME_FORM),
            }
        }
    };
    Job { time: Some(time), set_clock: Some(clock), ..job }
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::settings::Node;
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
                Setting::Node(Node::ClockMax(policy), khz) => Some(format!("{policy}:{khz}")),
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
        let task = Sensitivity {
            at: ClockSelection::Extremes,
            loads: load(WorkloadId::Lzma.as_str()).into_iter().collect(),
            rounds: 2,
        };
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
        assert_eq!(load("nothing"), None);
    }
}
