//! Loss of a score by a lower clock, from pairs of published results of one SoC at different clocks: a check of the
//! exponents in `data/elasticity.tsv`.
//!
//! The exponent of a pair is `ln(score / score) / ln(clock / clock)`. All clusters must differ by the same ratio,
//! otherwise the clock of the score is unknown; memory differs between boards, so single pairs scatter.

use compare::reference::{Reference, Row, RowFigure};
use facts::stats::{median, quantile};
use record::{Variant, WorkloadId};
use std::collections::BTreeMap;

/// Minimum ratio of the clocks of a pair.
const CLOCK_RATIO_MIN: f64 = 1.1;
/// Maximum difference between the ratios of clusters.
const SAME_RATIO: f64 = 0.03;
/// Minimum number of pairs of a SoC.
const PAIRS_MIN: usize = 3;

/// Scores with exponents in `data/elasticity.tsv`.
const SCORES: [(WorkloadId, &str, Variant); 3] = [
    (WorkloadId::SevenZip, "multi", Variant::MULTI),
    (WorkloadId::SevenZip, "single", Variant::SINGLE),
    (WorkloadId::Cpuminer, "-", Variant::ONLY),
];

/// Prints the exponents.
pub(super) fn main() {
    for (workload, form, variant) in &SCORES {
        let by_soc = exponents(Reference::builtin().rows(), *workload, variant);
        let enough = by_soc.iter().filter(|(_, all)| all.len() >= PAIRS_MIN);
        println!("{} {form}", workload.as_str());
        let mut medians = Vec::new();
        for (soc, all) in enough {
            let [low, middle, high] = [0.25, 0.5, 0.75].map(|share| quantile(all, share).unwrap_or(f64::NAN));
            println!("  {soc:28} {middle:.2} ({low:.2} to {high:.2}), {} pairs", all.len());
            medians.push(middle);
        }
        let middle = median(&medians).map_or("no SoC with enough pairs".to_owned(), |middle| format!("{middle:.2}"));
        println!("  median of {} SoCs: {middle}", medians.len());
    }
}

/// Exponents of all pairs of each SoC.
fn exponents<'a>(
    rows: impl Iterator<Item = &'a Row>,
    workload: WorkloadId,
    variant: &Variant,
) -> BTreeMap<String, Vec<f64>> {
    let mut by_soc: BTreeMap<String, Vec<(Vec<f64>, f64)>> = BTreeMap::new();
    for row in rows {
        let of_score = row.figures.iter().filter(|(key, _)| key.is_of(workload) && key.is_form(variant));
        let score = of_score.flat_map(|(_, figures)| figures).filter(|figure| is_good(figure));
        let score = score.map(|figure| figure.value).reduce(f64::max);
        let clocks = row.figures.iter().find(|(key, _)| key.is_of(WorkloadId::Clock) && key.is_form(&Variant::COLD));
        let clocks = clocks.map(|(_, figures)| figures.iter().filter(|figure| is_good(figure)));
        let clocks: Vec<f64> = clocks.into_iter().flatten().map(|figure| figure.value).collect();
        if let (Some(soc), Some(score)) = (&row.soc_key, score)
            && clocks.len() == row.cores.len()
            && !clocks.is_empty()
        {
            by_soc.entry(soc.clone()).or_default().push((clocks, score));
        }
    }
    let pairs = by_soc.into_iter().map(|(soc, known)| {
        let others = known.iter().enumerate().flat_map(|(index, one)| known[..index].iter().map(move |two| (one, two)));
        (soc, others.filter_map(|(one, two)| exponent(one, two)).collect())
    });
    pairs.collect()
}

fn is_good(figure: &RowFigure) -> bool {
    figure.comparable && figure.sound
}

fn exponent(one: &(Vec<f64>, f64), two: &(Vec<f64>, f64)) -> Option<f64> {
    let ratios: Vec<f64> = one.0.iter().zip(&two.0).map(|(one, two)| one / two).collect();
    let first = *ratios.first()?;
    let is_same = one.0.len() == two.0.len() && ratios.iter().all(|ratio| (ratio / first - 1.0).abs() <= SAME_RATIO);
    let is_apart = first.max(1.0 / first) >= CLOCK_RATIO_MIN;
    (is_same && is_apart).then(|| (one.1 / two.1).ln() / first.ln())
}

#[cfg(test)]
mod tests {
    use super::exponent;

    #[test]
    fn only_clusters_that_moved_together_tell() {
        let near = |found: Option<f64>, expected: f64| found.is_some_and(|found| (found - expected).abs() < 0.001);
        assert!(near(exponent(&(vec![2000.0], 4000.0), &(vec![1000.0], 2000.0)), 1.0));
        assert!(near(exponent(&(vec![2000.0, 1000.0], 4000.0), &(vec![1000.0, 500.0], 4000.0)), 0.0));
        assert_eq!(exponent(&(vec![2000.0, 1000.0], 4000.0), &(vec![1000.0, 1000.0], 4000.0)), None);
        assert_eq!(exponent(&(vec![2000.0], 4000.0), &(vec![1990.0], 2000.0)), None);
    }
}
