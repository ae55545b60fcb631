//! When a repeated measurement is good enough.

use record::{Measured, Outcome, Step};
use std::time::Duration;

/// Fewer values have no 95 % interval of the median at all.
const TIMES_MIN: usize = 6;
const TIMES_MAX: usize = 100;
/// However unsteady it is.
pub(crate) const TIME_CAP: Duration = Duration::from_secs(600);
/// Half of the interval's width, as a share of the median.
const HALF_WIDTH: f64 = 0.01;

/// True if the median of the values is known well enough, or more of them is not worth the time.
pub(crate) fn is_enough(values: &[f64], elapsed: Duration, cap: Duration) -> bool {
    values.len() >= TIMES_MAX
        || elapsed >= cap
        || half_width(values).is_some_and(|half| half < HALF_WIDTH)
}

/// Half the width of the 95 % interval of the median by the sign test, as a share of the median.
fn half_width(values: &[f64]) -> Option<f64> {
    let n = values.len();
    if n < TIMES_MIN {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    // Ranks whose tail of the binomial distribution is at most 2.5 % on either side.
    let (mut probability, mut tail, mut rank) = (0.5_f64.powi(n as i32), 0.0, 0);
    while tail + probability <= 0.025 {
        tail += probability;
        probability *= (n - rank) as f64 / (rank + 1) as f64;
        rank += 1;
    }
    let (low, high, median) = (sorted[rank - 1], sorted[n - rank], sorted[n / 2]);
    (median > 0.0).then(|| (high - low) / 2.0 / median)
}

/// The score of a step that has a single one, or those of its turns.
pub(crate) fn scores(step: &Step) -> Vec<f64> {
    match &step.outcome {
        Outcome::Done(Measured::Series(series)) => series.values.clone(),
        Outcome::Done(measured) => {
            let score = measured_score(measured).map(|(value, _, _)| value);
            score.into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// The single score of what was measured, its unit, and whether a higher one is better.
pub(crate) fn measured_score(measured: &Measured) -> Option<(f64, String, bool)> {
    match measured {
        Measured::Scores(scores) => {
            let score = scores.rows.first()?;
            Some((score.value, score.unit.clone(), score.higher_is_better))
        }
        Measured::Compression(done) => Some((f64::from(done.total_mips), "MIPS".into(), true)),
        Measured::Cipher(cipher) => Some((cipher.rows.last()?.1 as f64 / 1e6, "MB/s".into(), true)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_ends_when_the_interval_is_narrow() {
        let narrow = [100.0, 100.1, 100.2, 99.9, 100.0, 100.1];
        let wide = [100.0, 110.0, 120.0, 90.0, 100.0, 101.0];
        let short = Duration::from_secs(1);
        for (values, elapsed, expected) in [
            (&narrow[..], short, true),
            (&narrow[..5], short, false),
            (&wide[..], short, false),
            (&wide[..], TIME_CAP, true),
        ] {
            assert_eq!(is_enough(values, elapsed, TIME_CAP), expected, "{values:?}");
        }
        assert!(is_enough(&vec![1.0; TIMES_MAX], short, TIME_CAP));
    }

    #[test]
    fn ranks_are_those_of_the_tables() {
        // For 20 values the interval reaches from the 6th to the 15th (Conover, Practical Nonparametric Statistics).
        let values: Vec<f64> = (1..=20).map(f64::from).collect();
        assert_eq!(half_width(&values), Some((15.0 - 6.0) / 2.0 / 11.0));
    }
}
