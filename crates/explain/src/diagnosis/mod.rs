//! From a Record to what is to be said of it: rules find facts, the table of relations makes causes of them with what
//! follows from each, and these give the word over every score.

mod confidence;
mod graph;
mod ledger;
mod situated;
pub mod told;
mod verdict;
mod when;

use facts::case::Case;
use facts::{Explanation, Finding};
use record::Record;

/// Explains a Record.
pub fn explain(record: &Record) -> Explanation {
    explain_case(&Case::of(record))
}

/// Explains a Record whose views are shared with other reports.
pub(crate) fn explain_case(case: &Case<'_>) -> Explanation {
    explain_findings(case, rules::check_facts(case))
}

/// Explains a Record in which these findings were made.
pub fn explain_findings(case: &Case<'_>, findings: Vec<Finding>) -> Explanation {
    let graph = graph::of(case, &findings);
    let (verdict, scores) = verdict::of(case, &findings, &graph);
    let ledgers = ledger::of(case, &findings, &graph);
    Explanation {
        verdict: rules::stated::verdict(case).unwrap_or(verdict),
        scores,
        diagnoses: graph.diagnoses,
        ledgers,
        notes: graph.notes,
        answers: graph.answers,
        findings,
    }
}
