//! Locations of evidence: line numbers for Records from logs, indexes and windows otherwise.

use facts::{Facts, Finding, Place};
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

/// Finding for the workloads between these moments.
pub(super) fn during(facts: &Facts<'_>, finding: Finding, from_ms: i64, to_ms: i64) -> Finding {
    let phases = facts.phases();
    let hit = phases.iter().filter(|phase| phase.window.start_ms <= to_ms && from_ms <= phase.window.end_ms);
    let steps: Vec<usize> = hit.flat_map(|phase| phase.steps.iter().copied()).collect();
    let finding = finding.during(from_ms, to_ms);
    if steps.is_empty() { finding } else { finding.of(steps) }
}

/// Finding for the workloads of a range of samples. Complements [`samples_place`], as the line of a log is one moment.
pub(super) fn at_samples(
    facts: &Facts<'_>,
    finding: Finding,
    channel: &ChannelId,
    from_ms: i64,
    to_ms: i64,
) -> Finding {
    during(facts, finding, from_ms, to_ms).at(samples_place(facts, channel, from_ms, to_ms))
}
