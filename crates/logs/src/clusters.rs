//! Clusters and cpufreq policies of a log.

use super::draft::{Draft, MeasuredCluster};
use super::rows::{Quantity, TopologyRow};
use super::topology::lscpu;
use record::{Cluster, Fact, Policy};

/// Number of CPUs, from all parts of the log that name CPUs.
pub(super) fn cpu_count(draft: &Draft) -> u32 {
    let seen = draft.clusters.iter().flat_map(|cluster| &cluster.cpus).max();
    let rows = draft.topology.iter().map(|row| row.cpu).max();
    let highest = seen.copied().max(rows).map_or(0, |cpu| cpu + 1);
    highest.max(draft.cpu_count.unwrap_or(0).min(super::text::CPU_MAX + 1))
}

/// Clusters from the clock measurements, else from the table of CPUs, else all CPUs as one cluster.
pub(super) fn find(draft: &Draft, cpu_count: u32) -> Vec<Cluster> {
    let named = !draft.clusters.is_empty() && draft.clusters.iter().all(|seen| !seen.cpus.is_empty());
    let groups: Vec<Vec<u32>> = if named {
        draft.clusters.iter().map(|seen| seen.cpus.clone()).collect()
    } else if !draft.topology.is_empty() {
        topology_groups(&draft.topology)
    } else if draft.clusters.is_empty() && has_columns_of_two_clusters(draft) {
        // The log has two clusters, but does not name their CPUs.
        Vec::new()
    } else if cpu_count > 0 {
        vec![(0..cpu_count).collect()]
    } else {
        Vec::new()
    };
    if groups.is_empty() && !draft.console_core_types.is_empty() {
        return of_console(&draft.console_core_types);
    }
    groups
        .into_iter()
        .map(|cpus| {
            let row = draft.topology.iter().find(|row| Some(&row.cpu) == cpus.first());
            let seen = seen_cluster(&draft.clusters, &cpus);
            let core_type = seen.and_then(|seen| seen.core_type.clone());
            let core_type = core_type.or_else(|| row.and_then(|row| row.core_type.clone()));
            Cluster {
                core_type: core_type.map_or_else(Fact::not_in_log, Fact::Known),
                policy: match row {
                    Some(row) => row.policy,
                    None if seen.is_some_and(|seen| !seen.opps_khz.is_empty()) => cpus.first().copied(),
                    None => None,
                },
                cpus,
            }
        })
        .collect()
}

/// A cluster of one CPU for each core type. Console output names neither CPUs nor their number.
fn of_console(core_types: &[String]) -> Vec<Cluster> {
    let mut names: Vec<&String> = Vec::new();
    for name in core_types {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let cluster =
        |(cpu, name): (u32, &String)| Cluster { cpus: vec![cpu], core_type: Fact::Known(name.clone()), policy: None };
    (0..).zip(names).map(cluster).collect()
}

fn has_columns_of_two_clusters(draft: &Draft) -> bool {
    let mut quantities = draft.rows.iter().flat_map(|row| &row.values);
    quantities.any(|(quantity, _)| *quantity == Quantity::Big)
}

/// Measured cluster of these CPUs. A heading without CPUs means the cluster of CPU 0.
fn seen_cluster<'a>(seen: &'a [MeasuredCluster], cpus: &[u32]) -> Option<&'a MeasuredCluster> {
    seen.iter().find(|seen| match seen.cpus.first() {
        Some(first) => cpus.first() == Some(first),
        None => cpus.contains(&0),
    })
}

/// Groups CPUs of one core type in one policy. If every CPU has its own policy (x86), CPUs of the same type and limits
/// form a group.
fn topology_groups(rows: &[TopologyRow]) -> Vec<Vec<u32>> {
    let mut policies: Vec<u32> = rows.iter().filter_map(|row| row.policy).collect();
    policies.sort_unstable();
    policies.dedup();
    let own_policies = rows.len() > 1 && policies.len() == rows.len();
    let key = |row: &TopologyRow| {
        let policy = row.policy.filter(|_| !own_policies);
        (row.core_type.clone(), policy, row.khz_min, row.khz_max)
    };
    let mut groups: Vec<(_, Vec<u32>)> = Vec::new();
    for row in rows {
        let key = key(row);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, cpus)) => cpus.push(row.cpu),
            None => groups.push((key, vec![row.cpu])),
        }
    }
    groups.into_iter().map(|(_, cpus)| cpus).collect()
}

/// Policies from the table of CPUs, else one for each cluster with OPPs. Governors come from the review, OPPs from the
/// first clock pass.
pub(super) fn policies(draft: &mut Draft, clusters: &[Cluster]) -> Vec<Policy> {
    let reviewed = std::mem::take(&mut draft.machine.policies);
    let mut policies: Vec<Policy> = Vec::new();
    for row in &draft.topology {
        let Some(number) = row.policy else { continue };
        match policies.iter_mut().find(|policy| policy.policy == number) {
            Some(policy) => policy.cpus.push(row.cpu),
            None => {
                let mut policy = empty_policy(number, vec![row.cpu]);
                policy.clock_khz_min = row.khz_min.map_or_else(Fact::not_in_log, Fact::Known);
                policy.clock_khz_max = row.khz_max.map_or_else(Fact::not_in_log, Fact::Known);
                policies.push(policy);
            }
        }
    }
    if draft.topology.is_empty() {
        for cluster in clusters {
            policies.extend(cluster.policy.map(|policy| empty_policy(policy, cluster.cpus.clone())));
        }
    }
    if let ([only], Some(mhz)) = (policies.as_mut_slice(), lscpu(&draft.machine, "CPU max MHz"))
        && only.clock_khz_max.known().is_none()
        && let Some(khz) = super::text::mhz_to_khz(mhz)
    {
        only.clock_khz_max = Fact::Known(khz);
    }
    for policy in &mut policies {
        let cluster = clusters.iter().find(|cluster| policy.cpus.first().is_some_and(|cpu| cluster.cpus.contains(cpu)));
        let seen = cluster.and_then(|cluster| seen_cluster(&draft.clusters, &cluster.cpus));
        policy.opps_khz = seen.map(|seen| seen.opps_khz.clone()).unwrap_or_default();
        if let Some(review) = reviewed.iter().find(|review| review.policy == policy.policy) {
            policy.governor.clone_from(&review.governor);
            policy.governors.clone_from(&review.governors);
            if policy.opps_khz.is_empty() {
                policy.opps_khz.clone_from(&review.opps_khz);
            }
        }
        policy.opps_khz.sort_unstable();
        policy.opps_khz.dedup();
        // The clock pass measures every OPP: without a table, the highest OPP is the highest clock.
        if let (None, Some(top)) = (policy.clock_khz_max.known(), policy.opps_khz.last()) {
            policy.clock_khz_max = Fact::Known(*top);
        }
    }
    policies
}

fn empty_policy(policy: u32, cpus: Vec<u32>) -> Policy {
    Policy {
        policy,
        cpus,
        cpus_unclear: Vec::new(),
        driver: Fact::not_in_log(),
        governor: Fact::not_in_log(),
        governors: Vec::new(),
        clock_khz_min: Fact::not_in_log(),
        clock_khz_max: Fact::not_in_log(),
        limit_khz_min: Fact::not_in_log(),
        limit_khz_max: Fact::not_in_log(),
        opps_khz: Vec::new(),
        unboosted_khz: None,
    }
}
