//! Confidence intervals of the figures of a fit with correlated residuals.
//!
//! Power is known at moments only, so power in between moves the temperature away from the model for about a time
//! constant: neighbouring readings have common errors. The scatter and the steps of a thermometer last for one reading.
//! The residuals show both parts by their differences between neighbours.

use record::Total;

/// Phase and time in seconds of a reading.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) phase: usize,
    pub(super) at_s: f64,
}

/// A column with a smaller independent share contributes nothing.
const OWN_SHARE_MIN: f64 = 1e-6;

/// Derivative of each reading with respect to a figure.
pub(super) type Column = Vec<f64>;

/// Half widths of the 95 % intervals of the last `figures` columns; `None` without information. The columns before are
/// nuisance parameters. `left` holds the residuals.
pub(super) fn half_widths(
    columns: &[Column],
    figures: usize,
    left: &[f64],
    places: &[Place],
    lasting_s: f64,
) -> Option<Vec<f64>> {
    let lasting = Drift::new(places, lasting_s);
    let first = columns.len() - figures;
    let (base, triangle) = orthonormal(columns, first)?;
    let count = left.len() as f64;
    let free = count - base.len() as f64;
    if free < 1.0 {
        return None;
    }
    // The lasting part makes neighbours alike: it is small in differences and large in the sum.
    let squares: f64 = left.iter().map(|one| one * one).total();
    let (differences, unlike) = lasting.differences(left);
    let spread: Vec<Column> = base.iter().map(|of| lasting.times(of, 1)).collect();
    let trace = |of: &[Column]| -> f64 { base.iter().zip(of).map(|(a, b)| dot(a, b)).total() };
    let free_lasting = count - trace(&spread);
    let lasting_squares = match free_lasting - unlike * free {
        room if room > 0.0 => ((squares - differences * free) / room).max(0.0),
        _ => squares / free_lasting.max(1.0),
    };
    let own_squares = (differences - unlike * lasting_squares).max(0.0);
    let both = |of: &[f64], spread: &[f64]| -> Column {
        let pairs = of.iter().zip(spread);
        pairs.map(|(own, lasting)| own_squares * own + lasting_squares * lasting).collect()
    };
    let spread: Vec<Column> = base.iter().zip(&spread).map(|(a, b)| both(a, b)).collect();
    // Degrees of freedom of the residual squares, if both parts made them.
    let total = count * (own_squares + lasting_squares) - trace(&spread);
    let all_squares = count * own_squares * (own_squares + 2.0 * lasting_squares)
        + lasting_squares * lasting_squares * lasting.sum_of_squares();
    let of_base: f64 = spread.iter().map(|of| dot(of, of)).total();
    let within = base.iter().flat_map(|a| spread.iter().map(|b| dot(a, b).powi(2)));
    let squared = all_squares - 2.0 * of_base + within.total::<f64>();
    let freedom = if squared > 0.0 { total * total / squared } else { free };
    let tail = base.len() - figures;
    let covariance = |a: usize, b: usize| dot(&base[tail + a], &spread[tail + b]);
    let half = |figure: usize| {
        let row = &triangle[figure];
        let pairs = (0..figures).flat_map(|a| (0..figures).map(move |b| (a, b)));
        let variance: f64 = pairs.map(|(a, b)| row[a] * row[b] * covariance(a, b)).total();
        student(freedom.min(free)) * variance.max(0.0).sqrt()
    };
    Some((0..figures).map(half).collect())
}

/// The lasting part of the residuals.
struct Drift {
    /// Share of the residual of the reading before that remains; 0 at the start of a phase.
    keeps: Vec<f64>,
}

impl Drift {
    fn new(places: &[Place], lasting_s: f64) -> Self {
        let mut before: Option<Place> = None;
        let keep = |place: &Place| {
            let last = before.replace(*place).filter(|last| last.phase == place.phase);
            last.map_or(0.0, |last| (-(place.at_s - last.at_s) / lasting_s).exp())
        };
        Self { keeps: places.iter().map(keep).collect() }
    }

    /// The matrix of correlations, each to this power, times a column.
    fn times(&self, column: &[f64], power: i32) -> Column {
        let keeps: Vec<f64> = self.keeps.iter().map(|keep| keep.powi(power)).collect();
        let mut sum = 0.0;
        let forward = column.iter().zip(&keeps).map(|(value, keep)| {
            sum = sum * keep + value;
            sum
        });
        let mut both: Column = forward.collect();
        let mut behind = 0.0;
        for at in (0..column.len()).rev() {
            both[at] += behind;
            behind += column[at];
            behind *= keeps[at];
        }
        both
    }

    fn sum_of_squares(&self) -> f64 {
        self.times(&vec![1.0; self.keeps.len()], 2).iter().total()
    }

    /// Half the mean square of differences between neighbours, and the share of the lasting part in it.
    fn differences(&self, left: &[f64]) -> (f64, f64) {
        let pairs = left.windows(2).zip(&self.keeps[1..]);
        let (mut squares, mut unlike, mut count) = (0.0, 0.0, 0.0);
        for (pair, keep) in pairs.filter(|(_, keep)| **keep > 0.0) {
            squares += (pair[1] - pair[0]).powi(2) / 2.0;
            unlike += 1.0 - keep;
            count += 1.0;
        }
        let count: f64 = f64::max(count, 1.0);
        (squares / count, unlike / count)
    }
}

/// Orthonormal columns without those that carry no information, and for each column from `first` on the derivative of
/// its figure in terms of them.
fn orthonormal(columns: &[Column], first: usize) -> Option<(Vec<Column>, Vec<Vec<f64>>)> {
    let mut base: Vec<Column> = Vec::new();
    let mut triangle: Vec<Vec<f64>> = Vec::new();
    for (index, column) in columns.iter().enumerate() {
        let mut own = column.clone();
        let mut shares = Vec::new();
        for of in &base {
            let share = dot(of, &own);
            own.iter_mut().zip(of).for_each(|(own, of)| *own -= share * of);
            shares.push(share);
        }
        let (length, whole) = (dot(&own, &own).sqrt(), dot(column, column).sqrt());
        let tells = length > OWN_SHARE_MIN * whole && length > 0.0;
        if index >= first {
            if !tells {
                return None;
            }
            let known = shares.len() - (index - first);
            shares.push(length);
            triangle.push(shares[known..].to_vec());
        }
        if tells {
            own.iter_mut().for_each(|value| *value /= length);
            base.push(own);
        }
    }
    Some((base, inverse(&triangle)))
}

/// The inverse of an upper triangle, handed in by columns, as rows.
fn inverse(columns: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let size = columns.len();
    let mut rows = vec![vec![0.0; size]; size];
    for (row, unit) in (0..size).flat_map(|unit| (0..=unit).rev().map(move |row| (row, unit))) {
        let known = (row + 1..=unit).map(|at| columns[at][row] * rows[at][unit]);
        let wanted = if row == unit { 1.0 } else { 0.0 };
        rows[row][unit] = (wanted - known.total::<f64>()) / columns[row][row];
    }
    rows
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).total()
}

/// Factor of standard errors for 95 % with these degrees of freedom (series of Cornish and Fisher, within 3 % from 2
/// on; fewer count as 2).
fn student(freedom: f64) -> f64 {
    let f = freedom.max(2.0);
    1.960 + 2.372 / f + 2.823 / (f * f) + 2.556 / f.powi(3) + 1.0 / f.powi(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn students_distribution() {
        for (freedom, expected) in [(2.0, 4.303), (5.0, 2.571), (10.0, 2.228), (1e6, 1.960)] {
            let found = student(freedom);
            assert!((found / expected - 1.0).abs() < 0.03, "{freedom}: {found}");
        }
    }

    fn places(count: usize) -> Vec<Place> {
        let place = |at| Place { phase: at / 20, at_s: at as f64 };
        (0..count).map(place).collect()
    }

    #[test]
    fn lasting_error_within_phase() {
        let lasting = Drift::new(&places(40), 10.0);
        let mut one = vec![0.0; 40];
        one[5] = 1.0;
        let spread = lasting.times(&one, 1);
        for (at, value) in spread.iter().enumerate() {
            let expected = if at < 20 { (-(at as f64 - 5.0).abs() / 10.0).exp() } else { 0.0 };
            assert!((value - expected).abs() < 1e-12, "{at}: {value}");
        }
    }

    /// Mean of independent readings, and of readings with common errors.
    #[test]
    fn correlated_errors_reduce_sample_count() {
        let mut chance = crate::test_support::Chance(5);
        let mut noise = || chance.uniform() - 0.5;
        let independent: Vec<f64> = (0..400).map(|_| noise()).collect();
        let mut last = 0.0;
        let alike: Vec<f64> = (0..400)
            .map(|_| {
                last = 0.95 * last + noise();
                last
            })
            .collect();
        let places: Vec<Place> = (0..400).map(|at| Place { phase: 0, at_s: f64::from(at) }).collect();
        let half = |values: &[f64]| {
            let mean = values.iter().total::<f64>() / 400.0;
            let left: Vec<f64> = values.iter().map(|value| value - mean).collect();
            half_widths(&[vec![1.0; 400]], 1, &left, &places, 20.0).unwrap()[0]
        };
        // 1.96 * sqrt(1/12 / 400); with correlation about sqrt(39) times the scatter of the longer kind.
        let found = half(&independent);
        assert!((0.02..0.06).contains(&found), "{found}");
        let found = half(&alike);
        assert!((0.3..1.2).contains(&found), "{found}");
        assert!(half_widths(&[vec![0.0; 400]], 1, &independent, &places, 20.0).is_none());
    }

    #[test]
    fn triangle_is_inverted() {
        let rows = inverse(&[vec![2.0], vec![1.0, 4.0]]);
        assert_eq!(rows, [[0.5, -0.125], [0.0, 0.25]]);
    }
}
