//! Change points: where the mean of a series of measurements changed permanently.
//!
//! E-divisive splits a series at the largest energy distance between the values before and after (Matteson and James, A Nonparametric Approach for Multiple Change Point Analysis of
//! Multivariate Data, 2014). As in Hunter, which became Apache Otava (Fleming, Kołaczkowski et al.,
//! Hunter: Using Change Point Detection to Hunt for Performance Regressions, arXiv 2301.03034),
//! Student's t-test replaces random permutations, so that results are reproducible; long series are searched in overlapping
//! windows, so that one change does not hide another; candidates are found with a mild test and confirmed by a strict one.

use super::t_test::t_test;
use record::Total;

/// Length of the windows.
const WINDOW: usize = 50;
/// Distance of two windows: each change is well inside one of them.
const STEP: usize = WINDOW / 2;
/// Maximum probability of chance of a candidate. High, because a weak split may become clear once its neighbours are known.
const P_CANDIDATE: f64 = 0.01;
/// Maximum probability of chance of a change point, the default of Otava. It yields one false change point in 2800 values, and
/// detects three of four steps of two standard deviations within five values; 0.0001 would detect one of two.
const P_CHANGE: f64 = 0.001;
/// Maximum number of values on either side when a change point is placed again, after its neighbours are known: its window
/// may have ended next to it.
const REACH: usize = 4 * WINDOW;
/// Minimum number of values on either side of a split: a single distant value is an outlier.
const SIDE_MIN: usize = 2;

/// A place where the mean changed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangePoint {
    /// Index of the first value after the change.
    pub index: usize,
    /// Mean from the previous change point to this one.
    pub before: f64,
    /// Mean from here to the next change point.
    pub after: f64,
    /// Probability of such a difference by chance.
    pub p: f64,
}

/// All change points of a series in order, except for changes of less than `percent_min` of the mean before. Values must be
/// finite.
pub fn change_points(values: &[f64], percent_min: f64) -> Vec<ChangePoint> {
    let mut candidates: Vec<usize> = Vec::new();
    let mut start = 0;
    loop {
        let end = (start + WINDOW).min(values.len());
        split(&values[start..end], start, &mut candidates);
        if end == values.len() {
            break;
        }
        start += STEP;
    }
    candidates.sort_unstable();
    candidates.dedup();
    keep_clear(values, candidates, percent_min)
}

/// Splits values recursively while the mild test finds a difference.
fn split(values: &[f64], offset: usize, candidates: &mut Vec<usize>) {
    let Some(at) = best_split(values) else {
        return;
    };
    let (before, after) = values.split_at(at);
    if t_test(before, after).is_some_and(|p| p < P_CANDIDATE) {
        candidates.push(offset + at);
        split(before, offset, candidates);
        split(after, offset + at, candidates);
    }
}

/// Split with the largest energy distance between both parts.
fn best_split(values: &[f64]) -> Option<usize> {
    let n = values.len();
    if n < 2 * SIDE_MIN {
        return None;
    }
    let distances = |value: f64, others: &[f64]| -> f64 { others.iter().map(|other| (value - other).abs()).total() };
    let total: f64 = (0..n).map(|i| distances(values[i], &values[..i])).total();
    // Sums of distances within the parts, updated as the border moves by one value.
    let (mut within_before, mut within_after) = (0.0, total);
    let mut best = None;
    for at in 1..=n - SIDE_MIN {
        let moved = values[at - 1];
        within_before += distances(moved, &values[..at - 1]);
        within_after -= distances(moved, &values[at..]);
        if at < SIDE_MIN {
            continue;
        }
        let (a, b) = (at as f64, (n - at) as f64);
        let between = (total - within_before - within_after) / (a * b);
        let pairs = |count: f64| count * (count - 1.0) / 2.0;
        let distance = 2.0 * between - within_before / pairs(a) - within_after / pairs(b);
        let energy = a * b / (a + b) * distance;
        if best.is_none_or(|(_, highest)| energy > highest) {
            best = Some((at, energy));
        }
    }
    best.map(|(at, _)| at)
}

/// Removes the least certain candidate until all pass the strict test between their neighbours.
fn keep_clear(values: &[f64], candidates: Vec<usize>, percent_min: f64) -> Vec<ChangePoint> {
    // A candidate is tested again only after a neighbour was removed.
    let mut points: Vec<(usize, f64)> = candidates.iter().map(|index| (*index, 1.0)).collect();
    for at in 0..points.len() {
        points[at].1 = doubt(values, &points, at, percent_min);
    }
    loop {
        let certain = |a: &(usize, &(usize, f64)), b: &(usize, &(usize, f64))| a.1.1.total_cmp(&b.1.1);
        let worst = points.iter().enumerate().max_by(certain);
        let Some((at, _)) = worst.filter(|(_, (_, p))| *p >= P_CHANGE) else {
            break;
        };
        points.remove(at);
        for neighbour in [at.checked_sub(1), Some(at)].into_iter().flatten() {
            if neighbour < points.len() {
                points[neighbour].1 = doubt(values, &points, neighbour, percent_min);
            }
        }
    }
    for at in 0..points.len() {
        place(values, &mut points, at);
        points[at].1 = doubt(values, &points, at, percent_min);
    }
    let point = |at: usize| {
        let (before, after) = sides(values, &points, at);
        ChangePoint { index: points[at].0, before: mean(before), after: mean(after), p: points[at].1 }
    };
    (0..points.len()).map(point).collect()
}

/// Moves a point to the largest energy distance between its neighbours.
fn place(values: &[f64], points: &mut [(usize, f64)], at: usize) {
    let (before, after) = sides(values, points, at);
    let start = points[at].0 - before.len().min(REACH);
    let end = points[at].0 + after.len().min(REACH);
    if let Some(split) = best_split(&values[start..end]) {
        points[at].0 = start + split;
    }
}

/// Probability that a candidate is chance; 1 for changes below the minimum.
fn doubt(values: &[f64], points: &[(usize, f64)], at: usize, percent_min: f64) -> f64 {
    let (before, after) = sides(values, points, at);
    let (old, new) = (mean(before), mean(after));
    if 100.0 * (new - old).abs() < percent_min * old.abs() {
        return 1.0;
    }
    t_test(before, after).unwrap_or(1.0)
}

/// Values between a point and its neighbours.
fn sides<'a>(values: &'a [f64], points: &[(usize, f64)], at: usize) -> (&'a [f64], &'a [f64]) {
    let index = points[at].0;
    let start = at.checked_sub(1).map_or(0, |before| points[before].0);
    let end = points.get(at + 1).map_or(values.len(), |after| after.0);
    (&values[start..index], &values[index..end])
}

fn mean(values: &[f64]) -> f64 {
    values.iter().total::<f64>() / values.len().max(1) as f64
}

#[cfg(test)]
#[allow(clippy::print_stderr, reason = "how well it finds is worth reading")]
mod tests {
    use super::*;
    use crate::test_support::Chance;

    /// Normal noise by the Box-Muller transform.
    struct Noise(Chance);

    impl Noise {
        fn uniform(&mut self) -> f64 {
            // Never 0, for the logarithm.
            self.0.uniform() + 0.5 / (1_u64 << 53) as f64
        }

        fn normal(&mut self) -> f64 {
            let radius = (-2.0 * self.uniform().ln()).sqrt();
            radius * (2.0 * std::f64::consts::PI * self.uniform()).cos()
        }

        /// Values around means with 1 % noise; parts are count and mean.
        fn series(&mut self, parts: &[(usize, f64)]) -> Vec<f64> {
            let mut values = Vec::new();
            for (count, mean) in parts {
                values.extend((0..*count).map(|_| mean * (1.0 + 0.01 * self.normal())));
            }
            values
        }
    }

    fn indexes(values: &[f64]) -> Vec<usize> {
        let points = change_points(values, 0.5);
        points.iter().map(|point| point.index).collect()
    }

    #[test]
    fn exact_change_points() {
        for (values, expected) in [
            (&[][..], &[][..]),
            (&[1.0], &[]),
            (&[1.0, 1.0, 2.0], &[]),
            (&[5.0; 20], &[]),
            (&[5.0, 5.0, 5.0, 6.0, 6.0, 6.0], &[3]),
            (&[5.0, 5.0, 5.0, 5.001, 5.001, 5.001], &[]),
            (&[5.0, 5.0, 5.0, 9.0, 5.0, 5.0, 5.0], &[]),
            (&[5.0, 5.0, 5.0, 6.0, 6.0, 6.0, 4.0, 4.0, 4.0], &[3, 6]),
        ] {
            assert_eq!(indexes(values), expected, "{values:?}");
        }
    }

    #[test]
    fn step_of_2_percent_in_noise_of_1_percent_is_found_within_5_values() {
        let mut noise = Noise(Chance(0x9e37_79b9_7f4a_7c15));
        let mut near = 0;
        for _ in 0..200 {
            let values = noise.series(&[(100, 1000.0), (100, 980.0)]);
            let found = indexes(&values);
            near += usize::from(found.iter().any(|index| index.abs_diff(100) <= 5));
        }
        eprintln!("{near} of 200 steps of 2 % found within 5 values");
        assert!(near >= 190, "{near} of 200");
    }

    #[test]
    fn step_is_found_soon_after_it_happened() {
        for (values_after, share_min) in [(5, 0.7), (10, 0.95)] {
            let mut noise = Noise(Chance(0x0123_4567_89ab_cdef));
            let mut found = 0;
            for _ in 0..200 {
                let values = noise.series(&[(50, 1000.0), (values_after, 980.0)]);
                let indexes = indexes(&values);
                found += usize::from(indexes.iter().any(|index| index.abs_diff(50) <= 5));
            }
            eprintln!("{found} of 200 steps of 2 % found {values_after} values after them");
            assert!(found as f64 >= share_min * 200.0, "{values_after}: {found}");
        }
    }

    #[test]
    fn noise_alone_gives_less_than_one_change_in_1000_values() {
        let mut noise = Noise(Chance(0x2545_f491_4f6c_dd1d));
        let mut alarms = 0;
        const SERIES: usize = 100;
        for _ in 0..SERIES {
            alarms += indexes(&noise.series(&[(1000, 1000.0)])).len();
        }
        for _ in 0..SERIES * 10 {
            alarms += indexes(&noise.series(&[(50, 1000.0)])).len();
        }
        let values = SERIES * 1000 + SERIES * 10 * 50;
        eprintln!("{alarms} false alarms in {values} values");
        assert!(alarms * 1000 < values, "{alarms} in {values}");
    }

    #[test]
    fn many_changes_do_not_hide_each_other() {
        let mut noise = Noise(Chance(0xdead_beef_cafe_f00d));
        let parts: Vec<(usize, f64)> = (0..20).map(|part| (60, if part % 2 == 0 { 1000.0 } else { 950.0 })).collect();
        let found = indexes(&noise.series(&parts));
        let hits = (1..20).filter(|part| found.iter().any(|at| at.abs_diff(part * 60) <= 2));
        assert!(hits.count() >= 18, "{found:?}");
        assert!(found.len() <= 20, "{found:?}");
    }

    #[test]
    fn long_series_ends_in_time() {
        let mut noise = Noise(Chance(0x1234_5678_9abc_def1));
        let values = noise.series(&[(5000, 1000.0), (5000, 980.0)]);
        let found = indexes(&values);
        assert!(found.iter().any(|at| at.abs_diff(5000) <= 5), "{found:?}");
    }

    #[test]
    fn means_and_p_values() {
        let values = [[100.0; 5], [110.0; 5]].concat();
        let found = change_points(&values, 0.5);
        assert_eq!(found, [ChangePoint { index: 5, before: 100.0, after: 110.0, p: 0.0 }]);
    }
}
