//! Workloads of a standard run: pure functions of machine and options. `question` arranges them into stages.

use crate::Options;
use record::{Cluster, Machine, Variant, WorkloadId};
use workloads::job::Job;
use workloads::job::cpus::{core_types, cpus_by_core_type, online_clusters, online_cpus};

/// Repetitions of the multi-threaded 7-zip benchmark: the minimum that shows a decline.
const MULTI_REPETITIONS: u32 = 3;

/// Memory workloads on one CPU of each cluster.
const ON_EACH_CLUSTER: [(WorkloadId, Variant); 4] = [
    (WorkloadId::MemoryBandwidth, Variant::ONLY),
    (WorkloadId::MemoryLibc, Variant::ONLY),
    (WorkloadId::MemoryLatency, Variant::ONLY),
    (WorkloadId::MemoryLatency, Variant::RAMLAT),
];

/// Available external programs, which decide between real tools and built-in workloads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AvailableTools {
    /// A 7-zip with the benchmark command is installed.
    pub sevenzip: bool,
    /// Two versions of 7-zip, one of which is that of published lists.
    pub sevenzip_pair: bool,
    /// OpenSSL is installed.
    pub openssl: bool,
    /// A CPU miner is installed.
    pub cpuminer: bool,
}

/// Workloads of a run, light to heavy. A program that a built-in workload replaces stays in the plan: its skipped step
/// has the reason.
pub(crate) fn jobs(machine: &Machine, options: &Options, available: AvailableTools) -> Vec<Job> {
    let mut jobs = Vec::new();
    for cluster in online_clusters(machine) {
        for (workload, variant) in ON_EACH_CLUSTER {
            let job = Job::on(workload, variant, vec![cluster.cpus[0]]);
            jobs.push(Job { is_extensive: options.extensive, ..job });
        }
    }
    if options.extensive && online_cpus(machine).len() > 1 {
        jobs.push(core_to_core(machine, &[]));
    }
    if !options.scores {
        return jobs;
    }
    let types = core_types(machine);
    ciphers(machine, &types, options, available, &mut jobs);
    packers(machine, &types, options, available, &mut jobs);
    if options.heat || options.extensive {
        stress_loads(machine, available, &mut jobs);
    }
    jobs
}

/// AES on each core type; in extensive runs also on all CPUs at once.
fn ciphers(machine: &Machine, types: &[Cluster], options: &Options, available: AvailableTools, jobs: &mut Vec<Job>) {
    let all = online_cpus(machine);
    let cipher = if available.openssl { WorkloadId::OpenSsl } else { WorkloadId::Aes };
    // Without a second core type for comparison, each size runs twice.
    let repetitions = if types.len() == 1 { 2 } else { 1 };
    if !available.openssl {
        jobs.push(Job::on(WorkloadId::OpenSsl, Variant::ONLY, vec![types[0].cpus[0]]));
    }
    for algorithm in [Variant::AES_128_CBC, Variant::AES_192_CBC, Variant::AES_256_CBC] {
        for cluster in types {
            for repetition in 0..repetitions {
                let job = Job::on(cipher, algorithm.clone(), vec![cluster.cpus[0]]);
                jobs.push(Job { repetition, ..job });
            }
        }
    }
    if options.extensive && available.openssl {
        for cluster in types {
            jobs.push(Job::on(cipher, Variant::AES_256_GCM, vec![cluster.cpus[0]]));
        }
        for algorithm in [Variant::AES_256_CBC, Variant::AES_256_GCM] {
            let parallel = Variant::parallel(algorithm.as_str());
            jobs.push(Job::on(cipher, parallel, all.clone()));
        }
    }
}

/// 7-zip on each core type, then on all CPUs.
fn packers(machine: &Machine, types: &[Cluster], options: &Options, available: AvailableTools, jobs: &mut Vec<Job>) {
    let all = online_cpus(machine);
    let packer = if available.sevenzip { WorkloadId::SevenZip } else { WorkloadId::Lzma };
    let single = |workload, cluster: &Cluster| Job::on(workload, Variant::SINGLE, vec![cluster.cpus[0]]);
    let repeated = |variant: &Variant, cpus: Vec<u32>| {
        let job = Job::on(packer, variant.clone(), cpus);
        (0..MULTI_REPETITIONS).map(move |repetition| Job { repetition, ..job.clone() })
    };
    if !available.sevenzip {
        jobs.push(single(WorkloadId::SevenZip, &types[0]));
    }
    for cluster in types {
        let single = single(packer, cluster);
        jobs.push(single.clone());
        if available.sevenzip_pair {
            // Runs right after the other version, in the same thermal state.
            jobs.push(Job { variant: Variant::OTHER_VERSION, ..single });
        }
    }
    if all.len() > 1 {
        jobs.extend(repeated(&Variant::MULTI, all));
    }
    if options.extensive && types.len() > 1 {
        jobs.extend(cpus_by_core_type(machine).into_iter().flat_map(|cpus| repeated(&Variant::CORE_TYPE, cpus)));
    }
}

/// The built-in replacement of this step, if any.
pub(crate) fn fallback_workload(job: &Job) -> Option<Job> {
    // Only the CBC ciphers of OpenSSL have a built-in replacement.
    let is_built_in = job.workload != WorkloadId::OpenSsl || job.variant.is_cbc();
    let mut known = WorkloadId::ALL.iter().filter(|_| is_built_in);
    let workload = *known.find(|id| id.stands_in_for() == Some(job.workload))?;
    let job = job.clone();
    Some(Job { workload, ..job })
}

/// Workload that heats the machine.
fn stress_loads(machine: &Machine, available: AvailableTools, jobs: &mut Vec<Job>) {
    let heat = |workload| Job::on(workload, Variant::ONLY, online_cpus(machine));
    jobs.push(heat(WorkloadId::Cpuminer));
    if !available.cpuminer {
        jobs.push(heat(WorkloadId::Simd));
    }
}

/// Job for the latency between the wanted CPUs; all online CPUs if empty.
pub(crate) fn core_to_core(machine: &Machine, wanted: &[u32]) -> Job {
    let mut cpus = online_cpus(machine);
    if !wanted.is_empty() {
        cpus.retain(|cpu| wanted.contains(cpu));
    }
    Job { threads: 2, ..Job::on(WorkloadId::CoreToCore, Variant::ONLY, cpus) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workloads::testing::machine;

    /// The plan in one line per workload: `workload variant@cpus`.
    fn check(machine: &Machine, options: &Options, available: AvailableTools, expected: &[&str]) {
        let lines: Vec<String> = jobs(machine, options, available)
            .iter()
            .map(|job| format!("{} {}@{:?}", job.name(), job.variant, job.cpus))
            .collect();
        assert_eq!(lines, expected);
    }

    const ALL: AvailableTools = AvailableTools { sevenzip: true, sevenzip_pair: false, openssl: true, cpuminer: true };
    const NOTHING: AvailableTools =
        AvailableTools { sevenzip: false, sevenzip_pair: false, openssl: false, cpuminer: false };

    #[test]
    fn one_core_runs_nothing_in_parallel() {
        check(
            &machine(&[("Cortex-A7", 1, 1000)]),
            &Options::default(),
            ALL,
            &[
                "memory-bandwidth @[0]",
                "memory-libc @[0]",
                "memory-latency @[0]",
                "memory-latency ramlat@[0]",
                "openssl aes-128-cbc@[0]",
                "openssl aes-128-cbc@[0]",
                "openssl aes-192-cbc@[0]",
                "openssl aes-192-cbc@[0]",
                "openssl aes-256-cbc@[0]",
                "openssl aes-256-cbc@[0]",
                "sevenzip single@[0]",
            ],
        );
    }

    #[test]
    fn two_versions_run_one_after_the_other_on_each_core_type() {
        let available = AvailableTools { sevenzip_pair: true, ..ALL };
        let jobs = jobs(&machine(&[("A76", 1, 2400), ("A55", 1, 1800)]), &Options::default(), available);
        let packers = jobs.iter().filter(|job| job.workload == WorkloadId::SevenZip && job.threads == 1);
        let lines: Vec<String> = packers.map(|job| format!("{}@{:?}", job.variant, job.cpus)).collect();
        assert_eq!(lines, ["single@[0]", "single-other-version@[0]", "single@[1]", "single-other-version@[1]"]);
    }

    #[test]
    fn each_core_type_is_shown_by_its_fastest_cluster() {
        check(
            &machine(&[("A720", 1, 2600), ("A520", 1, 1800), ("A720", 1, 2200)]),
            &Options { heat: true, ..Options::default() },
            NOTHING,
            &[
                "memory-bandwidth @[0]",
                "memory-libc @[0]",
                "memory-latency @[0]",
                "memory-latency ramlat@[0]",
                "memory-bandwidth @[1]",
                "memory-libc @[1]",
                "memory-latency @[1]",
                "memory-latency ramlat@[1]",
                "memory-bandwidth @[2]",
                "memory-libc @[2]",
                "memory-latency @[2]",
                "memory-latency ramlat@[2]",
                "openssl @[0]",
                "aes aes-128-cbc@[0]",
                "aes aes-128-cbc@[1]",
                "aes aes-192-cbc@[0]",
                "aes aes-192-cbc@[1]",
                "aes aes-256-cbc@[0]",
                "aes aes-256-cbc@[1]",
                "sevenzip single@[0]",
                "lzma single@[0]",
                "lzma single@[1]",
                "lzma multi@[0, 1, 2]",
                "lzma multi@[0, 1, 2]",
                "lzma multi@[0, 1, 2]",
                "cpuminer @[0, 1, 2]",
                "simd @[0, 1, 2]",
            ],
        );
    }

    #[test]
    fn not_ready_yet_measures_memory_only() {
        check(
            &machine(&[("Cortex-A53", 4, 1400)]),
            &Options { scores: false, heat: true, ..Options::default() },
            ALL,
            &["memory-bandwidth @[0]", "memory-libc @[0]", "memory-latency @[0]", "memory-latency ramlat@[0]"],
        );
    }

    #[test]
    fn extensive_runs_every_core_type_on_all_its_cpus() {
        let machine = machine(&[("A720", 2, 2600), ("A520", 1, 1800), ("A720", 1, 2200)]);
        let jobs = jobs(&machine, &Options { extensive: true, ..Options::default() }, ALL);
        let lines = |workload: WorkloadId| -> Vec<String> {
            let of_workload = jobs.iter().filter(|job| job.workload == workload);
            let once = of_workload.filter(|job| job.repetition == 0);
            let line = |job: &Job| format!("{}@{:?}", job.variant, job.cpus);
            once.map(line).collect()
        };
        let all = "[0, 1, 2, 3]";
        assert_eq!(
            lines(WorkloadId::SevenZip),
            [
                "single@[0]".to_owned(),
                "single@[2]".into(),
                format!("multi@{all}"),
                "core-type@[0, 1, 3]".into(),
                "core-type@[2]".into(),
            ]
        );
        assert_eq!(
            lines(WorkloadId::OpenSsl)[6..],
            [
                "aes-256-gcm@[0]".to_owned(),
                "aes-256-gcm@[2]".into(),
                format!("aes-256-cbc-parallel@{all}"),
                format!("aes-256-gcm-parallel@{all}"),
            ]
        );
        assert_eq!(lines(WorkloadId::Cpuminer), [format!("@{all}")]);
    }
}
