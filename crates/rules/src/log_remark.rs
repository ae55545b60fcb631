//! Rule: log-remark. Passes on statements of a log that no other rule covers.
//!
//! The bash script had information that its log lacks: config files, device trees, the location of swap. Its messages
//! are then the only evidence.

use super::Rule;
use facts::{Facts, Finding, Place, Quantity, Severity};
use record::{RuleId, Source};

pub(super) const RULE: Rule = Rule::new(RuleId::own("log-remark"), check);

/// Prefixes of verdicts that other rules check against the evidence in the log, and of verdicts
/// without a problem.
const JUDGED_ELSEWHERE: [&str; 19] = [
    "Advertised vs. measured",
    "Background activity",
    "Frequency capping",
    "Intel Hardware Feedback",
    // The age of a kernel lowers no score.
    "Kernel ",
    "Measured clockspeed",
    "No ",
    "Overheating",
    // Every Intel CPU of the last decade has it.
    "Powercap detected",
    "Powercap present",
    "Swapping",
    "Throttling",
    "Too much",
    "WARNING: ",
    "Wrong thermal source",
    "Zswap",
    "Distro uses",
    "AMD Ryzen detected",
    "Testing maximum",
];

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let Source::Log(log) = &facts.source else { return Vec::new() };
    let others = log.verdicts.iter().filter(|line| {
        let text = line.text.trim();
        let is_judged = JUDGED_ELSEWHERE.iter().any(|words| text.starts_with(words));
        let is_judged = is_judged || super::report_verdict::severity(text).is_some();
        !is_judged && !text.contains("oom-killer") && !text.is_empty()
    });
    others
        .map(|line| {
            let text = line.text.trim().split(" -> ").next().unwrap_or_default();
            let text = text.trim_end_matches('.').to_owned();
            Finding::new(RULE.id, Severity::Info, "Remark in the log: \"{remark}\".")
                .confidence(80)
                .with("remark", Quantity::Text(text))
                .at(Place::Line(line.line))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::log;
    use crate::tests::sentences;
    use record::{LogLine, Source};

    #[test]
    fn only_what_no_rule_judges_is_passed_on() {
        let mut record = log("0.9.72");
        if let Source::Log(log) = &mut record.source {
            for text in [
                "No throttling",
                "Swap configured on ultra slow SD card storage",
                "Powercap detected. Details: \"sudo powercap-info -p intel-rapl\" -> https://x.y",
            ] {
                log.verdicts.push(LogLine { line: 740, text: text.into() });
            }
        }
        assert_eq!(
            sentences(RULE.id, &record),
            ["Remark in the log: \"Swap configured on ultra slow SD card storage\".",]
        );
    }
}
