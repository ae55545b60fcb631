//! Repetition of programs and loops until their scores are known by [`record::StoppingRule`].

use crate::measure::window_gate;
use machine::faults;
use record::{Outcome, Step, StepMeasurement, StopReason, StoppingRule};
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

/// Maximum duration of repetitions of unsteady figures.
pub const TIME_CAP: Duration = Duration::from_secs(600);
/// Maximum number of repetitions.
const TIMES_MAX: usize = 100;

/// Whether the median of the values is known well enough, or a limit is reached.
pub fn is_enough(values: &[f64], elapsed: Duration, cap: Duration) -> bool {
    let rule = StoppingRule::new(TIMES_MAX, cap);
    rule.ended(values, elapsed).is_some()
}

/// Repeats work in this process until its median is known well enough or the run is interrupted. There is at least one value.
/// The recorder does not write meanwhile.
pub(crate) fn until_known(
    rule: &StoppingRule,
    cancelled: &AtomicI32,
    mut once: impl FnMut() -> f64,
) -> (Vec<f64>, StopReason) {
    let _window = window_gate::window();
    let rule = StoppingRule { time_max: rule.time_max / faults::haste(), ..*rule };
    let started = Instant::now();
    let mut values = Vec::with_capacity(rule.times_max);
    loop {
        values.push(once());
        if cancelled.load(Ordering::Relaxed) != 0 {
            return (values, StopReason::Interrupted);
        }
        if let Some(ended) = rule.ended(&values, started.elapsed()) {
            return (values, ended);
        }
    }
}

/// The single score of a step, or the scores of its turns.
pub fn scores(step: &Step) -> Vec<f64> {
    match &step.outcome {
        Outcome::Done(StepMeasurement::Series(series)) => series.values.clone(),
        Outcome::Done(measured) => {
            let score = measured_score(measured).map(|(value, _, _)| value);
            score.into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Single score of a measurement, its unit, and whether higher is better.
pub fn measured_score(measured: &StepMeasurement) -> Option<(f64, String, bool)> {
    match measured {
        StepMeasurement::Scores(scores) => {
            let score = scores.rows.first()?;
            Some((score.value, score.unit.clone(), score.higher_is_better))
        }
        StepMeasurement::Compression(done) => Some((f64::from(done.total_mips), "MIPS".into(), true)),
        StepMeasurement::Cipher(cipher) => Some((cipher.rows.last()?.1 as f64 / 1e6, "MB/s".into(), true)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetition_stops_at_narrow_interval() {
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

    #[test]
    fn loops_are_repeated_until_they_agree() {
        let rule = StoppingRule::new(30, Duration::from_secs(600));
        let goes_on = AtomicI32::new(0);
        let steady = until_known(&rule, &goes_on, || 5.0);
        assert_eq!(steady, (vec![5.0; 7], StopReason::Narrow));
        let mut value = 0.0;
        let mut rising = || {
            value += 1.0;
            value
        };
        let (values, ended) = until_known(&rule, &goes_on, &mut rising);
        assert_eq!((values.len(), ended), (30, StopReason::Times));
        let interrupted = until_known(&rule, &AtomicI32::new(15), || 5.0);
        assert_eq!(interrupted, (vec![5.0], StopReason::Interrupted));
    }
}
