//! From a Record to what is to be said of it: rules find facts, and of these one word over the results is made.

use crate::case::Case;
use crate::rules::{self, Role};
use crate::{Explanation, Finding, ScoreVerdict, Verdict};
use record::Record;

impl Explanation {
    /// What is to be said of this Record.
    pub fn of(record: &Record) -> Self {
        let case = Case::of(record);
        let findings = rules::check_case(&case);
        Self::over(&case, findings)
    }

    /// What is to be said where this was found.
    pub(crate) fn over(case: &Case<'_>, findings: Vec<Finding>) -> Self {
        let worst = findings.iter().map(|finding| finding.severity).max();
        let of_role = |wanted: fn(Role) -> bool| {
            let indexed = findings.iter().enumerate();
            let found = indexed.filter(|(_, finding)| wanted(rules::role(finding)));
            found.map(|(index, _)| index).collect::<Vec<_>>()
        };
        let verdict = worst.map_or(Verdict::Valid, Verdict::of);
        let scores = case.scores().iter();
        let scores = scores.map(|score| ScoreVerdict {
            score: score.key.clone(),
            is_main: score.is_main,
            verdict,
            because: Vec::new(),
        });
        Self {
            verdict,
            scores: scores.collect(),
            diagnoses: Vec::new(),
            ledgers: Vec::new(),
            notes: of_role(|role| role != Role::Answer),
            answers: of_role(|role| role == Role::Answer),
            findings,
        }
    }

    /// What would be said of a Record in which this was found, for tests of what shows it.
    #[cfg(test)]
    pub(crate) fn with(findings: Vec<Finding>) -> Self {
        Self::over(&Case::of(&crate::test_support::own_run()), findings)
    }
}
