//! Question: memory bandwidth, latency by size, and both under load.

use super::{PlainVerb, Question};
use record::{Machine, Mode, QuestionId, StableSort, Variant, WorkloadId};
use workloads::job::Job;
use workloads::job::cpus::{core_types, cpus_by_speed};

pub(super) static QUESTION: Question =
    Question { id: QuestionId::Memory, mode: Mode::Memory, asked_by: "memory", about: "How fast is memory?" };

pub(super) static VERB: PlainVerb = PlainVerb {
    question: &QUESTION,
    help: "Measure memory bandwidth and latency",
    more: "By size and routine, alone and under load, and the caches that show in them.",
    jobs,
    between_two: None,
    is_watched: false,
};

/// Jobs for the first wanted CPU, or for one CPU of each core type.
fn jobs(machine: &Machine, wanted: &[u32]) -> Vec<Job> {
    let firsts: Vec<u32> = match wanted {
        [first, ..] => vec![*first],
        [] => core_types(machine).iter().map(|cluster| cluster.cpus[0]).collect(),
    };
    let mut jobs = Vec::new();
    for cpu in &firsts {
        let on_it = |workload, variant| Job::on(workload, variant, vec![*cpu]);
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
        cpus.stable_sort_by_key(|cpu| *cpu != first);
        jobs.push(Job::on(workload, Variant::ONLY, cpus.clone()));
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
