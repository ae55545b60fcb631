//! Gaps: channels that stopped delivering values, noted in memory that was set aside before, told once each time
//! and not without end. Why a source is silent is in `failure`.

use super::failure::Failure;
use record::{Channel, ChannelId, Event, Gap};

/// Notes of gaps that are kept until they are fetched.
pub(super) const GAPS_MAX: usize = 128;
/// A channel reports its gaps this often; a sensor that comes and goes at every tick would
/// otherwise fill the Record with its reasons.
const GAPS_PER_CHANNEL_MAX: u8 = 8;

/// Whether a channel is silent, and how often that was told.
#[derive(Debug, Clone, Default)]
pub(super) struct GapTracker {
    silent: bool,
    told: u8,
}

impl GapTracker {
    /// True if the channel falls silent now and this is worth telling.
    pub(super) fn begins(&mut self, missing: bool) -> bool {
        let begins = missing && !self.silent;
        self.silent = missing;
        let tell = begins && self.told < GAPS_PER_CHANNEL_MAX;
        self.told += u8::from(tell);
        tell
    }
}

/// A channel that stopped delivering values.
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

/// Notes a gap as far as there is room.
pub(super) fn note(gaps: &mut Vec<GapNote>, channel: usize, at_ms: i64, failure: Failure) {
    if gaps.len() < GAPS_MAX {
        gaps.push(GapNote { channel, at_ms, failure });
    }
}

/// The event of a gap.
pub(super) fn gap_event(channel: &ChannelId, at_ms: i64, missing: record::Missing) -> Event {
    Event::Gap { channel: channel.clone(), gap: Gap { at_ms, missing } }
}
