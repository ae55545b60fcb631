//! Scores and time of a finding, from its own scope or from its places.

use facts::view::ScoreSteps;
use facts::{Facts, Finding, Place, Scope, Span};
use record::{Record, WorkBound, WorkloadId};
use rules::relation::ScoreScope;

/// Scores and time of a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FindingPlace {
    /// Indices in `Facts::scores`.
    pub scores: Vec<usize>,
    /// Whether the finding names these scores; otherwise its rule determines them.
    pub names_them: bool,
    /// Time of the finding, if known.
    pub span: Option<Span>,
}

impl FindingPlace {
    /// Determines scores and time of a finding.
    pub(super) fn of(facts: &Facts<'_>, finding: &Finding, judges: ScoreScope) -> Self {
        let record: &Record = facts;
        let (steps, moments) = match &finding.scope {
            Some(Scope::Between) => return Self { scores: Vec::new(), names_them: true, span: finding.span },
            Some(Scope::Steps(steps)) => (steps.clone(), Vec::new()),
            Some(Scope::Machine) => (Vec::new(), Vec::new()),
            None => places(record, &finding.places),
        };
        let of_places = moments.iter().copied().reduce(Span::with);
        let span = finding.span.or(of_places).or_else(|| of_steps(record, &steps));
        let is_hit = |score: &ScoreSteps| {
            score.steps.iter().any(|step| {
                let window = window(record, *step);
                steps.contains(step)
                    || moments.iter().any(|moment| window.is_some_and(|window| window.overlaps(*moment)))
            })
        };
        let named = indices(facts, is_hit);
        if !named.is_empty() {
            return Self { scores: named, names_them: true, span };
        }
        Self { scores: indices(facts, |score| is_for(judges, record, score)), names_them: false, span }
    }

    /// Whether both concern a common score, or one concerns the whole machine.
    pub(super) fn meets(&self, other: &Self) -> bool {
        let shares = self.scores.iter().any(|score| other.scores.contains(score));
        shares || self.scores.is_empty() || other.scores.is_empty()
    }
}

/// Whether findings about the machine apply to this score.
fn is_for(judges: ScoreScope, record: &Record, score: &ScoreSteps) -> bool {
    let is_compression = score.workload.id().is_some_and(WorkloadId::is_main);
    let steps = || score.steps.iter().filter_map(|index| record.steps.get(*index));
    let is_wide = || {
        let cpus = facts::view::cpu_count(record).unwrap_or(1);
        steps().any(|step| {
            let is_multi = step.variant.is_multi_of_any_kind() || step.variant.is_parallel();
            is_multi || facts::view::busy_cpus_expected(step) >= cpus
        })
    };
    let computes = || {
        let mut bounds = steps().map(|step| WorkBound::of(&step.workload, &step.variant));
        bounds.any(|bound| matches!(bound, WorkBound::Cpu | WorkBound::Memory | WorkBound::Unknown))
    };
    let is_single = || steps().any(|step| step.variant.is_single_of_any_kind());
    match judges {
        ScoreScope::All => true,
        ScoreScope::FullLoad => is_wide() && computes(),
        ScoreScope::Compression => is_compression,
        ScoreScope::CompressionMulti => is_compression && is_wide(),
        ScoreScope::CompressionSingle => is_compression && is_single(),
        ScoreScope::Memory => score.workload.is_of_memory(),
        ScoreScope::Nothing => false,
    }
}

fn indices(facts: &Facts<'_>, is_wanted: impl Fn(&ScoreSteps) -> bool) -> Vec<usize> {
    let scores = facts.scores().iter().enumerate();
    scores.filter(|(_, score)| is_wanted(score)).map(|(index, _)| index).collect()
}

/// Steps and time spans of places.
fn places(record: &Record, places: &[Place]) -> (Vec<usize>, Vec<Span>) {
    let (mut steps, mut moments) = (Vec::new(), Vec::new());
    for place in places {
        match place {
            Place::Step(index) => steps.push(*index),
            Place::Samples { start_ms, end_ms, .. } => moments.push(Span { from_ms: *start_ms, to_ms: *end_ms }),
            Place::KernelMessage(index) => {
                let messages = record.kernel_messages.known();
                let at_ms = messages.and_then(|messages| messages.get(*index)?.at_ms);
                moments.extend(at_ms.map(|at_ms| Span { from_ms: at_ms, to_ms: at_ms }));
            }
            Place::Line(line) => {
                let rows = record.samples.at_ms.iter().zip(&record.samples.lines);
                let row = rows.filter(|(_, known)| *known == line).map(|(at_ms, _)| *at_ms).next();
                moments.extend(row.map(|at_ms| Span { from_ms: at_ms, to_ms: at_ms }));
                let of_line = record.steps.iter().enumerate().filter(|(_, step)| step.line == Some(*line));
                steps.extend(of_line.map(|(index, _)| index));
            }
            Place::Setting(_) | Place::Field(_) => {}
        }
    }
    (steps, moments)
}

/// Time span of a step; `None` if a log does not give it.
fn window(record: &Record, step: usize) -> Option<Span> {
    let window = record.steps.get(step)?.window;
    (window.elapsed_ms() > 0).then_some(Span { from_ms: window.start_ms, to_ms: window.end_ms })
}

fn of_steps(record: &Record, steps: &[usize]) -> Option<Span> {
    steps.iter().filter_map(|step| window(record, *step)).reduce(Span::with)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{compression, own_run, series, with_step};
    use facts::Severity;
    use record::{ChannelId, RuleId, Variant};

    fn board() -> Record {
        let record = with_step(own_run(), WorkloadId::SevenZip, Variant::MULTI, &[], (0.0, 10.0), compression(7000));
        with_step(record, WorkloadId::Cpuminer, Variant::ONLY, &[], (20.0, 30.0), series(&[1.0]))
    }

    #[test]
    fn a_finding_belongs_to_the_scores_that_it_names_or_that_ran_then() {
        let record = board();
        let facts = Facts::of(&record);
        let samples = |start_ms, end_ms| Place::Samples { channel: ChannelId::Soc, start_ms, end_ms };
        let finding = || Finding::new(RuleId::own("x"), Severity::Degraded, "It was so.");
        for (finding, scores, names_them) in [
            (finding().at(samples(25_000, 26_000)), &[1][..], true),
            (finding().at(samples(9_000, 26_000)), &[0, 1], true),
            (finding().at(Place::Step(0)), &[0], true),
            (finding().at(samples(9_000, 26_000)).of([1]), &[1], true),
            (finding().about(Scope::Between), &[], true),
            (finding().at(Place::Field("states".into())), &[0], false),
            (finding().at(samples(12_000, 13_000)), &[0], false),
        ] {
            let found = FindingPlace::of(&facts, &finding, ScoreScope::Compression);
            assert_eq!((&found.scores[..], found.names_them), (scores, names_them), "{finding:?}");
        }
    }
}
