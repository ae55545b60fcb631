//! Findings stated in a log of this program. They were made from the whole Record, of which the log contains a part, so
//! they replace what the rules would find in the log. Not a rule itself.
//!
//! Logs of earlier versions have a share of the score after the severity, which is ignored: shares belong to the
//! ledger.

use super::of_runs;
use facts::{Facts, Finding, Place, Quantity, Severity, Verdict};
use record::{LogLine, Source};

/// End of a finding's line in a log: `[thermal-throttling, degraded]`.
pub fn mark(finding: &Finding) -> String {
    format!("[{}, {}]", finding.rule, word(finding.severity))
}

/// Verdict of a log by this program, in its own words.
pub fn verdict(facts: &Facts<'_>) -> Option<Verdict> {
    findings(facts)?;
    let Source::Log(log) = &facts.source else { return None };
    log.verdicts.iter().find_map(|line| Verdict::ALL.into_iter().find(|word| line.text.trim().contains(word.line())))
}

/// Findings of a log by this program; none for other logs.
pub(super) fn findings(facts: &Facts<'_>) -> Option<Vec<Finding>> {
    let Source::Log(log) = &facts.source else { return None };
    let findings: Vec<Finding> = log.verdicts.iter().filter_map(finding).collect();
    (!findings.is_empty()).then_some(findings)
}

fn finding(line: &LogLine) -> Option<Finding> {
    let (sentence, mark) = line.text.trim().strip_suffix(']')?.rsplit_once(" [")?;
    let mut parts = mark.split(", ");
    let id = parts.next()?;
    let rule = of_runs().find(|rule| rule.id.as_str() == id)?;
    let severity = match parts.next()? {
        "info" => Severity::Info,
        "degraded" => Severity::Degraded,
        "invalid" => Severity::Invalid,
        _ => return None,
    };
    let finding = Finding::new(rule.id, severity, "{sentence}").confidence(95);
    let finding = finding.with("sentence", Quantity::Text(sentence.to_owned()));
    Some(finding.at(Place::Line(line.line)))
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "info",
        Severity::Degraded => "degraded",
        Severity::Invalid => "invalid",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_in_own_log_round_trip() {
        for severity in [Severity::Info, Severity::Degraded, Severity::Invalid] {
            let written = Finding::new(record::RuleId::own("thermal-throttling"), severity, "Hot {how}.")
                .with("how", Quantity::Text("[very]".to_owned()));
            let text = format!("{} {}", written.sentence(), mark(&written));
            let of_earlier = text.replace(']', ", 31.5 % of the score]").replace("very, 31.5 % of the score]", "very]");
            for text in [text, of_earlier] {
                let read = finding(&LogLine { line: 9, text }).unwrap();
                assert_eq!(read.sentence(), "Hot [very].");
                assert_eq!((read.rule.as_str(), read.severity), ("thermal-throttling", severity));
            }
        }
    }

    #[test]
    fn words_of_the_bash_program_are_no_findings() {
        for text in ["No throttling", "x [y]", "x [no-such-rule, info]", "x [hot, bad]", "]", ""] {
            let line = LogLine { line: 1, text: text.into() };
            assert_eq!(finding(&line), None, "{text}");
        }
    }
}
