//! Compares Records of the same log: cut short, or pasted with other blanks.

use record::{Outcome, Record, Source, Step, StepMeasurement};

/// Last known line of a step's figures.
pub(crate) fn last_line(step: &Step) -> u32 {
    let line = step.line.unwrap_or(0);
    let Outcome::Done(measured) = &step.outcome else { return line };
    let last = match measured {
        StepMeasurement::Clock(clocks) => clocks.points.iter().filter_map(|point| point.line).max(),
        StepMeasurement::Bandwidth(bandwidth) => bandwidth.rows.iter().filter_map(|row| row.line).max(),
        StepMeasurement::Latency(latency) => latency.rows.iter().filter_map(|row| row.line).max(),
        StepMeasurement::Series(_)
        | StepMeasurement::Cipher(_)
        | StepMeasurement::Compression(_)
        | StepMeasurement::Scores(_)
        | StepMeasurement::Wait(_)
        | StepMeasurement::BandwidthCurve(_)
        | StepMeasurement::CoreToCore(_)
        | StepMeasurement::LoadedLatency(_) => None,
    };
    last.unwrap_or(line).max(line)
}

/// First difference between two Records of the same log, except in text kept whole.
pub(crate) fn difference(one: &Record, other: &Record) -> Option<String> {
    let say = |what: &str, one: &dyn std::fmt::Debug, other: &dyn std::fmt::Debug| {
        Some(format!("{what}: {one:?} became {other:?}"))
    };
    for (index, step) in one.steps.iter().enumerate() {
        let found = other.steps.get(index);
        if found
            .is_none_or(|found| found.outcome != step.outcome || found.cpus != step.cpus || found.window != step.window)
        {
            return say("step", step, &found);
        }
    }
    for channel in &one.samples.channels {
        let found = other.samples.channel(&channel.id);
        if found.is_none_or(|found| found.values != channel.values) {
            return say("channel", channel, &found);
        }
    }
    for (state, found) in one.states.iter().zip(&other.states) {
        if state != found {
            return say("state", state, found);
        }
    }
    if one.machine.clusters != other.machine.clusters {
        return say("clusters", &one.machine.clusters, &other.machine.clusters);
    }
    if one.machine.policies != other.machine.policies {
        return say("policies", &one.machine.policies, &other.machine.policies);
    }
    let verdicts = |record: &Record| match &record.source {
        Source::Log(log) => log
            .verdicts
            .iter()
            .map(|line| line.text.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect::<Vec<_>>(),
        Source::Run { .. } => Vec::new(),
    };
    let (one_verdicts, other_verdicts) = (verdicts(one), verdicts(other));
    if one_verdicts != other_verdicts {
        return say("verdicts", &one_verdicts, &other_verdicts);
    }
    (one.samples.at_ms != other.samples.at_ms).then(|| "moments".to_string())
}
