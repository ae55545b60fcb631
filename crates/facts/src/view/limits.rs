//! Highest clock allowed by settings: those at the start and those of the run itself. A lower limit by the kernel is
//! cooling.

use record::{Policy, Record, SettingChange};

/// Samples this close to a change may still have the previous value.
const AROUND_MS: i64 = 1000;

/// Limit of a policy by settings at this moment in kHz, and whether the run set it; `None` if unknown. Near a change,
/// the lower of both.
pub fn limit_set_at(record: &Record, policy: &Policy, at_ms: i64) -> Option<(u32, bool)> {
    let path = format!("/policy{}/scaling_max_freq", policy.policy);
    let begin = policy.limit_khz_max.known().map(|khz| (*khz, false));
    let changes = record.settings.iter().filter_map(|change| {
        let khz = change.read_back.known().unwrap_or(&change.new);
        let is_limit = change.path.ends_with(&path);
        Some((is_limit.then_some(change.at_ms)??, khz.parse::<u32>().ok()?))
    });
    let mut limit = begin;
    let mut before = begin;
    for (changed_ms, khz) in changes {
        if changed_ms > at_ms + AROUND_MS {
            break;
        }
        before = if changed_ms < at_ms - AROUND_MS { Some((khz, true)) } else { limit };
        limit = Some((khz, true));
    }
    match (before, limit) {
        (Some(before), Some(limit)) if before.0 < limit.0 => Some(before),
        _ => limit,
    }
}

/// The value in kHz that the kernel showed after the run set this limit. The highest of several, because cooling can lower it
/// for a while.
pub fn limit_taken(record: &Record, policy: &Policy, khz: u32) -> Option<u32> {
    let path = format!("/policy{}/scaling_max_freq", policy.policy);
    let wanted = khz.to_string();
    let is_unmet = |change: &SettingChange| {
        let mut unmet = record.unmet_settings.iter();
        unmet.any(|unmet| unmet.path == change.path && unmet.wanted == wanted && unmet.at_ms == change.at_ms)
    };
    let set = record.settings.iter().filter(|change| change.path.ends_with(&path) && change.new == wanted);
    set.filter(|change| !is_unmet(change)).filter_map(|change| change.read_back.known()?.parse().ok()).max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{own_run, with_limit_set};
    use record::Fact;

    #[test]
    fn limits_follow_the_changes() {
        let policy = Policy { limit_khz_max: Fact::Known(1_800_000), ..Policy::default() };
        let record = with_limit_set(own_run(), 0, 10_000, 408_000);
        let record = with_limit_set(record, 0, 20_000, 1_200_000);
        for (at_ms, expected) in [
            (0, (1_800_000, false)),
            (9_500, (408_000, true)),
            (12_000, (408_000, true)),
            (20_500, (408_000, true)),
            (25_000, (1_200_000, true)),
        ] {
            let found = limit_set_at(&record, &policy, at_ms);
            assert_eq!(found, Some(expected), "{at_ms}");
        }
        assert_eq!(limit_set_at(&own_run(), &Policy::default(), 0), None);
    }
}
