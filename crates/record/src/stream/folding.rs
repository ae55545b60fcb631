//! Folds recordings that exceed the memory limit: every four rows become two, and extremes are preserved.

use crate::{ChannelKind, Record, Samples};

/// Number of rows that become two.
const ROWS: usize = 4;
/// Maximum number of folds; each doubles an interval of 32 bits.
const FOLDS_MAX: u32 = 32;

/// Time, and a value for each channel.
type Row = (i64, Vec<Option<i64>>);

/// Values of a channel for the two remaining of four rows. Counter: its values at those times, or the next one if
/// missing. Gauge: minimum and maximum of the four, in order of time.
fn folded(kind: ChannelKind, values: [Option<i64>; ROWS]) -> [Option<i64>; 2] {
    let [a, b, c, d] = values;
    if kind == ChannelKind::Counter {
        return [a.or(b), c.or(d)];
    }
    let known = || values.into_iter().flatten();
    let (least, greatest) = (known().min(), known().max());
    let place = |wanted: Option<i64>| values.iter().position(|value| *value == wanted);
    if place(least) <= place(greatest) { [least, greatest] } else { [greatest, least] }
}

/// Folds all rows once; up to three last rows remain unfolded.
fn fold(samples: &mut Samples) {
    let whole = samples.at_ms.len() / ROWS * ROWS;
    let of_four = |fours: &[i64]| fours.chunks_exact(ROWS).flat_map(|four| [four[0], four[2]]).collect::<Vec<i64>>();
    let rest = samples.at_ms.split_off(whole);
    samples.at_ms = of_four(&samples.at_ms);
    samples.at_ms.extend(rest);
    for channel in &mut samples.channels {
        let rest = channel.values.split_off(whole.min(channel.values.len()));
        let (fours, _) = channel.values.as_chunks::<ROWS>();
        channel.values = fours.iter().flat_map(|four| folded(channel.kind, *four)).chain(rest).collect();
    }
    samples.interval_ms = samples.interval_ms.saturating_mul(2);
    samples.folds += 1;
}

/// Folds rows that arrive after a fold as often as the rows before. Rows wait in groups of up to four: the first group
/// is for unfolded rows, each further one for rows folded once more.
#[derive(Default)]
pub(super) struct RowFolder {
    waiting: Vec<Vec<Row>>,
}

impl RowFolder {
    /// Adds a row within the limit of values. False if folding does not help, because there are few rows with many
    /// channels.
    pub(super) fn append(&mut self, record: &mut Record, row: Row, values_max: usize) -> bool {
        let kept = (record.samples.at_ms.len() + 1) * row.1.len();
        if kept > values_max {
            if record.samples.at_ms.len() < 2 * ROWS {
                return false;
            }
            fold(&mut record.samples);
        }
        self.waiting.resize_with(record.samples.folds.min(FOLDS_MAX) as usize, Vec::new);
        self.rise(record, 0, row);
        true
    }

    /// Adds a row to its group; four rows are folded and passed on as two.
    fn rise(&mut self, record: &mut Record, place: usize, row: Row) {
        let Some(waiting) = self.waiting.get_mut(place) else { return record.append_row(row.0, row.1) };
        waiting.push(row);
        let Ok([a, b, c, d]) = <[Row; ROWS]>::try_from(std::mem::take(waiting)).map_err(|few| *waiting = few) else {
            return;
        };
        let of_channel = |(at, channel): (usize, &crate::Channel)| {
            let of = |row: &Row| row.1.get(at).copied().flatten();
            folded(channel.kind, [of(&a), of(&b), of(&c), of(&d)])
        };
        let pairs = record.samples.channels.iter().enumerate().map(of_channel);
        let (first, second) = pairs.map(|[first, second]| (first, second)).unzip();
        self.rise(record, place + 1, (a.0, first));
        self.rise(record, place + 1, (c.0, second));
    }

    /// Time of the newest waiting row.
    pub(super) fn last_ms(&self) -> Option<i64> {
        self.waiting.iter().find_map(|rows| rows.last()).map(|(at_ms, _)| *at_ms)
    }

    /// Adds waiting rows unfolded, because rows of another kind or the end follow.
    pub(super) fn flush(&mut self, record: &mut Record) {
        for place in std::mem::take(&mut self.waiting).into_iter().rev() {
            place.into_iter().for_each(|(at_ms, values)| record.append_row(at_ms, values));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_and_counts_are_kept() {
        use ChannelKind::{Counter, Gauge};
        for (kind, four, two) in [
            (Counter, [Some(1), Some(2), Some(3), Some(4)], [Some(1), Some(3)]),
            (Counter, [None, Some(2), None, None], [Some(2), None]),
            (Gauge, [Some(5), Some(9), Some(1), Some(5)], [Some(9), Some(1)]),
            (Gauge, [Some(1), Some(9), Some(5), Some(5)], [Some(1), Some(9)]),
            (Gauge, [None, None, None, Some(7)], [Some(7), Some(7)]),
            (Gauge, [None; 4], [None; 2]),
        ] {
            assert_eq!(folded(kind, four), two, "{kind:?} {four:?}");
        }
    }
}
