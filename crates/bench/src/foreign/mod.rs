//! Parsers of untrusted text, for fuzzing without programs, meters and drives. The program itself does not use this
//! module.

use net::exporter::Metrics;
use net::update;
use net::{meters, server};
use process::child;
use process::tools::{is_older, version_numbers};
use workloads::job::definition::parse_definitions;
use workloads::job::score::ScoreRule;
use workloads::packages;
use workloads::survey;

/// Maximum size of stored program output.
pub const OUTPUT_BYTES_MAX: usize = 2 * child::KEPT_BYTES;

/// Name in kebab-case, and parser.
pub type Parser = (&'static str, fn(&str));

/// All parsers.
pub fn parsers() -> impl Iterator<Item = Parser> {
    let others = OTHERS.iter().chain(meters::foreign::PARSERS);
    others.chain(workloads::foreign::PARSERS).copied()
}

const OTHERS: &[Parser] = &[
    ("definitions", |text| {
        for definition in parse_definitions(text, workloads::is_taken).unwrap_or_default().workloads {
            drop(definition.score.find(text, 1.0));
        }
    }),
    ("exporter-request", |text| {
        let _ = server::reply(text.as_bytes(), true, true, &mut Metrics(|| "load 1\n".to_owned()));
    }),
    ("score", |text| {
        drop(ScoreRule::Json("a.0".into()).find(text, 1.0));
        if let Ok(rule) = ScoreRule::regex(r"(\S+)$") {
            drop(rule.find(text, 1.0));
        }
        // The first line is the user's rule.
        if let Some((rule, output)) = text.split_once('\n')
            && let Ok(rule) = ScoreRule::regex(rule)
        {
            drop(rule.find(output, 1.0));
        }
    }),
    ("program-stat", child::foreign),
    ("release-sums", update::foreign),
    ("smartctl", |text| drop(survey::parse_smartctl(text, "sda"))),
    ("tool-versions", |text| {
        for (kind, _) in packages::kinds() {
            if let Some(version) = (kind.recognise)(text) {
                version_numbers(&version);
                is_older(&version, kind.oldest);
            }
        }
    }),
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn tool_parsers_never_panic(text in "(\\PC|[0-9.:,;=%/ \\n\\t\"{}\\[\\]<>-]){0,300}") {
            for (_, parse) in parsers() {
                parse(&text);
            }
        }
    }

    #[test]
    fn names_are_told_apart() {
        let mut names: Vec<&str> = parsers().map(|(name, _)| name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
