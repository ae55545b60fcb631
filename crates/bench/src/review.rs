//! What a review does, decided before it begins: short steps as found and after each group of settings
//! is raised, then the usual steps, then watching.
//!
//! Pure: what the look over the machine found goes in, a list of stages comes out. Only values that a
//! node itself lists become part of a group.

use crate::cpus::fastest_cpu;
use crate::options::Options;
use crate::plan::{self, Available};
use crate::task::Stage;
use crate::{Definition, Job};
use machine::settings::{DeviceName, Node};
use record::{Fact, Machine, Scaler, ScalerKind, Survey};
use std::sync::Arc;

/// A review with benchmarks.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Review {
    /// Runs while the machine is watched; empty: until interrupted.
    pub command: Vec<String>,
    /// Watch after measuring.
    pub watch: bool,
}

/// Settings that are raised together.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Group {
    /// In words.
    pub(crate) name: &'static str,
    /// Nodes and their new values.
    pub(crate) nodes: Vec<(Node, String)>,
}

/// Each state is measured so often: twice tells a difference from chance.
const PROBE_REPETITIONS: u32 = 2;

/// All stages of a review.
pub(crate) fn stages(
    review: &Review,
    machine: &Machine,
    survey: &Survey,
    options: &Options,
    available: Available,
) -> Vec<Stage> {
    let mut stages = Vec::new();
    let groups = if options.tune {
        groups(survey, options)
    } else {
        Vec::new()
    };
    let mut raised: Vec<String> = Vec::new();
    // Without anything to raise there is nothing to attribute.
    if !groups.is_empty() {
        stages.extend(probes(machine, options, &raised));
    }
    for group in groups {
        raised.push(group.name.to_owned());
        stages.push(Stage::Raise(group));
        stages.extend(probes(machine, options, &raised));
    }
    stages.push(Stage::ColdClocks);
    let jobs = plan::jobs(machine, options, available);
    // As reviews always had it: one key size is enough.
    let wanted = |job: &Job| !job.variant.starts_with("aes-") || job.variant.starts_with("aes-256");
    stages.extend(jobs.into_iter().filter(wanted).map(Stage::Job));
    stages.push(Stage::HotClocks);
    if review.watch || !review.command.is_empty() {
        stages.push(Stage::Watch(watched_job(review)));
    }
    stages.push(Stage::Survey);
    stages
}

/// The command that runs while the machine is watched.
fn watched_job(review: &Review) -> Option<Job> {
    let (first, _) = review.command.split_first()?;
    let definition = Definition::of_command(review.command.clone());
    Some(Job {
        workload: "program",
        variant: definition.variant.clone(),
        cpus: Vec::new(),
        threads: 0,
        repetition: 0,
        definition: Some(Arc::new(definition)),
        time: None,
        set_clock: None,
    })
    .filter(|_| !first.is_empty())
}

/// Short steps that feel clocks of CPU and memory.
fn probes(machine: &Machine, options: &Options, raised: &[String]) -> Vec<Stage> {
    let fastest = fastest_cpu(machine);
    let mut kinds = vec![("memory-bandwidth", ""), ("memory-latency", "")];
    if options.scores {
        kinds.push(("lzma", "single"));
    }
    let step = |(workload, variant): &(&'static str, &str), repetition| {
        let job = Job {
            workload,
            variant: (*variant).to_owned(),
            cpus: vec![fastest],
            threads: 1,
            repetition,
            definition: None,
            time: None,
            set_clock: None,
        };
        Stage::Probe(job, raised.to_vec())
    };
    let repetitions = 0..PROBE_REPETITIONS;
    repetitions
        .flat_map(|repetition| kinds.iter().map(move |kind| step(kind, repetition)))
        .collect()
}

/// What can be raised, in the order in which it is.
pub(crate) fn groups(survey: &Survey, options: &Options) -> Vec<Group> {
    let of_kind = |wanted: &dyn Fn(ScalerKind) -> bool| {
        let scalers = survey.scalers.iter().filter(|scaler| wanted(scaler.kind));
        scalers.filter_map(governor).collect::<Vec<_>>()
    };
    let aspm = survey
        .choices
        .iter()
        .find(|choice| choice.path == Node::AspmPolicy.path());
    let aspm = aspm.filter(|choice| {
        choice.chosen != "performance" && choice.all.iter().any(|one| one == "performance")
    });
    // A policy without links would be raised for nothing.
    let has_links = survey.pci.iter().any(|device| device.link.is_some());
    let groups = [
        Group {
            name: "CPU governor at performance",
            nodes: of_kind(&|kind| kind == ScalerKind::Cpu),
        },
        Group {
            name: "CPU clock limits raised",
            nodes: limits(survey, options),
        },
        Group {
            name: "memory governor at performance",
            nodes: of_kind(&|kind| kind == ScalerKind::Memory),
        },
        Group {
            name: "other governors (GPU, NPU) at performance",
            nodes: of_kind(&|kind| !matches!(kind, ScalerKind::Cpu | ScalerKind::Memory)),
        },
        Group {
            name: "PCIe ASPM at performance",
            nodes: aspm
                .filter(|_| has_links)
                .map(|_| (Node::AspmPolicy, "performance".to_owned()))
                .into_iter()
                .collect(),
        },
    ];
    groups
        .into_iter()
        .filter(|group| !group.nodes.is_empty())
        .collect()
}

/// The governor of one scaler at performance, if it lists that and has another one.
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

/// Highest clocks that are below what the CPU has, and below what the user allows.
fn limits(survey: &Survey, options: &Options) -> Vec<(Node, String)> {
    let cpus = survey
        .scalers
        .iter()
        .filter(|scaler| scaler.kind == ScalerKind::Cpu);
    cpus.filter_map(|scaler| {
        let (Fact::Known(limit), Fact::Known(top)) = (&scaler.limit_hz_max, &scaler.clock_hz_max)
        else {
            return None;
        };
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
            pci: vec![PciDevice {
                link: Some(PciLink::default()),
                ..PciDevice::default()
            }],
            ..Survey::default()
        }
    }

    #[test]
    fn groups_hold_what_can_be_raised_and_nothing_else() {
        let names = |survey: &Survey, options: &Options| {
            let groups = groups(survey, options);
            groups
                .iter()
                .map(|group| (group.name, group.nodes.len()))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            names(&survey(), &Options::default()),
            [
                ("CPU governor at performance", 1),
                ("CPU clock limits raised", 1),
                ("memory governor at performance", 1),
                ("PCIe ASPM at performance", 1),
            ]
        );
        let limited = Options {
            clock_khz_max: Some(1_000_000),
            ..Options::default()
        };
        assert_eq!(names(&survey(), &limited).len(), 3);
        assert!(names(&Survey::default(), &Options::default()).is_empty());
    }

    #[test]
    fn everything_is_measured_before_and_after_each_group() {
        let available = Available::default();
        let words = |options: &Options, review: &Review| {
            let stages = stages(review, &Machine::default(), &survey(), options, available);
            let word = |stage: &Stage| match stage {
                Stage::Probe(job, raised) => format!("{}{}", job.workload, raised.len()),
                Stage::Raise(_) => "raise".into(),
                Stage::Job(job) => format!("{} {}", job.workload, job.variant),
                Stage::ColdClocks => "cold".into(),
                Stage::HotClocks => "hot".into(),
                Stage::Watch(_) => "watch".into(),
                Stage::Survey => "look".into(),
                other => format!("{other:?}"),
            };
            stages.iter().map(word).collect::<Vec<_>>()
        };
        let watch = Review {
            watch: true,
            ..Review::default()
        };
        let found = words(&Options::default(), &watch);
        assert_eq!(found.iter().filter(|word| *word == "raise").count(), 4);
        assert_eq!(
            found
                .iter()
                .filter(|word| word.starts_with("lzma4"))
                .count(),
            2
        );
        assert!(
            found[0].ends_with('0')
                && found.ends_with(&["hot".into(), "watch".into(), "look".into()])
        );
        assert!(!found.iter().any(|word| word.contains("aes-128")));
        let untuned = Options {
            tune: false,
            ..Options::default()
        };
        assert_eq!(words(&untuned, &Review::default())[0], "cold");
    }
}
