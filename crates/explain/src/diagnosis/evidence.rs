//! Evidence that a score needs: without it nothing speaks against the score because nothing was there to see it.

use facts::view::{self, ScoreSteps};
use facts::{Facts, view::cpu_ns};
use record::{ChannelId, Source, Step, Variant, Window, WorkloadId};

/// One kind of evidence.
struct Evidence {
    /// True if scores of this kind need it.
    is_needed: fn(&Facts<'_>, &ScoreSteps) -> bool,
    is_there: Presence,
    /// What is missing without it, behind "because".
    lack: &'static str,
}

/// Where evidence is looked for.
enum Presence {
    /// In the whole run.
    Run(fn(&Facts<'_>) -> bool),
    /// In what was read while the score was measured.
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
        // An own run without any channel says why it has none.
        is_needed: |facts, _| view::is_log(facts) || !facts.samples.channels.is_empty(),
        is_there: Presence::Score(was_watched),
        lack: "nothing was recorded while it ran",
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

/// A section that every log of version 0.4 and later has, whatever the machine.
const fn section(is_there: fn(&Facts<'_>) -> bool, lack: &'static str) -> Evidence {
    Evidence { is_needed: |facts, _| is_whole_log(facts), is_there: Presence::Run(is_there), lack }
}

fn has_step(facts: &Facts<'_>, is_wanted: fn(&Step) -> bool) -> bool {
    facts.steps.iter().any(is_wanted)
}

/// The first evidence that a score lacks, in words.
pub(super) fn lacks(facts: &Facts<'_>, score: &ScoreSteps) -> Option<&'static str> {
    let mut missing = EVIDENCE.iter().filter(|row| (row.is_needed)(facts, score) && !row.is_there.holds(facts, score));
    missing.next().map(|row| row.lack)
}

/// True if CPU use, clocks or CPU time were read while it ran.
fn was_watched(facts: &Facts<'_>, score: &ScoreSteps) -> bool {
    let steps = || score.steps.iter().filter_map(|index| facts.steps.get(*index));
    let reads = |window: &Window| {
        let mut clocks = view::channels(facts, ChannelId::is_any_claim);
        !facts.cpu_use(window).is_empty() || clocks.any(|channel| !view::gauge(facts, channel, *window).is_empty())
    };
    steps().any(|step| cpu_ns(step).is_some() || reads(&step.window))
}

/// True of logs of a version whose sections are known.
fn is_whole_log(facts: &Facts<'_>) -> bool {
    match &facts.source {
        Source::Log(log) => !log.version.is_empty(),
        Source::Run { .. } => false,
    }
}
