//! Invariants of the table of relations.

use super::*;
use std::collections::BTreeSet;

#[test]
fn every_rule_has_its_relations_what_harms_and_what_helps() {
    let known: Vec<RuleId> = RELATIONS.iter().map(|row| row.rule.id).collect();
    let of_questions: Vec<RuleId> = ANSWERS.iter().flat_map(|answer| answer.rules).map(|rule| rule.id).collect();
    let expected: Vec<RuleId> = of_runs().map(|rule| rule.id).filter(|id| !of_questions.contains(id)).collect();
    assert_eq!(known, expected);
    for row in RELATIONS {
        let id = row.rule.id;
        assert!(!row.lines.is_empty() && !row.harm.is_empty(), "{id}");
        let is_root = row.lines.iter().any(|(relation, _)| matches!(relation, Relation::Root(_)));
        assert!(!is_root || row.remedy.ends_with('.'), "{id} names a cause and no remedy");
        assert!(!is_root || row.judges != J::Nothing, "{id} harms no score");
        // Lines after an unconditional line are unreachable, except that a cause may be absent.
        let never = row.lines.iter().position(|line| matches!(line, (Relation::Note, W::Always)));
        assert!(never.is_none_or(|at| at + 1 == row.lines.len()), "{id}");
    }
}

#[test]
fn every_rule_at_rest_is_a_note_with_a_remedy() {
    let known: Vec<RuleId> = AT_REST.iter().map(|row| row.rule.id).collect();
    let expected: Vec<RuleId> =
        RULES.iter().filter(|rule| rule.when == Precondition::Rest).map(|rule| rule.id).collect();
    assert_eq!(known, expected);
    for row in AT_REST {
        assert!(row.lines == [NOTE] && row.remedy.ends_with('.'), "{}", row.rule.id);
    }
}

#[test]
fn every_cause_is_named_by_a_rule() {
    let roots = RELATIONS.iter().flat_map(|row| row.lines);
    let roots = roots.filter_map(|(relation, _)| match relation {
        Relation::Root(cause) => Some(*cause),
        _ => None,
    });
    let named: BTreeSet<C> = roots.collect();
    let evidence = RELATIONS.iter().flat_map(|row| row.lines);
    let of_evidence: BTreeSet<C> = evidence.filter_map(|(relation, _)| relation.cause()).collect();
    // Only other figures show these.
    let of_comparisons = C::NoOpps..=C::Diagnosis;
    for cause in C::ALL {
        // Higher clocks than the defaults lower no score.
        // No rule names a cause without evidence.
        let expected = if *cause == C::Overclocked { &of_evidence } else { &named };
        assert_eq!(expected.contains(cause), *cause != C::NotVisible && !of_comparisons.contains(cause), "{cause:?}");
    }
}

/// A cause follows only from earlier ones, so no two causes follow from each other.
#[test]
fn no_cause_follows_from_one_below_it() {
    for row in RELATIONS {
        let of = |wanted: fn(&Relation) -> bool| {
            let lines = row.lines.iter().filter(move |(relation, _)| wanted(relation));
            lines.filter_map(|(relation, _)| relation.cause()).collect::<Vec<_>>()
        };
        let (follows, roots) = (
            of(|relation| matches!(relation, Relation::Follows(_))),
            of(|relation| matches!(relation, Relation::Root(_))),
        );
        for (cause, root) in follows.iter().flat_map(|cause| roots.iter().map(move |root| (cause, root))) {
            assert!(cause <= root, "{}: {root:?} follows from {cause:?}", row.rule.id);
        }
        for cause in of(|relation| matches!(relation, Relation::Contradicts(_))) {
            assert!(!roots.contains(&cause), "{} is for and against {cause:?}", row.rule.id);
        }
    }
}

#[test]
fn no_rule_guesses() {
    const GUESSES: [&str; 6] = ["usually", "probably", "perhaps", "may have", "something else", "or clocks"];
    for row in RELATIONS.iter().chain(AT_REST) {
        for text in [row.harm, row.remedy] {
            let guess = GUESSES.iter().find(|guess| text.contains(**guess));
            assert_eq!(guess, None, "{}: {text}", row.rule.id);
        }
    }
}
