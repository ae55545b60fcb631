//! Rule: built-in-used. A workload of the program itself ran where an external tool was missing.

use super::Rule;
use super::place::step_place;
use facts::{Facts, Finding, Quantity, Severity, view};
use record::{Outcome, RuleId, Step, Variant, WorkloadId};

pub(super) const RULE: Rule = Rule::new(RuleId::own("built-in-used"), check);

/// Finished built-in step that replaced a step that was not run.
pub(super) fn stands_in<'a>(facts: &'a Facts<'a>, skipped: &Step) -> Option<&'a str> {
    let tool = skipped.workload.id()?;
    let stands_in = |step: &&Step| {
        let built_in = step.workload.id().and_then(WorkloadId::stands_in_for);
        built_in == Some(tool) && matches!(step.outcome, Outcome::Done(_))
    };
    let done = facts.steps.iter().find(stands_in);
    done.map(|step| step.workload.as_str())
}

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for (index, step) in facts.steps.iter().enumerate() {
        let (Outcome::Skipped(missing), Some(built_in)) = (&step.outcome, stands_in(facts, step)) else { continue };
        let tool = view::step_name(&Step { variant: Variant::ONLY, ..step.clone() });
        let finding = Finding::new(
            RULE.id,
            Severity::Info,
            "The built-in workload {built_in} replaced {tool} ({reason}); its scores are comparable only with other \
             {built_in} scores.",
        )
        .confidence(99)
        .with("built_in", Quantity::Text(built_in.into()))
        .with("tool", Quantity::Text(tool))
        .with("reason", Quantity::Text(missing.to_string()));
        if !findings.iter().any(|known| known.values == finding.values) {
            findings.push(finding.at(step_place(facts, index)));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{compression, own_run, with_step};
    use crate::tests::sentences;
    use record::{Missing, Outcome, Variant, WorkloadId};

    #[test]
    fn replacement_is_reported() {
        let mut record = with_step(own_run(), WorkloadId::SevenZip, Variant::MULTI, &[], (0.0, 1.0), compression(1));
        assert_eq!(sentences(RULE.id, &record), [""; 0]);
        let missing = Missing::unsupported("7zz", "no 7-zip is installed");
        record.steps[0].outcome = Outcome::Skipped(missing);
        let record = with_step(record, WorkloadId::Lzma, Variant::MULTI, &[], (1.0, 2.0), compression(1));
        assert_eq!(
            sentences(RULE.id, &record),
            ["The built-in workload lzma replaced 7-zip (no 7-zip is installed); its scores are comparable only with \
              other lzma scores."]
        );
    }
}
