//! Diagnoses from findings and the table of relations: one per cause, with evidence, consequences and contradictions.
//!
//! Causes are processed in causal order. Each takes the findings that name it and then all related ones that are left,
//! so that no consequence becomes a cause.

use super::finding_place::FindingPlace;
use super::{confidence, when};
use facts::view::ScoreKey;
use facts::{Cause, Diagnosis, Facts, Finding, Severity, Span};
use record::StableSort;
use rules::relation::{Relation, RelationCondition};
use rules::relations::lines_of;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Largest difference in confidence at which two causes are both possible, in percent.
const AS_SURE_PERCENT: u8 = 15;

/// Diagnoses, and findings outside of them.
pub(super) struct Graph {
    pub diagnoses: Vec<Diagnosis>,
    /// Findings that answer the question of the run.
    pub answers: Vec<usize>,
    /// Findings outside of diagnoses.
    pub notes: Vec<usize>,
    /// Place of each finding.
    pub places: Vec<FindingPlace>,
}

/// Creates the graph of these findings.
pub(super) fn of(facts: &Facts<'_>, findings: &[Finding]) -> Graph {
    let places: Vec<FindingPlace> =
        findings.iter().map(|finding| FindingPlace::of(facts, finding, lines_of(finding.rule).1)).collect();
    let lines = findings.iter().zip(&places).map(|(finding, at)| {
        let lines = lines_of(finding.rule).0.iter().copied();
        let holding = lines.filter(|(_, when)| when::holds(*when, facts, finding, at, findings));
        // A note does not belong to the cause of a later line.
        holding.take_while(|(relation, _)| *relation != Relation::Note).collect()
    });
    let lines = lines.collect();
    let mut builder = Builder { facts, findings, places, lines, is_taken: vec![false; findings.len()] };
    let answers = builder.free(|builder, index| builder.lines(index).any(|(relation, _)| relation == Relation::Answer));
    builder.take(&answers);
    let mut diagnoses: Vec<Diagnosis> = Vec::new();
    for cause in Cause::ALL {
        diagnoses.extend(builder.named_by_rules(*cause));
        builder.unexplained(&mut diagnoses, |builder, index| builder.last_to_explain(index) == Some(*cause));
    }
    builder.unexplained(&mut diagnoses, |_, _| true);
    diagnoses.stable_sort_by_key(|diagnosis| diagnosis.cause);
    let others: Vec<Vec<Cause>> =
        diagnoses.iter().map(|diagnosis| builder.also_possible(diagnosis, &diagnoses)).collect();
    diagnoses.iter_mut().zip(others).for_each(|(diagnosis, others)| diagnosis.also_possible = others);
    let notes = builder.free(|_, _| true);
    Graph { diagnoses, answers, notes, places: builder.places }
}

/// All findings, with marks for those that belong to a diagnosis.
struct Builder<'a> {
    facts: &'a Facts<'a>,
    findings: &'a [Finding],
    places: Vec<FindingPlace>,
    /// Relations of each finding whose conditions hold.
    lines: Vec<Vec<(Relation, RelationCondition)>>,
    is_taken: Vec<bool>,
}

impl Builder<'_> {
    /// Selected findings that belong to no diagnosis.
    fn free(&self, is_wanted: impl Fn(&Self, usize) -> bool) -> Vec<usize> {
        (0..self.findings.len()).filter(|index| !self.is_taken[*index] && is_wanted(self, *index)).collect()
    }

    fn take(&mut self, indices: &[usize]) {
        indices.iter().for_each(|index| self.is_taken[*index] = true);
    }

    /// Relations of a finding.
    fn lines(&self, index: usize) -> impl Iterator<Item = (Relation, RelationCondition)> {
        self.lines[index].iter().copied()
    }

    fn harms(&self, index: usize) -> bool {
        self.findings[index].severity > Severity::Info
    }

    /// Diagnosis of a cause that rules name directly.
    fn named_by_rules(&mut self, cause: Cause) -> Option<Diagnosis> {
        let first = |(relation, _)| match relation {
            Relation::Root(cause) => Some(cause),
            _ => None,
        };
        let roots =
            self.free(|builder, index| builder.harms(index) && builder.lines(index).find_map(first) == Some(cause));
        (!roots.is_empty()).then(|| self.diagnosis(cause, &roots))
    }

    /// Diagnoses of harmful findings that follow from no cause: the cause that the finding names alone, else one that
    /// is not visible. Each score then has its own diagnosis, except for known causes.
    fn unexplained(&mut self, diagnoses: &mut Vec<Diagnosis>, is_wanted: impl Fn(&Self, usize) -> bool) {
        while let Some(first) =
            self.free(|builder, index| builder.harms(index) && is_wanted(builder, index)).first().copied()
        {
            let cause = self.alone(first);
            let roots = self.free(|builder, index| {
                let is_same = builder.harms(index) && is_wanted(builder, index) && builder.alone(index) == cause;
                is_same && builder.places[index].meets(&builder.places[first])
            });
            let known = diagnoses.iter_mut().find(|known| known.cause == cause && cause != Cause::NotVisible);
            match known {
                Some(known) => {
                    self.take(&roots);
                    known.consequences.extend(roots);
                    known.holds_for = self.holds_for(known.root, &known.evidence, &known.consequences);
                }
                None => diagnoses.push(self.diagnosis(cause, &roots)),
            }
        }
    }

    /// Last cause that could explain a finding which otherwise names its own cause.
    fn last_to_explain(&self, index: usize) -> Option<Cause> {
        let follows = |(relation, _)| match relation {
            Relation::Follows(cause) => Some(cause),
            _ => None,
        };
        (self.alone(index) != Cause::NotVisible).then(|| self.lines(index).filter_map(follows).max()).flatten()
    }

    /// Cause that a finding names if no other one explains it.
    fn alone(&self, index: usize) -> Cause {
        let cause = |(relation, _)| match relation {
            Relation::Alone(cause) => Some(cause),
            _ => None,
        };
        self.lines(index).find_map(cause).unwrap_or(Cause::NotVisible)
    }

    /// Diagnosis of a cause with these root findings.
    fn diagnosis(&mut self, cause: Cause, roots: &[usize]) -> Diagnosis {
        self.take(roots);
        let is_follower = |index: usize| self.lines(index).any(|(relation, _)| relation == Relation::Follows(cause));
        let weight = |index: &usize| {
            let finding = &self.findings[*index];
            let names_scores = self.places[*index].names_them;
            let is_of_main = self.places[*index].scores.iter().any(|score| self.facts.scores()[*score].is_main);
            let sure = Reverse(finding.confidence_percent);
            (is_follower(*index), Reverse(finding.severity), !names_scores, !is_of_main, sure)
        };
        let root = roots.iter().copied().min_by_key(weight).unwrap_or_default();
        let others = roots.iter().copied().filter(|index| *index != root);
        let (mut consequences, mut evidence): (Vec<usize>, Vec<usize>) = others.partition(|index| is_follower(*index));
        let (mut contradicts, mut taken) = (Vec::new(), Vec::new());
        for index in self.free(|_, _| true) {
            let is_about = |(relation, when): &(Relation, RelationCondition)| {
                let at = &self.places[index];
                relation.cause() == Some(cause)
                    && (when::is_of_the_run(*when) || roots.iter().any(|root| self.places[*root].meets(at)))
            };
            match self.lines(index).find(is_about) {
                Some((Relation::Evidence(_), _)) => evidence.push(index),
                Some((Relation::Follows(_), _)) => consequences.push(index),
                Some((Relation::Contradicts(_), _)) => contradicts.push(index),
                _ => continue,
            }
            taken.push(index);
        }
        self.take(&taken);
        let shows: Vec<&Finding> =
            std::iter::once(root).chain(evidence.iter().copied()).map(|index| &self.findings[index]).collect();
        let span = self.span(root, &evidence);
        let against = contradicts.iter().map(|index| &self.findings[*index]);
        Diagnosis {
            cause,
            severity: self.findings[root].severity,
            confidence_percent: confidence::percent(&shows, against),
            root,
            holds_for: self.holds_for(root, &evidence, &consequences),
            evidence,
            consequences,
            contradicts,
            also_possible: Vec::new(),
            span,
        }
    }

    /// Time in which a cause acted: that of its root, and of harmful evidence that states its own.
    fn span(&self, root: usize, evidence: &[usize]) -> Option<Span> {
        let stated = evidence.iter().filter(|index| self.harms(**index)).filter_map(|index| self.findings[*index].span);
        stated.fold(self.places[root].span, |all, one| Some(all.map_or(one, |all| all.with(one))))
    }

    /// Other causes of similar confidence that explain the same consequences.
    fn also_possible(&self, diagnosis: &Diagnosis, all: &[Diagnosis]) -> Vec<Cause> {
        let explains =
            |cause: Cause, index: usize| self.lines(index).any(|(relation, _)| relation == Relation::Follows(cause));
        let follows = || diagnosis.consequences.iter().copied().filter(|index| self.harms(*index));
        let is_possible = |other: &&Diagnosis| {
            let is_as_sure = other.confidence_percent.abs_diff(diagnosis.confidence_percent) <= AS_SURE_PERCENT;
            let meets = |index: usize| self.places[index].meets(&self.places[other.root]);
            other.cause != diagnosis.cause
                && is_as_sure
                && follows().any(|index| explains(other.cause, index) && meets(index))
        };
        all.iter().filter(is_possible).map(|other| other.cause).collect()
    }

    /// Scores of the evidence, and scores that consequences name.
    fn holds_for(&self, root: usize, evidence: &[usize], consequences: &[usize]) -> Vec<ScoreKey> {
        let shows = std::iter::once(&root).chain(evidence).filter(|index| self.harms(**index));
        let follows = consequences.iter().filter(|index| self.harms(**index) && self.places[**index].names_them);
        let scores = shows.chain(follows).flat_map(|index| &self.places[*index].scores);
        let scores: BTreeSet<usize> = scores.copied().collect();
        scores.into_iter().map(|score| self.facts.scores()[score].key.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::test_support::{compression, own_run, series, with_step};
    use record::{Record, RuleId, Variant, WorkloadId};

    fn board() -> Record {
        let record = with_step(own_run(), WorkloadId::SevenZip, Variant::MULTI, &[], (0.0, 10.0), compression(7000));
        with_step(record, WorkloadId::Cpuminer, Variant::ONLY, &[], (20.0, 30.0), series(&[1.0]))
    }

    /// Rule with this id.
    fn rule(id: &str) -> RuleId {
        rules::of_runs().map(|rule| rule.id).find(|rule| rule.as_str() == id).unwrap()
    }

    /// Rule, severity and step of each finding, and the expected diagnoses.
    fn check(found: &[(&str, Severity, usize)], expected: &[&str]) {
        let record = board();
        let facts = Facts::of(&record);
        let finding =
            |(id, severity, step): &(&str, Severity, usize)| Finding::new(rule(id), *severity, "So.").of([*step]);
        let findings: Vec<Finding> = found.iter().map(finding).collect();
        let graph = of(&facts, &findings);
        let words = |indices: &[usize]| {
            let ids: Vec<&str> = indices.iter().map(|index| findings[*index].rule.as_str()).collect();
            ids.join(" ")
        };
        let told = graph.diagnoses.iter().map(|diagnosis| {
            let scores: Vec<&str> = diagnosis.holds_for.iter().map(ScoreKey::as_str).collect();
            let (root, follows) = (words(&[diagnosis.root]), words(&diagnosis.consequences));
            format!("{:?}[{}]: {root} > {follows}", diagnosis.cause, scores.join(" "))
        });
        assert_eq!(told.collect::<Vec<_>>(), expected);
        let told = graph.diagnoses.iter().flat_map(Diagnosis::members).count();
        assert_eq!(told + graph.notes.len() + graph.answers.len(), findings.len(), "each is told once");
        assert!(graph.notes.iter().all(|index| findings[*index].severity == Severity::Info), "harm without a cause");
    }

    /// A cause that acted in two workloads lasts from the first to the last moment of both.
    #[test]
    fn a_cause_lasts_through_all_of_its_evidence() {
        let record = board();
        let facts = Facts::of(&record);
        let heat = |severity, step, from_ms, to_ms| {
            Finding::new(rule("thermal-throttling"), severity, "So.").of([step]).during(from_ms, to_ms)
        };
        for (severity, to_ms) in [(Severity::Degraded, 30_000), (Severity::Info, 9_000)] {
            let findings = [heat(Severity::Degraded, 0, 5_000, 9_000), heat(severity, 1, 20_000, 30_000)];
            let span = of(&facts, &findings).diagnoses[0].span;
            assert_eq!(span.map(|span| (span.from_ms, span.to_ms)), Some((5_000, to_ms)), "{severity:?}");
        }
    }

    #[test]
    fn consequences_are_not_causes() {
        use Severity::*;
        let decline = ("scores-decline", Degraded, 0);
        check(
            &[decline, ("thermal-throttling", Degraded, 0), ("hot", Info, 0)],
            &["Heat[sevenzip-multi]: thermal-throttling > scores-decline"],
        );
        check(
            &[decline, ("thermal-throttling", Degraded, 1)],
            &["Heat[cpuminer]: thermal-throttling > ", "NotVisible[sevenzip-multi]: scores-decline > "],
        );
        check(
            &[("power-limit", Degraded, 0), ("low-voltage", Degraded, 0), decline],
            &["LowVoltage[sevenzip-multi]: low-voltage > power-limit scores-decline"],
        );
        check(
            &[("io-wait", Degraded, 1), ("swapping", Degraded, 0), ("system-time", Info, 0)],
            &["TooLittleMemory[sevenzip-multi cpuminer]: swapping > io-wait system-time"],
        );
        check(&[("swapping", Info, 0), ("io-wait", Info, 0)], &[]);
        // Another task that reads or writes needs the kernel and makes others wait.
        check(
            &[("background-activity", Degraded, 0), ("io-wait", Degraded, 0), ("system-time", Degraded, 0)],
            &["Background[sevenzip-multi]: background-activity > io-wait system-time"],
        );
        check(
            &[("low-voltage", Degraded, 0), ("scores-unstable", Degraded, 0)],
            &["LowVoltage[sevenzip-multi]: low-voltage > scores-unstable"],
        );
        check(
            &[("series-declines", Degraded, 1), decline],
            &["NotVisible[cpuminer]: series-declines > ", "NotVisible[sevenzip-multi]: scores-decline > "],
        );
    }
}
