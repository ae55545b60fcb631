//! Values read by another thread: sources that are slow or may hang, and network meters.
//!
//! The reader has its own thread and stores its values here; the sampler takes the latest ones at its ticks and never
//! waits. A reader without values for longer than its patience is a gap.

use super::failure::Failure;
use crate::sensors::NONE;
use record::Channel;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// Latest values of some channels. Clones share them.
#[derive(Debug, Clone)]
pub struct LatestValues(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    source: String,
    channels: Vec<Channel>,
    patience_ns: u64,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    values: Vec<i64>,
    failure: Option<Failure>,
    /// Incremented with every answer.
    stamp: u64,
    at_ns: u64,
    reads: u64,
    read_ns: u64,
}

/// Result of taking the latest values.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TakeOutcome {
    /// New values.
    Fresh,
    /// No new values.
    Nothing,
    /// The reader failed, or exceeded its patience.
    Failed(Failure),
}

impl LatestValues {
    /// Creates it for the channels of one source. `patience` is the time until missing values are reported.
    pub fn new(source: impl Into<String>, mut channels: Vec<Channel>, patience: Duration) -> Self {
        let source = source.into();
        for channel in &mut channels {
            channel.source.clone_from(&source);
        }
        Self(Arc::new(Inner {
            state: Mutex::new(State {
                values: vec![NONE; channels.len()],
                failure: None,
                stamp: 0,
                at_ns: crate::timeline::monotonic_ns(),
                reads: 0,
                read_ns: 0,
            }),
            source,
            channels,
            patience_ns: patience.as_nanos() as u64,
        }))
    }

    /// Channels without values.
    pub fn channels(&self) -> &[Channel] {
        &self.0.channels
    }

    /// Source of the values.
    pub fn source(&self) -> &str {
        &self.0.source
    }

    /// Stores the result of a read that took `read_ns`, in the order of the channels; missing values are [`NONE`]. Does
    /// not allocate.
    pub fn put(&self, outcome: Result<&[i64], Failure>, read_ns: u64) {
        let mut state = self.state();
        state.stamp += 1;
        state.reads += 1;
        state.read_ns += read_ns;
        state.at_ns = crate::timeline::monotonic_ns();
        state.failure = outcome.err();
        state.values.fill(NONE);
        let values = outcome.unwrap_or_default();
        let count = values.len().min(state.values.len());
        state.values[..count].copy_from_slice(&values[..count]);
    }

    /// Takes the latest values if they are newer than `seen`.
    pub(super) fn take(&self, seen: &mut u64, values: &mut [i64], now_ns: u64) -> TakeOutcome {
        let state = self.state();
        let silence_ns = now_ns.saturating_sub(state.at_ns);
        if state.stamp == *seen {
            if silence_ns > self.0.patience_ns {
                return TakeOutcome::Failed(Failure::Silent((silence_ns / 1_000_000_000) as u32));
            }
            return TakeOutcome::Nothing;
        }
        *seen = state.stamp;
        values.copy_from_slice(&state.values);
        state.failure.map_or(TakeOutcome::Fresh, TakeOutcome::Failed)
    }

    /// Number of reads, and their total time in nanoseconds.
    pub fn cost(&self) -> (u64, u64) {
        let state = self.state();
        (state.reads, state.read_ns)
    }

    /// The lock is held only to copy a few numbers, never during a read.
    fn state(&self) -> MutexGuard<'_, State> {
        crate::threads::lock(&self.0.state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::monotonic_ns;
    use record::{ChannelId, ChannelKind, Unit};

    fn channel(id: &'static str) -> Channel {
        Channel::new(ChannelId::own(id), Unit::Count, ChannelKind::Gauge)
    }

    #[test]
    fn values_are_taken_once() {
        let latest_values = LatestValues::new("meter", vec![channel("a"), channel("b")], Duration::MAX);
        assert_eq!(latest_values.channels()[1].source, "meter");
        let (mut seen, mut values) = (0, [NONE; 2]);
        let mut take = || {
            values.fill(NONE);
            (latest_values.take(&mut seen, &mut values, monotonic_ns()), values)
        };
        assert_eq!(take(), (TakeOutcome::Nothing, [NONE; 2]));
        latest_values.put(Ok(&[1]), 10);
        assert_eq!(take(), (TakeOutcome::Fresh, [1, NONE]));
        assert_eq!(take(), (TakeOutcome::Nothing, [NONE; 2]));
        latest_values.put(Err(Failure::Errno(110)), 10);
        assert_eq!(take(), (TakeOutcome::Failed(Failure::Errno(110)), [NONE; 2]));
        assert_eq!(latest_values.cost(), (2, 20));
    }

    #[test]
    fn missing_values_after_timeout() {
        let latest_values = LatestValues::new("meter", vec![channel("a")], Duration::from_secs(2));
        let mut values = [NONE];
        let soon = monotonic_ns() + 1_000_000_000;
        assert_eq!(latest_values.take(&mut 0, &mut values, soon), TakeOutcome::Nothing);
        let late = soon + 6_000_000_000;
        let taken = latest_values.take(&mut 0, &mut values, late);
        assert!(matches!(taken, TakeOutcome::Failed(Failure::Silent(6 | 7))), "{taken:?}");
    }
}
