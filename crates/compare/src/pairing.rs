//! Pairs the cores of several results, once for all figures.
//!
//! Equal core types form a pair. The rest is paired by speed, unless that contradicts the order of cores in the results
//! before.

use super::ResultFigures;
use facts::figures::{Core, Figure};
use record::{StableSort, Variant, WorkloadId};
use std::cmp::Ordering;

/// A kind of core in one result.
#[derive(Debug, Clone)]
struct Kind {
    cluster: usize,
    core_type: Option<String>,
    /// Single-threaded score and cold clock, 0 if not measured; only their order counts.
    speed: [f64; 2],
}

/// Row of the table for each cluster of each result.
#[derive(Debug)]
pub(super) struct Pairing {
    /// For each result: cluster and row, the fastest first.
    rows: Vec<Vec<(usize, usize)>>,
    /// Number of rows.
    count: usize,
}

impl Pairing {
    /// Pairs the clusters of all results.
    pub(super) fn of(sides: &[ResultFigures<'_>]) -> Self {
        let mut pairing = Self { rows: Vec::new(), count: 0 };
        let mut types: Vec<Vec<Option<String>>> = Vec::new();
        for side in sides {
            let kinds = kinds(&side.figures);
            let mut rows: Vec<Option<usize>> = vec![None; kinds.len()];
            for (at, kind) in kinds.iter().enumerate() {
                let is_same = |row: &usize| kind.core_type.is_some() && types[*row].contains(&kind.core_type);
                rows[at] = (0..pairing.count).find(|row| !rows.contains(&Some(*row)) && is_same(row));
            }
            for at in 0..kinds.len() {
                if rows[at].is_none() {
                    rows[at] = (0..pairing.count)
                        .filter(|row| !rows.contains(&Some(*row)))
                        .find(|row| !pairing.is_against_order(&rows, at, *row));
                }
            }
            for row in rows.iter_mut().filter(|row| row.is_none()) {
                *row = Some(pairing.count);
                pairing.count += 1;
                types.push(Vec::new());
            }
            let rows = kinds.iter().zip(rows).filter_map(|(kind, row)| Some((kind, row?)));
            let rows: Vec<(usize, usize)> = rows
                .map(|(kind, row)| {
                    types[row].push(kind.core_type.clone());
                    (kind.cluster, row)
                })
                .collect();
            pairing.rows.push(rows);
        }
        pairing
    }

    /// True if an earlier result has this row and an already paired one in reverse order.
    fn is_against_order(&self, rows: &[Option<usize>], at: usize, row: usize) -> bool {
        self.rows.iter().any(|known| {
            let place = |row: usize| known.iter().position(|(_, of)| *of == row);
            let Some(here) = place(row) else {
                return false;
            };
            rows.iter().enumerate().any(|(other, paired)| {
                let there = paired.and_then(place);
                there.is_some_and(|there| there.cmp(&here) != other.cmp(&at))
            })
        })
    }

    /// Row of a core of a result; `None` if it has no figures of it.
    pub(super) fn row(&self, side: usize, core: &Core) -> Option<usize> {
        let rows = self.rows.get(side)?.iter();
        rows.clone().find(|(cluster, _)| *cluster == core.cluster).map(|(_, row)| *row)
    }
}

/// Kinds of cores with figures, the fastest first.
fn kinds(figures: &[Figure]) -> Vec<Kind> {
    let mut kinds: Vec<Kind> = Vec::new();
    for core in figures.iter().filter_map(|figure| figure.core.as_ref()) {
        if !kinds.iter().any(|known| known.cluster == core.cluster) {
            let speed = [(WorkloadId::SevenZip, Variant::SINGLE), (WorkloadId::Clock, Variant::COLD)]
                .map(|(workload, form)| best(figures, core.cluster, workload, &form));
            kinds.push(Kind { cluster: core.cluster, core_type: core.core_type.clone(), speed });
        }
    }
    // By the first speed that all kinds have.
    let known = (0..2).find(|at| kinds.iter().all(|kind| kind.speed[*at] > 0.0));
    kinds.stable_sort_by(|a, b| {
        let order = known.map_or(Ordering::Equal, |at| b.speed[at].total_cmp(&a.speed[at]));
        order.then(a.cluster.cmp(&b.cluster))
    });
    kinds
}

/// Best main figure of a cluster; 0 if it has none.
fn best(figures: &[Figure], cluster: usize, workload: WorkloadId, form: &Variant) -> f64 {
    let of_cluster = |figure: &&Figure| figure.core.as_ref().is_some_and(|core| core.cluster == cluster);
    let wanted =
        figures.iter().filter(|figure| figure.is_main && figure.key.is_of(workload) && figure.key.is_form(form));
    wanted.filter(of_cluster).map(|figure| figure.value).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests;
