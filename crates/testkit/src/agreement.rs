//! Checks that Record, output and exit status of a run agree about settings.

use record::{Record, UnrestoredSetting};

/// Exit status of a run that left a setting changed.
const LEFT_CHANGED: i32 = 5;
/// Words that occur only in sentences about settings that were not restored.
const WORDS: &str = "not restored";

/// First disagreement between the Record, standard error and the exit status. A run that was interrupted before its first
/// measurement has no Record.
pub fn disagreement(record: Option<&Record>, stderr: &str, status: Option<i32>) -> Option<String> {
    // Output on a terminal may be wrapped.
    let mut text = stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_status = status == Some(LEFT_CHANGED);
    let Some(record) = record else {
        let differs = is_status != text.contains(WORDS);
        return differs.then(|| format!("status {status:?} without a result file, standard error: {text}"));
    };
    let left: Vec<UnrestoredSetting> = record.not_restored().map(|(_, left)| left).collect();
    if left.iter().any(UnrestoredSetting::is_failure) != is_status {
        return Some(format!("status {status:?}, and the settings of the result file are {left:?}"));
    }
    for left in &left {
        let sentence = left.sentence();
        if !text.contains(&sentence) {
            return Some(format!("standard error lacks: {sentence} It is: {text}"));
        }
        text = text.replace(&sentence, "");
    }
    text.contains(WORDS).then(|| format!("the result file lacks: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::{own_run, setting_change};
    use record::{End, RestoreOutcome, SettingChange};

    #[test]
    fn each_of_the_three_can_differ() {
        let with = |restored: RestoreOutcome| {
            let mut record = own_run();
            record.run.end = End::Finished;
            record.settings = vec![SettingChange { restored, ..setting_change("/sys/x", "1", "2") }];
            record
        };
        let (back, failed) = (with(RestoreOutcome::Done), with(RestoreOutcome::Failed("EBUSY".into())));
        let sentence = UnrestoredSetting::of_change(&failed.settings[0]).unwrap().sentence().replace(' ', "\n   ");
        for (record, said, status, agrees) in [
            (Some(&back), "", 0, true),
            (Some(&back), "", 5, false),
            (Some(&back), &*sentence, 0, false),
            (Some(&failed), &*sentence, 5, true),
            (Some(&failed), &*sentence, 3, false),
            (Some(&failed), "", 5, false),
            (None, "", 130, true),
            (None, "", 5, false),
            (None, &*sentence, 130, false),
        ] {
            assert_eq!(disagreement(record, said, Some(status)).is_none(), agrees, "{said:?} {status}");
        }
    }
}
