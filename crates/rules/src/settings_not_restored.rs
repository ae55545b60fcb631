//! Rule: settings-not-restored. A setting that the run changed does not have its old value.

use super::{Rule, Subject};
use facts::{Facts, Finding, Place, Quantity, Severity};
use record::{RuleId, UnrestoredSetting};

pub(super) const RULE: Rule =
    Rule { subjects: &[Subject::Clock], ..Rule::new(RuleId::own("settings-not-restored"), check) };

// Events after the scores do not affect them, so this is at most Info; the exit status reports it.
fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let left = facts.not_restored();
    let finding = |(index, left): (usize, UnrestoredSetting)| {
        let finding = Finding::new(RULE.id, Severity::Info, left.template()).confidence(99).at(Place::Setting(index));
        left.values()
            .into_iter()
            .fold(finding, |finding, (name, value)| finding.with(name, Quantity::Text(value.to_owned())))
    };
    left.map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{own_run, setting_change};
    use crate::tests::sentences;
    use record::{RestoreOutcome, SettingChange};

    #[test]
    fn unrestored_setting_is_reported_once() {
        for (restored, expected) in [
            (RestoreOutcome::Done, 0),
            (RestoreOutcome::LeftAlone("powersave".into()), 1),
            (RestoreOutcome::Failed("permission denied".into()), 1),
            (RestoreOutcome::Pending, 1),
        ] {
            let mut record = own_run();
            let change = SettingChange { restored, ..setting_change("/sys/x", "1", "2") };
            record.settings = vec![change.clone(), change];
            assert_eq!(sentences(RULE.id, &record).len(), expected);
        }
    }
}
