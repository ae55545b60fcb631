//! One number for each step, for comparing steps of the same kind.

use crate::stats::median;
use record::{MemoryOperation, Outcome, Step, StepMeasurement};

/// Score that represents a step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepScore {
    /// The number.
    pub value: f64,
    /// Its unit.
    pub unit: String,
    /// True if a higher value is better.
    pub higher_is_better: bool,
}

impl StepScore {
    /// Work per time: the score, or its reciprocal if lower is better.
    pub fn rate(&self) -> f64 {
        if self.higher_is_better { self.value } else { 1.0 / self.value }
    }
}

/// Score that represents a step, if it succeeded: the median of a series, the largest blocks of a cipher, the fastest
/// copy of memory bandwidth, the largest buffer of memory latency.
pub fn step_score(step: &Step) -> Option<StepScore> {
    let Outcome::Done(measured) = &step.outcome else {
        return None;
    };
    let higher = |value: f64, unit: &str| Some((value, unit.to_owned(), true));
    let (value, unit, higher_is_better) = match measured {
        StepMeasurement::Scores(scores) => {
            let first = scores.rows.first()?;
            Some((first.value, first.unit.clone(), first.higher_is_better))
        }
        StepMeasurement::Series(series) => {
            let value = median(&series.values)?;
            Some((value, series.unit.clone(), series.higher_is_better))
        }
        StepMeasurement::Compression(done) => higher(f64::from(done.total_mips), "MIPS"),
        StepMeasurement::Cipher(cipher) => higher(cipher.rows.last()?.1 as f64 / 1e6, "MB/s"),
        StepMeasurement::Bandwidth(bandwidth) => {
            let copies = bandwidth.rows.iter();
            let copies = copies.filter(|row| row.operation == MemoryOperation::Copy);
            let best = copies.flat_map(|row| row.bytes_per_s.iter()).max()?;
            higher(*best as f64 / 1e6, "MB/s")
        }
        StepMeasurement::Latency(latency) => {
            let largest = latency.rows.iter().max_by_key(|row| row.size_bytes)?;
            let ns = largest.ns.first().copied().flatten()?;
            Some((ns, "ns".to_owned(), false))
        }
        _ => None,
    }?;
    (value > 0.0 && value.is_finite()).then_some(StepScore { value, unit, higher_is_better })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{compression, own_run, series, with_clocks, with_step};
    use record::Variant;

    #[test]
    fn every_kind_has_its_number() {
        for (measured, expected) in [
            (compression(1234), Some(1234.0)),
            (series(&[1.0, 9.0, 3.0]), Some(3.0)),
            (series(&[]), None),
            (compression(0), None),
        ] {
            let record = with_step(own_run(), "x", Variant::ONLY, &[], (0.0, 1.0), measured);
            let found = step_score(&record.steps[0]).map(|score| score.rate());
            assert_eq!(found, expected);
        }
        let clocks = with_clocks(own_run(), Variant::COLD, Vec::new());
        assert_eq!(step_score(&clocks.steps[0]), None);
    }
}
