//! The highest clocks that the kernel gives for the CPUs of a cluster, in words.

use record::{Cluster, Fact, Machine, Policy};

/// `1800 MHz advertised`, `4600 to 4700 MHz advertised` if CPUs of a cluster have different clocks, `4700 MHz
/// advertised (2100 without boost)`, or the reason why the clock is unknown.
pub fn advertised(machine: &Machine, cluster: &Cluster) -> String {
    let is_of_cluster = |policy: &&Policy| {
        Some(policy.policy) == cluster.policy || policy.cpus.iter().any(|cpu| cluster.cpus.contains(cpu))
    };
    let policies = || machine.policies.iter().filter(is_of_cluster);
    let mhz = || policies().filter_map(|policy| policy.clock_khz_max.known()).map(|khz| khz / 1000);
    let missing = policies().find_map(|policy| match &policy.clock_khz_max {
        Fact::Missing { missing } => Some(missing),
        Fact::Known(_) => None,
    });
    let unboosted = policies().filter_map(|policy| policy.unboosted_khz).max().map(|khz| khz / 1000);
    let unboosted = unboosted.filter(|unboosted| mhz().max().is_some_and(|highest| *unboosted < highest));
    let unboosted = unboosted.map_or(String::new(), |mhz| format!(" ({mhz} without boost)"));
    match (mhz().min(), mhz().max(), missing) {
        (Some(lowest), Some(highest), _) if lowest < highest => {
            format!("{lowest} to {highest} MHz advertised{unboosted}")
        }
        (Some(mhz), ..) => format!("{mhz} MHz advertised{unboosted}"),
        (None, _, Some(missing)) => format!("advertised clock unknown ({missing})"),
        (None, _, None) => "no cpufreq".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_of_all_policies_of_a_cluster() {
        let policy = |number: u32, khz: Option<u32>| Policy {
            policy: number,
            cpus: vec![number],
            clock_khz_max: khz.map_or_else(Fact::not_in_log, Fact::Known),
            ..Policy::default()
        };
        let boosted = Policy { unboosted_khz: Some(2_100_000), ..policy(0, Some(4_700_000)) };
        for (policies, expected) in [
            (vec![], "no cpufreq"),
            (vec![policy(0, Some(1_800_000))], "1800 MHz advertised"),
            (
                vec![policy(0, Some(4_600_000)), policy(1, Some(4_700_000)), policy(9, Some(1))],
                "4600 to 4700 MHz advertised",
            ),
            (vec![policy(0, None)], "advertised clock unknown"),
            (vec![boosted], "4700 MHz advertised (2100 without boost)"),
        ] {
            let machine = Machine { policies, ..Machine::default() };
            let cluster = Cluster { cpus: vec![0, 1], core_type: Fact::not_in_log(), policy: Some(0) };
            assert!(advertised(&machine, &cluster).starts_with(expected), "{expected}");
        }
    }
}
