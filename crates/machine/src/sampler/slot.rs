//! One active source: its columns in the row, read by the sampler or by another thread.

use super::failure::Failure;
use super::feed::{LatestValues, TakeResult};
use super::lanes::{SlowReaderPool, SlowSource};
use super::lent::BorrowedSource;
use super::plan::Plan;
use super::reader::{Own, Reader};
use super::{Options, SourceCost, Tick};
use crate::Root;
use crate::sensors::{Probe, SampleInterval};
use record::Channel;
use std::ops::Range;
use std::time::Duration;

/// Time beyond its interval before a source with its own thread is reported as silent.
const PATIENCE: Duration = Duration::from_secs(3);

/// Source and its columns in the row.
#[derive(Debug)]
pub(super) struct SourceSlot {
    path: String,
    columns: Range<usize>,
    apart: bool,
    input: Input,
}

/// Reader of the source.
#[derive(Debug)]
enum Input {
    /// The sampler, at its ticks.
    Own(Box<Reader>, Plan),
    /// Another thread; the stamp is that of the last values taken.
    Fed(LatestValues, u64),
    /// None while it is checked out or being moved.
    Nobody,
}

/// Result of reading a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Values were read.
    Read,
    /// Not due.
    NotDue,
    /// Failed, with the reason.
    Failed(Failure),
}

impl SourceSlot {
    /// Opens the probe; its values begin at `column` of the row.
    pub(super) fn new(root: &Root, probe: &Probe, column: usize) -> Self {
        let mut reader = Reader::new(root, probe);
        // Opening may also hang, so the other thread opens such sources.
        if !probe.apart {
            reader.open();
        }
        Self {
            path: probe.path.clone(),
            columns: column..column + probe.channels.len(),
            apart: probe.apart,
            input: Input::Own(Box::new(reader), Plan::new(probe.beat)),
        }
    }

    /// Source that is read by another thread.
    pub(super) fn fed(feed: &LatestValues, column: usize) -> Self {
        Self {
            path: feed.source().to_owned(),
            columns: column..column + feed.channels().len(),
            apart: false,
            input: Input::Fed(feed.clone(), 0),
        }
    }

    /// Columns in the row.
    pub(super) fn columns(&self) -> Range<usize> {
        self.columns.clone()
    }

    /// Cost of its reads so far.
    pub(super) fn cost(&self) -> SourceCost<'_> {
        let (reads, read_ns) = match &self.input {
            Input::Own(_, plan) => plan.cost(),
            Input::Fed(feed, _) => feed.cost(),
            Input::Nobody => (0, 0),
        };
        SourceCost { path: &self.path, reads, read_ns }
    }

    /// True if it should be moved to another thread.
    pub(super) fn wants_own_thread(&self) -> bool {
        match &self.input {
            Input::Own(_, plan) => self.apart || plan.is_slow(),
            Input::Fed(..) | Input::Nobody => false,
        }
    }

    /// Moves the source to the threads for slow ones. Allocates; happens at most once.
    pub(super) fn hand_over(&mut self, channels: &[Channel], lanes: &SlowReaderPool) {
        let channels = channels[self.columns()].to_vec();
        match std::mem::replace(&mut self.input, Input::Nobody) {
            Input::Own(reader, plan) => {
                let feed = LatestValues::new(reader.path(), channels, plan.patience(PATIENCE));
                // The interval is kept, on the clock of the other thread.
                let plan = plan.restarted();
                lanes.add(SlowSource::new(*reader, plan, feed.clone()));
                self.input = Input::Fed(feed, 0);
            }
            other => self.input = other,
        }
    }

    /// Checks out the source if the sampler is to read it now.
    pub(super) fn lend(&mut self, index: usize, tick: &Tick, own: Own) -> Option<BorrowedSource> {
        let Input::Own(_, plan) = &self.input else {
            return None;
        };
        let due = match tick.last {
            true => plan.is_worth_a_last_read(tick.now_ns),
            false => plan.is_due(tick.now_ns, tick.interval_ns),
        };
        if !due {
            return None;
        }
        match std::mem::replace(&mut self.input, Input::Nobody) {
            Input::Own(reader, plan) => Some(BorrowedSource { index, reader, plan, own, width: self.columns.len() }),
            other => {
                self.input = other;
                None
            }
        }
    }

    /// Returns a source after a read.
    pub(super) fn take_back(&mut self, lent: BorrowedSource) {
        self.input = Input::Own(lent.reader, lent.plan);
    }

    /// Abandons a checked-out source; the thread that holds it may still deliver values.
    pub(super) fn give_up(&mut self, channels: &[Channel]) {
        let channels = channels[self.columns()].to_vec();
        self.input = Input::Fed(LatestValues::new(self.path.clone(), channels, PATIENCE), 0);
    }

    /// Values that another thread stores.
    pub(super) fn feed(&self) -> Option<&LatestValues> {
        match &self.input {
            Input::Fed(feed, _) => Some(feed),
            Input::Own(..) | Input::Nobody => None,
        }
    }

    /// Takes values from another thread. Without values, all of them are [`crate::sensors::NONE`].
    pub(super) fn look(&mut self, tick: &Tick, values: &mut [i64]) -> Outcome {
        match &mut self.input {
            Input::Fed(feed, seen) => match feed.take(seen, values, tick.wall_ns()) {
                TakeResult::Fresh => Outcome::Read,
                TakeResult::Nothing => Outcome::NotDue,
                TakeResult::Failed(failure) => Outcome::Failed(failure),
            },
            Input::Own(..) | Input::Nobody => Outcome::NotDue,
        }
    }

    /// Replaces the source of the probe by a failing one.
    #[cfg(test)]
    pub(super) fn set_source(&mut self, source: crate::Source) {
        if let Input::Own(reader, _) = &mut self.input {
            reader.set_source(source);
        }
    }
}

/// Interval for steps of a run, and for short sampling intervals.
const OFTEN_ENOUGH: Duration = Duration::from_secs(2);
/// Interval for a sampling interval of a second or more.
const LEISURELY: Duration = Duration::from_secs(6);

impl SampleInterval {
    /// Resolves [`SampleInterval::Rarely`] for these options.
    pub(super) fn with(self, options: &Options) -> Self {
        let is_leisurely = !options.measures && options.interval >= Duration::from_secs(1);
        match self {
            SampleInterval::Rarely if is_leisurely => SampleInterval::AtMostEveryMs(LEISURELY.as_millis() as u32),
            other => other,
        }
    }

    /// Minimum time between two reads.
    pub(super) fn time(self) -> Duration {
        match self {
            SampleInterval::EveryTick => Duration::ZERO,
            SampleInterval::AtMostEveryMs(ms) => Duration::from_millis(u64::from(ms)),
            SampleInterval::Rarely => OFTEN_ENOUGH,
        }
    }
}
