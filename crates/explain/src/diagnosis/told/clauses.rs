//! Findings in fewer words than their sentences, as far as these say something new.

use crate::Finding;
use crate::rules::relations::{CLAUSES, Form, SHORT};

/// A finding as a phrase that repeats nothing, as far as there is one; empty if the report has it anyway, none if it
/// has no phrase.
pub(super) fn clause(finding: &Finding, repeats: impl Fn(&str) -> bool) -> Option<String> {
    pick(CLAUSES, finding, repeats)
}

/// A finding in fewer words than its sentence; empty if the report has it anyway.
pub(super) fn short(finding: &Finding, repeats: impl Fn(&str) -> bool) -> Option<String> {
    pick(SHORT, finding, repeats)
}

/// The first form that repeats nothing, or the last one.
fn pick(table: &[Form], finding: &Finding, repeats: impl Fn(&str) -> bool) -> Option<String> {
    let forms: Vec<String> = forms(table, finding).collect();
    let shortest = forms.last().cloned();
    forms.into_iter().find(|words| !repeats(words)).or(shortest)
}

fn forms<'a>(table: &'a [Form], finding: &'a Finding) -> impl Iterator<Item = String> + 'a {
    let of_rule = table.iter().filter(|(rule, _)| rule.id == finding.rule);
    of_rule.filter_map(|(_, words)| finding.filled(words))
}
