//! A source during a read. The sampler does not hold it at that time, so that a read that never returns blocks only
//! this source.

use super::failure::Failure;
use super::reader::{Reader, SamplerValues};
use super::schedule::ReadSchedule;
use super::{BUFFER_BYTES, BUFFER_BYTES_PER_CPU, Tick};
use crate::sensors::NONE;

/// Reader of the source with the sampler's values that it needs.
#[derive(Debug)]
pub(super) struct BorrowedSource {
    /// Index of the source.
    pub(super) index: usize,
    pub(super) reader: Box<Reader>,
    pub(super) schedule: ReadSchedule,
    pub(super) sampler_values: SamplerValues,
    /// Number of its values.
    pub(super) width: usize,
}

/// Buffer for an answer and its values.
#[derive(Debug, Default)]
pub(super) struct ReadBuffer {
    buffer: Vec<u8>,
    pub(super) values: Vec<i64>,
}

impl ReadBuffer {
    /// Allocates space for rows of `columns` values of `cpus` CPUs.
    pub(super) fn new(columns: usize, cpus: usize) -> Self {
        Self { buffer: vec![0; BUFFER_BYTES + cpus * BUFFER_BYTES_PER_CPU], values: vec![NONE; columns] }
    }
}

impl BorrowedSource {
    /// Reads it; the values are the first ones in `read_buffer`. Without an answer all of them are [`NONE`].
    pub(super) fn read(&mut self, tick: &Tick, read_buffer: &mut ReadBuffer) -> Result<(), Failure> {
        let values = &mut read_buffer.values[..self.width];
        values.fill(NONE);
        let begin_ns = tick.wall_ns();
        let outcome = self.reader.read(self.sampler_values, &mut read_buffer.buffer, values);
        let read_ns = tick.wall_ns() - begin_ns;
        self.schedule.after_read(tick.now_ns, read_ns, outcome);
        outcome
    }
}
