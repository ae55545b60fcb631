//! Groups CPUs into clusters: sets of CPUs that a benchmark treats as equivalent.
//!
//! CPUs of different core types are never in one cluster. Further rules:
//!
//! - A cpufreq policy of several cores is a cluster of its own. Its CPUs share one clock, and two or three such
//!   policies of one core type usually differ in something that matters: the two pairs of Cortex-A76 of the RK3588 have
//!   their own voltage and silicon quality, the two quads of Cortex-A53 of the S912 run at different clocks.
//! - Where every policy has a single core (x86, servers with CPPC), or where more than three policies are equal (the
//!   eight pairs of the LX2160A), the policy does not indicate the kind of core: 32 equal cores would be 32 clusters.
//!   CPUs of one core type then form one cluster if their OPPs are equal, or, without a list of OPPs, their advertised
//!   clocks are within 10 %. Favoured cores (Turbo Boost Max, amd-pstate's preferred cores) advertise a few percent
//!   more than their equal neighbours; compact cores (Zen 5c, low-power Crestmont) 25 to 40 % less.
//! - Without cpufreq the scheduler's CPU capacity replaces the clock.
//! - An offline CPU without a policy is in no cluster: its type is unknown and nothing can run on it.
//!
//! Clusters may have gaps in their CPU numbers (hyper-threads are numbered that way).

use record::{Cluster, Cpu, Fact, Policy};

/// Cores whose clocks or capacities are within this ratio are one kind; see the module documentation.
const ALIKE_PERCENT: u64 = 90;

/// More equal policies than this mean many equal cores rather than different clusters.
const EQUAL_POLICIES_MAX: usize = 3;

/// Properties that decide whether a CPU fits a cluster.
struct Kind<'a> {
    core_type: Option<&'a String>,
    policy: Option<&'a Policy>,
    /// True if the policy alone separates its CPUs from all others.
    policy_divides: bool,
    capacity: Option<u64>,
}

/// Clusters, ordered by first CPU.
pub(crate) fn clusters(cpus: &[Cpu], policies: &[Policy]) -> Vec<Cluster> {
    let mut found: Vec<(Kind<'_>, Cluster)> = Vec::new();
    for cpu in cpus {
        let policy = policies.iter().find(|policy| policy.cpus.contains(&cpu.cpu));
        if !cpu.online && policy.is_none() {
            continue;
        }
        let kind = Kind {
            core_type: cpu.core_type.known(),
            policy,
            policy_divides: policy.is_some_and(|policy| divides(policy, cpu, cpus, policies)),
            capacity: cpu.capacity.known().copied().map(u64::from),
        };
        match found.iter_mut().find(|(other, _)| same_kind(other, &kind)) {
            Some((_, cluster)) => cluster.cpus.push(cpu.cpu),
            None => {
                let cluster = Cluster {
                    cpus: vec![cpu.cpu],
                    core_type: cpu.core_type.clone(),
                    policy: policy.map(|policy| policy.policy),
                };
                found.push((kind, cluster));
            }
        }
    }
    found.into_iter().map(|(_, cluster)| cluster).collect()
}

fn same_kind(a: &Kind<'_>, b: &Kind<'_>) -> bool {
    if a.core_type != b.core_type {
        return false;
    }
    match (a.policy, b.policy) {
        (Some(x), Some(y)) if x.policy == y.policy => true,
        (Some(x), Some(y)) => !a.policy_divides && !b.policy_divides && same_clocks(x, y),
        (None, None) => alike(a.capacity, b.capacity),
        _ => false,
    }
}

/// True if the policy of this CPU spans several cores and at most [`EQUAL_POLICIES_MAX`] policies equal it.
fn divides(policy: &Policy, cpu: &Cpu, cpus: &[Cpu], policies: &[Policy]) -> bool {
    // Hyper-threads of one core always share a clock, so their policy is not a cluster.
    if policy.cpus.iter().all(|other| *other == cpu.cpu || cpu.siblings.contains(other)) {
        return false;
    }
    let core_type = |number: u32| {
        let found = cpus.iter().find(|cpu| cpu.cpu == number);
        found.and_then(|cpu| cpu.core_type.known())
    };
    let equal = policies.iter().filter(|other| {
        let first = other.cpus.first().copied();
        first.and_then(core_type) == cpu.core_type.known()
            && other.cpus.len() == policy.cpus.len()
            && same_clocks(other, policy)
    });
    equal.count() <= EQUAL_POLICIES_MAX
}

fn same_clocks(a: &Policy, b: &Policy) -> bool {
    if a.opps_khz.is_empty() && b.opps_khz.is_empty() {
        let khz = |fact: &Fact<u32>| fact.known().copied().map(u64::from);
        alike(khz(&a.clock_khz_max), khz(&b.clock_khz_max))
    } else {
        a.opps_khz == b.opps_khz
    }
}

/// Two unknown values count as alike, because nothing distinguishes them.
fn alike(a: Option<u64>, b: Option<u64>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.min(b) * 100 >= a.max(b) * ALIKE_PERCENT,
        (None, None) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cpu(cpu: u32, core_type: &str) -> Cpu {
        Cpu { cpu, online: true, core_type: Fact::Known(core_type.into()), ..Cpu::default() }
    }

    fn policy(policy: u32, cpus: &[u32], khz_max: u32, opps_khz: &[u32]) -> Policy {
        Policy {
            policy,
            cpus: cpus.to_vec(),
            clock_khz_max: Fact::Known(khz_max),
            opps_khz: opps_khz.to_vec(),
            ..Policy::default()
        }
    }

    fn check(cpus: &[Cpu], policies: &[Policy], expected: &[(&[u32], Option<u32>)]) {
        let found = clusters(cpus, policies);
        let found: Vec<_> = found.iter().map(|cluster| (cluster.cpus.as_slice(), cluster.policy)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn policies_of_several_cpus_are_clusters() {
        let cpus: Vec<Cpu> = (0..4).map(|n| cpu(n, "Cortex-A53")).collect();
        let policies = [policy(0, &[0, 1], 1_500_000, &[]), policy(2, &[2, 3], 1_500_000, &[])];
        check(&cpus, &policies, &[(&[0, 1], Some(0)), (&[2, 3], Some(2))]);
    }

    #[test]
    fn equal_single_cpu_policies_are_one_cluster() {
        let cpus: Vec<Cpu> = (0..4).map(|n| cpu(n, "Zen 4")).collect();
        // Favoured cores advertise a slightly higher clock.
        let clocks = [5_700_000, 5_450_000, 5_700_000, 5_350_000];
        let policies: Vec<Policy> = (0..4).map(|n| policy(n, &[n], clocks[n as usize], &[])).collect();
        check(&cpus, &policies, &[(&[0, 1, 2, 3], Some(0))]);
    }

    #[test]
    fn many_equal_policies_are_one_cluster() {
        // Two pairs of an LX2160A instead of eight: each is a cluster.
        let cpus: Vec<Cpu> = (0..16).map(|n| cpu(n, "Cortex-A72")).collect();
        let pair = |n: u32| policy(2 * n, &[2 * n, 2 * n + 1], 2_000_000, &[1_000_000, 2_000_000]);
        let policies: Vec<Policy> = (0..8).map(pair).collect();
        let all: Vec<u32> = (0..16).collect();
        check(&cpus, &policies, &[(&all, Some(0))]);
        check(&cpus[..4], &policies[..2], &[(&[0, 1], Some(0)), (&[2, 3], Some(2))]);
    }

    #[test]
    fn hyper_threads_share_a_policy_and_set_nothing_apart() {
        let mut cpus: Vec<Cpu> = (0..4).map(|n| cpu(n, "Goldmont")).collect();
        for cpu in &mut cpus {
            cpu.siblings = vec![cpu.cpu & !1, cpu.cpu | 1];
        }
        let policies = [policy(0, &[0, 1], 2_400_000, &[]), policy(2, &[2, 3], 2_400_000, &[])];
        check(&cpus, &policies, &[(&[0, 1, 2, 3], Some(0))]);
    }

    #[test]
    fn different_single_cpu_policies_are_apart() {
        let cpus = [cpu(0, "Cortex-A53"), cpu(1, "Cortex-A53")];
        let tables =
            [policy(0, &[0], 1_500_000, &[408_000, 1_500_000]), policy(1, &[1], 1_500_000, &[816_000, 1_500_000])];
        check(&cpus, &tables, &[(&[0], Some(0)), (&[1], Some(1))]);
        let clocks = [policy(0, &[0], 5_100_000, &[]), policy(1, &[1], 3_300_000, &[])];
        check(&cpus, &clocks, &[(&[0], Some(0)), (&[1], Some(1))]);
    }

    #[test]
    fn one_policy_over_two_core_types_is_two_clusters() {
        let cpus = [cpu(0, "Cortex-A53"), cpu(1, "Cortex-A72")];
        let policies = [policy(0, &[0, 1], 1_500_000, &[])];
        check(&cpus, &policies, &[(&[0], Some(0)), (&[1], Some(0))]);
    }

    #[test]
    fn clusters_by_capacity_without_cpufreq() {
        let mut cpus: Vec<Cpu> = (0..3).map(|n| cpu(n, "Cortex-A53")).collect();
        check(&cpus, &[], &[(&[0, 1, 2], None)]);
        for (cpu, capacity) in cpus.iter_mut().zip([1024, 480, 1000]) {
            cpu.capacity = Fact::Known(capacity);
        }
        check(&cpus, &[], &[(&[0, 2], None), (&[1], None)]);
    }

    #[test]
    fn cpu_that_is_off_needs_a_policy() {
        let mut cpus: Vec<Cpu> = (0..3).map(|n| cpu(n, "Cortex-A53")).collect();
        cpus[1].online = false;
        cpus[2].online = false;
        let policies = [policy(0, &[0, 1], 1_500_000, &[])];
        check(&cpus, &policies, &[(&[0, 1], Some(0))]);
    }
}
