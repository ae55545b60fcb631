//! Gaps: channels that stopped reporting, recorded in preallocated memory, once per gap and limited in number.
//! `failure` has the reasons.

use super::failure::Failure;
use record::{Channel, ChannelId, Event, Gap};

/// Maximum number of gap notes between fetches.
pub(super) const GAPS_MAX: usize = 128;
/// Maximum number of gaps reported per channel; a sensor that fails at every other tick would otherwise fill the
/// Record.
const GAPS_PER_CHANNEL_MAX: u8 = 8;

/// State of a channel, and number of its reported gaps.
#[derive(Debug, Clone, Default)]
pub(super) struct GapTracker {
    silent: bool,
    told: u8,
}

impl GapTracker {
    /// True if the channel stops reporting now and the gap is to be reported.
    pub(super) fn begins(&mut self, missing: bool) -> bool {
        let begins = missing && !self.silent;
        self.silent = missing;
        let tell = begins && self.told < GAPS_PER_CHANNEL_MAX;
        self.told += u8::from(tell);
        tell
    }
}

/// Channel that stopped reporting.
#[derive(Debug, Clone, Copy)]
pub(super) struct GapNote {
    pub(super) channel: usize,
    pub(super) at_ms: i64,
    pub(super) failure: Failure,
}

impl GapNote {
    pub(super) fn event(&self, channels: &[Channel]) -> Event {
        let channel = &channels[self.channel];
        gap_event(&channel.id, self.at_ms, self.failure.missing(&channel.source))
    }
}

/// Adds a gap if there is space.
pub(super) fn note(gaps: &mut Vec<GapNote>, channel: usize, at_ms: i64, failure: Failure) {
    if gaps.len() < GAPS_MAX {
        gaps.push(GapNote { channel, at_ms, failure });
    }
}

/// Event of a gap.
pub(super) fn gap_event(channel: &ChannelId, at_ms: i64, missing: record::Missing) -> Event {
    Event::Gap { channel: channel.clone(), gap: Gap { at_ms, missing } }
}
