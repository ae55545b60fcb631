//! Constructors of the rows of the tables of relations.

use super::super::relation::{Relation, RelationCondition as W, RuleRelations, ScoreScope as J};
use crate::Rule;
use facts::Cause as C;

pub(super) type Line = (Relation, W);

pub(super) const fn root(cause: C) -> Line {
    (Relation::Root(cause), W::Always)
}

pub(super) const fn root_if(cause: C, when: W) -> Line {
    (Relation::Root(cause), when)
}

pub(super) const fn evidence(cause: C) -> Line {
    (Relation::Evidence(cause), W::Always)
}

pub(super) const fn evidence_if(cause: C, when: W) -> Line {
    (Relation::Evidence(cause), when)
}

pub(super) const fn follows(cause: C) -> Line {
    (Relation::Follows(cause), W::Always)
}

pub(super) const fn follows_if(cause: C, when: W) -> Line {
    (Relation::Follows(cause), when)
}

pub(super) const fn contradicts(cause: C) -> Line {
    (Relation::Contradicts(cause), W::Always)
}

/// Clocks or scores dropped at the throttling temperature without another explanation.
pub(super) const HIDDEN_HEAT: Line = (Relation::Alone(C::Heat), W::Hot);
pub(super) const NOTE: Line = (Relation::Note, W::Always);

pub(super) const fn row(
    rule: &'static Rule,
    judges: J,
    lines: &'static [Line],
    harm: &'static str,
    remedy: &'static str,
) -> RuleRelations {
    RuleRelations { rule, lines, judges, harm, remedy }
}

/// A rule whose findings are harmless remarks.
pub(super) const fn note(rule: &'static Rule, remedy: &'static str) -> RuleRelations {
    row(rule, J::Nothing, &[NOTE], NO_HARM, remedy)
}

pub(super) const NO_HARM: &str = "none: it lowers no score";
pub(super) const COOL: &str = "Cool the SoC better (heat sink, fan, airflow) and repeat the run.";
