//! When a program was repeated often enough, and by which of its scores that is told. The rule itself
//! is [`record::StoppingRule`].

use record::{Measured, Outcome, Step, StoppingRule};
use std::time::Duration;

/// Repetitions of a program.
const RULE: StoppingRule = StoppingRule::new(100, Duration::from_secs(600));

/// True if the median of the values is known well enough, or more of them is not worth the time.
pub(crate) fn is_enough(values: &[f64], elapsed: Duration) -> bool {
    RULE.ended(values, elapsed).is_some()
}

/// The score of a step that has a single one.
pub(crate) fn score(step: &Step) -> Option<f64> {
    match &step.outcome {
        Outcome::Done(Measured::Scores(scores)) => scores.rows.first().map(|score| score.value),
        Outcome::Done(Measured::Compression(done)) => Some(f64::from(done.total_mips)),
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
            assert_eq!(is_enough(values, elapsed), expected, "{values:?}");
        }
        assert!(is_enough(&[1.0; 100], short));
    }
}
