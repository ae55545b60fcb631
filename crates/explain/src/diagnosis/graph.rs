//! Findings and the table of relations become diagnoses: one for each cause, with what shows it, what follows from it
//! and what speaks against it.
//!
//! Causes are taken in the order in which one explains the others. Each takes the findings that name it and then, of
//! those that are left, all that belong to it; so nothing that follows from a cause is told as one of its own.

use super::situated::FindingPlace;
use super::{confidence, when};
use facts::view::ScoreKey;
use facts::{Cause, Diagnosis, Facts, Finding, Severity};
use record::Arrange;
use rules::relation::{Relation, RelationCondition};
use rules::relations::lines_of;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Two causes whose confidence differs by no more are both possible, in percent.
const AS_SURE_PERCENT: u8 = 15;

/// All diagnoses, and what belongs to none of them.
pub(super) struct Graph {
    pub diagnoses: Vec<Diagnosis>,
    /// Findings that answer what the run was made for.
    pub answers: Vec<usize>,
    /// Findings that belong to no diagnosis.
    pub notes: Vec<usize>,
    /// Where each finding belongs.
    pub situated: Vec<FindingPlace>,
}

/// The graph of these findings.
pub(super) fn of(facts: &Facts<'_>, findings: &[Finding]) -> Graph {
    let situated: Vec<FindingPlace> =
        findings.iter().map(|finding| FindingPlace::of(facts, finding, lines_of(finding.rule).1)).collect();
    let lines = findings.iter().zip(&situated).map(|(finding, at)| {
        let lines = lines_of(finding.rule).0.iter().copied();
        lines.filter(|(_, when)| when::holds(*when, facts, finding, at, findings)).collect()
    });
    let lines = lines.collect();
    let mut look = Look { facts, findings, situated, lines, is_taken: vec![false; findings.len()] };
    let answers = look.free(|look, index| look.lines(index).any(|(relation, _)| relation == Relation::Answer));
    look.take(&answers);
    let mut diagnoses: Vec<Diagnosis> = Vec::new();
    for cause in Cause::ALL {
        diagnoses.extend(look.named_by_rules(*cause));
        look.unexplained(&mut diagnoses, |look, index| look.last_to_explain(index) == Some(*cause));
    }
    look.unexplained(&mut diagnoses, |_, _| true);
    diagnoses.arrange_by_key(|diagnosis| diagnosis.cause);
    let others: Vec<Vec<Cause>> = diagnoses.iter().map(|diagnosis| look.also_possible(diagnosis, &diagnoses)).collect();
    diagnoses.iter_mut().zip(others).for_each(|(diagnosis, others)| diagnosis.also_possible = others);
    let notes = look.free(|_, _| true);
    Graph { diagnoses, answers, notes, situated: look.situated }
}

/// A look over all findings, of which some have been taken.
struct Look<'a> {
    facts: &'a Facts<'a>,
    findings: &'a [Finding],
    situated: Vec<FindingPlace>,
    /// What each finding can be, as far as conditions hold: every cause asks for it.
    lines: Vec<Vec<(Relation, RelationCondition)>>,
    is_taken: Vec<bool>,
}

impl Look<'_> {
    /// Findings that no diagnosis has and that are wanted.
    fn free(&self, is_wanted: impl Fn(&Self, usize) -> bool) -> Vec<usize> {
        (0..self.findings.len()).filter(|index| !self.is_taken[*index] && is_wanted(self, *index)).collect()
    }

    fn take(&mut self, indices: &[usize]) {
        indices.iter().for_each(|index| self.is_taken[*index] = true);
    }

    /// What a finding can be.
    fn lines(&self, index: usize) -> impl Iterator<Item = (Relation, RelationCondition)> {
        self.lines[index].iter().copied()
    }

    fn harms(&self, index: usize) -> bool {
        self.findings[index].severity > Severity::Info
    }

    /// The diagnosis of a cause that rules name, if any does.
    fn named_by_rules(&mut self, cause: Cause) -> Option<Diagnosis> {
        let first = |(relation, _)| match relation {
            Relation::Root(cause) => Some(cause),
            _ => None,
        };
        let roots = self.free(|look, index| look.harms(index) && look.lines(index).find_map(first) == Some(cause));
        (!roots.is_empty()).then(|| self.diagnosis(cause, &roots))
    }

    /// What harms and follows from no cause: a finding can speak for one where nothing else explains it, else the cause
    /// is not visible. Each score has a diagnosis of its own then, but for causes that are known already.
    fn unexplained(&mut self, diagnoses: &mut Vec<Diagnosis>, is_wanted: impl Fn(&Self, usize) -> bool) {
        while let Some(first) = self.free(|look, index| look.harms(index) && is_wanted(look, index)).first().copied() {
            let cause = self.alone(first);
            let roots = self.free(|look, index| {
                let is_same = look.harms(index) && is_wanted(look, index) && look.alone(index) == cause;
                is_same && look.situated[index].meets(&look.situated[first])
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

    /// The last of the causes that could explain a finding which speaks for one of its own, if none does.
    fn last_to_explain(&self, index: usize) -> Option<Cause> {
        let follows = |(relation, _)| match relation {
            Relation::Follows(cause) => Some(cause),
            _ => None,
        };
        (self.alone(index) != Cause::NotVisible).then(|| self.lines(index).filter_map(follows).max()).flatten()
    }

    /// The cause that a finding speaks for where nothing else explains it.
    fn alone(&self, index: usize) -> Cause {
        let cause = |(relation, _)| match relation {
            Relation::Alone(cause) => Some(cause),
            _ => None,
        };
        self.lines(index).find_map(cause).unwrap_or(Cause::NotVisible)
    }

    /// The diagnosis of a cause that these findings name.
    fn diagnosis(&mut self, cause: Cause, roots: &[usize]) -> Diagnosis {
        self.take(roots);
        let is_follower = |index: usize| self.lines(index).any(|(relation, _)| relation == Relation::Follows(cause));
        let weight = |index: &usize| {
            let finding = &self.findings[*index];
            let names_scores = self.situated[*index].names_them;
            let is_of_main = self.situated[*index].scores.iter().any(|score| self.facts.scores()[*score].is_main);
            let sure = Reverse(finding.confidence_percent);
            (is_follower(*index), Reverse(finding.severity), !names_scores, !is_of_main, sure)
        };
        let root = roots.iter().copied().min_by_key(weight).unwrap_or_default();
        let others = roots.iter().copied().filter(|index| *index != root);
        let (mut consequences, mut evidence): (Vec<usize>, Vec<usize>) = others.partition(|index| is_follower(*index));
        let (mut contradicts, mut taken) = (Vec::new(), Vec::new());
        for index in self.free(|_, _| true) {
            let is_about = |(relation, when): &(Relation, RelationCondition)| {
                let at = &self.situated[index];
                relation.cause() == Some(cause)
                    && (when::is_of_the_run(*when) || roots.iter().any(|root| self.situated[*root].meets(at)))
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
            span: self.situated[root].span,
        }
    }

    /// Other causes that are about as sure, and explain what follows from this one as well.
    fn also_possible(&self, diagnosis: &Diagnosis, all: &[Diagnosis]) -> Vec<Cause> {
        let explains =
            |cause: Cause, index: usize| self.lines(index).any(|(relation, _)| relation == Relation::Follows(cause));
        let follows = || diagnosis.consequences.iter().copied().filter(|index| self.harms(*index));
        let is_possible = |other: &&Diagnosis| {
            let is_as_sure = other.confidence_percent.abs_diff(diagnosis.confidence_percent) <= AS_SURE_PERCENT;
            let meets = |index: usize| self.situated[index].meets(&self.situated[other.root]);
            other.cause != diagnosis.cause
                && is_as_sure
                && follows().any(|index| explains(other.cause, index) && meets(index))
        };
        all.iter().filter(is_possible).map(|other| other.cause).collect()
    }

    /// The scores of what names a cause, and those that consequences name.
    fn holds_for(&self, root: usize, evidence: &[usize], consequences: &[usize]) -> Vec<ScoreKey> {
        let shows = std::iter::once(&root).chain(evidence).filter(|index| self.harms(**index));
        let follows = consequences.iter().filter(|index| self.harms(**index) && self.situated[**index].names_them);
        let scores = shows.chain(follows).flat_map(|index| &self.situated[*index].scores);
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

    /// The rule of this id in the table.
    fn rule(id: &str) -> RuleId {
        rules::of_runs().map(|rule| rule.id).find(|rule| rule.as_str() == id).unwrap()
    }

    /// Rule, severity and step of each finding; and what is made of them.
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
        check(
            &[("series-declines", Degraded, 1), decline],
            &["NotVisible[cpuminer]: series-declines > ", "NotVisible[sevenzip-multi]: scores-decline > "],
        );
    }
}
