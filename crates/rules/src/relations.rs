//! The table `data/relations.tsv`: for every rule its relations to causes, the scores that it applies to, the evidence of
//! harm, the remedy, and short forms of its findings.

use super::relation::{Relation, RelationCondition, ScoreScope};
use crate::ANSWERS;
use facts::Cause;
use record::RuleId;
use record::table::{Row, Table};
use serde::Deserialize;
use serde::de::value::{BorrowedStrDeserializer, Error};
use std::sync::LazyLock;

const TABLE: Table = Table::of(include_str!("../../../data/relations.tsv"));
/// Relation of the rules of questions.
const ANSWER: &[Line] = &[(Relation::Answer, RelationCondition::Always)];
/// Relation of findings on kernels.
const NOTE: &[Line] = &[(Relation::Note, RelationCondition::Always)];
/// Harm of a rule whose cell has none.
const NO_HARM: &str = "none: it lowers no score";

/// A relation and its condition.
pub type Line = (Relation, RelationCondition);

/// Relations of one rule's findings to causes. The first line whose condition holds applies.
pub struct RuleRelations {
    /// The rule.
    pub rule: RuleId,
    /// One sentence that describes the condition the rule detects.
    pub about: &'static str,
    /// Relations and their conditions, in order.
    pub lines: Vec<Line>,
    /// Scores that the rule applies to, if a finding does not name its steps.
    pub judges: ScoreScope,
    /// Evidence required before findings report lower scores.
    pub harm: &'static str,
    /// Remedy; empty if the remedy of the cause is sufficient.
    pub remedy: &'static str,
    /// Phrases for the paragraph of a cause ("the drop of the multi-core score by 13 %"), most detailed first, with names of
    /// values. An empty one stands where the report shows the same elsewhere.
    pub clauses: Vec<&'static str>,
    /// Replacements for sentences whose content was reported before, in the same form.
    pub short: Vec<&'static str>,
}

static RELATIONS: LazyLock<Vec<RuleRelations>> = LazyLock::new(|| TABLE.rows().filter_map(|row| read(&row)).collect());

/// Relations of a rule; rules of questions and findings on kernels have none of their own.
pub fn of(rule: RuleId) -> Option<&'static RuleRelations> {
    RELATIONS.iter().find(|row| row.rule == rule)
}

/// Possible relations of a rule's findings, and the scores that they apply to.
pub fn lines_of(rule: RuleId) -> (&'static [Line], ScoreScope) {
    if let Some(row) = of(rule) {
        return (&row.lines, row.judges);
    }
    let is_answer = ANSWERS.iter().flat_map(|answer| answer.rules).any(|known| known.id == rule);
    // Others are findings on kernels.
    (if is_answer { ANSWER } else { NOTE }, ScoreScope::All)
}

fn read(row: &Row<'static>) -> Option<RuleRelations> {
    Some(RuleRelations {
        rule: RuleId::own(row.get("rule")),
        about: row.get("about"),
        lines: row.get("relations").split("; ").map(line).collect::<Option<_>>()?,
        judges: word(row.get("judges"))?,
        harm: row.cell("harm").unwrap_or(NO_HARM),
        remedy: row.cell("remedy").unwrap_or(""),
        clauses: forms(row.cell("clauses")),
        short: forms(row.cell("short")),
    })
}

/// A line such as `root heat if hot`.
fn line(text: &'static str) -> Option<Line> {
    let (relation, when) = match text.split_once(" if ") {
        Some((relation, when)) => (relation, condition(when)?),
        None => (text, RelationCondition::Always),
    };
    let (kind, cause) = match relation.split_once(' ') {
        Some((kind, cause)) => (kind, Some(Cause::of(cause)?)),
        None => (relation, None),
    };
    let relation = match (kind, cause) {
        ("root", Some(cause)) => Relation::Root(cause),
        ("alone", Some(cause)) => Relation::Alone(cause),
        ("evidence", Some(cause)) => Relation::Evidence(cause),
        ("follows", Some(cause)) => Relation::Follows(cause),
        ("contradicts", Some(cause)) => Relation::Contradicts(cause),
        ("note", None) => Relation::Note,
        _ => return None,
    };
    Some((relation, when))
}

fn condition(text: &'static str) -> Option<RelationCondition> {
    if let Some(words) = text.strip_prefix("says \"") {
        return words.strip_suffix('"').map(RelationCondition::Says);
    }
    match text.strip_prefix("bit ") {
        Some(bit) => bit.parse().ok().map(RelationCondition::Bit),
        None => word(text),
    }
}

/// Variant of this name.
fn word<T: Deserialize<'static>>(text: &'static str) -> Option<T> {
    T::deserialize(BorrowedStrDeserializer::<Error>::new(text)).ok()
}

fn forms(cell: Option<&'static str>) -> Vec<&'static str> {
    let forms = cell.into_iter().flat_map(|cell| cell.split(" | "));
    forms.map(|form| if form == "\"\"" { "" } else { form }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Precondition, RULES};
    use std::collections::BTreeSet;

    fn of_runs() -> impl Iterator<Item = &'static RuleRelations> {
        RELATIONS.iter().take(crate::registry::OF_RUNS.len())
    }

    fn at_rest() -> impl Iterator<Item = &'static RuleRelations> {
        RELATIONS.iter().skip(crate::registry::OF_RUNS.len())
    }

    #[test]
    fn every_row_can_be_read() {
        assert_eq!(RELATIONS.len(), TABLE.rows().count());
        assert_eq!(RELATIONS.len(), crate::registry::OF_RUNS.len() + crate::registry::AT_REST.len());
    }

    #[test]
    fn every_rule_has_its_relations_what_harms_and_what_helps() {
        let of_questions: Vec<RuleId> = ANSWERS.iter().flat_map(|answer| answer.rules).map(|rule| rule.id).collect();
        let expected = crate::of_runs().map(|rule| rule.id).filter(|id| !of_questions.contains(id));
        assert_eq!(of_runs().map(|row| row.rule).collect::<Vec<_>>(), expected.collect::<Vec<_>>());
        for row in of_runs() {
            let id = row.rule;
            assert!(!row.lines.is_empty() && !row.harm.is_empty(), "{id}");
            let is_root = row.lines.iter().any(|(relation, _)| matches!(relation, Relation::Root(_)));
            assert!(!is_root || row.remedy.ends_with('.'), "{id} names a cause and no remedy");
            assert!(!is_root || row.judges != ScoreScope::Nothing, "{id} harms no score");
            // Lines after an unconditional line are unreachable, except that a cause may be absent.
            let never = row.lines.iter().position(|line| matches!(line, (Relation::Note, RelationCondition::Always)));
            assert!(never.is_none_or(|at| at + 1 == row.lines.len()), "{id}");
        }
    }

    #[test]
    fn every_rule_at_rest_is_a_note_with_a_remedy() {
        let expected = RULES.iter().filter(|rule| rule.when == Precondition::Rest).map(|rule| rule.id);
        assert_eq!(at_rest().map(|row| row.rule).collect::<Vec<_>>(), expected.collect::<Vec<_>>());
        for row in at_rest() {
            let note = [(Relation::Note, RelationCondition::Always)];
            assert!(row.lines == note && row.remedy.ends_with('.'), "{}", row.rule);
        }
    }

    #[test]
    fn every_cause_is_named_by_a_rule() {
        let roots = of_runs().flat_map(|row| &row.lines);
        let roots = roots.filter_map(|(relation, _)| match relation {
            Relation::Root(cause) => Some(*cause),
            _ => None,
        });
        let named: BTreeSet<Cause> = roots.collect();
        let evidence = of_runs().flat_map(|row| &row.lines);
        let of_evidence: BTreeSet<Cause> = evidence.filter_map(|(relation, _)| relation.cause()).collect();
        // Only other figures show these.
        let of_comparisons = Cause::NoOpps..=Cause::Diagnosis;
        for cause in Cause::ALL {
            // Higher clocks than the defaults lower no score.
            // No rule names a cause without evidence.
            let expected = if *cause == Cause::Overclocked { &of_evidence } else { &named };
            assert_eq!(
                expected.contains(cause),
                *cause != Cause::NotVisible && !of_comparisons.contains(cause),
                "{cause:?}"
            );
        }
    }

    /// A cause follows only from earlier ones, so no two causes follow from each other.
    #[test]
    fn no_cause_follows_from_one_below_it() {
        for row in of_runs() {
            let of = |wanted: fn(&Relation) -> bool| {
                let lines = row.lines.iter().filter(move |(relation, _)| wanted(relation));
                lines.filter_map(|(relation, _)| relation.cause()).collect::<Vec<_>>()
            };
            let (follows, roots) = (
                of(|relation| matches!(relation, Relation::Follows(_))),
                of(|relation| matches!(relation, Relation::Root(_))),
            );
            for (cause, root) in follows.iter().flat_map(|cause| roots.iter().map(move |root| (cause, root))) {
                assert!(cause <= root, "{}: {root:?} follows from {cause:?}", row.rule);
            }
            for cause in of(|relation| matches!(relation, Relation::Contradicts(_))) {
                assert!(!roots.contains(&cause), "{} is for and against {cause:?}", row.rule);
            }
        }
    }

    #[test]
    fn no_rule_guesses() {
        const GUESSES: [&str; 6] = ["usually", "probably", "perhaps", "may have", "something else", "or clocks"];
        for row in RELATIONS.iter() {
            for text in [row.harm, row.remedy] {
                let guess = GUESSES.iter().find(|guess| text.contains(**guess));
                assert_eq!(guess, None, "{}: {text}", row.rule);
            }
        }
    }

    #[test]
    fn every_rule_that_belongs_to_causes_of_others_has_a_phrase() {
        for row in RELATIONS.iter() {
            let belongs = |relation: &Relation| {
                matches!(relation, Relation::Evidence(_) | Relation::Follows(_) | Relation::Contradicts(_))
            };
            let needs_phrase = row.lines.iter().any(|(relation, _)| belongs(relation));
            assert!(!needs_phrase || !row.clauses.is_empty(), "{} has no phrase", row.rule);
            assert!(row.clauses.iter().all(|words| !words.ends_with('.')), "{:?}", row.clauses);
            assert!(row.short.iter().all(|words| words.is_empty() || words.ends_with('.')), "{:?}", row.short);
        }
    }
}
