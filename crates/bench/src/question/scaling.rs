//! Question: gain by each further CPU, with the same work on one, two ... all CPUs.

use super::{PlainVerb, Question};
use record::{Machine, Mode, QuestionId, StableSort, Variant, WorkloadId};
use std::cmp::Reverse;
use std::time::Duration;
use workloads::job::Job;
use workloads::job::cpus::{claimed_khz, cpus_by_speed, numbers_of_cpus, online_clusters};

pub(super) static QUESTION: Question = Question {
    id: QuestionId::own(SCALING),
    mode: Mode::own(SCALING),
    asked_by: SCALING,
    about: "How much does each further CPU add to a score?",
};

pub(super) static VERB: PlainVerb = PlainVerb {
    question: &QUESTION,
    help: "Measure how much each further CPU adds",
    more: "LZMA, SIMD arithmetic and memory bandwidth on one, two ... all CPUs, against the sum of what these CPUs reach alone.",
    jobs,
    between_two: Some("how scores grow with them"),
    is_watched: true,
};

const SCALING: &str = "scaling";
/// Rounds, upwards and downwards, so that heat is not taken for a loss by many CPUs.
const ROUNDS: u32 = 2;
/// Duration of one measurement.
const TIME: Duration = Duration::from_secs(3);

fn jobs(machine: &Machine, wanted: &[u32]) -> Vec<Job> {
    let cpus = in_order(machine, wanted);
    let numbers = numbers_of_cpus(cpus.len());
    let mut jobs = Vec::new();
    for workload in [WorkloadId::Lzma, WorkloadId::Simd] {
        let on = |cpus: &[u32], repetition| {
            let job = Job::on(workload, variant(workload, cpus.len()), cpus.to_vec());
            Job { repetition, time: Some(TIME), ..job }
        };
        jobs.extend(others_alone(machine, &cpus).into_iter().map(|cpu| on(&[cpu], 0)));
        for round in 0..ROUNDS {
            let upwards = numbers.iter().map(|number| on(&cpus[..*number], round));
            match round % 2 {
                0 => jobs.extend(upwards),
                _ => jobs.extend(upwards.rev()),
            }
        }
    }
    jobs.push(Job::on(WorkloadId::MemoryScaling, Variant::ONLY, cpus));
    jobs
}

/// Wanted CPUs, fastest clusters first, and all cores before their second threads (SMT).
fn in_order(machine: &Machine, wanted: &[u32]) -> Vec<u32> {
    let mut cpus = cpus_by_speed(machine);
    cpus.retain(|cpu| wanted.is_empty() || wanted.contains(cpu));
    let siblings = |cpu: u32| {
        let known = machine.cpus.iter().find(|known| known.cpu == cpu);
        known.map_or(&[][..], |known| &known.siblings)
    };
    let before = |cpu: u32| siblings(cpu).iter().filter(|other| **other < cpu && cpus.contains(other)).count();
    let ranks: Vec<usize> = cpus.iter().map(|cpu| before(*cpu)).collect();
    let mut ranked: Vec<(usize, u32)> = ranks.into_iter().zip(cpus).collect();
    ranked.stable_sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, cpu)| cpu).collect()
}

/// One CPU of each kind other than the first, for the sum of single scores.
fn others_alone(machine: &Machine, cpus: &[u32]) -> Vec<u32> {
    let mut kinds = Vec::new();
    let mut clusters = online_clusters(machine);
    clusters.stable_sort_by_key(|cluster| Reverse(claimed_khz(machine, cluster)));
    for cluster in clusters {
        let kind = (cluster.core_type.known().cloned(), claimed_khz(machine, &cluster));
        let first = cluster.cpus.iter().copied().filter(|cpu| cpus.contains(cpu)).min();
        let is_known = kinds.iter().any(|(known, _)| *known == kind);
        if let Some(first) = first.filter(|_| !is_known) {
            kinds.push((kind, first));
        }
    }
    let first = cpus.first().copied();
    kinds.into_iter().map(|(_, cpu)| cpu).filter(|cpu| Some(*cpu) != first).collect()
}

fn variant(workload: WorkloadId, threads: usize) -> Variant {
    match (workload, threads) {
        (WorkloadId::Simd, _) => Variant::ONLY,
        (_, 1) => Variant::SINGLE,
        _ => format!("on-{threads}-cpus").into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workloads::testing::machine;

    fn lines(machine: &Machine, wanted: &[u32]) -> Vec<String> {
        let line = |job: &Job| format!("{} {}@{:?}", job.name(), job.variant, job.cpus);
        jobs(machine, wanted).iter().map(line).collect()
    }

    #[test]
    fn fast_cpus_work_first_and_each_kind_alone() {
        let lines = lines(&machine(&[("A55", 2, 1800), ("A76", 1, 2400)]), &[]);
        assert_eq!(
            lines[..7],
            [
                "lzma single@[0]",
                "lzma single@[2]",
                "lzma on-2-cpus@[2, 0]",
                "lzma on-3-cpus@[2, 0, 1]",
                "lzma on-3-cpus@[2, 0, 1]",
                "lzma on-2-cpus@[2, 0]",
                "lzma single@[2]",
            ]
        );
        assert_eq!(lines[7..10], ["simd @[0]", "simd @[2]", "simd @[2, 0]"]);
        assert_eq!(lines.last().unwrap(), "memory-scaling @[2, 0, 1]");
    }

    #[test]
    fn only_wanted_cpus_work() {
        let lines = lines(&machine(&[("A55", 2, 1800), ("A76", 2, 2400)]), &[1, 3]);
        assert_eq!(lines[..3], ["lzma single@[1]", "lzma single@[3]", "lzma on-2-cpus@[3, 1]"]);
    }

    #[test]
    fn second_threads_of_cores_come_last() {
        let mut machine = machine(&[("Zen 3", 4, 4000)]);
        for cpu in &mut machine.cpus {
            cpu.siblings = vec![cpu.cpu / 2 * 2, cpu.cpu / 2 * 2 + 1];
        }
        assert_eq!(in_order(&machine, &[]), [0, 2, 1, 3]);
        assert_eq!(in_order(&machine, &[1, 2, 3]), [1, 2, 3]);
    }
}
