//! Rule: earlier-runs. A file holds several runs, as the log that a machine appends each run to; one of them is explained.

use super::Rule;
use facts::{Facts, Finding, Place, Quantity, Severity};
use record::{LogBlock, RuleId, Source};

pub(super) const RULE: Rule = Rule {
    id: RuleId::own("earlier-runs"),
    about: "The file holds several runs; only the last one is explained.",
    link: "https://github.com/ThomasKaiser/sbc-bench#readme",
    check,
    ..Rule::PLAIN
};

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let Source::Log(log) = &facts.source else {
        return Vec::new();
    };
    let earlier = log.blocks.iter().find(|block| block.heading == LogBlock::EARLIER_RUNS);
    let found = earlier.map(|block| {
        let first = block.text.lines().next().unwrap_or_default().to_owned();
        Finding::new(
            RULE.id,
            Severity::Info,
            "The file holds {count} runs, the first \"{first}\"; only the last one is explained.",
        )
        .confidence(99)
        .with("count", Quantity::Count(block.text.lines().count() as i64 + 1))
        .with("first", Quantity::Text(first))
        .at(Place::Line(block.line))
    });
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::sentences;

    #[test]
    fn runs_before_the_last_are_counted() {
        let text = |board: &str| {
            format!(
                "sbc-bench v0.9.72 {board} (Mon, 05 Jan 2026 10:00:00 +0000)\n\nExecuting benchmark single-threaded\n"
            )
        };
        let several = [text("One"), text("Two"), text("Three")].concat();
        let record = logs::read(&several);
        assert_eq!(
            sentences(RULE.id, &record),
            [
                "The file holds 3 runs, the first \"sbc-bench v0.9.72 One (Mon, 05 Jan 2026 10:00:00 +0000)\"; only the last one is explained."
            ]
        );
        assert_eq!(sentences(RULE.id, &logs::read(&text("One"))), [""; 0]);
    }
}
