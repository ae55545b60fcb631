//! Ids are types: no literal of the source spells a channel, a workload, a rule or a figure that the vocabulary knows.
//!
//! The types parse each literal, so there is no second list of ids. The vocabulary itself and integration tests, which type
//! what users type, are not checked. An id may also be the name of another thing: [`OTHER_THINGS`] has the places.

use super::{Problem, rust};
use crate::workspace::File;
use record::{ChannelId, WorkloadId};

/// Files that spell ids.
const VOCABULARY: &str = "crates/record/src/vocabulary/";
/// File of this list.
const THIS_FILE: &str = "xtask/src/tidy/vocabulary.rs";

/// Other things with the name of a workload or rule, with their places.
struct OtherThing {
    /// A file, or a folder with a trailing `/`.
    place: &'static str,
    words: &'static [&'static str],
    /// Meaning of the words there.
    are: &'static str,
}

const fn other(place: &'static str, words: &'static [&'static str], are: &'static str) -> OtherThing {
    OtherThing { place, words, are }
}

const OTHER_THINGS: &[OtherThing] = &[
    other("crates/app/src/commands/", &["core-to-core"], "a report"),
    other("crates/bench/src/question/", &["core-to-core"], "a verb"),
    other("crates/workloads/src/foreign.rs", &["sevenzip"], "a parser"),
    other(
        "crates/facts/src/explanation/cause.rs",
        &[
            "board-died",
            "cpu-quota",
            "kernel-trouble",
            "low-voltage",
            "out-of-memory",
            "power-limit",
            "run-cut-short",
            "started-busy",
            "stolen-time",
        ],
        "causes",
    ),
    other("crates/logs/src/", &["stress-ng"], "a program"),
    other("crates/rules/src/questions/", &["core-to-core"], "a report"),
    other("crates/machine/src/foreign.rs", &["rpi-firmware"], "a parser"),
    other("fuzz/src/targets.rs", &["config-txt", "sevenzip"], "targets"),
];

/// Calls that make ids and shares of scores, with the folders that may contain them, and the message elsewhere.
const DOORS: [(&str, &[&str], &str); 5] = [
    (
        "RuleId::own(",
        &[
            "crates/rules/src/",
            "crates/rules/src/survey/",
            "crates/rules/src/kernel/",
            "crates/rules/src/questions/",
            "crates/rules/src/tables.rs",
        ],
        "a rule defines its id in its file; use its constant elsewhere",
    ),
    (
        "ChannelId::own(",
        &["crates/machine/src/sensors/", "crates/net/src/meters/"],
        "only a sensor defines a channel outside of the vocabulary",
    ),
    (
        "WorkloadId::Own(",
        &["crates/workloads/src/"],
        "only the table of workloads defines one outside of the vocabulary",
    ),
    (
        "Tenths::of_percent(",
        &["crates/explain/src/diagnosis/ledger/", "crates/facts/src/explanation/"],
        "only the ledger computes the share of a score that a cause took",
    ),
    (".explains(", &[], "a rule reports findings; only the ledger computes shares of scores"),
];

/// Literals that spell an id, ids made in wrong places, and unused exceptions.
pub(super) fn check(files: &[File]) -> Vec<Problem> {
    let is_checked = |file: &&File| {
        let is_test_of_crate =
            ["tests", "benches", "examples"].iter().any(|folder| file.path.split('/').nth(2) == Some(folder));
        let is_list = file.path.starts_with(VOCABULARY) || file.path == THIS_FILE;
        file.path.ends_with(".rs") && !is_list && !is_test_of_crate
    };
    let mut is_used = OTHER_THINGS.iter().map(|thing| vec![false; thing.words.len()]).collect::<Vec<_>>();
    let mut problems = Vec::new();
    for file in files.iter().filter(is_checked) {
        problems.extend(doors(file));
        let code_lines = code_lines(file);
        let tokens = rust::all_tokens(&file.text);
        for (at, token) in tokens.iter().enumerate() {
            let Some(text) = token.string() else { continue };
            let is_maker =
                tokens[..at].iter().rev().map(|token| token.text.as_str()).take(4).eq(["(", "own", "::", "RuleId"]);
            let Some(message) = spelled(text, is_maker || token.line > code_lines) else { continue };
            if !is_other(&file.path, text, &mut is_used) {
                problems.push(Problem::new(&file.path, token.line, message));
            }
        }
    }
    for (thing, is_used) in OTHER_THINGS.iter().zip(is_used) {
        let stale = thing.words.iter().zip(is_used).filter(|(_, used)| !used);
        problems.extend(stale.map(|(word, _)| {
            let message = format!("{word:?} ({}) does not occur in {}", thing.are, thing.place);
            Problem::new(THIS_FILE, None, message)
        }));
    }
    problems
}

/// Lines before the tests of a file.
fn code_lines(file: &File) -> usize {
    let name = file.path.rsplit('/').next().unwrap_or_default();
    match name {
        "tests.rs" | "testing.rs" => 0,
        _ if file.path.contains("/tests/") || file.path.starts_with("crates/testkit/") => 0,
        _ => rust::lines_without_tests(&rust::code_only(&file.text)),
    }
}

/// Problem of a literal that spells an id; rules and figures may be spelled in tests, and rules in their own files.
fn spelled(text: &str, may_spell_rules: bool) -> Option<String> {
    if is_channel(text) {
        return Some(format!("{text:?} is a channel: name it by `ChannelId`"));
    }
    // Single words mean other things as well.
    let is_id = text.contains('-') || text == WorkloadId::SevenZip.as_str();
    if is_id && WorkloadId::of(text).is_some() {
        return Some(format!("{text:?} is a workload: name it by `WorkloadId`"));
    }
    if may_spell_rules {
        return None;
    }
    let key = text.split_once('@').map(|(workload, _)| workload);
    if key.and_then(WorkloadId::of).is_some() {
        return Some(format!("{text:?} is a figure: name it by `FigureKey`"));
    }
    let is_rule = is_id && rules::RULES.iter().any(|rule| rule.id.as_str() == text);
    is_rule.then(|| format!("{text:?} is a rule: name it by its constant"))
}

/// Whether the word means another thing there; marks the row of [`OTHER_THINGS`] as used.
fn is_other(path: &str, word: &str, is_used: &mut [Vec<bool>]) -> bool {
    let mut is_other = false;
    for (thing, is_used) in OTHER_THINGS.iter().zip(is_used) {
        let is_folder = thing.place.ends_with('/');
        if path == thing.place || is_folder && path.starts_with(thing.place) {
            for (known, is_used) in thing.words.iter().zip(is_used) {
                *is_used |= *known == word;
                is_other |= *known == word;
            }
        }
    }
    is_other
}

/// Whether a literal spells a channel, with a sample in place of each `{}`.
fn is_channel(text: &str) -> bool {
    const THINGS: [&str; 5] = ["0", "cpu0", "policy0", "thermal_zone0", "hwmon0"];
    let is_known = |text: &str| {
        let Ok(id) = text.parse();
        !matches!(id, ChannelId::Other(_))
    };
    if text.contains('{') { THINGS.iter().any(|thing| is_known(&filled(text, thing))) } else { is_known(text) }
}

/// The text with `thing` in place of each `{}`.
fn filled(text: &str, thing: &str) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('{') {
        filled.push_str(before);
        filled.push_str(thing);
        rest = behind.split_once('}').map_or("", |(_, behind)| behind);
    }
    filled + rest
}

/// Ids made from text in wrong places.
fn doors(file: &File) -> Vec<Problem> {
    let code = rust::code_only(&file.text);
    let lines = code.lines().take(code_lines(file)).enumerate();
    let mut problems = Vec::new();
    for (index, line) in lines {
        for (maker, homes, instead) in DOORS {
            let is_home = homes.iter().any(|home| file.path.starts_with(home));
            if line.contains(maker) && !is_home {
                problems.push(Problem::new(&file.path, index + 1, instead));
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Problems in a file with this text.
    fn found(path: &str, text: &str) -> Vec<String> {
        let file = File { path: path.to_owned(), text: text.to_owned() };
        let problems = check(&[file]);
        let of_file = problems.iter().filter(|problem| problem.path == path);
        of_file.map(Problem::to_string).collect()
    }

    #[test]
    fn ids_that_are_spelled_are_found() {
        let path = "crates/explain/src/x.rs";
        let check = |code: &str, expected: &[&str]| {
            let expected: Vec<String> = expected.iter().map(|what| format!("{path}:1: {what}")).collect();
            assert_eq!(found(path, code), expected, "{code}");
        };
        let channel = |text: &str| format!("{text:?} is a channel: name it by `ChannelId`");
        for text in ["cpu3.idle", "{thing}.claimed", "thermal_zone{}.temp"] {
            check(&format!("f({text:?});"), &[&channel(text)]);
            check(&format!("f(r#\"{text}\"#);"), &[&channel(text)]);
        }
        check("// \"cpu3.idle\"", &[]);
        check("f(\"cpu.max\", \"{}.{}\", \"policy{n} claimed\", \"{\");", &[]);
        check("f(\"sevenzip\");", &["\"sevenzip\" is a workload: name it by `WorkloadId`"]);
        check("f(\"lz4\", \"\");", &[]);
        check("f(\"sevenzip@16 multi\");", &["\"sevenzip@16 multi\" is a figure: name it by `FigureKey`"]);
        check("f(\"pi@nas\");", &[]);
        check("f(\"thermal-throttling\");", &["\"thermal-throttling\" is a rule: name it by its constant"]);
        check("f(\"governor\");", &[]);
    }

    #[test]
    fn tests_may_spell_rules_and_figures() {
        let path = "crates/explain/src/x.rs";
        let tests = |line: &str| format!("#[cfg(test)]\nmod tests {{\n{line}\n}}\n");
        let text = tests("f(\"thermal-throttling\", \"sevenzip@16\");");
        assert!(found(path, &text).is_empty());
        assert_eq!(found(path, &tests("f(\"cpu3.idle\");")).len(), 1);
        let text = "f(\"cpu3.idle\", \"sevenzip\");";
        for path in ["crates/app/tests/x.rs", "crates/record/src/vocabulary/x.rs", "x.md"] {
            assert!(found(path, text).is_empty(), "{path}");
        }
    }

    #[test]
    fn ids_of_one_file_are_made_at_home() {
        let rule = "id: RuleId::own(\n    \"thermal-throttling\",\n),";
        assert!(found("crates/rules/src/x.rs", rule).is_empty());
        assert_eq!(
            found("crates/app/src/x.rs", rule),
            ["crates/app/src/x.rs:1: a rule defines its id in its file; use its constant elsewhere"]
        );
        let channel = "ChannelId::own(\"w1_0.humidity\")";
        assert!(found("crates/machine/src/sensors/x.rs", channel).is_empty());
        assert_eq!(found("crates/explain/src/x.rs", channel).len(), 1);
        for share in ["Tenths::of_percent(3.0)", "finding.explains(3.0)"] {
            assert_eq!(found("crates/rules/src/x.rs", share).len(), 1);
        }
        assert!(found("crates/explain/src/diagnosis/ledger/x.rs", "Tenths::of_percent(3.0)").is_empty());
        let workload = "WorkloadId::Own(\"lz4\")";
        assert!(found("crates/workloads/src/x.rs", workload).is_empty());
        assert_eq!(found("crates/bench/src/x.rs", workload).len(), 1);
    }

    #[test]
    fn unused_exceptions_are_refused() {
        let thing = &OTHER_THINGS[0];
        let problems = check(&[]);
        let message = format!("{:?} ({}) does not occur in {}", thing.words[0], thing.are, thing.place);
        assert_eq!(problems[0].message, message);
        assert!(thing.place.ends_with('/') || thing.place.ends_with(".rs"));
        let words = OTHER_THINGS.iter().map(|thing| thing.words.len());
        assert_eq!(problems.len(), words.sum::<usize>());
    }
}
