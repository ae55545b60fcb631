//! Rule: run-cut-short. The run did not get to its end.

use super::Rule;
use crate::{Finding, Place, Quantity, Severity, view};
use record::{End, Record};

pub(super) const RULE: Rule = Rule {
    id: "run-cut-short",
    about: "The run did not get to its end.",
    link: "https://docs.kernel.org/admin-guide/bug-hunting.html",
    check,
};

fn check(record: &Record) -> Vec<Finding> {
    let steps = record.steps.len() as i64;
    let finding = match record.run.end {
        End::Finished => return Vec::new(),
        // An old log was written at the end of a run, or it would not be there.
        End::Died if view::is_log(record) => return Vec::new(),
        End::Died => Finding::new(
            RULE.id,
            Severity::Invalid,
            "The run ended without a word after {steps} steps: the program was killed, or the \
             machine froze, restarted or lost power.",
        ),
        End::Interrupted { signal } => Finding::new(
            RULE.id,
            Severity::Invalid,
            "The run was interrupted by signal {signal} after {steps} steps; what was measured \
             until then is kept.",
        )
        .with("signal", Quantity::Count(signal.into())),
        End::Refused => Finding::new(
            RULE.id,
            Severity::Invalid,
            "The run did not start because the system was busy.",
        ),
    };
    let finding = finding.sure(99).with("steps", Quantity::Count(steps));
    vec![finding.at(Place::Field("run.end".into()))]
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::tests::sentences;
    use crate::test_support::own_run;
    use record::End;

    #[test]
    fn every_early_end_is_named() {
        for (end, expected) in [
            (End::Finished, 0),
            (End::Died, 1),
            (End::Interrupted { signal: 2 }, 1),
            (End::Refused, 1),
        ] {
            let mut record = own_run();
            record.run.end = end;
            assert_eq!(sentences(RULE.id, &record).len(), expected);
        }
    }
}
