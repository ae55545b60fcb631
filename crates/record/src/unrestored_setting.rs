//! Settings that do not have their old value after a run. All sentences about them come from this type; `tidy` rejects
//! the words elsewhere.

use crate::{End, Record, RestoreOutcome, SettingChange};
use std::collections::HashSet;

/// A setting without its old value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnrestoredSetting<'a> {
    path: &'a str,
    old: Option<&'a str>,
    why: Cause<'a>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause<'a> {
    Pending,
    LeftAlone(&'a str),
    Failed(&'a str),
}

impl<'a> UnrestoredSetting<'a> {
    /// Creates it from path and outcome of a restoration; `None` if the setting has its old value.
    pub fn of(path: &'a str, restored: &'a RestoreOutcome) -> Option<Self> {
        let why = match restored {
            RestoreOutcome::Done => return None,
            RestoreOutcome::Pending => Cause::Pending,
            RestoreOutcome::LeftAlone(found) => Cause::LeftAlone(found),
            RestoreOutcome::Failed(reason) => Cause::Failed(reason.trim_end_matches('.')),
        };
        Some(Self { path, old: None, why })
    }

    /// Settings without their old values among these outcomes.
    pub fn among(outcomes: &'a [(String, RestoreOutcome)]) -> impl Iterator<Item = Self> {
        outcomes.iter().filter_map(|(path, restored)| Self::of(path, restored))
    }

    /// Creates it from a change, which has the old value.
    pub fn of_change(change: &'a SettingChange) -> Option<Self> {
        let old = Some(change.old.as_str()).filter(|old| !old.is_empty());
        Self::of(&change.path, &change.restored).map(|left| Self { old, ..left })
    }

    /// Path of the file.
    pub fn path(&self) -> &'a str {
        self.path
    }

    /// True if the restoration failed; false if another process has changed the setting.
    pub fn is_failure(&self) -> bool {
        !matches!(self.why, Cause::LeftAlone(_))
    }

    /// Sentence with the names of [`UnrestoredSetting::values`] in braces.
    pub fn template(&self) -> &'static str {
        match (self.why, self.old) {
            (Cause::Pending, _) => "{path} was changed and not restored; use `sbc-bench recover`.",
            (Cause::LeftAlone(_), _) => "{path} was set to {found} by something else since and stays so.",
            (Cause::Failed(_), Some(_)) => {
                "{path} was not restored to {old}: {reason}; write {old} to it or use `sbc-bench recover`."
            }
            (Cause::Failed(_), None) => "{path} was not restored: {reason}; use `sbc-bench recover`.",
        }
    }

    /// Values for the template.
    pub fn values(&self) -> Vec<(&'static str, &'a str)> {
        let mut values = vec![("path", self.path)];
        match self.why {
            Cause::Pending => {}
            Cause::LeftAlone(found) => values.push(("found", found)),
            Cause::Failed(reason) => {
                values.extend(self.old.map(|old| ("old", old)));
                values.push(("reason", reason));
            }
        }
        values
    }

    /// Complete sentence.
    pub fn sentence(&self) -> String {
        let mut sentence = String::new();
        let mut rest = self.template();
        let values = self.values();
        while let Some((before, (name, after))) = rest.split_once('{').and_then(|(a, b)| Some((a, b.split_once('}')?)))
        {
            sentence.push_str(before);
            sentence.extend(values.iter().filter(|(known, _)| *known == name).map(|(_, value)| *value));
            rest = after;
        }
        sentence + rest
    }

    /// Short form for a table with the path in another column.
    pub fn in_short(&self) -> String {
        match self.why {
            Cause::Pending => "not restored".to_owned(),
            Cause::LeftAlone(found) => format!("set to {found} by something else since"),
            Cause::Failed(reason) => format!("not restored: {reason}"),
        }
    }
}

impl Record {
    /// Settings without their old values, each file once with its index among the settings.
    pub fn settings_left(&self) -> impl Iterator<Item = (usize, UnrestoredSetting<'_>)> {
        let mut told = HashSet::new();
        let left = self.settings.iter().enumerate();
        let left = left.filter_map(|(index, change)| Some((index, UnrestoredSetting::of_change(change)?)));
        left.filter(move |(_, left)| told.insert(left.path))
    }

    /// The same without pending settings of a run that died, which its guard or the next start restores.
    pub fn not_restored(&self) -> impl Iterator<Item = (usize, UnrestoredSetting<'_>)> {
        let has_died = self.run.end == End::Died;
        self.settings_left().filter(move |(_, left)| !(has_died && left.why == Cause::Pending))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Run, Source};

    fn change(path: &str, restored: RestoreOutcome) -> SettingChange {
        SettingChange { path: path.into(), old: "{1}".into(), restored, ..SettingChange::default() }
    }

    #[test]
    fn sentence_follows_the_outcome() {
        for (restored, expected, is_failure) in [
            (RestoreOutcome::Pending, "/sys/x was changed and not restored; use `sbc-bench recover`.", true),
            (
                RestoreOutcome::LeftAlone("powersave".into()),
                "/sys/x was set to powersave by something else since and stays so.",
                false,
            ),
            (
                RestoreOutcome::Failed("EBUSY.".into()),
                "/sys/x was not restored to {1}: EBUSY; write {1} to it or use `sbc-bench recover`.",
                true,
            ),
        ] {
            let change = change("/sys/x", restored);
            let left = UnrestoredSetting::of_change(&change).unwrap();
            assert_eq!((left.sentence().as_str(), left.is_failure()), (expected, is_failure));
        }
        let failed = RestoreOutcome::Failed("EBUSY".into());
        let left = UnrestoredSetting::of("/sys/x", &failed).unwrap();
        assert_eq!(left.sentence(), "/sys/x was not restored: EBUSY; use `sbc-bench recover`.");
        assert_eq!(UnrestoredSetting::of("/sys/x", &RestoreOutcome::Done), None);
    }

    #[test]
    fn each_file_is_told_once_and_a_dead_run_tells_nothing_that_is_pending() {
        let source = Source::Run { version: "0.1.0".into(), target: "test".into() };
        let mut record = Record::new(source, Run { end: End::Finished, ..Run::default() });
        let failed = || RestoreOutcome::Failed("EBUSY".into());
        record.settings =
            vec![change("/sys/x", failed()), change("/sys/x", failed()), change("/sys/y", RestoreOutcome::Pending)];
        let paths = |record: &Record| record.not_restored().map(|(_, left)| left.path().to_owned()).collect::<Vec<_>>();
        assert_eq!(paths(&record), ["/sys/x", "/sys/y"]);
        record.run.end = End::Died;
        assert_eq!(paths(&record), ["/sys/x"]);
    }
}
