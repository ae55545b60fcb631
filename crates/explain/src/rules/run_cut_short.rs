//! Rule: run-cut-short. The run did not get to its end.

use super::{Check, Rule};
use crate::{Finding, Place, Quantity, Severity, view};
use record::{End, Record, RuleId};

pub(super) const RULE: Rule = Rule {
    id: RuleId::own("run-cut-short"),
    about: "The run did not finish.",
    link: "https://docs.kernel.org/admin-guide/bug-hunting.html",
    check: Check::Record(check),
    ..Rule::PLAIN
};

fn check(record: &Record) -> Vec<Finding> {
    let steps = record.steps.len() as i64;
    // Monitoring ends when the user stops it.
    if record.run.is_monitoring() {
        return Vec::new();
    }
    let finding = match record.run.end {
        End::Finished => return Vec::new(),
        // The rule on boards that died says more.
        End::Died if view::death(record).is_some() => return Vec::new(),
        End::Died if view::is_log(record) => return log_cut(record).into_iter().collect(),
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

/// The bash program writes its log at the end of a run: one without its end is a copy that was cut,
/// or a part that was pasted.
fn log_cut(record: &Record) -> Option<Finding> {
    let (index, last) = record.steps.iter().enumerate().next_back()?;
    // Monitoring stands behind all scores; what is read of it is not missing.
    let template = match record.samples.at_ms.is_empty() {
        true => {
            "The log is truncated; the last readable part is {last}. Monitoring, throttling and kernel messages at the \
             end are missing."
        }
        false => "The log is truncated; the last readable part is the monitoring. What follows it is missing.",
    };
    let finding = Finding::new(RULE.id, Severity::Degraded, template);
    let finding = finding.with("last", Quantity::Text(view::step_name(last)));
    Some(finding.confidence(95).at(Place::Step(index)).at_all(last.line.map(Place::Line)))
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::tests::sentences;
    use crate::test_support::{compression, log, own_run, with_step};
    use record::{End, Variant, WorkloadId};

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
        let sentences = sentences(RULE.id, &record);
        assert!(sentences[0].contains("7-zip single-threaded"), "{sentences:?}");
    }
}
