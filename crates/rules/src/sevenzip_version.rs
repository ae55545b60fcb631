//! Rule: sevenzip-version. The version of 7-zip differs from that of published results.

use super::Rule;
use super::place::step_place;
use facts::{Facts, Finding, Quantity, Severity};
use record::{RuleId, WorkloadId};

pub(super) const RULE: Rule = Rule::new(RuleId::own("sevenzip-version"), check);

/// p7zip 16.02, which Debian and Ubuntu shipped for years: later versions compress with other
/// code and give other ratings on the same machine.
const COMMON_VERSION: &str = "16.02";

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let steps = facts.steps.iter().enumerate();
    let other = steps
        .filter(|(_, step)| step.workload == WorkloadId::SevenZip)
        .filter_map(|(index, step)| Some((index, version(&step.tool.as_ref()?.version)?)))
        .find(|(_, version)| version != COMMON_VERSION);
    let found = other.map(|(index, version)| {
        Finding::new(
            RULE.id,
            Severity::Info,
            "7-zip is version {version}; its scores are not comparable with published lists (made with {common}).",
        )
        .confidence(99)
        .with("version", Quantity::Text(version))
        .with("common", Quantity::Text(COMMON_VERSION.into()))
        .at(step_place(facts, index))
    });
    found.into_iter().collect()
}

/// The first number with a dot in the words of the tool: `7-Zip (z) 23.01 (arm64)`.
fn version(words: &str) -> Option<String> {
    let numbers = words.split(|c: char| !c.is_ascii_digit() && c != '.');
    let version = numbers.map(|word| word.trim_matches('.')).find(|word| word.contains('.'));
    version.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{compression, own_run, with_step};
    use crate::tests::sentences;
    use record::{Tool, Variant, WorkloadId};

    #[test]
    fn other_versions_are_named() {
        for (version, expected) in [
            ("p7zip Version 16.02 (locale=C)", 0),
            ("7-Zip (z) 23.01 (arm64) : Copyright (c) 1999-2023", 1),
            ("9.20", 1),
            ("", 0),
        ] {
            let mut record =
                with_step(own_run(), WorkloadId::SevenZip, Variant::MULTI, &[], (0.0, 1.0), compression(1));
            record.steps[0].tool = Some(Tool {
                name: "7zz".into(),
                path: "/usr/bin/7zz".into(),
                version: version.into(),
                argv: Vec::new(),
            });
            assert_eq!(sentences(RULE.id, &record).len(), expected, "{version}");
        }
    }
}
