//! Clusters of CPUs by core-to-core latency, without a table of chips.
//!
//! Latencies inside a cluster are alike and clearly below those to other clusters. So the sorted
//! latencies have a gap, and a threshold in it splits the CPUs into groups in which all are near each
//! other. Several gaps are several levels: threads of a core, cores of a cluster, clusters of a package.

use crate::stats::quantile;
use record::{CorePair, CoreToCore, StableSort};

/// Ratio of neighbouring sorted latencies that separates two levels.
const GAP_FACTOR: f64 = 1.25;
/// Minimum difference in nanoseconds: less is within the effect of the timer and two interrupts.
const GAP_NS: f64 = 3.0;
/// Share of the pairs of a group that must be near, and of pairs of two groups that must be far. A few
/// may err, because a pair can be disturbed.
const AGREEING: f64 = 0.95;

/// Groups whose CPUs are nearer to each other than to all others.
#[derive(Debug, Clone, PartialEq)]
pub struct CoreLevel {
    /// Groups in order of their first CPU, each ascending. A CPU without near neighbours forms a group of one.
    pub groups: Vec<Vec<u32>>,
    /// Typical (median) latency inside a group, in nanoseconds.
    pub inside_ns: f64,
    /// Typical latency between groups, in nanoseconds.
    pub between_ns: f64,
}

/// Latency of a pair: the first quartile of its batches. Disturbances only add time, so fast batches are right, but a
/// single one may be wrong.
pub fn pair_ns(pair: &CorePair) -> Option<f64> {
    quantile(&pair.ns, 0.25)
}

/// Latency between two CPUs of the matrix.
pub fn between_ns(matrix: &CoreToCore, a: u32, b: u32) -> Option<f64> {
    let (low, high) = (a.min(b), a.max(b));
    let mut pairs = matrix.pairs.iter();
    pair_ns(pairs.find(|pair| pair.a == low && pair.b == high)?)
}

/// Levels of grouping, finest first; empty if all CPUs are equally far from each other.
pub fn core_levels(matrix: &CoreToCore) -> Vec<CoreLevel> {
    let known: Vec<(u32, u32, f64)> =
        matrix.pairs.iter().filter_map(|pair| Some((pair.a, pair.b, pair_ns(pair)?))).collect();
    let mut sorted: Vec<f64> = known.iter().map(|(_, _, ns)| *ns).collect();
    sorted.stable_sort_by(f64::total_cmp);
    let is_gap = |pair: &&[f64]| pair[1] >= GAP_FACTOR * pair[0] && pair[1] - pair[0] >= GAP_NS;
    let gaps = sorted.windows(2).filter(is_gap);
    gaps.filter_map(|pair| level(matrix, &known, (pair[0] + pair[1]) / 2.0)).collect()
}

/// Groups below a threshold, if it splits the CPUs cleanly.
fn level(matrix: &CoreToCore, known: &[(u32, u32, f64)], threshold_ns: f64) -> Option<CoreLevel> {
    let groups = connected(&matrix.cpus, known, threshold_ns);
    let of = |cpu: u32| groups.iter().position(|group| group.contains(&cpu));
    let (inside, between): (Vec<_>, Vec<_>) = known.iter().partition(|(a, b, _)| of(*a) == of(*b));
    let ns = |pairs: &[&(u32, u32, f64)]| pairs.iter().map(|(_, _, ns)| *ns).collect::<Vec<f64>>();
    let (inside, between) = (ns(&inside), ns(&between));
    let near = inside.iter().filter(|ns| **ns < threshold_ns).count();
    let is_clean = near as f64 >= AGREEING * inside.len() as f64;
    (groups.len() > 1 && is_clean).then_some(())?;
    Some(CoreLevel { inside_ns: crate::stats::median(&inside)?, between_ns: crate::stats::median(&between)?, groups })
}

/// Groups of CPUs connected by pairs below the threshold.
fn connected(cpus: &[u32], known: &[(u32, u32, f64)], threshold_ns: f64) -> Vec<Vec<u32>> {
    let mut groups: Vec<Vec<u32>> = cpus.iter().map(|cpu| vec![*cpu]).collect();
    for (a, b, _) in known.iter().filter(|(_, _, ns)| *ns < threshold_ns) {
        let of = |cpu: &u32| groups.iter().position(|group| group.contains(cpu));
        let (Some(first), Some(second)) = (of(a), of(b)) else {
            continue;
        };
        if first != second {
            let moved = groups.swap_remove(first.max(second));
            groups[first.min(second)].extend(moved);
        }
    }
    groups.iter_mut().for_each(|group| group.sort_unstable());
    groups.sort();
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::core_matrix;

    /// Groups of every level, and the typical latencies in whole nanoseconds.
    fn check(matrix: &CoreToCore, expected: &[(&str, i64, i64)]) {
        let words = |level: &CoreLevel| {
            let groups: Vec<String> = level.groups.iter().map(|g| record::cpu_list(g)).collect();
            (groups.join(" "), level.inside_ns.round() as i64, level.between_ns.round() as i64)
        };
        let found: Vec<_> = core_levels(matrix).iter().map(words).collect();
        let expected: Vec<_> =
            expected.iter().map(|(groups, inside, between)| ((*groups).to_owned(), *inside, *between)).collect();
        assert_eq!(found, expected);
    }

    /// Matrices with the shape of published ones.
    #[test]
    fn clusters_from_latency() {
        // Four A55, two and two A76 that share one unit for coherency (RK3588).
        let cluster = |cpu: u32| match cpu {
            0..4 => 0,
            4 | 5 => 1,
            _ => 2,
        };
        let rk3588 = core_matrix(8, |a, b| match (cluster(a), cluster(b)) {
            (0, 0) => 33.0 + f64::from(a + b) / 5.0,
            (1, 1) | (2, 2) => 27.0,
            _ => 52.0 + f64::from(a + b) / 4.0,
        });
        check(&rk3588, &[("0-3 4-5 6-7", 34, 54)]);
        // Two complexes of four cores with two threads each; siblings are eight apart (Zen 2).
        let ryzen = core_matrix(16, |a, b| match (a % 8 == b % 8, a % 8 / 4 == b % 8 / 4) {
            (true, _) => 9.5,
            (false, true) => 24.0 + f64::from((a + b) % 3),
            (false, false) => 78.0 + f64::from((a * b) % 7),
        });
        let siblings = "0,8 1,9 2,10 3,11 4,12 5,13 6,14 7,15";
        check(&ryzen, &[(siblings, 10, 78), ("0-3,8-11 4-7,12-15", 25, 80)]);
    }

    #[test]
    fn equal_latencies_give_no_cluster() {
        check(&core_matrix(4, |a, b| 40.0 + f64::from(a + b)), &[]);
        check(&core_matrix(2, |_, _| 60.0), &[]);
        // A ring: neighbours are nearer, but not in groups.
        let ring = core_matrix(8, |a, b| if b - a == 1 || b - a == 7 { 20.0 } else { 60.0 });
        check(&ring, &[]);
    }

    #[test]
    fn disturbed_batch_or_a_missing_pair_changes_nothing() {
        let mut matrix = core_matrix(4, |a, b| if a / 2 == b / 2 { 20.0 } else { 60.0 });
        matrix.pairs[0].ns = vec![20.0, 900.0, 20.1, 800.0, 20.2, 20.1, 20.4];
        matrix.pairs[1].ns.clear();
        check(&matrix, &[("0-1 2-3", 20, 60)]);
        assert_eq!(between_ns(&matrix, 2, 0), None);
        assert_eq!(between_ns(&matrix, 3, 1), Some(60.0));
        check(&CoreToCore::default(), &[]);
    }
}
