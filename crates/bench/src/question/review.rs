//! Plan of a review: short steps as found and after each group of settings, then the usual steps, then monitoring.
//! Without benchmarks: all groups, then monitoring.
//!
//! Pure: the input is the survey. Groups contain only values that a node itself lists.

use crate::plan::options::Options;
use crate::plan::stage::{Group, Stage};
use crate::plan::standard::{self, AvailableTools};
use crate::question::refusal::{StartFacts, misnamed};
use crate::question::{Attributes, OwnProgram, PlanInput, Question, Task};
use machine::settings::{DeviceName, Node};
use record::{Fact, Machine, Mode, QuestionId, Scaler, ScalerKind, Survey, Variant, WorkloadId};
use std::time::Duration;
use workloads::is_taken;
use workloads::job::Job;
use workloads::job::cpus::fastest_cpu;
use workloads::job::definition::Definition;

/// A review.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Review {
    /// Measure as found, after each group of settings, and the usual steps.
    pub benchmarks: bool,
    /// Command to monitor; empty to monitor until interrupted.
    pub command: Vec<String>,
    /// Monitor after measuring.
    pub watch: bool,
}

/// Repetitions in each state: two separate a difference from noise.
const PROBE_REPETITIONS: u32 = 2;

/// Time limit of a monitored command, which ends by itself or by a signal. A year means no limit.
const WATCHED_AT_MOST: Duration = Duration::from_secs(365 * 86_400);

pub(super) static QUESTION: Question = Question {
    id: QuestionId::Review,
    mode: Mode::Review,
    asked_by: "review",
    about: "Is the machine in order, and what do its settings cost?",
};

impl Task for Review {
    fn question(&self) -> &'static Question {
        &QUESTION
    }

    fn attributes(&self) -> Attributes {
        Attributes {
            is_whole_run: self.benchmarks,
            is_watched: self.benchmarks,
            has_ramps: self.benchmarks,
            looks_first: true,
            replaces_programs: true,
            not_resumable: Some("gains are measured against the machine as found in the same boot"),
            reads_marks: self.watch && self.command.is_empty(),
            only_watches: !self.benchmarks,
            own_program: if self.command.is_empty() { OwnProgram::None } else { OwnProgram::Watched },
            ..Attributes::default()
        }
    }

    fn stages(&self, planning: &PlanInput) -> Vec<Stage> {
        let PlanInput { machine, survey, options, available } = *planning;
        stages(self, machine, survey, options, available)
    }

    fn refusal(&self, asked: &StartFacts) -> Option<String> {
        let misnamed = || misnamed(asked, WorkloadId::SevenZip).filter(|_| self.benchmarks);
        let program = watched_program(self);
        program.and_then(|program| program.missing_program(asked.options.user.as_deref())).or_else(misnamed)
    }
}

/// All stages of a review.
fn stages(
    review: &Review,
    machine: &Machine,
    survey: &Survey,
    options: &Options,
    available: AvailableTools,
) -> Vec<Stage> {
    let mut stages = Vec::new();
    let groups = if options.tune { groups(survey, options) } else { Vec::new() };
    if review.benchmarks {
        stages.extend(measured(groups, machine, options, available))
    } else {
        stages.extend(groups.into_iter().map(Stage::Raise))
    }
    if review.watch || !review.command.is_empty() {
        stages.push(Stage::Watch(watched_job(review)));
    }
    stages.push(Stage::Survey);
    stages
}

/// All measurements of a review, from the machine as found to the hot clocks.
fn measured(groups: Vec<Group>, machine: &Machine, options: &Options, available: AvailableTools) -> Vec<Stage> {
    let mut stages = Vec::new();
    let mut raised: Vec<String> = Vec::new();
    // Without settings to raise, no effect is attributed.
    if !groups.is_empty() {
        stages.extend(probes(machine, options, &raised));
    }
    for group in groups {
        raised.push(group.name.to_owned());
        stages.push(Stage::Raise(group));
        stages.extend(probes(machine, options, &raised));
    }
    stages.push(Stage::ColdClocks);
    let jobs = standard::jobs(machine, options, available);
    // One key size is enough.
    let wanted = |job: &Job| !job.variant.is_aes() || job.variant.is_aes_256();
    stages.extend(jobs.into_iter().filter(wanted).map(Stage::Job));
    stages.push(Stage::HotClocks);
    stages
}

/// Job of the monitored command.
fn watched_job(review: &Review) -> Option<Job> {
    Some(Job::of_program(&watched_program(review)?, Vec::new()))
}

/// The user's command, scored by its time.
fn watched_program(review: &Review) -> Option<Definition> {
    review.command.first().filter(|first| !first.is_empty())?;
    let mut definition = Definition::of_command(review.command.clone());
    if is_taken(&definition.name) {
        // The name must not be that of a known workload.
        definition.name.push_str("-command");
    }
    definition.time_limit = WATCHED_AT_MOST;
    Some(definition)
}

/// Short steps that depend on the clocks of CPU and memory.
fn probes(machine: &Machine, options: &Options, raised: &[String]) -> Vec<Stage> {
    let fastest = fastest_cpu(machine);
    let mut kinds = vec![(WorkloadId::MemoryBandwidth, Variant::ONLY), (WorkloadId::MemoryLatency, Variant::ONLY)];
    if options.scores {
        kinds.push((WorkloadId::Lzma, Variant::SINGLE));
    }
    let step = |(workload, variant): &(WorkloadId, Variant), repetition| {
        let job = Job { repetition, ..Job::on(*workload, variant.clone(), vec![fastest]) };
        Stage::Probe(job, raised.to_vec())
    };
    let repetitions = 0..PROBE_REPETITIONS;
    repetitions.flat_map(|repetition| kinds.iter().map(move |kind| step(kind, repetition))).collect()
}

/// Groups of settings to raise, in order.
fn groups(survey: &Survey, options: &Options) -> Vec<Group> {
    let of_kind = |wanted: &dyn Fn(ScalerKind) -> bool| {
        let scalers = survey.scalers.iter().filter(|scaler| wanted(scaler.kind));
        scalers.filter_map(governor).collect::<Vec<_>>()
    };
    let aspm = survey.choices.iter().find(|choice| choice.path == Node::AspmPolicy.path());
    let aspm =
        aspm.filter(|choice| choice.chosen != "performance" && choice.all.iter().any(|one| one == "performance"));
    // The policy has no effect without PCIe links.
    let has_links = survey.pci.iter().any(|device| device.link.is_some());
    let groups = [
        Group { name: "CPU governor set to performance", nodes: of_kind(&|kind| kind == ScalerKind::Cpu) },
        Group { name: "CPU clock limits raised", nodes: limits(survey, options) },
        Group { name: "memory governor set to performance", nodes: of_kind(&|kind| kind == ScalerKind::Memory) },
        Group {
            name: "other governors (GPU, NPU) set to performance",
            nodes: of_kind(&|kind| !matches!(kind, ScalerKind::Cpu | ScalerKind::Memory)),
        },
        Group {
            name: "PCIe ASPM policy set to performance",
            nodes: aspm
                .filter(|_| has_links)
                .map(|_| (Node::AspmPolicy, "performance".to_owned()))
                .into_iter()
                .collect(),
        },
    ];
    groups.into_iter().filter(|group| !group.nodes.is_empty()).collect()
}

/// Governor `performance` for one scaler, if listed and not active.
fn governor(scaler: &Scaler) -> Option<(Node, String)> {
    const WANTED: &str = "performance";
    let now = scaler.governor.known()?;
    let listed = scaler.governors.iter().any(|governor| governor == WANTED);
    if now == WANTED || !listed {
        return None;
    }
    let node = match scaler.kind {
        ScalerKind::Cpu => Node::Governor(policy_number(scaler)?),
        _ => Node::DeviceGovernor(DeviceName::new(&scaler.name)?),
    };
    Some((node, WANTED.to_owned()))
}

fn policy_number(scaler: &Scaler) -> Option<u32> {
    scaler.name.strip_prefix("policy")?.parse().ok()
}

/// Clock limits below the maximum of the CPU and the user's limit.
fn limits(survey: &Survey, options: &Options) -> Vec<(Node, String)> {
    let cpus = survey.scalers.iter().filter(|scaler| scaler.kind == ScalerKind::Cpu);
    cpus.filter_map(|scaler| {
        let (Fact::Known(limit), Fact::Known(top)) = (&scaler.limit_hz_max, &scaler.clock_hz_max) else { return None };
        let most = options.clock_khz_max.map_or(u64::MAX, u64::from);
        let wanted_khz = (top / 1000).min(most);
        let node = Node::ClockMax(policy_number(scaler)?);
        (limit / 1000 < wanted_khz).then(|| (node, wanted_khz.to_string()))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{Choice, PciDevice, PciLink};

    const WATCH: &str = WorkloadId::Watch.as_str();

    fn scaler(kind: ScalerKind, name: &str, governor: &str) -> Scaler {
        Scaler {
            kind,
            name: name.into(),
            governor: Fact::Known(governor.into()),
            governors: vec!["performance".into(), governor.into()],
            limit_hz_max: Fact::Known(1_200_000_000),
            clock_hz_max: Fact::Known(1_800_000_000),
            ..Scaler::default()
        }
    }

    fn survey() -> Survey {
        Survey {
            scalers: vec![
                scaler(ScalerKind::Cpu, "policy0", "ondemand"),
                scaler(ScalerKind::Memory, "dmc", "dmc_ondemand"),
                scaler(ScalerKind::Gpu, "../evil", "simple_ondemand"),
            ],
            choices: vec![Choice {
                path: Node::AspmPolicy.path(),
                chosen: "powersave".into(),
                all: vec!["performance".into(), "powersave".into()],
            }],
            pci: vec![PciDevice { link: Some(PciLink::default()), ..PciDevice::default() }],
            ..Survey::default()
        }
    }

    #[test]
    fn setting_groups_contain_tunable_nodes() {
        let names = |survey: &Survey, options: &Options| {
            let groups = groups(survey, options);
            groups.iter().map(|group| (group.name, group.nodes.len())).collect::<Vec<_>>()
        };
        assert_eq!(
            names(&survey(), &Options::default()),
            [
                ("CPU governor set to performance", 1),
                ("CPU clock limits raised", 1),
                ("memory governor set to performance", 1),
                ("PCIe ASPM policy set to performance", 1),
            ]
        );
        let limited = Options { clock_khz_max: Some(1_000_000), ..Options::default() };
        assert_eq!(names(&survey(), &limited).len(), 3);
        assert!(names(&Survey::default(), &Options::default()).is_empty());
    }

    #[test]
    fn probes_run_before_and_after_each_group() {
        let available = AvailableTools::default();
        let words = |options: &Options, review: &Review| {
            let stages = stages(review, &Machine::default(), &survey(), options, available);
            let word = |stage: &Stage| match stage {
                Stage::Probe(job, raised) => format!("{}{}", job.name(), raised.len()),
                Stage::Raise(_) => "raise".into(),
                Stage::Job(job) => format!("{} {}", job.name(), job.variant),
                Stage::ColdClocks => "cold".into(),
                Stage::HotClocks => "hot".into(),
                Stage::Watch(_) => WATCH.into(),
                Stage::Survey => "look".into(),
                other => format!("{other:?}"),
            };
            stages.iter().map(word).collect::<Vec<_>>()
        };
        let watch = Review { benchmarks: true, watch: true, ..Review::default() };
        let found = words(&Options::default(), &watch);
        assert_eq!(found.iter().filter(|word| *word == "raise").count(), 4);
        assert_eq!(found.iter().filter(|word| word.starts_with("lzma4")).count(), 2);
        assert!(found[0].ends_with('0') && found.ends_with(&["hot".into(), WATCH.into(), "look".into()]));
        assert!(!found.iter().any(|word| word.contains("aes-128")));
        let untuned = Options { tune: false, ..Options::default() };
        let only_measured = Review { watch: false, ..watch.clone() };
        assert_eq!(words(&untuned, &only_measured)[0], "cold");
        let lurking = Review { benchmarks: false, ..watch };
        assert_eq!(words(&Options::default(), &lurking), ["raise", "raise", "raise", "raise", WATCH, "look"]);
        assert_eq!(words(&untuned, &lurking), [WATCH, "look"]);
    }

    #[test]
    fn watched_command_has_no_time_limit() {
        let words = |command: &str| {
            let command = command.split_whitespace().map(str::to_owned).collect();
            watched_program(&Review { command, ..Review::default() })
        };
        let found = words("stress-ng --cpu 0 -t 60m").unwrap();
        assert!(found.time_limit > Duration::from_secs(3700));
        assert_eq!((found.name.as_str(), found.variant.as_str()), ("stress-ng-command", "--cpu 0 -t 60m"));
        assert_eq!(words(""), None);
    }
}
