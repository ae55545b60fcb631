//! A source during a read. The sampler does not hold it at that time, so that a read that never returns blocks only
//! this source.

use super::failure::Failure;
use super::plan::Plan;
use super::reader::{Own, Reader};
use super::{BUFFER_BYTES, BUFFER_BYTES_PER_CPU, Tick};
use crate::sensors::NONE;

/// Reader of the source with the sampler's values that it needs.
#[derive(Debug)]
pub(super) struct BorrowedSource {
    /// Index of the source.
    pub(super) index: usize,
    pub(super) reader: Box<Reader>,
    pub(super) plan: Plan,
    pub(super) own: Own,
    /// Number of its values.
    pub(super) width: usize,
}

/// Buffer for an answer and its values.
#[derive(Debug, Default)]
pub(super) struct SourceHandle {
    buffer: Vec<u8>,
    pub(super) values: Vec<i64>,
}

impl SourceHandle {
    /// Allocates space for rows of `columns` values of `cpus` CPUs.
    pub(super) fn new(columns: usize, cpus: usize) -> Self {
        Self { buffer: vec![0; BUFFER_BYTES + cpus * BUFFER_BYTES_PER_CPU], values: vec![NONE; columns] }
    }
}

impl BorrowedSource {
    /// Reads it; the values are the first ones in `hands`. Without an answer all of them are [`NONE`].
    pub(super) fn read(&mut self, tick: &Tick, hands: &mut SourceHandle) -> Result<(), Failure> {
        let values = &mut hands.values[..self.width];
        values.fill(NONE);
        let begin_ns = tick.wall_ns();
        let outcome = self.reader.read(self.own, &mut hands.buffer, values);
        let read_ns = tick.wall_ns() - begin_ns;
        self.plan.after_read(tick.now_ns, read_ns, outcome);
        outcome
    }
}
