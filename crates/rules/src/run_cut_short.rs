//! Rule: run-cut-short. The run did not get to its end.

use super::Rule;
use super::steps_missing::too_few_runs;
use facts::{Facts, Finding, Place, Quantity, Scope, Severity, view};
use record::{End, Outcome, RuleId, Step};

pub(super) const RULE: Rule = Rule::new(RuleId::own("run-cut-short"), check);

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let steps = facts.steps.len() as i64;
    // Monitoring ends when the user stops it.
    if facts.run.is_monitoring() {
        return Vec::new();
    }
    let finding = match facts.run.end {
        End::Finished => return Vec::new(),
        // The rule on crashed boards has more details.
        End::Died if view::death(facts).is_some() => return Vec::new(),
        End::Died if view::is_log(facts) => return log_cut(facts).into_iter().collect(),
        End::Died => Finding::new(
            RULE.id,
            Severity::Invalid,
            "The run stopped without notice after {steps} steps: the program was killed, or the machine froze, \
             rebooted or lost power.",
        ),
        End::Interrupted { signal } => Finding::new(
            RULE.id,
            Severity::Invalid,
            "The run was interrupted by signal {signal} after {steps} steps; completed measurements are kept.",
        )
        .with("signal", Quantity::Count(signal.into())),
        End::Refused => Finding::new(RULE.id, Severity::Invalid, "The run did not start because the system was busy."),
    };
    let finding = finding.confidence(99).with("steps", Quantity::Count(steps));
    vec![finding.at(Place::Field("run.end".into()))]
}

/// The bash program writes its log at the end of a run: a log without its end is a truncated copy. Complete scores in
/// it are valid.
fn log_cut(facts: &Facts<'_>) -> Option<Finding> {
    let (index, last) = facts.steps.iter().enumerate().next_back()?;
    let has_monitoring = !facts.samples.at_ms.is_empty();
    let is_within = matches!(last.outcome, Outcome::Failed(_));
    let is_of_last = |step: &&Step| step.workload == last.workload && step.variant == last.variant;
    let whole = facts.steps.iter().filter(is_of_last).filter(|step| matches!(step.outcome, Outcome::Done(_))).count();
    let template = match (view::is_without_head(facts), has_monitoring) {
        (false, false) if is_within && whole == 1 => {
            "The copy of the log is incomplete: it ends within {last}, of which one run is complete."
        }
        (false, false) if is_within && whole > 1 => {
            "The copy of the log is incomplete: it ends within {last}, of which {whole} runs are complete."
        }
        (false, false) if is_within => {
            "The copy of the log is incomplete: it ends within {last}, whose score is not in it."
        }
        (true, false) => {
            "Neither the beginning nor the end of the log is there; the last part that was read is {last}."
        }
        (true, true) => "Neither the beginning nor the end of the log is there; its monitoring was read.",
        (false, false) => {
            "The copy of the log is incomplete: it ends at {last}, before its monitoring, the clocks after the load and \
             the kernel messages."
        }
        // Monitoring comes after all scores.
        (false, true) => "The copy of the log is incomplete: it ends at or after its monitoring.",
    };
    let runs = too_few_runs(facts);
    let severity = if runs.is_some() { Severity::Degraded } else { Severity::Info };
    let finding = Finding::new(RULE.id, severity, template).with("last", Quantity::Text(view::step_name(last)));
    let finding = finding
        .with("whole", Quantity::Count(whole as i64))
        .confidence(95)
        .at(Place::Step(index))
        .at_all(last.line.map(Place::Line));
    Some(finding.about(runs.and_then(|runs| runs.scope).unwrap_or(Scope::Machine)))
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{compression, log, own_run, with_step};
    use crate::tests::sentences;
    use facts::Verdict;
    use record::{End, Failure, FailureKind, Outcome, Variant, WorkloadId};

    #[test]
    fn every_early_end_is_named() {
        for (end, expected) in
            [(End::Finished, 0), (End::Died, 1), (End::Interrupted { signal: 2 }, 1), (End::Refused, 1)]
        {
            let mut record = own_run();
            record.run.end = end;
            assert_eq!(sentences(RULE.id, &record).len(), expected);
        }
    }

    #[test]
    fn cut_log_names_its_last_step() {
        let mut record = log("0.9.72");
        record.run.end = End::Died;
        assert_eq!(sentences(RULE.id, &record).len(), 0, "nothing was read at all");
        record = with_step(record, WorkloadId::SevenZip, Variant::SINGLE, &[0], (0.0, 9.0), compression(2000));
        let found = sentences(RULE.id, &record);
        assert!(found[0].contains("it ends at 7-zip single-threaded, before its monitoring"), "{found:?}");
        record.steps[0].outcome = Outcome::Failed(Failure {
            kind: FailureKind::Garbled,
            message: "7-zip printed no total".into(),
            output_tail: String::new(),
            exit_status: None,
        });
        let found = sentences(RULE.id, &record);
        assert!(found[0].contains("it ends within 7-zip single-threaded"), "{found:?}");
        let explained = explain::explain(&record);
        assert_eq!(explained.assessment.verdict, Verdict::Unproven, "the copy was cut, and nothing failed");
        let mut earlier = record.steps[0].clone();
        earlier.outcome = Outcome::Done(compression(2000));
        record.steps.insert(0, earlier);
        let found = sentences(RULE.id, &record);
        assert!(found[0].ends_with("it ends within 7-zip single-threaded, of which one run is complete."), "{found:?}");
    }

    /// A log without its beginning lacks scores, but its steps did not fail.
    #[test]
    fn log_without_its_beginning_has_no_failed_steps() {
        const WHOLE: &str = include_str!("../../explain/tests/made/lying-column.txt");
        let at = WHOLE.rfind("Executing benchmark").unwrap();
        let record = logs::read(&WHOLE[at..]);
        let explained = explain::explain(&record);
        let found: Vec<&str> = explained.assessment.findings.iter().map(|finding| finding.rule.as_str()).collect();
        assert!(!found.contains(&"steps-missing"), "{found:?}");
        assert_eq!(explained.assessment.verdict, Verdict::Valid);
    }
}
