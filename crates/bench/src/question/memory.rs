//! Question: memory bandwidth, latency by size, and both under load.

use super::{AnyTask, Attributes, PlainVerb, Planning, Question, Task};
use crate::plan::options::Options;
use crate::plan::stage::Stage;
use crate::plan::standard::job;
use record::{Arrange, Machine, Mode, QuestionId, Variant, WorkloadId};
use workloads::job::Job;
use workloads::job::cpus::{core_types, cpus_by_speed};
use workloads::job::pinning::CpuSelection;

/// Measures memory only, without waiting for an idle system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    /// CPUs: the first is measured, the others load the memory. `All` measures one CPU of each core type.
    pub cpus: CpuSelection,
}

pub(super) static QUESTION: Question = Question {
    id: QuestionId::Memory,
    asked_by: "memory",
    about: "How fast is memory?",
    plain_verb: Some(PlainVerb {
        help: "Measure memory bandwidth and latency",
        more: "By size and routine, alone and under load, and the caches that show in them.",
        task: |cpus| AnyTask::of(Memory { cpus }),
    }),
};

impl Task for Memory {
    fn question(&self) -> &'static Question {
        &QUESTION
    }

    fn mode(&self, _: &Options) -> Mode {
        Mode::Memory
    }

    fn attributes(&self) -> Attributes {
        Attributes::at_once()
    }

    fn stages(&self, planning: &Planning) -> Vec<Stage> {
        jobs(planning.machine, &self.cpus(planning.machine)).into_iter().map(Stage::Job).collect()
    }

    fn cpus(&self, machine: &Machine) -> Vec<u32> {
        self.cpus.of_one_measurement(machine)
    }
}

/// Jobs for the first wanted CPU, or for one CPU of each core type.
fn jobs(machine: &Machine, wanted: &[u32]) -> Vec<Job> {
    let firsts: Vec<u32> = match wanted {
        [first, ..] => vec![*first],
        [] => core_types(machine).iter().map(|cluster| cluster.cpus[0]).collect(),
    };
    let mut jobs = Vec::new();
    for cpu in &firsts {
        let on_it = |workload, variant| job(workload, variant, vec![*cpu], 1);
        for workload in [WorkloadId::MemoryBandwidth, WorkloadId::MemoryLibc] {
            jobs.push(on_it(workload, Variant::ONLY));
        }
        for variant in [Variant::ONLY, Variant::SMALL_PAGES, Variant::TLB_LIGHT] {
            jobs.push(on_it(WorkloadId::MemoryLatency, variant));
        }
    }
    // Fastest first: the curve starts with the best single CPU.
    let mut cpus = match wanted {
        [] => cpus_by_speed(machine),
        wanted => wanted.to_vec(),
    };
    for (workload, first) in [(WorkloadId::MemoryScaling, cpus[0]), (WorkloadId::MemoryLoaded, firsts[0])] {
        cpus.arrange_by_key(|cpu| *cpu != first);
        let threads = cpus.len() as u32;
        jobs.push(job(workload, Variant::ONLY, cpus.clone(), threads));
    }
    jobs
}

#[cfg(test)]
mod tests {
    use super::*;
    use workloads::testing::machine;

    #[test]
    fn memory_is_measured_from_the_core_type_that_is_wanted() {
        let machine = machine(&[("A55", 2, 1800), ("A76", 2, 2400)]);
        let lines = |wanted: &[u32]| -> Vec<String> {
            let jobs = jobs(&machine, wanted);
            let line = |job: &Job| format!("{} {}@{:?}", job.name(), job.variant, job.cpus);
            jobs.iter().map(line).collect()
        };
        let all = lines(&[]);
        assert_eq!(all.len(), 2 * 5 + 2);
        assert_eq!(all[0], "memory-bandwidth @[0]");
        assert_eq!(all[9], "memory-latency tlb-light@[2]");
        assert_eq!(all[10], "memory-scaling @[2, 3, 0, 1]");
        assert_eq!(all[11], "memory-loaded @[0, 2, 3, 1]");
        let wanted = lines(&[3, 1]);
        assert_eq!(wanted[0], "memory-bandwidth @[3]");
        assert_eq!(wanted[5..], ["memory-scaling @[3, 1]", "memory-loaded @[3, 1]"]);
    }
}
