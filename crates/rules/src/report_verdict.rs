//! Rule: report-verdict. A report of this program states the verdict of its run; the evidence is not in it.

use super::Rule;
use facts::{Facts, Finding, Place, Quantity, Severity};
use record::{RuleId, Source, report_words};

pub(super) const RULE: Rule = Rule::new(RuleId::own("report-verdict"), check);

/// First words of verdicts in reports, and how much they harm a score.
const VERDICTS: [(&str, Severity); 5] = [
    (report_words::INVALID, Severity::Invalid),
    (report_words::DEGRADED, Severity::Degraded),
    (report_words::VALID, Severity::Info),
    (report_words::MAIN_VALID, Severity::Info),
    (report_words::UNPROVEN, Severity::Info),
];

/// Severity for scores of a line that begins with the verdict of a report.
pub(super) fn severity(text: &str) -> Option<Severity> {
    VERDICTS.iter().find(|(words, _)| text.starts_with(words)).map(|(_, severity)| *severity)
}

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let Source::Log(log) = &facts.source else { return Vec::new() };
    let verdicts = log.verdicts.iter().filter_map(|line| Some((line, severity(&line.text)?)));
    let finding = |(line, severity): (&record::LogLine, Severity)| {
        let said = line.text.split(" Place ").next().unwrap_or_default();
        Finding::new(RULE.id, severity, "The report says: \"{verdict}\".")
            .confidence(90)
            .with("verdict", Quantity::Text(said.trim_end_matches('.').to_owned()))
            .at(Place::Line(line.line))
    };
    verdicts.filter(|(_, severity)| *severity > Severity::Info).map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::log;
    use crate::tests::sentences;
    use record::{LogLine, Source};

    #[test]
    fn report_is_no_better_than_it_says() {
        for (said, expected) in [
            ("Results are valid. Place 3 of 169 known boards", &[][..]),
            (
                "Results are invalid; do not use them: heat.",
                &["The report says: \"Results are invalid; do not use them: heat\"."],
            ),
        ] {
            let mut record = log("0.9.72");
            if let Source::Log(log) = &mut record.source {
                log.verdicts.push(LogLine { line: 1, text: said.into() });
            }
            assert_eq!(sentences(RULE.id, &record), expected);
        }
    }
}
