//! Question: one run of one workload on chosen CPUs.

use super::refusal::{StartFacts, no_stage_runs};
use super::{Attributes, PlanInput, Question, Task};
use crate::plan::load::Load;
use crate::plan::stage::Stage;
use record::{Machine, Mode, QuestionId, Variant, WorkloadId};
use workloads::job::Job;
use workloads::job::cpus::fastest_cpu;
use workloads::job::definition::Repeat;
use workloads::job::pinning::CpuSelection;
use workloads::job::pinning::places;

/// One workload on chosen CPUs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SingleWorkload {
    /// Workload.
    pub workload: WorkloadId,
    /// Form; empty for the only one.
    pub variant: Variant,
    /// CPUs, one thread each. `All` means all CPUs if the standard run uses several, else the fastest one.
    pub cpus: CpuSelection,
}

pub(super) static QUESTION: Question = Question {
    id: QuestionId::Workload,
    mode: Mode::Workload,
    asked_by: "workload ID",
    about: "What does one workload score, measured once?",
};

impl Task for SingleWorkload {
    fn question(&self) -> &'static Question {
        &QUESTION
    }

    fn attributes(&self) -> Attributes {
        Attributes::at_once()
    }

    fn stages(&self, planning: &PlanInput) -> Vec<Stage> {
        stages(planning.machine, self)
    }

    fn refusal(&self, asked: &StartFacts) -> Option<String> {
        no_stage_runs(asked, stages(asked.identified.machine(), self))
    }

    fn cpus(&self, machine: &Machine) -> Vec<u32> {
        self.cpus.of_one_measurement(machine)
    }
}

/// Stages of the workload; all forms unless one is named.
fn stages(machine: &Machine, one: &SingleWorkload) -> Vec<Stage> {
    let has_forms = workloads::workload(one.workload).is_some_and(|w| w.shape.is_some());
    if !has_forms {
        let variants = variants(machine, one);
        let at = |cpus: Vec<u32>| variants.iter().map(move |variant| job(machine, one.workload, variant, &cpus));
        return places(machine, &one.cpus).into_iter().flat_map(at).map(Stage::Job).collect();
    }
    let variant = Some(one.variant.clone()).filter(|variant| !variant.is_only());
    let load = Load {
        variants: variant.into_iter().collect(),
        pinning: (one.cpus != CpuSelection::All).then(|| one.cpus.clone()),
        repeat: Some(Repeat::Times(1)),
        ..Load::usual(one.workload)
    };
    load.stages(machine)
}

/// The requested variant; without one, all variants of the standard run if the workload needs a variant.
fn variants(machine: &Machine, one: &SingleWorkload) -> Vec<Variant> {
    let forms = workloads::workload(one.workload).map_or(&[][..], |workload| workload.attributes.forms);
    if !one.variant.is_only() || forms.contains(&Variant::ONLY) {
        return vec![one.variant.clone()];
    }
    let jobs = Load::usual(one.workload).of_standard_run(machine);
    let is_run = |form: &&Variant| **form != Variant::CORE_TYPE && jobs.iter().any(|job| job.variant == **form);
    forms.iter().filter(is_run).cloned().collect()
}

/// Job on these CPUs; without CPUs, on those of the standard run, since 7-zip `multi` needs several.
fn job(machine: &Machine, workload: WorkloadId, variant: &Variant, cpus: &[u32]) -> Job {
    let cpus = match cpus {
        [] => {
            let load = Load { variants: vec![variant.clone()], ..Load::usual(workload) };
            let is_wide = |job: &Job| job.cpus.len() > 1;
            if let Some(job) = load.of_standard_run(machine).into_iter().find(is_wide) {
                return Job { repetition: 0, ..job };
            }
            vec![fastest_cpu(machine)]
        }
        cpus => cpus.to_vec(),
    };
    Job::on(workload, variant.clone(), cpus)
}

#[cfg(test)]
mod tests {
    use super::*;
    use workloads::testing::machine;

    fn selection(cpus: &[u32]) -> CpuSelection {
        if cpus.is_empty() { CpuSelection::All } else { CpuSelection::Cpus(cpus.to_vec()) }
    }

    #[test]
    fn a_workload_runs_where_a_standard_run_has_it() {
        let machine = machine(&[("Cortex-A53", 4, 1500), ("Cortex-A72", 2, 2000)]);
        let all: Vec<u32> = machine.cpus.iter().map(|cpu| cpu.cpu).collect();
        let fastest = vec![fastest_cpu(&machine)];
        let check = |workload, variant: Variant, cpus: &[u32], expected: &[u32]| {
            let one = SingleWorkload { workload, variant, cpus: selection(cpus) };
            let jobs = stages(&machine, &one);
            let [Stage::Job(job)] = &jobs[..] else { panic!("{jobs:?}") };
            assert_eq!((&job.cpus[..], job.threads as usize), (expected, expected.len()), "{one:?}");
        };
        check(WorkloadId::SevenZip, Variant::MULTI, &[], &all);
        check(WorkloadId::SevenZip, Variant::MULTI, &all[..1], &all[..1]);
        check(WorkloadId::SevenZip, Variant::SINGLE, &[], &fastest);
        check(WorkloadId::Lzma, Variant::MULTI, &[], &all);
        check(WorkloadId::Cpuminer, Variant::ONLY, &[], &all);
        check(WorkloadId::OpenSsl, Variant::parallel("aes-256-cbc"), &[], &all);
        check(WorkloadId::Aes, Variant::AES_256_CBC, &[], &fastest);
        check(WorkloadId::MemoryLatency, Variant::ONLY, &[], &fastest);
        let on = |cpus| SingleWorkload { workload: WorkloadId::Aes, variant: Variant::AES_256_CBC, cpus };
        let cpus = |cpus| -> Vec<Vec<u32>> {
            let job = |stage: Stage| match stage {
                Stage::Job(job) => job.cpus,
                other => panic!("{other:?}"),
            };
            stages(&machine, &on(cpus)).into_iter().map(job).collect()
        };
        assert_eq!(cpus(CpuSelection::Fastest), [fastest]);
        assert_eq!(cpus(CpuSelection::CoreTypes), [vec![0, 1, 2, 3], vec![4, 5]]);
    }

    #[test]
    fn every_workload_of_the_program_runs_without_a_variant() {
        let machine = machine(&[("Cortex-A53", 4, 1500), ("Cortex-A72", 2, 2000)]);
        let check = |workload, cpus: &[u32], expected: &str| {
            let one = SingleWorkload { workload, variant: Variant::ONLY, cpus: selection(cpus) };
            let word = |stage: Stage| match stage {
                Stage::Job(job) => format!("{}{:?}", job.variant, job.cpus),
                _ => String::new(),
            };
            let words: Vec<String> = stages(&machine, &one).into_iter().map(word).collect();
            assert_eq!(words.join(" "), expected, "{workload:?}");
        };
        check(WorkloadId::Aes, &[1], "aes-128-cbc[1] aes-192-cbc[1] aes-256-cbc[1]");
        check(WorkloadId::OpenSsl, &[], "aes-128-cbc[4] aes-192-cbc[4] aes-256-cbc[4]");
        check(WorkloadId::Lzma, &[], "single[4] multi[0, 1, 2, 3, 4, 5]");
    }
}
