//! One source at work: its place in the row, and whether the sampler reads it or another thread.

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

/// A source that has its own thread is given so much longer than its beat before silence is told.
const PATIENCE: Duration = Duration::from_secs(3);

/// A source and its place in the row.
#[derive(Debug)]
pub(super) struct SourceSlot {
    path: String,
    columns: Range<usize>,
    apart: bool,
    input: Input,
}

/// Who reads it.
#[derive(Debug)]
enum Input {
    /// The sampler, at its ticks.
    Own(Box<Reader>, Plan),
    /// Another thread; the stamp is that of the values that were seen last.
    Fed(LatestValues, u64),
    /// Nobody: it is lent, or changes hands.
    Nobody,
}

/// Result of reading a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// There are values.
    Read,
    /// It was not its turn.
    NotDue,
    /// There are none, and why.
    Failed(Failure),
}

impl SourceSlot {
    /// Opens the probe; its values begin at `column` of the row.
    pub(super) fn new(root: &Root, probe: &Probe, column: usize) -> Self {
        let mut reader = Reader::new(root, probe);
        // Even opening may hang; what is read apart is opened there.
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

    /// A source that another thread reads.
    pub(super) fn fed(feed: &LatestValues, column: usize) -> Self {
        Self {
            path: feed.source().to_owned(),
            columns: column..column + feed.channels().len(),
            apart: false,
            input: Input::Fed(feed.clone(), 0),
        }
    }

    /// Its place in the row.
    pub(super) fn columns(&self) -> Range<usize> {
        self.columns.clone()
    }

    /// What reading it cost so far.
    pub(super) fn cost(&self) -> SourceCost<'_> {
        let (reads, read_ns) = match &self.input {
            Input::Own(_, plan) => plan.cost(),
            Input::Fed(feed, _) => feed.cost(),
            Input::Nobody => (0, 0),
        };
        SourceCost { path: &self.path, reads, read_ns }
    }

    /// True if it should be read by another thread from now on.
    pub(super) fn wants_own_thread(&self) -> bool {
        match &self.input {
            Input::Own(_, plan) => self.apart || plan.is_slow(),
            Input::Fed(..) | Input::Nobody => false,
        }
    }

    /// Hands the source over to the threads for slow ones. Allocates; happens once at most.
    pub(super) fn hand_over(&mut self, channels: &[Channel], lanes: &SlowReaderPool) {
        let channels = channels[self.columns()].to_vec();
        match std::mem::replace(&mut self.input, Input::Nobody) {
            Input::Own(reader, plan) => {
                let feed = LatestValues::new(reader.path(), channels, plan.patience(PATIENCE));
                // Beats stay as they were, on the clock of the other thread.
                let plan = plan.restarted();
                lanes.add(SlowSource::new(*reader, plan, feed.clone()));
                self.input = Input::Fed(feed, 0);
            }
            other => self.input = other,
        }
    }

    /// What is needed to read it, if the sampler is to read it now; until it is back, nobody does.
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

    /// The sampler reads it again next time.
    pub(super) fn take_back(&mut self, lent: BorrowedSource) {
        self.input = Input::Own(lent.reader, lent.plan);
    }

    /// What was lent does not come back: the thread holding it may still deliver values.
    pub(super) fn give_up(&mut self, channels: &[Channel]) {
        let channels = channels[self.columns()].to_vec();
        self.input = Input::Fed(LatestValues::new(self.path.clone(), channels, PATIENCE), 0);
    }

    /// Where others put its values.
    pub(super) fn feed(&self) -> Option<&LatestValues> {
        match &self.input {
            Input::Fed(feed, _) => Some(feed),
            Input::Own(..) | Input::Nobody => None,
        }
    }

    /// Takes what others have read. Without values, all of them are [`crate::sensors::NONE`].
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

    /// Puts another source under the probe, to make it fail.
    #[cfg(test)]
    pub(super) fn set_source(&mut self, source: crate::Source) {
        if let Input::Own(reader, _) = &mut self.input {
            reader.set_source(source);
        }
    }
}

/// For the steps of a run, and for who wants many samples.
const OFTEN_ENOUGH: Duration = Duration::from_secs(2);
/// For who looks once a second.
const LEISURELY: Duration = Duration::from_secs(6);

impl SampleInterval {
    /// What it comes to with these options.
    pub(super) fn with(self, options: &Options) -> Self {
        let is_leisurely = !options.measures && options.interval >= Duration::from_secs(1);
        match self {
            SampleInterval::Rarely if is_leisurely => SampleInterval::AtMostEveryMs(LEISURELY.as_millis() as u32),
            other => other,
        }
    }

    /// Time between two reads, at least.
    pub(super) fn time(self) -> Duration {
        match self {
            SampleInterval::EveryTick => Duration::ZERO,
            SampleInterval::AtMostEveryMs(ms) => Duration::from_millis(u64::from(ms)),
            SampleInterval::Rarely => OFTEN_ENOUGH,
        }
    }
}
