//! One active source: its columns in the row, read by the sampler or by another thread.

use super::Tick;
use super::borrowed_source::BorrowedSource;
use super::latest_values::{LatestValues, TakeOutcome};
use super::reader::{Reader, SamplerValues};
use super::schedule::ReadSchedule;
use super::slow_reader_pool::{SlowReaderPool, SlowSource};
use crate::Root;
use crate::sensors::Probe;
use record::Channel;
use std::ops::Range;
use std::time::Duration;

/// Time beyond its interval before a source with its own thread is reported as silent.
const PATIENCE: Duration = Duration::from_secs(3);

/// Source and its columns in the row.
#[derive(Debug)]
pub(super) struct SourceSlot {
    /// File or device.
    pub(super) path: String,
    columns: Range<usize>,
    is_blocking: bool,
    input: Input,
}

/// Reader of the source.
#[derive(Debug)]
enum Input {
    /// The sampler, at its ticks.
    Sampler(Box<Reader>, ReadSchedule),
    /// Another thread; the stamp is that of the last values taken.
    Shared(LatestValues, u64),
    /// None while it is checked out or being moved.
    CheckedOut,
}

impl SourceSlot {
    /// Opens the probe; its values begin at `column` of the row.
    pub(super) fn new(root: &Root, probe: &Probe, column: usize) -> Self {
        let mut reader = Reader::new(root, probe);
        // Opening may also hang, so the other thread opens such sources.
        if !probe.is_blocking {
            reader.open();
        }
        Self {
            path: probe.path.clone(),
            columns: column..column + probe.channels.len(),
            is_blocking: probe.is_blocking,
            input: Input::Sampler(Box::new(reader), ReadSchedule::new(probe.interval)),
        }
    }

    /// Source that is read by another thread.
    pub(super) fn shared(latest_values: &LatestValues, column: usize) -> Self {
        Self {
            path: latest_values.source().to_owned(),
            columns: column..column + latest_values.channels().len(),
            is_blocking: false,
            input: Input::Shared(latest_values.clone(), 0),
        }
    }

    /// Columns in the row.
    pub(super) fn columns(&self) -> Range<usize> {
        self.columns.clone()
    }

    /// Number of its reads so far, and their total time in nanoseconds.
    pub(super) fn cost(&self) -> (u64, u64) {
        match &self.input {
            Input::Sampler(_, schedule) => schedule.cost(),
            Input::Shared(latest_values, _) => latest_values.cost(),
            Input::CheckedOut => (0, 0),
        }
    }

    /// True if it should be moved to another thread.
    pub(super) fn wants_own_thread(&self) -> bool {
        match &self.input {
            Input::Sampler(_, schedule) => self.is_blocking || schedule.is_slow(),
            Input::Shared(..) | Input::CheckedOut => false,
        }
    }

    /// Moves the source to the threads for slow ones. Allocates; happens at most once.
    pub(super) fn move_to_pool(&mut self, channels: &[Channel], slow_readers: &SlowReaderPool) {
        let channels = channels[self.columns()].to_vec();
        match std::mem::replace(&mut self.input, Input::CheckedOut) {
            Input::Sampler(reader, schedule) => {
                let latest_values = LatestValues::new(reader.path(), channels, schedule.patience(PATIENCE));
                // The interval is kept, on the clock of the other thread.
                let schedule = schedule.restarted();
                slow_readers.add(SlowSource::new(*reader, schedule, latest_values.clone()));
                self.input = Input::Shared(latest_values, 0);
            }
            other => self.input = other,
        }
    }

    /// Checks out the source if the sampler is to read it now.
    pub(super) fn check_out(
        &mut self,
        index: usize,
        tick: &Tick,
        sampler_values: SamplerValues,
    ) -> Option<BorrowedSource> {
        let Input::Sampler(_, schedule) = &self.input else { return None };
        let due = if tick.last {
            schedule.is_worth_a_last_read(tick.now_ns)
        } else {
            schedule.is_due(tick.now_ns, tick.interval_ns)
        };
        if !due {
            return None;
        }
        match std::mem::replace(&mut self.input, Input::CheckedOut) {
            Input::Sampler(reader, schedule) => {
                Some(BorrowedSource { index, reader, schedule, sampler_values, width: self.columns.len() })
            }
            other => {
                self.input = other;
                None
            }
        }
    }

    /// Returns a source after a read.
    pub(super) fn put_back(&mut self, source: BorrowedSource) {
        self.input = Input::Sampler(source.reader, source.schedule);
    }

    /// Abandons a checked-out source; the thread that holds it may still deliver values.
    pub(super) fn abandon(&mut self, channels: &[Channel]) {
        let channels = channels[self.columns()].to_vec();
        self.input = Input::Shared(LatestValues::new(self.path.clone(), channels, PATIENCE), 0);
    }

    /// Values that another thread stores.
    pub(super) fn latest_values(&self) -> Option<&LatestValues> {
        match &self.input {
            Input::Shared(latest_values, _) => Some(latest_values),
            Input::Sampler(..) | Input::CheckedOut => None,
        }
    }

    /// Takes values from another thread. Without values, all of them are [`crate::sensors::NONE`].
    pub(super) fn take_latest(&mut self, tick: &Tick, values: &mut [i64]) -> TakeOutcome {
        match &mut self.input {
            Input::Shared(latest_values, seen) => latest_values.take(seen, values, tick.wall_ns()),
            Input::Sampler(..) | Input::CheckedOut => TakeOutcome::Nothing,
        }
    }

    /// Replaces the source of the probe by a failing one.
    #[cfg(test)]
    pub(super) fn set_source(&mut self, source: crate::Source) {
        if let Input::Sampler(reader, _) = &mut self.input {
            reader.set_source(source);
        }
    }
}
