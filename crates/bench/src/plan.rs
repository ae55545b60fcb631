//! What a run will do, decided before it begins: a pure function of the machine and the options.

use crate::Job;
use crate::task::{One, Task};
use record::{Cluster, Machine};
use std::time::Duration;

/// What the user asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// What the run is for.
    pub task: Task,
    /// `MODE=extensive`: more of everything.
    pub extensive: bool,
    /// `NotReadyYet=yes` switches the workloads off whose scores people publish.
    pub scores: bool,
    /// Change governors and limits for the time of the run. Off with `NOTUNING`, without root,
    /// and on anything but the running system.
    pub tune: bool,
    /// OPPs above are left out, and the clock stays at or below it (`MaxKHz`).
    pub clock_khz_max: Option<u32>,
    /// OPPs below are left out of the clock walk (`MinKHz`).
    pub clock_khz_min: Option<u32>,
    /// How long the gate waits for a quiet system.
    pub wait: Duration,
    /// Start although the system is busy.
    pub force: bool,
    /// `-c`: five minutes of a load that heats.
    pub heat: bool,
    /// `-s`: the bench of Stockfish as well.
    pub stockfish: bool,
    /// Interval of the background sampler.
    pub interval: Duration,
    /// Power meters to poll, as `kind:host/output`.
    pub meters: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            task: Task::Standard,
            extensive: false,
            scores: true,
            tune: true,
            clock_khz_max: None,
            clock_khz_min: None,
            wait: Duration::from_secs(120),
            force: false,
            heat: false,
            stockfish: false,
            interval: Duration::from_millis(500),
            meters: Vec::new(),
        }
    }
}

/// Times the multi-threaded 7-zip benchmark is repeated: the least that shows a decline.
const MULTI_REPETITIONS: u32 = 3;

/// Cores of one type whose clock is lower than this part of the fastest are little ones in effect. The
/// prime, middle and slow clusters of server and phone chips are nearer to each other.
const NEAR_CLOCK: f64 = 0.8;

/// Which external programs are there; decides between real tools and built-in workloads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Available {
    /// A 7-zip that can run its benchmark.
    pub sevenzip: bool,
    /// OpenSSL.
    pub openssl: bool,
    /// A miner.
    pub cpuminer: bool,
}

/// The workloads of a run, light to heavy. Where a built-in one stands in for a program, the program is
/// in the plan as well: its step is skipped, and says why.
pub(crate) fn jobs(machine: &Machine, options: &Options, available: Available) -> Vec<Job> {
    let mut jobs = Vec::new();
    for cluster in online_clusters(machine) {
        for workload in ["memory-bandwidth", "memory-latency"] {
            jobs.push(job(workload, "", vec![cluster.cpus[0]], 1));
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
        heaters(machine, available, &mut jobs);
    }
    jobs
}

/// AES on each core type; in extensive runs on all CPUs at once as well.
fn ciphers(
    machine: &Machine,
    types: &[Cluster],
    options: &Options,
    available: Available,
    jobs: &mut Vec<Job>,
) {
    let all = online_cpus(machine);
    let threads = all.len() as u32;
    let cipher = if available.openssl { "openssl" } else { "aes" };
    // With one core type there is nothing to compare with, so each size runs twice instead.
    let repetitions = if types.len() == 1 { 2 } else { 1 };
    if !available.openssl {
        jobs.push(job("openssl", "", vec![types[0].cpus[0]], 1));
    }
    for algorithm in ["aes-128-cbc", "aes-192-cbc", "aes-256-cbc"] {
        for cluster in types {
            for repetition in 0..repetitions {
                let job = job(cipher, algorithm, vec![cluster.cpus[0]], 1);
                jobs.push(Job { repetition, ..job });
            }
        }
    }
    if options.extensive && available.openssl {
        for cluster in types {
            jobs.push(job(cipher, "aes-256-gcm", vec![cluster.cpus[0]], 1));
        }
        for algorithm in ["aes-256-cbc", "aes-256-gcm"] {
            jobs.push(job(
                cipher,
                &format!("{algorithm}-parallel"),
                all.clone(),
                threads,
            ));
        }
    }
}

/// 7-zip on each core type, then on all CPUs.
fn packers(
    machine: &Machine,
    types: &[Cluster],
    options: &Options,
    available: Available,
    jobs: &mut Vec<Job>,
) {
    let all = online_cpus(machine);
    let threads = all.len() as u32;
    let packer = if available.sevenzip {
        "sevenzip"
    } else {
        "lzma"
    };
    if !available.sevenzip {
        jobs.push(job("sevenzip", "single", vec![types[0].cpus[0]], 1));
    }
    for cluster in types {
        jobs.push(job(packer, "single", vec![cluster.cpus[0]], 1));
    }
    if threads > 1 {
        for repetition in 0..MULTI_REPETITIONS {
            let job = job(packer, "multi", all.clone(), threads);
            jobs.push(Job { repetition, ..job });
        }
    }
    if options.extensive && types.len() > 1 {
        for cpus in cpus_by_core_type(machine) {
            let threads = cpus.len() as u32;
            for repetition in 0..MULTI_REPETITIONS {
                let job = job(packer, "core-type", cpus.clone(), threads);
                jobs.push(Job { repetition, ..job });
            }
        }
    }
}

/// What makes a machine hot.
fn heaters(machine: &Machine, available: Available, jobs: &mut Vec<Job>) {
    let all = online_cpus(machine);
    let threads = all.len() as u32;
    if !available.cpuminer {
        jobs.push(job("cpuminer", "", all.clone(), threads));
    }
    let heater = if available.cpuminer {
        "cpuminer"
    } else {
        "simd"
    };
    jobs.push(job(heater, "", all, threads));
}

/// The latency between all online CPUs, or those of them that are wanted.
pub(crate) fn core_to_core(machine: &Machine, wanted: &[u32]) -> Job {
    let mut cpus = online_cpus(machine);
    if !wanted.is_empty() {
        cpus.retain(|cpu| wanted.contains(cpu));
    }
    job("core-to-core", "", cpus, 2)
}

/// Everything about memory, for one CPU of each core type or for the first that is wanted.
pub(crate) fn memory(machine: &Machine, wanted: &[u32]) -> Vec<Job> {
    let firsts: Vec<u32> = match wanted {
        [first, ..] => vec![*first],
        [] => core_types(machine)
            .iter()
            .map(|cluster| cluster.cpus[0])
            .collect(),
    };
    let mut jobs = Vec::new();
    for cpu in &firsts {
        jobs.push(job("memory-bandwidth", "", vec![*cpu], 1));
        for variant in ["", "small-pages", "tlb-light"] {
            jobs.push(job("memory-latency", variant, vec![*cpu], 1));
        }
    }
    // The fastest first, so that the curve begins with what one CPU can do at best.
    let mut cpus = match wanted {
        [] => cpus_by_speed(machine),
        wanted => wanted.to_vec(),
    };
    for (workload, first) in [("memory-scaling", cpus[0]), ("memory-loaded", firsts[0])] {
        cpus.sort_by_key(|cpu| *cpu != first);
        jobs.push(job(workload, "", cpus.clone(), cpus.len() as u32));
    }
    jobs
}

/// One workload where it was asked for, or on the fastest CPU.
pub(crate) fn one(machine: &Machine, one: &One) -> Job {
    let cpus = match one.cpus.as_slice() {
        [] => vec![fastest_cpu(machine)],
        cpus => cpus.to_vec(),
    };
    let threads = cpus.len() as u32;
    job(one.workload, &one.variant, cpus, threads)
}

/// All online CPUs, those of the fastest clusters first.
fn cpus_by_speed(machine: &Machine) -> Vec<u32> {
    let mut clusters = online_clusters(machine);
    clusters.sort_by_key(|cluster| std::cmp::Reverse(claimed_khz(machine, cluster)));
    clusters
        .into_iter()
        .flat_map(|cluster| cluster.cpus)
        .collect()
}

fn job(workload: &'static str, variant: &str, cpus: Vec<u32>, threads: u32) -> Job {
    Job {
        workload,
        variant: variant.to_owned(),
        cpus,
        threads,
        repetition: 0,
        ..Job::default()
    }
}

/// Online CPUs, in order. A machine that does not say which CPUs it has is taken to have CPU 0.
pub(crate) fn online_cpus(machine: &Machine) -> Vec<u32> {
    let online: Vec<u32> = machine
        .cpus
        .iter()
        .filter(|cpu| cpu.online)
        .map(|cpu| cpu.cpu)
        .collect();
    if online.is_empty() { vec![0] } else { online }
}

/// Clusters with their online CPUs only; never empty.
pub(crate) fn online_clusters(machine: &Machine) -> Vec<Cluster> {
    let online = online_cpus(machine);
    let mut clusters: Vec<Cluster> = machine.clusters.clone();
    for cluster in &mut clusters {
        cluster.cpus.retain(|cpu| online.contains(cpu));
    }
    clusters.retain(|cluster| !cluster.cpus.is_empty());
    if clusters.is_empty() {
        clusters.push(Cluster {
            cpus: online,
            ..Cluster::default()
        });
    }
    clusters
}

/// One cluster for each core type: the one with the highest claimed clock.
fn core_types(machine: &Machine) -> Vec<Cluster> {
    let mut types: Vec<Cluster> = Vec::new();
    for cluster in online_clusters(machine) {
        match types
            .iter_mut()
            .find(|known| same_type(machine, known, &cluster))
        {
            Some(known) if claimed_khz(machine, &cluster) > claimed_khz(machine, known) => {
                *known = cluster;
            }
            Some(_) => {}
            None => types.push(cluster),
        }
    }
    types
}

/// The first CPU of the cluster with the highest claimed clock.
pub(crate) fn fastest_cpu(machine: &Machine) -> u32 {
    let mut types = core_types(machine);
    types.sort_by_key(|cluster| std::cmp::Reverse(claimed_khz(machine, cluster)));
    types[0].cpus[0]
}

fn claimed_khz(machine: &Machine, cluster: &Cluster) -> u32 {
    let policy = machine
        .policies
        .iter()
        .find(|policy| Some(policy.policy) == cluster.policy);
    policy
        .and_then(|policy| policy.clock_khz_max.known().copied())
        .unwrap_or(0)
}

/// Clusters of the same core type are one as long as their clocks are near each other. Clusters of
/// unknown core type count as types of their own.
fn same_type(machine: &Machine, a: &Cluster, b: &Cluster) -> bool {
    let (low, high) = match (claimed_khz(machine, a), claimed_khz(machine, b)) {
        (a, b) if a < b => (a, b),
        (a, b) => (b, a),
    };
    match (a.core_type.known(), b.core_type.known()) {
        (Some(a), Some(b)) => a == b && f64::from(low) >= NEAR_CLOCK * f64::from(high),
        _ => false,
    }
}

pub(crate) fn cpus_by_core_type(machine: &Machine) -> Vec<Vec<u32>> {
    let clusters = online_clusters(machine);
    let group = |one: Cluster| {
        let same = clusters
            .iter()
            .filter(|other| same_type(machine, &one, other) || one == **other);
        let mut cpus: Vec<u32> = same.flat_map(|cluster| cluster.cpus.clone()).collect();
        cpus.sort_unstable();
        cpus
    };
    core_types(machine).into_iter().map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{Cpu, Fact, Policy};

    /// A machine of clusters: `(core type, number of CPUs, claimed MHz)`.
    fn machine(clusters: &[(&str, u32, u32)]) -> Machine {
        let mut machine = Machine::default();
        for (index, (core_type, count, mhz)) in clusters.iter().enumerate() {
            let first = machine.cpus.len() as u32;
            let cpus: Vec<u32> = (first..first + count).collect();
            let core_type = Fact::Known((*core_type).to_owned());
            let online = |cpu: &u32| Cpu {
                cpu: *cpu,
                online: true,
                ..Cpu::default()
            };
            machine.cpus.extend(cpus.iter().map(online));
            machine.policies.push(Policy {
                policy: index as u32,
                clock_khz_max: Fact::Known(mhz * 1000),
                ..Policy::default()
            });
            machine.clusters.push(Cluster {
                cpus,
                core_type,
                policy: Some(index as u32),
            });
        }
        machine
    }

    /// The plan in one line per workload: `workload variant@cpus`.
    fn check(machine: &Machine, options: &Options, available: Available, expected: &[&str]) {
        let lines: Vec<String> = jobs(machine, options, available)
            .iter()
            .map(|job| format!("{} {}@{:?}", job.workload, job.variant, job.cpus))
            .collect();
        assert_eq!(lines, expected);
    }

    const ALL: Available = Available {
        sevenzip: true,
        openssl: true,
        cpuminer: true,
    };
    const NOTHING: Available = Available {
        sevenzip: false,
        openssl: false,
        cpuminer: false,
    };

    #[test]
    fn one_core_runs_nothing_in_parallel() {
        check(
            &machine(&[("Cortex-A7", 1, 1000)]),
            &Options::default(),
            ALL,
            &[
                "memory-bandwidth @[0]",
                "memory-latency @[0]",
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
    fn each_core_type_is_shown_by_its_fastest_cluster() {
        check(
            &machine(&[("A720", 1, 2600), ("A520", 1, 1800), ("A720", 1, 2200)]),
            &Options {
                heat: true,
                ..Options::default()
            },
            NOTHING,
            &[
                "memory-bandwidth @[0]",
                "memory-latency @[0]",
                "memory-bandwidth @[1]",
                "memory-latency @[1]",
                "memory-bandwidth @[2]",
                "memory-latency @[2]",
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
    fn memory_is_measured_from_the_core_type_that_is_wanted() {
        let machine = machine(&[("A55", 2, 1800), ("A76", 2, 2400)]);
        let lines = |wanted: &[u32]| -> Vec<String> {
            let jobs = memory(&machine, wanted);
            let line = |job: &Job| format!("{} {}@{:?}", job.workload, job.variant, job.cpus);
            jobs.iter().map(line).collect()
        };
        let all = lines(&[]);
        assert_eq!(all.len(), 2 * 4 + 2);
        assert_eq!(all[0], "memory-bandwidth @[0]");
        assert_eq!(all[7], "memory-latency tlb-light@[2]");
        assert_eq!(all[8], "memory-scaling @[2, 3, 0, 1]");
        assert_eq!(all[9], "memory-loaded @[0, 2, 3, 1]");
        let wanted = lines(&[3, 1]);
        assert_eq!(wanted[0], "memory-bandwidth @[3]");
        assert_eq!(
            wanted[4..],
            ["memory-scaling @[3, 1]", "memory-loaded @[3, 1]"]
        );
    }

    #[test]
    fn far_clocks_make_two_types_of_one() {
        let types = |mhz| core_types(&machine(&[("A53", 1, 1416), ("A53", 1, mhz)])).len();
        assert_eq!((types(1500), types(2016)), (1, 2));
    }

    #[test]
    fn without_scores_only_memory_is_measured() {
        check(
            &machine(&[("Cortex-A53", 4, 1400)]),
            &Options {
                scores: false,
                heat: true,
                ..Options::default()
            },
            ALL,
            &["memory-bandwidth @[0]", "memory-latency @[0]"],
        );
    }

    #[test]
    fn extensive_runs_every_core_type_on_all_its_cpus() {
        let machine = machine(&[("A720", 2, 2600), ("A520", 1, 1800), ("A720", 1, 2200)]);
        let jobs = jobs(
            &machine,
            &Options {
                extensive: true,
                ..Options::default()
            },
            ALL,
        );
        let lines = |workload: &str| -> Vec<String> {
            let of_workload = jobs.iter().filter(|job| job.workload == workload);
            let once = of_workload.filter(|job| job.repetition == 0);
            let line = |job: &Job| format!("{}@{:?}", job.variant, job.cpus);
            once.map(line).collect()
        };
        let all = "[0, 1, 2, 3]";
        assert_eq!(
            lines("sevenzip"),
            [
                "single@[0]".to_owned(),
                "single@[2]".into(),
                format!("multi@{all}"),
                "core-type@[0, 1, 3]".into(),
                "core-type@[2]".into(),
            ]
        );
        assert_eq!(
            lines("openssl")[6..],
            [
                "aes-256-gcm@[0]".to_owned(),
                "aes-256-gcm@[2]".into(),
                format!("aes-256-cbc-parallel@{all}"),
                format!("aes-256-gcm-parallel@{all}"),
            ]
        );
        assert_eq!(lines("cpuminer"), [format!("@{all}")]);
    }

    #[test]
    fn a_machine_that_says_nothing_still_has_a_cpu() {
        assert_eq!(online_clusters(&Machine::default())[0].cpus, [0]);
    }
}
