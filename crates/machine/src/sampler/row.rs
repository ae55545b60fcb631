//! One row: every due source is checked out, read and returned. `watchdog` decides which thread reads.

use super::borrowed_source::{BorrowedSource, ReadBuffer};
use super::failure::Failure;
use super::gaps::note;
use super::latest_values::TakeOutcome;
use super::reader::SamplerValues;
use super::slow_reader_pool::SlowSource;
use super::{Sampler, Tick};
use crate::sensors::NONE;

impl Sampler {
    /// Reads all sources that are due at a tick.
    pub(super) fn sample(&mut self, tick: &Tick) {
        self.begin_row(tick);
        let mut read_buffer = std::mem::take(&mut self.read_buffer);
        for index in 0..self.slots.len() {
            if let Some(mut source) = self.check_out(index, tick) {
                let outcome = source.read(tick, &mut read_buffer);
                self.check_in(source, outcome, &read_buffer);
            }
        }
        self.read_buffer = read_buffer;
        self.end_row(tick);
    }

    /// Starts an empty row.
    pub(super) fn begin_row(&mut self, tick: &Tick) {
        self.at_ms = (tick.now_ns / 1_000_000) as i64;
        self.row.fill(NONE);
        self.is_silent = false;
    }

    /// Checks out the source at this index, if it is due and read by the caller. Values read by another thread are
    /// taken at once.
    pub(super) fn check_out(&mut self, index: usize, tick: &Tick) -> Option<BorrowedSource> {
        let sampler_values = SamplerValues { cpu_ns: self.cpu_ns_total() as i64, delay_us: self.delay_us };
        let slot = &mut self.slots[index];
        if self.uses_slow_readers && !tick.fake && slot.wants_own_thread() {
            slot.move_to_pool(&self.channels, &self.slow_readers);
        }
        if let Some(source) = slot.check_out(index, tick, sampler_values) {
            return Some(source);
        }
        let columns = slot.columns();
        match slot.take_latest(tick, &mut self.row[columns]) {
            TakeOutcome::Nothing => {}
            TakeOutcome::Fresh => self.settle(index, Ok(())),
            TakeOutcome::Failed(failure) => self.settle(index, Err(failure)),
        }
        None
    }

    /// Returns a source with the outcome of its read.
    pub(super) fn check_in(&mut self, source: BorrowedSource, outcome: Result<(), Failure>, read_buffer: &ReadBuffer) {
        let index = source.index;
        let columns = self.slots[index].columns();
        self.row[columns].copy_from_slice(&read_buffer.values[..source.width]);
        self.slots[index].put_back(source);
        self.settle(index, outcome);
    }

    /// Abandons a read that never returns: from now on the sampler takes the values that another thread may read.
    pub(super) fn abandon(&mut self, index: usize, seconds: u32) {
        self.slots[index].abandon(&self.channels);
        self.settle(index, Err(Failure::Silent(seconds)));
    }

    /// Moves an abandoned source that has returned to the threads for slow sources.
    pub(super) fn adopt(&mut self, source: BorrowedSource, outcome: Result<(), Failure>, read_buffer: &ReadBuffer) {
        if let Some(latest_values) = self.slots[source.index].latest_values() {
            let outcome = outcome.map(|()| &read_buffer.values[..source.width]);
            latest_values.put(outcome, 0);
            let schedule = source.schedule.restarted();
            self.slow_readers.add(SlowSource::new(*source.reader, schedule, latest_values.clone()));
        }
    }

    /// Number of the next read, from 1.
    pub(super) fn next_read(&mut self) -> u64 {
        self.read_number += 1;
        self.read_number
    }

    /// Keeps the values of the row, and records channels that stopped reporting.
    fn settle(&mut self, index: usize, outcome: Result<(), Failure>) {
        let columns = self.slots[index].columns();
        let failure = outcome.err().unwrap_or(Failure::NotNamed);
        self.latest[columns.clone()].copy_from_slice(&self.row[columns.clone()]);
        for channel in columns {
            if self.gap_trackers[channel].begins(self.row[channel] == NONE) {
                self.is_silent |= matches!(failure, Failure::Silent(_));
                note(&mut self.gaps, channel, self.at_ms, failure);
            }
        }
    }

    /// Ends a row.
    pub(super) fn end_row(&mut self, tick: &Tick) {
        if !tick.fake {
            self.watch_clocks();
            self.slow_readers.start();
        }
        if self.is_silent {
            self.slow_readers.help();
        }
        let first_ns = *self.first_ns.get_or_insert(tick.now_ns);
        self.cost.elapsed_ns = tick.now_ns.saturating_sub(first_ns);
    }
}
