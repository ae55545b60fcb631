//! The walk over all sizes, in rounds. A short disturbance of a cache (another program, another guest of the host) can only
//! raise a latency, so the minimum of several rounds counts. A size is known when its two lowest rounds agree; the others
//! get further rounds while there is time.

use super::{Column, Form, REPETITION_NS, RULE, SEED};
use crate::measure::repeat::until_known;
use machine::faults;
use microbench::buffer::Buffer;
use microbench::latency::PointerChase;
use record::{LatencyRow, RepetitionStats};
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

/// Maximum number of rounds.
const ROUNDS_MAX: usize = 5;
/// Time limit for the start of a round. Slow machines spend most of it on building rings.
const ROUNDS_TIME: Duration = Duration::from_secs(5);
/// Maximum relative difference of rounds that agree.
const AGREEMENT: f64 = 0.01;

/// One figure of one size: its lowest round, and the two lowest values.
#[derive(Debug, Default)]
struct Figure {
    best: Option<RepetitionStats>,
    least: [Option<f64>; 2],
}

impl Figure {
    fn add(&mut self, round: RepetitionStats) {
        let ns = round.min;
        match self.least {
            [Some(first), _] if first <= ns => {
                let second = self.least[1].map_or(ns, |second| second.min(ns));
                self.least[1] = Some(second);
            }
            [first, _] => {
                self.least = [Some(ns), first];
                self.best = Some(round);
            }
        }
    }

    /// Relative difference between the two lowest rounds.
    fn apart(&self) -> Option<f64> {
        match self.least {
            [Some(first), Some(second)] => Some((second - first) / first),
            _ => None,
        }
    }

    fn is_known(&self) -> bool {
        self.apart().is_some_and(|apart| apart <= AGREEMENT)
    }
}

/// Walks all sizes until they are known, the run is interrupted, or time is up. Returns a row for each size that was
/// reached, and the statistics of the lowest round for each column.
pub(super) fn walk_all(
    buffer: &mut Buffer,
    form: Form,
    sizes: &[u64],
    cancelled: &AtomicI32,
) -> (Vec<LatencyRow>, Vec<RepetitionStats>) {
    let started = Instant::now();
    let mut table: Vec<Vec<Figure>> = Vec::with_capacity(sizes.len());
    table.resize_with(sizes.len(), Vec::new);
    'rounds: for round in 0..ROUNDS_MAX {
        for (size_bytes, figures) in sizes.iter().zip(&mut table) {
            if round > 0 && figures.iter().all(Figure::is_known) {
                continue;
            }
            let is_late = round > 0 && started.elapsed() >= ROUNDS_TIME / faults::haste();
            if is_late || cancelled.load(Ordering::Relaxed) != 0 {
                break 'rounds;
            }
            figures.resize_with(form.columns.len(), Figure::default);
            let mut chase = PointerChase::new(buffer, *size_bytes as usize, form.order, SEED);
            for (figure, column) in figures.iter_mut().zip(form.columns) {
                if let Some(round) = one_round(&mut chase, *size_bytes, *column, cancelled) {
                    figure.add(round);
                }
            }
        }
    }
    let rows = sizes.iter().zip(&table).filter(|(_, row)| !row.is_empty());
    let rows = rows.map(|(&size_bytes, figures)| LatencyRow {
        size_bytes,
        ns: figures.iter().map(|figure| figure.least[0]).collect(),
        rounds_apart_percent: figures.iter().filter_map(Figure::apart).reduce(f64::max).map(|apart| 100.0 * apart),
        line: None,
    });
    let rows = rows.collect();
    let figures = table.into_iter().flatten();
    (rows, figures.filter_map(|figure| figure.best).collect())
}

/// One column of one size, repeated.
fn one_round(
    chase: &mut PointerChase<'_>,
    size_bytes: u64,
    (name, chains, link): Column,
    cancelled: &AtomicI32,
) -> Option<RepetitionStats> {
    let pace = chase.pace(chains, link, REPETITION_NS);
    let (all_ns, ended) = until_known(&RULE, cancelled, || chase.once(&pace));
    RepetitionStats::of(&format!("{size_bytes} bytes {name}"), "ns", &all_ns, ended)
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::StopReason;

    #[test]
    fn two_agreeing_rounds_are_enough() {
        for (rounds, known, least) in [
            (&[5.0][..], false, 5.0),
            (&[5.0, 5.04], true, 5.0),
            (&[5.04, 5.0], true, 5.0),
            (&[5.0, 6.0], false, 5.0),
            (&[6.0, 5.0, 7.0], false, 5.0),
            (&[5.0, 7.0, 5.03, 6.0], true, 5.0),
            (&[7.0, 6.0, 5.0, 4.99], true, 4.99),
        ] {
            let mut figure = Figure::default();
            for ns in rounds {
                figure.add(RepetitionStats::of("", "ns", &[*ns], StopReason::Narrow).unwrap());
            }
            assert_eq!(figure.is_known(), known, "{rounds:?}");
            assert_eq!(figure.best.unwrap().min, least, "{rounds:?}");
        }
    }
}
