//! Look-up of the relations of a rule.

use super::*;

/// Relations of a rule; rules of questions and findings on kernels have none of their own.
pub fn of(rule: RuleId) -> Option<&'static RuleRelations> {
    RELATIONS.iter().chain(AT_REST).find(|row| row.rule.id == rule)
}

/// Possible relations of a rule's findings, and the scores that they apply to.
pub fn lines_of(rule: RuleId) -> (&'static [Line], J) {
    if let Some(row) = of(rule) {
        return (row.lines, row.judges);
    }
    let is_answer = ANSWERS.iter().flat_map(|answer| answer.rules).any(|known| known.id == rule);
    // Others are findings on kernels.
    (if is_answer { &[(Relation::Answer, W::Always)] } else { &[NOTE] }, J::All)
}
