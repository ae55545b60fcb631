//! Places of evidence: lines where a Record comes from a log, indexes and windows otherwise.

use facts::{Facts, Place};
use record::ChannelId;

/// Where a step stands.
pub(super) fn step_place(facts: &Facts<'_>, index: usize) -> Place {
    let line = facts.steps.get(index).and_then(|step| step.line);
    line.map_or(Place::Step(index), Place::Line)
}

/// Where a stretch of samples stands. In a log this is the line of its first row.
pub(super) fn samples_place(facts: &Facts<'_>, channel: &ChannelId, start_ms: i64, end_ms: i64) -> Place {
    let rows = facts.samples.at_ms.iter();
    let first = rows.zip(&facts.samples.lines).find(|row| *row.0 >= start_ms);
    match first {
        Some((_, line)) => Place::Line(*line),
        None => Place::Samples { channel: channel.clone(), start_ms, end_ms },
    }
}
