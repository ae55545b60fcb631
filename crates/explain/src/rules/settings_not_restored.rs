//! Rule: settings-not-restored. A setting that the run changed does not have its old value.

use super::{Check, Rule, Subject};
use crate::{Finding, Place, Quantity, Severity};
use record::{End, Record, Restored, RuleId, SettingChange};
use std::collections::BTreeSet;

pub(super) const RULE: Rule = Rule {
    id: RuleId::own("settings-not-restored"),
    about: "A setting changed by the run was not restored.",
    link: "https://docs.kernel.org/admin-guide/pm/cpufreq.html#policy-interface-in-sysfs",
    check: Check::Record(check),
    subjects: &[Subject::Clock],
    ..Rule::PLAIN
};

fn check(record: &Record) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let mut told = BTreeSet::new();
    for (index, change) in record.settings.iter().enumerate() {
        let Some(finding) = finding(record, change) else {
            continue;
        };
        // One file can be changed several times; it is restored once.
        if !told.insert(&change.path) {
            continue;
        }
        let path = Quantity::Text(change.path.clone());
        findings.push(finding.confidence(99).with("path", path).at(Place::Setting(index)));
    }
    findings
}

fn finding(record: &Record, change: &SettingChange) -> Option<Finding> {
    // Scores are not touched by what happens after them, so this is never more than Info; the
    // exit status tells of it.
    match &change.restored {
        Restored::Done => None,
        Restored::Pending if record.run.end == End::Died => None,
        Restored::Pending => {
            Some(Finding::new(RULE.id, Severity::Info, "{path} was changed and not restored; use `sbc-bench restore`."))
        }
        Restored::LeftAlone(found) => Some(
            Finding::new(
                RULE.id,
                Severity::Info,
                "{path} was changed by another process during the run (to {found}) and was not restored.",
            )
            .with("found", Quantity::Text(found.clone())),
        ),
        Restored::Failed(reason) => Some(
            Finding::new(RULE.id, Severity::Info, "{path} could not be restored to {old}: {reason}.")
                .with("old", Quantity::Text(change.old.clone()))
                .with("reason", Quantity::Text(reason.trim_end_matches('.').to_owned())),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::tests::sentences;
    use crate::test_support::own_run;
    use record::{Fact, Restored, SettingChange};

    #[test]
    fn unrestored_setting_is_reported_once() {
        for (restored, expected) in [
            (Restored::Done, 0),
            (Restored::LeftAlone("powersave".into()), 1),
            (Restored::Failed("permission denied".into()), 1),
            (Restored::Pending, 1),
        ] {
            let mut record = own_run();
            let change = SettingChange {
                path: "/sys/x".into(),
                old: "1".into(),
                new: "2".into(),
                read_back: Fact::Known("2".into()),
                at_ms: None,
                restored,
            };
            record.settings = vec![change.clone(), change];
            assert_eq!(sentences(RULE.id, &record).len(), expected);
        }
    }
}
