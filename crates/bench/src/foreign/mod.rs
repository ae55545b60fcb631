//! Every parser of bytes that others made, as functions of text alone, so that fuzzing meets them without
//! programs, meters and drives. Nothing in the program calls this.

use net::exporter::Metrics;
use net::update;
use net::{meters, server};
use process::child;
use process::tools::{is_older, version_numbers};
use workloads::job::definition::parse_definitions;
use workloads::job::score::ScoreRule;
use workloads::packages;
use workloads::survey;

/// Bytes of a program's output that are kept.
pub const OUTPUT_BYTES_MAX: usize = 2 * child::KEPT_BYTES;

/// A name, in kebab-case, and what is done with a text.
pub type Parser = (&'static str, fn(&str));

/// All of them.
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
        // The first line as a rule of the user.
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
