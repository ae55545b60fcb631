//! Diagnosis of a Record: rules make findings, the table of relations makes causes of them, and these determine the
//! verdict over every score.

mod confidence;
mod deficit;
mod evidence;
mod finding_place;
mod graph;
mod ledger;
pub mod narrative;
mod verdict;
mod when;

use facts::{Explained, Explanation, Facts, Finding, Verdict};

/// Explains a Record.
pub fn explain<'a>(record: impl Into<Facts<'a>>) -> Explained<'a> {
    let facts = record.into();
    let assessment = explain_findings(&facts, rules::check(&facts));
    Explained { facts, assessment }
}

/// Explains a Record with these findings.
pub fn explain_findings(facts: &Facts<'_>, findings: Vec<Finding>) -> Explanation {
    let graph = graph::of(facts, &findings);
    let scores = verdict::scores(facts, &findings, &graph);
    let ledgers = ledger::of(facts, &findings, &graph);
    let mut explanation = Explanation {
        verdict: Verdict::Valid,
        scores,
        diagnoses: graph.diagnoses,
        ledgers,
        notes: graph.notes,
        answers: graph.answers,
        findings,
        deficit: None,
    };
    verdict::weigh(&mut explanation);
    explanation.deficit = deficit::of(facts, &explanation);
    verdict::weigh_deficit(&mut explanation);
    explanation.verdict = rules::stated::verdict(facts).unwrap_or_else(|| verdict::of(&explanation));
    explanation
}
