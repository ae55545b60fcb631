//! CPUs of plans, as pure functions of the machine: online CPUs, clusters, core types, the fastest CPU.

use record::{Cluster, Machine, Policy, StableSort};

/// Clusters of a core type below this share of the fastest clock count as another type, that is as little cores. Prime and
/// middle clusters of phones and servers are closer to each other.
const NEAR_CLOCK: f64 = 0.8;
/// Maximum number of CPUs for which every number is measured.
const EVERY_NUMBER_MAX: usize = 8;

/// Online CPUs in order; CPU 0 if they are unknown.
pub fn online_cpus(machine: &Machine) -> Vec<u32> {
    let online: Vec<u32> = machine.cpus.iter().filter(|cpu| cpu.online).map(|cpu| cpu.cpu).collect();
    if online.is_empty() { vec![0] } else { online }
}

/// Clusters with their online CPUs; never empty.
pub fn online_clusters(machine: &Machine) -> Vec<Cluster> {
    let online = online_cpus(machine);
    let mut clusters: Vec<Cluster> = machine.clusters.clone();
    for cluster in &mut clusters {
        cluster.cpus.retain(|cpu| online.contains(cpu));
    }
    clusters.retain(|cluster| !cluster.cpus.is_empty());
    if clusters.is_empty() {
        clusters.push(Cluster { cpus: online, ..Cluster::default() });
    }
    clusters
}

/// Settable OPPs of a policy in ascending order, without boost OPPs above `cpuinfo_max_freq`. A policy without a list has its
/// minimum and maximum clock.
pub fn settable_opps(policy: &Policy) -> Vec<u32> {
    let ends = [&policy.clock_khz_min, &policy.clock_khz_max];
    let ends = ends.into_iter().filter_map(|khz| khz.known().copied());
    let mut opps: Vec<u32> =
        if policy.opps_khz.is_empty() { ends.filter(|khz| *khz > 0).collect() } else { policy.opps_khz.clone() };
    let top = policy.clock_khz_max.known().copied().unwrap_or(u32::MAX);
    opps.retain(|khz| *khz <= top);
    opps.sort_unstable();
    opps.dedup();
    opps
}

/// Online CPUs, fastest clusters first.
pub fn cpus_by_speed(machine: &Machine) -> Vec<u32> {
    let mut clusters = online_clusters(machine);
    clusters.stable_sort_by_key(|cluster| std::cmp::Reverse(claimed_khz(machine, cluster)));
    clusters.into_iter().flat_map(|cluster| cluster.cpus).collect()
}

/// The cluster with the highest claimed clock of each core type.
pub fn core_types(machine: &Machine) -> Vec<Cluster> {
    let mut types: Vec<Cluster> = Vec::new();
    for cluster in online_clusters(machine) {
        match types.iter_mut().find(|known| same_type(machine, known, &cluster)) {
            Some(known) if claimed_khz(machine, &cluster) > claimed_khz(machine, known) => {
                *known = cluster;
            }
            Some(_) => {}
            None => types.push(cluster),
        }
    }
    types
}

/// The online CPUs of each core type.
pub fn cpus_by_core_type(machine: &Machine) -> Vec<Vec<u32>> {
    let clusters = online_clusters(machine);
    let group = |one: Cluster| {
        let same = clusters.iter().filter(|other| same_type(machine, &one, other) || one == **other);
        let mut cpus: Vec<u32> = same.flat_map(|cluster| cluster.cpus.clone()).collect();
        cpus.sort_unstable();
        cpus
    };
    core_types(machine).into_iter().map(group).collect()
}

/// The first CPU of the cluster with the highest claimed clock.
pub fn fastest_cpu(machine: &Machine) -> u32 {
    let mut types = core_types(machine);
    types.stable_sort_by_key(|cluster| std::cmp::Reverse(claimed_khz(machine, cluster)));
    types[0].cpus[0]
}

/// Numbers of CPUs to measure: every one up to eight CPUs, otherwise doublings and the total.
pub fn numbers_of_cpus(cpus: usize) -> Vec<usize> {
    if cpus <= EVERY_NUMBER_MAX {
        return (1..=cpus).collect();
    }
    let doublings = std::iter::successors(Some(1), |number| Some(number * 2));
    doublings.take_while(|number| *number < cpus).chain([cpus]).collect()
}

/// Maximum clock of a cluster by cpufreq, in kHz; 0 if unknown.
pub fn claimed_khz(machine: &Machine, cluster: &Cluster) -> u32 {
    let policy = machine.policies.iter().find(|policy| Some(policy.policy) == cluster.policy);
    policy.and_then(|policy| policy.clock_khz_max.known().copied()).unwrap_or(0)
}

/// Whether clusters have the same core type and similar clocks. Clusters of unknown core type are separate types.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::machine;

    #[test]
    fn different_clocks_split_core_type() {
        let types = |mhz| core_types(&machine(&[("A53", 1, 1416), ("A53", 1, mhz)])).len();
        assert_eq!((types(1500), types(2016)), (1, 2));
    }

    #[test]
    fn unknown_machine_has_one_cpu() {
        assert_eq!(online_clusters(&Machine::default())[0].cpus, [0]);
    }

    #[test]
    fn few_cpus_are_counted_and_many_are_doubled() {
        for (cpus, expected) in
            [(1, &[1][..]), (4, &[1, 2, 3, 4]), (12, &[1, 2, 4, 8, 12]), (64, &[1, 2, 4, 8, 16, 32, 64])]
        {
            assert_eq!(numbers_of_cpus(cpus), expected);
        }
    }
}
