//! Question: scores of workloads by name.

use super::refusal::{StartFacts, no_place, no_tool};
use super::{Attributes, PlanInput, Question, Task};
use crate::Load;
use crate::plan::options::Options;
use crate::plan::stage::{Stage, between_clocks, repeated};
use crate::plan::standard::{self, AvailableTools};
use record::{Machine, Mode, QuestionId, WorkloadId};
use workloads::job::Job;
use workloads::job::cpus::{cpus_by_core_type, online_cpus};
use workloads::job::pinning::places;
use workloads::{Places, Shape, workload};

/// Loads of the table, by name.
#[derive(Debug, Clone, PartialEq)]
pub struct Loads(pub Vec<Load>);

pub(super) static QUESTION: Question = Question {
    id: QuestionId::Loads,
    mode: Mode::Loads,
    asked_by: "run --workload NAME",
    about: "What does a workload of the table score?",
};

impl Task for Loads {
    fn question(&self) -> &'static Question {
        &QUESTION
    }

    fn mode(&self, _: &Options) -> Mode {
        let first = self.0.first().and_then(|load| workload(load.workload));
        let own = first.and_then(|workload| workload.attributes.mode);
        own.unwrap_or(&QUESTION.mode).clone()
    }

    fn attributes(&self) -> Attributes {
        Attributes { asks_for_tools: false, ..Attributes::default() }
    }

    fn stages(&self, planning: &PlanInput) -> Vec<Stage> {
        between_clocks(self.0.iter().flat_map(|load| load.stages(planning.machine)))
    }

    fn refusal(&self, asked: &StartFacts) -> Option<String> {
        no_place(asked, self.0.iter().filter_map(|load| load.pinning.as_ref())).or_else(|| no_tool(asked, &self.0))
    }
}

impl Load {
    /// Stages of this load.
    pub(super) fn stages(&self, machine: &Machine) -> Vec<Stage> {
        let jobs = match workload(self.workload).and_then(|workload| workload.shape) {
            Some(shape) => self.of_shape(machine, shape),
            None => self.of_standard_run(machine),
        };
        let once = |job: &Job| job.repetition == 0;
        match self.repeat {
            None => jobs.into_iter().map(Stage::Job).collect(),
            Some(repeat) => {
                let repeated = |job| repeated(job, repeat);
                jobs.into_iter().filter(once).flat_map(repeated).collect()
            }
        }
    }

    fn of_shape(&self, machine: &Machine, shape: Shape) -> Vec<Job> {
        let variants = if self.variants.is_empty() { shape.variants } else { &self.variants };
        let mut jobs = Vec::new();
        for variant in variants {
            for (cpus, repetitions) in self.places(machine, shape) {
                let job = Job::on(self.workload, variant.clone(), cpus);
                jobs.extend((0..repetitions).map(|repetition| Job { repetition, ..job.clone() }));
            }
        }
        jobs
    }

    /// Sets of CPUs with their repetitions.
    fn places(&self, machine: &Machine, shape: Shape) -> Vec<(Vec<u32>, u32)> {
        let all = online_cpus(machine);
        if let Some(pinning) = &self.pinning {
            let sets = places(machine, pinning).into_iter();
            let whole = |cpus: Vec<u32>| if cpus.is_empty() { all.clone() } else { cpus };
            return sets.map(|cpus| (whole(cpus), shape.repetitions)).collect();
        }
        let types = cpus_by_core_type(machine);
        let one_of_each = || types.iter().map(|cpus| (cpus[..1].to_vec(), shape.repetitions));
        match shape.places {
            Places::All => vec![(all, shape.repetitions)],
            Places::OneOfEachType => one_of_each().collect(),
            Places::OneOfEachTypeThenAll => {
                let several = (all.len() > 1).then(|| (all.clone(), shape.repetitions));
                one_of_each().chain(several).collect()
            }
            Places::EachTypeThenAll => {
                let single = types.into_iter().filter(|cpus| cpus.len() < all.len());
                let mut places: Vec<(Vec<u32>, u32)> = single.map(|cpus| (cpus, 1)).collect();
                places.push((all, shape.repetitions));
                places
            }
        }
    }

    /// Jobs of this workload in an extensive standard run with all options.
    pub(super) fn of_standard_run(&self, machine: &Machine) -> Vec<Job> {
        let options = Options { extensive: true, heat: true, ..Options::default() };
        // A requested workload runs even if another of its kind is preferred.
        let available = AvailableTools {
            sevenzip: self.workload == WorkloadId::SevenZip,
            // One program only.
            sevenzip_pair: false,
            openssl: self.workload == WorkloadId::OpenSsl,
            cpuminer: self.workload == WorkloadId::Cpuminer,
        };
        let mut jobs = standard::jobs(machine, &options, available);
        jobs.retain(|job| {
            let is_wanted = self.variants.is_empty() || self.variants.contains(&job.variant);
            job.workload == self.workload && is_wanted
        });
        for job in &mut jobs {
            if let Some(pinning) = &self.pinning
                && let Some(cpus) = places(machine, pinning).into_iter().find(|c| !c.is_empty())
            {
                job.threads = cpus.len() as u32;
                job.cpus = cpus;
            }
        }
        jobs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workloads::job::definition::Repeat;
    use workloads::job::pinning::CpuSelection;
    use workloads::testing::machine;

    fn check(text: &str, change: impl Fn(&mut Load), expected: &str) {
        let mut load = Load::parse(text).unwrap().unwrap();
        change(&mut load);
        let word = |stage: &Stage| match stage {
            Stage::Job(job) => format!("{}{:?}#{}", job.variant, job.cpus, job.repetition),
            Stage::UntilSteady(job) => format!("{}{:?}*", job.variant, job.cpus),
            _ => String::new(),
        };
        let two_little_and_a_big_core = machine(&[("A55", 2, 1800), ("A76", 1, 2400)]);
        let words: Vec<String> = load.stages(&two_little_and_a_big_core).iter().map(word).collect();
        assert_eq!(words.join(" "), expected, "{text}");
    }

    #[test]
    fn default_cpu_placement() {
        let usual = |_: &mut Load| {};
        let all = "[0, 1, 2]";
        let stockfish = WorkloadId::Stockfish.as_str();
        check(stockfish, usual, &format!("{all}#0 {all}#1 {all}#2"));
        check("stress-ng:cpu,vm", usual, &format!("cpu{all}#0 vm{all}#0"));
        check("flops:fp64", usual, &format!("fp64[0]#0 fp64[2]#0 fp64{all}#0"));
        check("sevenzip:multi", usual, &format!("multi{all}#0 multi{all}#1 multi{all}#2"));
        check("aes:aes-256-cbc", usual, "aes-256-cbc[0]#0 aes-256-cbc[2]#0");
    }

    #[test]
    fn cpus_and_repeat_overrides() {
        check("sysbench:cpu", |load| load.repeat = Some(Repeat::UntilSteady), "cpu[0, 1, 2]*");
        check(
            "sysbench:cpu",
            |load| {
                load.repeat = Some(Repeat::Times(2));
                load.pinning = Some(CpuSelection::CoreTypes);
            },
            "cpu[0, 1]#0 cpu[0, 1]#1 cpu[2]#0 cpu[2]#1",
        );
    }
}
