//! A source that is being read. While it is, the sampler does without it: a read that never comes back keeps only
//! what was lent to it.

use super::failure::Failure;
use super::plan::Plan;
use super::reader::{Own, Reader};
use super::{BUFFER_BYTES, BUFFER_BYTES_PER_CPU, Tick};
use crate::sensors::NONE;

/// What is needed to read it, and what of the sampler itself it may tell.
#[derive(Debug)]
pub(super) struct BorrowedSource {
    /// Its place among the sources.
    pub(super) index: usize,
    pub(super) reader: Box<Reader>,
    pub(super) plan: Plan,
    pub(super) own: Own,
    /// Number of its values.
    pub(super) width: usize,
}

/// Memory of who reads: an answer, and its values.
#[derive(Debug, Default)]
pub(super) struct SourceHandle {
    buffer: Vec<u8>,
    pub(super) values: Vec<i64>,
}

impl SourceHandle {
    /// For rows of so many values of so many CPUs.
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
