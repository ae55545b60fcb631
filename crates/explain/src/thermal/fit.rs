//! The thermal model of one resistance and one capacity, fitted to what was sampled. Pure.
//!
//! dT/dt = (T_ambient + R P(t) - T) / tau. For a given tau the model is linear in its other parameters,
//! which least squares give at once; tau itself is searched where the squares are least. A board has
//! more than one time constant (chip, heatsink, case); this is the one that matters over the time
//! that was watched, and the residual says how well it does.

/// What was read at one moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    /// Seconds since any start.
    pub at_s: f64,
    /// Degrees Celsius.
    pub celsius: f64,
    /// Watts at this moment; anything where power is not known and taken to be constant.
    pub watts: f64,
}

/// The model with power known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PowerFit {
    /// Time constant in seconds.
    pub tau_s: f64,
    /// Thermal resistance in K per W.
    pub k_per_w: f64,
    /// Temperature without power: that of the surroundings as far as the model holds.
    pub ambient_celsius: f64,
    /// Root of the mean square of what the model leaves over, in K.
    pub residual_k: f64,
}

/// The model without power: stretches in which it was constant, each with an end of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct StepFit {
    /// Time constant in seconds, the same for all stretches.
    pub tau_s: f64,
    /// Where each stretch was heading to, in °C.
    pub end_celsius: Vec<f64>,
    /// As in [`PowerFit`].
    pub residual_k: f64,
}

/// Time constants that boards have, in seconds: a bare chip to a large heatsink without a fan.
const TAU_S: (f64, f64) = (0.3, 3000.0);
/// First a grid, as the squares can have more than one dent, then a search within its best cell.
const GRID: usize = 60;
/// Moments that a fit needs at least.
const MOMENTS_MIN: usize = 10;
/// A temperature that moves less than this, in K, tells nothing about how it moves.
const RISE_K_MIN: f64 = 2.0;

/// Fits the model with power, its time constant included unless one is known: power that changes
/// faster than its meter is read blurs the constant, while cooling at constant power tells it well.
/// None where too little moved.
pub fn fit_power(moments: &[Moment], tau_s: Option<f64>) -> Option<PowerFit> {
    let watts = || moments.iter().map(|moment| moment.watts);
    let spread = |values: &mut dyn Iterator<Item = f64>| {
        let (low, high) = values.fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
        high - low
    };
    let rise = spread(&mut moments.iter().map(|moment| moment.celsius));
    let power = spread(&mut watts());
    let mean = watts().sum::<f64>() / moments.len().max(1) as f64;
    if moments.len() < MOMENTS_MIN || rise < RISE_K_MIN || power < 0.1 * mean || mean <= 0.0 {
        return None;
    }
    let rows = |tau: f64| rows(moments, tau);
    let (tau_s, solution) = match tau_s {
        Some(tau) => (tau, solve(&rows(tau))?),
        None => search(|tau| solve(&rows(tau)))?,
    };
    let [ambient_celsius, k_per_w, _] = solution.x;
    let sensible = k_per_w > 0.0 && is_inside(tau_s, moments);
    sensible.then_some(PowerFit {
        tau_s,
        k_per_w,
        ambient_celsius,
        residual_k: (solution.squares / moments.len() as f64).sqrt(),
    })
}

/// A time constant can be told from data that is neither much shorter nor at the edge of the search.
fn is_inside(tau_s: f64, moments: &[Moment]) -> bool {
    let span =
        moments.last().map_or(0.0, |last| last.at_s) - moments.first().map_or(0.0, |m| m.at_s);
    tau_s > 1.1 * TAU_S.0 && tau_s < 3.0 * span
}

/// Fits stretches of constant power. None where too little moved.
pub fn fit_steps(stretches: &[&[Moment]]) -> Option<StepFit> {
    let moved = |stretch: &&&[Moment]| match (stretch.first(), stretch.last()) {
        (Some(first), Some(last)) => {
            stretch.len() >= MOMENTS_MIN && (last.celsius - first.celsius).abs() >= RISE_K_MIN
        }
        _ => false,
    };
    let stretches: Vec<&[Moment]> = stretches.iter().filter(moved).copied().collect();
    let longest = stretches.iter().max_by_key(|stretch| stretch.len())?;
    let solve_all = |tau: f64| {
        let mut all = Solution {
            x: [0.0; 3],
            squares: 0.0,
        };
        for stretch in &stretches {
            all.squares += solve(&step_rows(stretch, tau))?.squares;
        }
        Some(all)
    };
    let (tau_s, solution) = search(solve_all)?;
    let end = |stretch: &&[Moment]| Some(solve(&step_rows(stretch, tau_s))?.x[0]);
    let count: usize = stretches.iter().map(|stretch| stretch.len()).sum();
    is_inside(tau_s, longest).then_some(StepFit {
        tau_s,
        end_celsius: stretches.iter().filter_map(end).collect(),
        residual_k: (solution.squares / count as f64).sqrt(),
    })
}

/// One equation: coefficients of ambient, resistance and first temperature, and the reading.
type Row = ([f64; 3], f64);

/// `T = ambient (1 - decay) + R x + T_first decay`, with x the power as the capacity smooths it.
fn rows(moments: &[Moment], tau: f64) -> Vec<Row> {
    let mut smoothed = 0.0;
    let mut decay = 1.0;
    let mut last = moments.first().copied();
    let row = |moment: &Moment| {
        let before = last.replace(*moment).unwrap_or(*moment);
        let keep = (-(moment.at_s - before.at_s) / tau).exp();
        // Power may have changed anywhere between the two readings: halfway is right on average.
        let watts = f64::midpoint(before.watts, moment.watts);
        smoothed = smoothed * keep + (1.0 - keep) * watts;
        decay *= keep;
        ([1.0 - decay, smoothed, decay], moment.celsius)
    };
    moments.iter().map(row).collect()
}

/// `T = end (1 - decay) + T_first decay`.
fn step_rows(moments: &[Moment], tau: f64) -> Vec<Row> {
    let first_s = moments.first().map_or(0.0, |moment| moment.at_s);
    let row = |moment: &Moment| {
        let decay = (-(moment.at_s - first_s) / tau).exp();
        ([1.0 - decay, decay, 0.0], moment.celsius)
    };
    moments.iter().map(row).collect()
}

/// What least squares give, and what they leave over.
#[derive(Debug, Clone, Copy)]
struct Solution {
    x: [f64; 3],
    squares: f64,
}

/// Least squares by the normal equations; a column of zeros is left out.
fn solve(rows: &[Row]) -> Option<Solution> {
    let mut matrix = [[0.0; 4]; 3];
    for (coefficients, value) in rows {
        for (i, line) in matrix.iter_mut().enumerate() {
            for j in 0..3 {
                line[j] += coefficients[i] * coefficients[j];
            }
            line[3] += coefficients[i] * value;
        }
    }
    for (i, line) in matrix.iter_mut().enumerate() {
        if line[i] == 0.0 {
            line[i] = 1.0;
        }
    }
    // Gauss and Jordan with the largest pivot: three equations need nothing finer.
    for i in 0..3 {
        let pivot = (i..3).max_by(|a, b| matrix[*a][i].abs().total_cmp(&matrix[*b][i].abs()))?;
        matrix.swap(i, pivot);
        if matrix[i][i].abs() < 1e-9 {
            return None;
        }
        for k in 0..3 {
            if k != i {
                let factor = matrix[k][i] / matrix[i][i];
                let pivot = matrix[i];
                for (cell, above) in matrix[k].iter_mut().zip(pivot).skip(i) {
                    *cell -= factor * above;
                }
            }
        }
    }
    let x = [0, 1, 2].map(|i| matrix[i][3] / matrix[i][i]);
    let left = rows.iter().map(|(coefficients, value)| {
        let model: f64 = coefficients.iter().zip(x).map(|(c, x)| c * x).sum();
        (value - model).powi(2)
    });
    Some(Solution {
        x,
        squares: left.sum(),
    })
}

/// The time constant that leaves least over, and the solution at it.
fn search(solve: impl Fn(f64) -> Option<Solution>) -> Option<(f64, Solution)> {
    let squares = |log: f64| solve(log.exp()).map_or(f64::MAX, |solution| solution.squares);
    let (low, high) = (TAU_S.0.ln(), TAU_S.1.ln());
    let at = |index: usize| low + (high - low) * index as f64 / GRID as f64;
    let best = (0..=GRID).min_by(|a, b| squares(at(*a)).total_cmp(&squares(at(*b))))?;
    let (mut left, mut right) = (at(best.saturating_sub(1)), at((best + 1).min(GRID)));
    // Golden section.
    let ratio = (5_f64.sqrt() - 1.0) / 2.0;
    for _ in 0..40 {
        let (a, b) = (
            right - ratio * (right - left),
            left + ratio * (right - left),
        );
        match squares(a) < squares(b) {
            true => right = b,
            false => left = a,
        }
    }
    let tau = f64::midpoint(left, right).exp();
    Some((tau, solve(tau)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A board that idles, works, is throttled in steps and idles again, sampled like a real one:
    /// whole tenths of a degree, five times a second.
    fn board(tau_s: f64, k_per_w: f64, seconds: f64) -> Vec<Moment> {
        let (ambient, mut celsius) = (25.0, 25.0 + 1.5 * k_per_w);
        let step_s = 0.02;
        let mut moments = Vec::new();
        for tick in 0..(seconds / step_s) as usize {
            let share = tick as f64 * step_s / seconds;
            let watts = match share {
                early if early < 0.05 => 1.5,
                full if full < 0.35 => 7.5,
                throttled if throttled < 0.65 => 4.5,
                _ => 1.5,
            };
            let end = ambient + k_per_w * watts;
            celsius = end + (celsius - end) * (-step_s / tau_s).exp();
            if tick % 10 == 9 {
                moments.push(Moment {
                    at_s: (tick + 1) as f64 * step_s,
                    celsius: (celsius * 10.0).round() / 10.0,
                    watts,
                });
            }
        }
        moments
    }

    fn check(found: f64, expected: f64, percent: f64) {
        let error = 100.0 * (found / expected - 1.0).abs();
        assert!(error < percent, "{found} instead of {expected}");
    }

    #[test]
    fn resistance_and_time_constant_come_back() {
        for (tau_s, k_per_w) in [(3.0, 14.0), (8.0, 12.0), (40.0, 4.0), (300.0, 2.0)] {
            let fit = fit_power(&board(tau_s, k_per_w, 10.0 * tau_s), None).unwrap();
            check(fit.tau_s, tau_s, 2.0);
            check(fit.k_per_w, k_per_w, 2.0);
            assert!((fit.ambient_celsius - 25.0).abs() < 0.5, "{fit:?}");
            assert!(fit.residual_k < 0.2, "{fit:?}");
        }
    }

    #[test]
    fn without_power_the_time_constant_comes_back_from_stretches() {
        let all = board(8.0, 12.0, 80.0);
        let within = |from: f64, to: f64| {
            let inside = all.iter().filter(|m| m.at_s > from && m.at_s < to);
            inside.copied().collect::<Vec<_>>()
        };
        let (warm, cool) = (within(4.2, 27.8), within(52.2, 80.0));
        let fit = fit_steps(&[&warm, &cool]).unwrap();
        check(fit.tau_s, 8.0, 2.0);
        check(fit.end_celsius[0], 25.0 + 7.5 * 12.0, 2.0);
        check(fit.end_celsius[1], 25.0 + 1.5 * 12.0, 2.0);
    }

    #[test]
    fn what_does_not_move_is_not_fitted() {
        let mut still = board(8.0, 12.0, 80.0);
        still.iter_mut().for_each(|moment| moment.celsius = 45.0);
        assert_eq!(fit_power(&still, None), None);
        assert_eq!(fit_steps(&[&still]), None);
        assert_eq!(fit_power(&[], None), None);
        assert_eq!(fit_steps(&[]), None);
        let mut steady = board(8.0, 12.0, 80.0);
        steady.iter_mut().for_each(|moment| moment.watts = 5.0);
        assert_eq!(fit_power(&steady, None), None);
    }

    proptest! {
        #[test]
        fn any_series_is_survived(values in prop::collection::vec((-50.0..150.0, 0.0..50.0), 0..60)) {
            let moment = |(index, (celsius, watts)): (usize, &(f64, f64))| Moment {
                at_s: index as f64 * 0.2,
                celsius: *celsius,
                watts: *watts,
            };
            let moments: Vec<Moment> = values.iter().enumerate().map(moment).collect();
            let _ = fit_power(&moments, None);
            let _ = fit_steps(&[&moments]);
        }
    }
}
