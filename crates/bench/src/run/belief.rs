//! Plausibility of printed figures: parsers accept any number of digits.

use process::child::failure;
use record::{Failure, FailureKind, StepMeasurement};

/// Maximum plausible figure: the fastest memory moves 1e13 bytes per second, the largest machine evaluates 1e11 chess
/// positions.
const FIGURE_MAX: f64 = 1e15;

/// The measurement, or a failure that names the implausible figure.
pub(super) fn believed(measured: StepMeasurement) -> Result<StepMeasurement, Failure> {
    let cannot_be = |value: &&f64| !(0.0..=FIGURE_MAX).contains(*value);
    let (odd, output) = match &measured {
        StepMeasurement::Scores(scores) => {
            let odd = scores.rows.iter().find(|row| cannot_be(&&row.value));
            let odd = odd.map(|row| format!("{} {}", row.value, row.unit));
            (odd, scores.output.as_str())
        }
        StepMeasurement::Series(series) => {
            let odd = series.values.iter().find(cannot_be);
            (odd.map(|value| format!("{value} {}", series.unit)), "")
        }
        _ => (None, ""),
    };
    match odd {
        None => Ok(measured),
        Some(odd) => {
            let message = format!("It printed an implausible figure: {odd}.");
            Err(failure(FailureKind::Garbled, message, output))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{Score, Scores, Series};

    #[test]
    fn implausible_figures() {
        for (value, expected) in
            [(0.0, true), (2.5e12, true), (1e26, false), (-1.0, false), (f64::NAN, false), (f64::INFINITY, false)]
        {
            let score = Score { name: String::new(), value, unit: "nodes/s".into(), higher_is_better: true };
            let scores = StepMeasurement::Scores(Scores { rows: vec![score], ..Scores::default() });
            let series = StepMeasurement::Series(Series { values: vec![1.0, value], ..Series::default() });
            for measured in [scores, series] {
                assert_eq!(believed(measured).is_ok(), expected, "{value}");
            }
        }
    }
}
