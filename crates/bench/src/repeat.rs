//! When a program was repeated often enough, and by which of its scores that is told. The rule itself
//! is [`record::StoppingRule`].

use record::{Measured, Outcome, Step, StoppingRule};
use std::time::Duration;

/// However unsteady it is.
pub(crate) const TIME_CAP: Duration = Duration::from_secs(600);
/// More repetitions tell nothing more.
const TIMES_MAX: usize = 100;

/// True if the median of the values is known well enough, or more of them is not worth the time.
pub(crate) fn is_enough(values: &[f64], elapsed: Duration, cap: Duration) -> bool {
    let rule = StoppingRule::new(TIMES_MAX, cap);
    rule.ended(values, elapsed).is_some()
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
        let narrow = [100.0, 100.1, 100.2, 99.9, 100.0, 100.1, 100.0];
        let wide = [100.0, 110.0, 120.0, 90.0, 100.0, 101.0, 95.0];
        let short = Duration::from_secs(1);
        for (values, elapsed, expected) in [
            (&narrow[..], short, true),
            (&narrow[..6], short, false),
            (&wide[..], short, false),
            (&wide[..], Duration::from_secs(600), true),
        ] {
            assert_eq!(is_enough(values, elapsed, TIME_CAP), expected, "{values:?}");
        }
        assert!(is_enough(&[1.0; 100], short, TIME_CAP));
    }
}
