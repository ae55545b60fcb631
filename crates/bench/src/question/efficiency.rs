//! Question: power and score at every OPP of every chosen set of cores, after an idle time. The answer is computed from
//! the Record (`rules::efficiency`).

use super::refusal::{StartFacts, no_stage_runs, not_online};
use super::{PlanInput, Question, Task};
use crate::Options;
use crate::plan::stage::Stage;
use crate::plan::standard::AvailableTools;
use crate::plan::variant::Form;
use record::{Machine, Mode, QuestionId, SetClock, Variant, WorkloadId};
use std::time::Duration;
use workloads::job::Job;
use workloads::job::cpus::{cpus_by_core_type, online_clusters, online_cpus, settable_opps};
use workloads::job::pinning::parse_cpu_selection;
use workloads::job::setting::{Setting, clock_limits};
use workloads::{OppRepetitions, workload};

/// A walk through all OPPs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Efficiency {
    /// Sets of cores.
    pub sets: CpuSets,
    /// Workload at each OPP: `sevenzip`, `lzma` or one form of another workload; `None` for 7-zip if installed.
    pub load: Option<Form>,
    /// Maximum time of one OPP, whose job repeats until its score is stable.
    pub point: Duration,
    /// Time to record idle power and temperature.
    pub idle: Duration,
}

impl Default for Efficiency {
    /// All cores, with times in which any board settles: a chip takes seconds, and averaging meters less than these
    /// times.
    fn default() -> Self {
        Self { sets: CpuSets::Together, load: None, point: POINT_TIME, idle: Duration::from_secs(20) }
    }
}

/// Sets of cores to walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CpuSets {
    /// All cores together.
    Together,
    /// The first core of each cluster.
    Cores,
    /// All cores of each cluster.
    Clusters,
    /// All cores of each type.
    CoreClusters,
    /// All of these.
    All,
    /// These CPUs.
    Cpus(Vec<u32>),
}

impl CpuSets {
    /// Parses `cores`, `clusters`, `coreclusters`, `all` or a list such as `0-3`; empty for all cores together.
    ///
    /// # Errors
    /// The text is none of these; one sentence.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text {
            "" => Ok(Self::Together),
            "cores" => Ok(Self::Cores),
            "clusters" => Ok(Self::Clusters),
            "coreclusters" => Ok(Self::CoreClusters),
            "all" => Ok(Self::All),
            list => match parse_cpu_selection(list) {
                Ok(workloads::job::pinning::CpuSelection::Cpus(cpus)) => Ok(Self::Cpus(cpus)),
                _ => {
                    Err(format!("CPUs must be cores, clusters, coreclusters, all or a list such as 0-3, not {list:?}."))
                }
            },
        }
    }
}

/// Default of `MinKHz`: below it, one OPP takes minutes.
const CLOCK_KHZ_MIN: u32 = 600_000;
/// Default maximum time of one OPP: with its clock measurement and the last repetition, 15 seconds.
const POINT_TIME: Duration = Duration::from_secs(12);
/// Duration of one repetition: short, so that the limit is kept.
const PART: Duration = Duration::from_secs(2);

pub(super) static QUESTION: Question = Question {
    id: QuestionId::Efficiency,
    mode: Mode::Efficiency,
    asked_by: "efficiency",
    about: "What do score, temperature and power come to at every OPP?",
};

impl Task for Efficiency {
    fn question(&self) -> &'static Question {
        &QUESTION
    }

    fn stages(&self, planning: &PlanInput) -> Vec<Stage> {
        let PlanInput { machine, options, available, .. } = *planning;
        stages(machine, self, options, available)
    }

    fn refusal(&self, asked: &StartFacts) -> Option<String> {
        let machine = asked.identified.machine();
        let policies = machine.policies.iter();
        if policies.clone().all(|policy| settable_opps(policy).is_empty()) {
            let way_out = "`sbc-bench sensitivity` can emulate lower clocks with a CPU quota";
            return Some(format!("This machine has no cpufreq, so there are no OPPs to test; {way_out}."));
        }
        let absent = match &self.sets {
            CpuSets::Cpus(cpus) => not_online(machine, cpus),
            _ => None,
        };
        absent.or_else(|| no_stage_runs(asked, stages(machine, self, asked.options, AvailableTools::default())))
    }
}

fn stages(machine: &Machine, walk: &Efficiency, options: &Options, available: AvailableTools) -> Vec<Stage> {
    let own = Form {
        workload: if available.sevenzip { WorkloadId::SevenZip } else { WorkloadId::Lzma },
        variant: Variant::OPP,
    };
    let load = walk.load.as_ref().unwrap_or(&own);
    let how = workload(load.workload).and_then(|workload| workload.attributes.at_an_opp);
    let is_once = how == Some(OppRepetitions::Once);
    let mut stages = vec![Stage::ApplySettings(limits(machine, &[], 0)), Stage::Rest(Variant::IDLE, walk.idle)];
    for cpus in cpu_sets(machine, &walk.sets) {
        for khz in walked(machine, &cpus, options) {
            stages.push(Stage::ApplySettings(limits(machine, &cpus, khz)));
            stages.push(Stage::OppClock(cpus.clone(), khz));
            let job = job(&cpus, khz, load);
            stages.push(if is_once {
                Stage::Job(Job { time: Some(walk.point), ..job })
            } else {
                Stage::UntilSteadyWithin(job, walk.point)
            });
        }
    }
    stages.push(Stage::ApplySettings(Vec::new()));
    stages
}

fn job(cpus: &[u32], khz: u32, load: &Form) -> Job {
    let set_clock = Some(SetClock::Khz(khz));
    Job { time: Some(PART), set_clock, ..load.job(cpus.to_vec()) }
}

/// Sets of CPUs without duplicates.
fn cpu_sets(machine: &Machine, sets: &CpuSets) -> Vec<Vec<u32>> {
    let clusters = || online_clusters(machine).into_iter().map(|cluster| cluster.cpus);
    let cores = || clusters().map(|cpus| vec![cpus[0]]).collect::<Vec<_>>();
    let mut found = match sets {
        CpuSets::Together => vec![online_cpus(machine)],
        CpuSets::Cores => cores(),
        CpuSets::Clusters => clusters().collect(),
        CpuSets::CoreClusters => cpus_by_core_type(machine),
        CpuSets::All => {
            let mut all = cores();
            all.extend(clusters());
            all.extend(cpus_by_core_type(machine));
            all.push(online_cpus(machine));
            all
        }
        CpuSets::Cpus(cpus) => vec![cpus.clone()],
    };
    let mut known: Vec<Vec<u32>> = Vec::new();
    found.retain(|cpus| {
        let is_new = !known.contains(cpus);
        known.push(cpus.clone());
        is_new
    });
    found
}

/// OPPs of the fastest policy of the set within the user's limits, lowest first.
fn walked(machine: &Machine, cpus: &[u32], options: &Options) -> Vec<u32> {
    let policies = machine.policies.iter().filter(|policy| policy.cpus.iter().any(|cpu| cpus.contains(cpu)));
    let fastest = policies.max_by_key(|policy| settable_opps(policy).last().copied());
    let mut all = fastest.map(settable_opps).unwrap_or_default();
    let top = all.last().copied().unwrap_or(0);
    let min = options.clock_khz_min.unwrap_or(CLOCK_KHZ_MIN.min(top));
    all.retain(|khz| *khz >= min && options.clock_khz_max.is_none_or(|max| *khz <= max));
    all
}

/// Clock limits of a set of CPUs at this clock.
fn limits(machine: &Machine, cpus: &[u32], khz: u32) -> Vec<Setting> {
    clock_limits(machine, khz, |policy| policy.cpus.iter().any(|cpu| cpus.contains(cpu)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::settings::Node;
    use record::{Cluster, Cpu, Fact, Policy};

    fn machine() -> Machine {
        let cpus: Vec<u32> = (0..6).collect();
        let cpu = |cpu: &u32| Cpu { cpu: *cpu, online: true, ..Cpu::default() };
        let policy = |number: u32, cpus: &[u32], opps_khz: &[u32]| Policy {
            policy: number,
            cpus: cpus.to_vec(),
            clock_khz_max: Fact::Known(*opps_khz.last().unwrap()),
            opps_khz: opps_khz.to_vec(),
            ..Policy::default()
        };
        let cluster = |cpus: &[u32], name: &str, policy: u32| Cluster {
            cpus: cpus.to_vec(),
            core_type: Fact::Known(name.into()),
            policy: Some(policy),
        };
        Machine {
            cpus: cpus.iter().map(cpu).collect(),
            clusters: vec![cluster(&[0, 1, 2, 3], "Cortex-A53", 0), cluster(&[4, 5], "Cortex-A72", 4)],
            policies: vec![
                policy(0, &[0, 1, 2, 3], &[408_000, 816_000, 1_416_000]),
                policy(4, &[4, 5], &[408_000, 1_008_000, 1_800_000]),
            ],
            ..Machine::default()
        }
    }

    #[test]
    fn cpu_set_names() {
        for (text, expected) in [
            ("", vec![vec![0, 1, 2, 3, 4, 5]]),
            ("cores", vec![vec![0], vec![4]]),
            ("clusters", vec![vec![0, 1, 2, 3], vec![4, 5]]),
            ("coreclusters", vec![vec![0, 1, 2, 3], vec![4, 5]]),
            ("4-5", vec![vec![4, 5]]),
            ("all", vec![vec![0], vec![4], vec![0, 1, 2, 3], vec![4, 5], vec![0, 1, 2, 3, 4, 5]]),
        ] {
            assert_eq!(cpu_sets(&machine(), &CpuSets::parse(text).unwrap()), expected, "{text}");
        }
        assert!(CpuSets::parse("most").unwrap_err().contains("coreclusters"));
    }

    #[test]
    fn sweep_covers_every_opp() {
        let options = Options::default();
        assert_eq!(walked(&machine(), &[0], &options), [816_000, 1_416_000]);
        let bounded = Options { clock_khz_min: Some(400_000), clock_khz_max: Some(1_008_000), ..Options::default() };
        assert_eq!(walked(&machine(), &[4, 5], &bounded), [408_000, 1_008_000]);
        let limits = limits(&machine(), &[4], 1_008_000);
        for (policy, khz) in [(0, "408000"), (4, "1008000")] {
            assert!(limits.contains(&Setting::Node(Node::ClockMax(policy), khz.into())), "{limits:?}");
        }
    }
}
