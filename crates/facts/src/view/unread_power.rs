//! What power does between the readings of a meter, by the readings alone.

use crate::stats::median;
use record::Total;

/// Standard deviations of the difference of two readings above which a change is a step of the power.
const STEP_SIGMAS: f64 = 4.0;
/// Standard deviation of normally distributed values whose median size is 1.
const MEDIAN_SIGMAS: f64 = 1.4826;

/// Variance of the sum of readings by what the power does between them, in square milliwatts.
///
/// Noise is estimated from second differences. A step of the power, between quiet readings, happened once at an unknown moment
/// between two readings: it has the variance of a uniform distribution, a quarter of what second differences give.
pub(super) fn unread_variance(mw: &[f64]) -> f64 {
    let bends = |mw: &[f64]| mw.windows(3).map(|three| three[0] - 2.0 * three[1] + three[2]).collect::<Vec<f64>>();
    let changes: Vec<f64> = mw.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let sizes: Vec<f64> = changes.iter().map(|change| change.abs()).collect();
    let quiet = STEP_SIGMAS * MEDIAN_SIGMAS * median(&sizes).unwrap_or_default();
    let is_quiet = |place: usize| changes.get(place).is_some_and(|change| change.abs() <= quiet);
    let mut levelled = changes.clone();
    let mut steps = 0.0;
    for start in 1..changes.len() {
        // A meter that reads means shows a step in two readings.
        for end in [start + 1, start + 2] {
            let step = changes.get(start..end).unwrap_or_default();
            let is_one_way = step.iter().all(|change| change.abs() > quiet && change * step[0] > 0.0);
            if !step.is_empty() && is_one_way && is_quiet(start - 1) && is_quiet(end) {
                steps += step.iter().map(|change| change * change).total::<f64>() / 12.0;
                levelled[start..end].fill(0.0);
            }
        }
    }
    let rest = levelled.iter().scan(0.0, |level, change| {
        *level += change;
        Some(*level)
    });
    let rest: Vec<f64> = [0.0].into_iter().chain(rest).collect();
    let squares = bends(&rest).iter().map(|bend| bend * bend).total::<f64>();
    squares / 6.0 * mw.len() as f64 / (mw.len() - 2) as f64 + steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variance_of_steps_and_noise() {
        let repeated = |values: &[f64]| (0..24).map(|place| values[place % values.len()]).collect::<Vec<f64>>();
        let levels = |levels: &[f64]| levels.iter().flat_map(|level| [*level; 8]).collect::<Vec<f64>>();
        let with = |between: f64| [vec![0.0; 8], vec![between], vec![12.0; 8]].concat();
        for (name, mw, expected) in [
            ("constant", repeated(&[5.0]), 0.0),
            ("rising", (0..24).map(f64::from).collect(), 0.0),
            ("one step", levels(&[0.0, 12.0]), 12.0),
            ("two steps", levels(&[0.0, 12.0, 0.0]), 24.0),
            ("step within a mean", with(6.0), 6.0),
            // An impulse may have lasted for any part of its period.
            ("impulse", [vec![0.0; 8], vec![12.0], vec![0.0; 8]].concat(), 144.0 * 17.0 / 15.0),
            ("alternating", repeated(&[0.0, 1.0]), 4.0 / 6.0 * 24.0),
        ] {
            let got = unread_variance(&mw);
            assert!((got - expected).abs() < 1e-9, "{name}: {got}, expected {expected}");
        }
    }
}
