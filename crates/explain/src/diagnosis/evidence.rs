//! Evidence that a score needs: without it a defect of the score could not have been detected.

use facts::view::{self, ScoreSteps};
use facts::{Facts, view::cpu_ns};
use record::{ChannelId, Source, Step, Variant, Window, WorkloadId};

/// One kind of evidence.
struct Evidence {
    /// Whether the score needs this evidence.
    is_needed: fn(&Facts<'_>, &ScoreSteps) -> bool,
    is_there: Presence,
    /// Reason for its absence, to follow "because".
    lack: &'static str,
}

/// Scope of evidence.
enum Presence {
    /// The whole run.
    Run(fn(&Facts<'_>) -> bool),
    /// Readings during the score.
    Score(fn(&Facts<'_>, &ScoreSteps) -> bool),
}

impl Presence {
    fn holds(&self, facts: &Facts<'_>, score: &ScoreSteps) -> bool {
        match self {
            Self::Run(is_there) => is_there(facts),
            Self::Score(is_there) => is_there(facts, score),
        }
    }
}

const EVIDENCE: &[Evidence] = &[
    Evidence {
        // A run without channels states the reason elsewhere.
        is_needed: |facts, _| view::is_log(facts) || !facts.samples.channels.is_empty(),
        is_there: Presence::Score(was_watched),
        lack: "neither clocks nor CPU use were recorded meanwhile",
    },
    section(
        |facts| has_step(facts, |step| step.workload.id() == Some(WorkloadId::Clock) && step.variant == Variant::COLD),
        "the log lacks the clocks before the load",
    ),
    section(|facts| has_step(facts, |step| step.workload.is_of_memory()), "the log lacks its section about memory"),
    section(
        |facts| has_step(facts, |step| step.workload.id() == Some(WorkloadId::OpenSsl)),
        "the log lacks its section about OpenSSL",
    ),
    section(
        |facts| has_step(facts, |step| step.workload.id() == Some(WorkloadId::SevenZip)),
        "the log lacks its section about 7-zip",
    ),
    section(
        |facts| has_step(facts, |step| step.workload.id() == Some(WorkloadId::Clock) && step.variant != Variant::COLD),
        "the log lacks the clocks after the load",
    ),
    section(|facts| !facts.states.is_empty(), "the log lacks the memory and swap in use before the run"),
];

/// A section of every log since version 0.4, on any machine.
const fn section(is_there: fn(&Facts<'_>) -> bool, lack: &'static str) -> Evidence {
    Evidence { is_needed: |facts, _| is_whole_log(facts), is_there: Presence::Run(is_there), lack }
}

fn has_step(facts: &Facts<'_>, is_wanted: fn(&Step) -> bool) -> bool {
    facts.steps.iter().any(is_wanted)
}

/// First missing evidence of a score, in words.
pub(super) fn lacks(facts: &Facts<'_>, score: &ScoreSteps) -> Option<&'static str> {
    let mut missing = EVIDENCE.iter().filter(|row| (row.is_needed)(facts, score) && !row.is_there.holds(facts, score));
    missing.next().map(|row| row.lack)
}

/// Whether CPU use, clocks or CPU time were read during the score.
fn was_watched(facts: &Facts<'_>, score: &ScoreSteps) -> bool {
    let steps = || score.steps.iter().filter_map(|index| facts.steps.get(*index));
    let reads = |window: &Window| {
        let mut clocks = view::channels(facts, ChannelId::is_any_claim);
        !facts.cpu_use(window).is_empty() || clocks.any(|channel| !view::gauge(facts, channel, *window).is_empty())
    };
    steps().any(|step| cpu_ns(step).is_some() || reads(&step.window))
}

/// Whether this is a log of a known version.
fn is_whole_log(facts: &Facts<'_>) -> bool {
    match &facts.source {
        Source::Log(log) => !log.version.is_empty(),
        Source::Run { .. } => false,
    }
}
