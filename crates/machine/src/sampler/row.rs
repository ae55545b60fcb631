//! One row: every due source is checked out, read and returned. `turns` decides which thread reads.

use super::failure::Failure;
use super::gaps::note;
use super::lanes::SlowSource;
use super::lent::{BorrowedSource, SourceHandle};
use super::reader::Own;
use super::slot::Outcome;
use super::{Sampler, Tick};
use crate::sensors::NONE;

impl Sampler {
    /// Reads all sources that are due at a tick.
    pub(super) fn sample(&mut self, tick: &Tick) {
        self.begin_row(tick);
        let mut hands = std::mem::take(&mut self.hands);
        for index in 0..self.slots.len() {
            if let Some(mut lent) = self.lend(index, tick) {
                let outcome = lent.read(tick, &mut hands);
                self.give_back(lent, outcome, &hands);
            }
        }
        self.hands = hands;
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
    pub(super) fn lend(&mut self, index: usize, tick: &Tick) -> Option<BorrowedSource> {
        let own = Own { cpu_ns: self.cpu_ns_total() as i64, delay_us: self.delay_us };
        let slot = &mut self.slots[index];
        if self.uses_lanes && !tick.fake && slot.wants_own_thread() {
            slot.hand_over(&self.channels, &self.lanes);
        }
        if let Some(lent) = slot.lend(index, tick, own) {
            return Some(lent);
        }
        let columns = slot.columns();
        match slot.look(tick, &mut self.row[columns]) {
            Outcome::NotDue => {}
            Outcome::Read => self.settle(index, Ok(())),
            Outcome::Failed(failure) => self.settle(index, Err(failure)),
        }
        None
    }

    /// Returns a source with the outcome of its read.
    pub(super) fn give_back(&mut self, lent: BorrowedSource, outcome: Result<(), Failure>, hands: &SourceHandle) {
        let index = lent.index;
        let columns = self.slots[index].columns();
        self.row[columns].copy_from_slice(&hands.values[..lent.width]);
        self.slots[index].take_back(lent);
        self.settle(index, outcome);
    }

    /// Abandons a read that never returns: from now on the sampler takes the values that another thread may read.
    pub(super) fn give_up(&mut self, index: usize, seconds: u32) {
        self.slots[index].give_up(&self.channels);
        self.settle(index, Err(Failure::Silent(seconds)));
    }

    /// Moves an abandoned source that has returned to the threads for slow sources.
    pub(super) fn take_returned(&mut self, lent: BorrowedSource, outcome: Result<(), Failure>, hands: &SourceHandle) {
        if let Some(feed) = self.slots[lent.index].feed() {
            let outcome = outcome.map(|()| &hands.values[..lent.width]);
            feed.put(outcome, 0);
            let plan = lent.plan.restarted();
            self.lanes.add(SlowSource::new(*lent.reader, plan, feed.clone()));
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
            if self.silences[channel].begins(self.row[channel] == NONE) {
                self.is_silent |= matches!(failure, Failure::Silent(_));
                note(&mut self.gaps, channel, self.at_ms, failure);
            }
        }
    }

    /// Ends a row.
    pub(super) fn end_row(&mut self, tick: &Tick) {
        if !tick.fake {
            self.watch_clocks();
            self.lanes.start();
        }
        if self.is_silent {
            self.lanes.help();
        }
        let first_ns = *self.first_ns.get_or_insert(tick.now_ns);
        self.cost.elapsed_ns = tick.now_ns.saturating_sub(first_ns);
    }
}
