//! From a Record to what is to be said of it: rules find facts, the table of relations makes causes of them with what
//! follows from each, and these give the word over every score.

mod confidence;
mod graph;
mod ledger;
mod situated;
pub mod told;
mod verdict;
mod when;

use facts::{Explanation, Facts, Finding};
use record::Record;

/// Explains a Record.
pub fn explain(record: &Record) -> Explanation {
    explain_facts(&Facts::of(record))
}

/// Explains a Record whose views are shared with other reports.
pub(crate) fn explain_facts(facts: &Facts<'_>) -> Explanation {
    explain_findings(facts, rules::check_facts(facts))
}

/// Explains a Record in which these findings were made.
pub fn explain_findings(facts: &Facts<'_>, findings: Vec<Finding>) -> Explanation {
    let graph = graph::of(facts, &findings);
    let (verdict, scores) = verdict::of(facts, &findings, &graph);
    let ledgers = ledger::of(facts, &findings, &graph);
    Explanation {
        verdict: rules::stated::verdict(facts).unwrap_or(verdict),
        scores,
        diagnoses: graph.diagnoses,
        ledgers,
        notes: graph.notes,
        answers: graph.answers,
        findings,
    }
}
