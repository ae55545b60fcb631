//! Locations of evidence: line numbers for Records from logs, indexes and windows otherwise.

use facts::{Facts, Place};
use record::ChannelId;

/// Location of a step.
pub(super) fn step_place(facts: &Facts<'_>, index: usize) -> Place {
    let line = facts.steps.get(index).and_then(|step| step.line);
    line.map_or(Place::Step(index), Place::Line)
}

/// Location of a range of samples; in a log, the line of its first row.
pub(super) fn samples_place(facts: &Facts<'_>, channel: &ChannelId, start_ms: i64, end_ms: i64) -> Place {
    let rows = facts.samples.at_ms.iter();
    let first = rows.zip(&facts.samples.lines).find(|row| *row.0 >= start_ms);
    match first {
        Some((_, line)) => Place::Line(*line),
        None => Place::Samples { channel: channel.clone(), start_ms, end_ms },
    }
}
