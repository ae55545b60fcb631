//! From a Record to what is to be said of it: rules find facts, the table of relations makes causes of them with what
//! follows from each, and these give the word over every score.

mod causes;
mod confidence;
mod graph;
mod ledger;
mod situated;
pub mod told;
mod verdict;
mod when;

use crate::case::Case;
use crate::rules;
use crate::{Explanation, Finding};
use record::Record;

impl Explanation {
    /// What is to be said of this Record.
    pub fn of(record: &Record) -> Self {
        Self::of_case(&Case::of(record))
    }

    /// What is to be said of this case.
    pub(crate) fn of_case(case: &Case<'_>) -> Self {
        Self::over(case, rules::check_case(case))
    }

    /// What is to be said where this was found.
    pub(crate) fn over(case: &Case<'_>, findings: Vec<Finding>) -> Self {
        let graph = graph::of(case, &findings);
        let (verdict, scores) = verdict::of(case, &findings, &graph);
        let ledgers = ledger::of(case, &findings, &graph);
        Self {
            verdict: rules::stated::verdict(case.record).unwrap_or(verdict),
            scores,
            diagnoses: graph.diagnoses,
            ledgers,
            notes: graph.notes,
            answers: graph.answers,
            findings,
        }
    }

    /// What would be said of a Record in which this was found, for tests of what shows it.
    #[cfg(test)]
    pub(crate) fn with(findings: Vec<Finding>) -> Self {
        Self::over(&Case::of(&crate::test_support::own_run()), findings)
    }
}
