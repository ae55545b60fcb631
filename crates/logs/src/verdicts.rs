//! Results validation, governor settings and review of the log.

use super::draft::{Draft, NamedGroup};
use super::sections::{Line, Section};
use super::text;
use record::{Fact, Mode, Policy};

/// Reads `Results validation:` with lines `  * No throttling`.
pub(super) fn read_validation(section: &Section<'_, '_>, draft: &mut Draft) {
    for line in section.body().iter().filter(|line| !line.is_blank()) {
        match line.text.trim().strip_prefix("* ") {
            Some(verdict) => draft.verdict(line, verdict.trim()),
            None => draft.unread(line),
        }
    }
}

/// Reads `Status of performance related governors found below /sys (w/o cpufreq):` with lines `  * 1800000.gpu:
/// simple_ondemand / 150 MHz (userspace performance / 150 200 300)`.
pub(super) fn read_governors(section: &Section<'_, '_>, draft: &mut Draft) {
    for line in section.body().iter().filter(|line| !line.is_blank()) {
        let text = line.text.trim();
        let setting = text.strip_prefix("* ").unwrap_or(text).split_once(": ");
        match setting {
            Some((name, value)) => draft.named(NamedGroup::Feature, setting_name(name), value, line),
            None => draft.unread(line),
        }
    }
}

/// Files keep their path, devices get a group.
fn setting_name(name: &str) -> String {
    if name.starts_with('/') { name.to_string() } else { format!("governor/{name}") }
}

/// Reads `Kernel 5.15.0 is not latest 5.15.118 LTS ...` and the lines below.
pub(super) fn read_kernel_support(section: &Section<'_, '_>, draft: &mut Draft) {
    let heading = section.heading();
    draft.verdict(&heading, heading.text.trim());
    draft.block("kernel-support", section);
}

/// Keeps the summary as printed.
pub(super) fn read_summary(section: &Section<'_, '_>, draft: &mut Draft) {
    let line = section.heading();
    if draft.log.header_name.is_none() && draft.phases.is_empty() && draft.clusters.is_empty() {
        super::summary_row::read_machine(&line, draft);
    }
    draft.log.summary = Some(record::LogLine { line: line.number, text: line.text.trim().to_string() });
}

/// Reads a part of the review. Only the review contains governors before tuning.
pub(super) fn read_review(section: &Section<'_, '_>, draft: &mut Draft) {
    let heading = section.heading().text.trim();
    if draft.run.mode == Mode::Unknown {
        draft.run.mode = Mode::Review;
        draft.is_review_alone = draft.log.version.is_empty();
    }
    if draft.is_review_alone {
        super::review::read(section, draft);
    }
    if let (Some(board), None) = (heading.strip_prefix("# "), draft.machine.board.known()) {
        draft.machine.board = Fact::Known(board.to_string());
    }
    draft.block(&format!("review: {}", heading.trim_start_matches(['#', ' '])), section);
    let software = heading.ends_with("Software versions:");
    let mut original = false;
    for line in section.body() {
        let text = line.text.trim();
        if software
            && let Some(name) = text.strip_prefix("* ")
            && draft.machine.distribution.known().is_none()
        {
            // The first line is the distribution, which some logs name nowhere else.
            draft.machine.distribution = Fact::Known(name.trim().to_string());
        } else if let Some((version, date)) = super::posts::tested(text) {
            ended(version, date, draft);
        } else if text.starts_with("Original governor settings") {
            original = true;
        } else if text.starts_with("Tuned governor settings") {
            original = false;
        } else if text.contains("(downgraded)") {
            draft.verdict(line, text.trim_start_matches("* "));
        } else if original && let Some(rest) = text.strip_prefix("cpufreq-policy") {
            original_governor(rest, line, draft);
        } else if let Some(tuned) = text.strip_prefix("cpufreq-policy").and_then(governor) {
            // The governor that was at work in the run.
            let mut policies = draft.machine.policies.iter_mut();
            let policy = policies.find(|policy| policy.policy == tuned.policy);
            policy.into_iter().for_each(|policy| policy.governor = tuned.governor.clone());
        }
    }
}

/// Keeps the version, if no header names it, and the end of the run with its offset from UTC in minutes.
fn ended(version: &str, date: Option<(i64, i32)>, draft: &mut Draft) {
    if draft.log.version.is_empty() {
        draft.log.version = version.to_string();
    }
    let (ended, offset) = date.unzip();
    // A review without its log is dated by its end, minutes after its start.
    if let (true, Some(ended)) = (draft.is_review_alone, ended) {
        draft.run.started = Fact::Known(ended);
        draft.run.utc_offset_minutes = offset.unwrap_or(0);
    } else if let (Some(ended), Some(started)) = (ended, draft.run.started.known()) {
        draft.run.elapsed_ms = u64::try_from(ended - started).ok();
    }
}

/// Parses `0: ondemand / 1014 MHz (ondemand performance / 416 780 1014)`.
fn original_governor(rest: &str, line: &Line<'_>, draft: &mut Draft) {
    match governor(rest).filter(|policy| policy.policy <= text::CPU_MAX) {
        Some(policy) if draft.machine.policies.len() <= text::CPU_MAX as usize => {
            draft.machine.policies.push(policy);
        }
        _ => draft.unread(line),
    }
}

fn governor(rest: &str) -> Option<Policy> {
    let (number, rest) = text::leading_number(rest)?;
    let rest = rest.strip_prefix(':')?.trim();
    let governor = rest.split_whitespace().next()?;
    let list = rest.split_once('(').map_or("", |(_, list)| list.trim_end_matches(')'));
    let (governors, opps) = list.split_once(" / ").unwrap_or((list, ""));
    let mut opps_khz: Vec<u32> =
        opps.split_whitespace().filter_map(|mhz| mhz.parse::<u32>().ok()?.checked_mul(1000)).collect();
    opps_khz.sort_unstable();
    Some(Policy {
        policy: number,
        governor: Fact::Known(governor.to_string()),
        governors: governors.split_whitespace().map(str::to_string).collect(),
        opps_khz,
        ..Policy::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn governors_of_a_review() {
        let policy = governor("6: ondemand / 780 MHz (ondemand performance / 780 416)").unwrap();
        assert_eq!((policy.policy, policy.opps_khz), (6, vec![416_000, 780_000]));
        assert_eq!(policy.governors, ["ondemand", "performance"]);
        assert!(governor("x").is_none());
    }
}
