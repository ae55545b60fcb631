//! Samples between the sampling thread and its owner: rows that were not fetched yet, in preallocated memory.

use super::Sampler;
use super::gaps::{GAPS_MAX, GapNote, gap_event};
use crate::threads::lock;
use record::{Channel, ChannelId, Event, Missing, SamplerCost};
use std::sync::{Mutex, MutexGuard};

/// Maximum memory for rows in bytes, regardless of the requested number.
const ROW_BYTES_MAX: usize = 1 << 20;
/// Minimum number of rows.
const ROWS_MIN: usize = 32;

/// Rows, gaps and cost since the owner last fetched them.
#[derive(Debug)]
pub(super) struct Block {
    columns: usize,
    rows_max: usize,
    at_ms: Vec<i64>,
    /// Values, row by row.
    values: Vec<i64>,
    gaps: Vec<GapNote>,
    dropped_rows: u32,
    dropped_at_ms: i64,
    /// Total cost, not only of this block.
    pub(super) cost: SamplerCost,
    /// Total reads and read time in nanoseconds, by source.
    pub(super) sources: Vec<(u64, u64)>,
    /// Error of pinning the thread.
    pub(super) pin_errno: Option<i32>,
}

impl Block {
    pub(super) fn new(columns: usize, rows: usize) -> Self {
        let rows_fitting = ROW_BYTES_MAX / (8 * columns.max(1));
        let rows_max = rows.min(rows_fitting).max(ROWS_MIN);
        Self {
            columns,
            rows_max,
            at_ms: Vec::with_capacity(rows_max),
            values: Vec::with_capacity(rows_max * columns),
            gaps: Vec::with_capacity(GAPS_MAX),
            dropped_rows: 0,
            dropped_at_ms: 0,
            cost: SamplerCost::default(),
            sources: Vec::new(),
            pin_errno: None,
        }
    }

    /// Adds a row, or counts it as dropped if the block is full. Does not allocate.
    pub(super) fn push(&mut self, at_ms: i64, row: &[i64]) {
        if self.at_ms.len() == self.rows_max {
            if self.dropped_rows == 0 {
                self.dropped_at_ms = at_ms;
            }
            self.dropped_rows += 1;
            return;
        }
        self.at_ms.push(at_ms);
        self.values.extend_from_slice(row);
    }

    /// Moves gap notes into the block as far as it has space. Does not allocate.
    pub(super) fn push_gaps(&mut self, gaps: &mut Vec<GapNote>) {
        let room = GAPS_MAX - self.gaps.len();
        self.gaps.extend(gaps.drain(..).take(room));
    }

    /// Removes the oldest row and returns its time; `None` if it is empty. Does not allocate.
    pub(super) fn take_row(&mut self, row: &mut Vec<i64>) -> Option<i64> {
        if self.at_ms.is_empty() {
            return None;
        }
        row.clear();
        row.extend(self.values.drain(..self.columns));
        Some(self.at_ms.remove(0))
    }

    /// Events of this block: samples first, then gaps.
    pub(super) fn into_events(mut self, channels: &[Channel]) -> Vec<Event> {
        let mut events = Vec::new();
        if !self.at_ms.is_empty() {
            let column = |index| {
                let values = self.values.iter().skip(index).step_by(self.columns);
                values.map(|value| crate::sensors::known(*value)).collect()
            };
            events.push(Event::Samples {
                columns: (0..self.columns).map(column).collect(),
                at_ms: std::mem::take(&mut self.at_ms),
            });
        }
        self.take_gaps(channels, &mut events);
        events
    }

    /// Removes the gaps of the samples.
    pub(super) fn take_gaps(&mut self, channels: &[Channel], events: &mut Vec<Event>) {
        events.extend(self.gaps.drain(..).map(|gap| gap.event(channels)));
        if self.dropped_rows > 0 {
            let rows = std::mem::take(&mut self.dropped_rows);
            let reason = format!("{rows} samples were lost because they were not read in time");
            let missing = Missing::unsupported("", reason);
            events.push(gap_event(&ChannelId::ALL_CHANNELS_GAP, self.dropped_at_ms, missing));
        }
        if let Some(errno) = self.pin_errno.take() {
            let reason = format!("cannot pin the sampler to its CPUs: error {errno}");
            let missing = Missing::unsupported("sched_setaffinity", reason);
            events.push(gap_event(&ChannelId::ALL_CHANNELS_GAP, 0, missing));
        }
    }
}

/// Block shared by the sampling thread and its owner.
#[derive(Debug)]
pub(super) struct SharedBlock(pub(super) Mutex<Block>);

impl SharedBlock {
    /// The lock is held only to copy a row or exchange pointers.
    pub(super) fn lock(&self) -> MutexGuard<'_, Block> {
        lock(&self.0)
    }

    pub(super) fn take_over(&self, sampler: &mut Sampler) {
        let mut block = self.lock();
        block.push(sampler.at_ms, &sampler.row);
        block.push_gaps(&mut sampler.gaps);
        // `sources` is empty, so this does not allocate.
        block.cost = sampler.cost();
        block.sources.iter_mut().zip(&sampler.slots).for_each(|(kept, slot)| *kept = slot.cost());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sensors::NONE;

    #[test]
    fn rows_become_columns() {
        let mut block = Block::new(2, 600);
        block.push(0, &[1, NONE]);
        block.push(500, &[2, 20]);
        let mut row = Vec::new();
        block.push(1000, &[3, 30]);
        block.at_ms.rotate_right(1);
        block.values.rotate_right(2);
        assert_eq!((block.take_row(&mut row), row), (Some(1000), vec![3, 30]));
        let events = block.into_events(&[]);
        let expected =
            Event::Samples { at_ms: vec![0, 500], columns: vec![vec![Some(1), Some(2)], vec![None, Some(20)]] };
        assert_eq!(events, [expected]);
    }

    #[test]
    fn full_block_counts_what_it_drops() {
        let mut block = Block::new(1, 0);
        for at_ms in 0..ROWS_MIN as i64 + 3 {
            block.push(at_ms, &[at_ms]);
        }
        let events = block.into_events(&[]);
        let Event::Samples { at_ms, .. } = &events[0] else { panic!("{events:?}") };
        assert_eq!(at_ms.len(), ROWS_MIN);
        let Event::Gap { gap, .. } = &events[1] else { panic!("{events:?}") };
        assert_eq!(gap.at_ms, ROWS_MIN as i64);
        assert!(gap.missing.to_string().starts_with("3 samples"), "{}", gap.missing);
    }
}
