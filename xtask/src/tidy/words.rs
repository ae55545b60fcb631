//! Words that do not belong into the checkout.
//!
//! Marks of unfinished work, paths of a developer's machine, words about how a change came to be (its history is in
//! the log of commits), and words that kernel documents would not use: those that nobody says any more in all files,
//! those with a term of their own (`docs/glossary.md`) in the messages of the program.

use super::{Problem, rust};
use crate::workspace::File;

/// Words of one kind. They are put together from halves so that this file does not contain them.
struct Kind {
    words: &'static [&'static str],
    /// Replacement.
    instead: &'static str,
    /// Places where they are refused.
    scope: Scope,
}

/// Places where words are refused.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// Everywhere, as they are spelt.
    Spelt,
    /// As spelt, but not in tests: they may make up a user and a home.
    SpeltOutsideTests,
    /// Everywhere, as whole words in any case, in identifiers as well.
    Words,
    /// As whole words in the messages of the program.
    Messages,
}

const KINDS: &[Kind] = &[
    Kind {
        words: &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X:")],
        instead: "finish it, or write down what falls short",
        scope: Scope::Spelt,
    },
    Kind {
        words: &[concat!("/ho", "me/"), concat!("/Us", "ers/"), concat!("/wo", "rk/")],
        instead: "it is a folder of one person's machine",
        scope: Scope::SpeltOutsideTests,
    },
    Kind {
        words: &[
            concat!("as req", "uested"),
            concat!("as disc", "ussed"),
            concat!("as instr", "ucted"),
            concat!("issue ", "#"),
            concat!("work", "tree"),
            concat!("language ", "model"),
        ],
        instead: "say what the code does and why",
        scope: Scope::Spelt,
    },
    Kind {
        words: &[
            concat!("de", "ar"),
            concat!("besi", "de"),
            concat!("what", "ever"),
            concat!("which", "ever"),
            concat!("who", "ever"),
            concat!("some", "body"),
            concat!("every", "body"),
            concat!("sel", "dom"),
            concat!("an", "ew"),
            concat!("for ", "good"),
            concat!("in ", "vain"),
            concat!("came ", "of"),
            concat!("comes ", "of"),
            concat!("becomes ", "of"),
            concat!("became ", "of"),
            concat!("can be ", "had"),
            concat!("for want ", "of"),
            concat!("fell ", "silent"),
            concat!("the", "reof"),
            concat!("where", "fore"),
            concat!("hen", "ce"),
            concat!("rid", "dle"),
            concat!("cul", "prit"),
        ],
        instead: "write it as kernel documents would; see the words in STYLE.md",
        scope: Scope::Words,
    },
    Kind {
        words: &[
            "is no",
            "are no",
            "was no",
            "is none",
            "are none",
            "tells",
            "told",
            "does not say",
            "says nothing",
            "goes on",
            "went on",
            "so long",
            "nobody",
            "by itself",
            "of itself",
            "meanwhile",
            "in force",
            "has to",
            "arrives",
        ],
        instead: "docs/glossary.md has the term",
        scope: Scope::Messages,
    },
];

/// Files that quote the words of others, or list those that are not to be used.
const QUOTES: [&str; 11] = [
    "CHANGELOG.md",
    "STYLE.md",
    "boards/",
    "crates/workloads/tool_output/",
    "crates/logs/src/",
    "crates/machine/src/survey/cards.rs",
    "data/",
    "docs/glossary.md",
    "docs/record.schema.json",
    "fuzz/",
    "xtask/src/tidy/words.rs",
];

/// Words of the column "not" of the glossary that have other meanings, too, in which they are right.
const ORDINARY: [&str; 22] = [
    "Record (in messages)",
    "blank",
    "claim",
    "form",
    "killed",
    "kind",
    "load",
    "look",
    "made for",
    "note",
    "off",
    "on",
    "place",
    "places",
    "raise",
    "repetition",
    "replaced",
    "revision",
    "shape",
    "sure",
    concat!("wat", "ch"),
    "watching",
];

/// The glossary: a table whose last column has words that are not to be used.
const GLOSSARY: &str = include_str!("../../../docs/glossary.md");

const OF_GLOSSARY: Kind = Kind { words: &[], instead: "docs/glossary.md has the term", scope: Scope::Messages };

/// Words that the glossary refuses in messages, in lower case.
fn glossary() -> Vec<String> {
    let (_, rows) = GLOSSARY.split_once("|---|---|---|\n").unwrap_or_default();
    let cells = rows.lines().take_while(|line| line.starts_with('|')).filter_map(|row| row.split('|').nth(3));
    let words = cells.flat_map(|cell| cell.split(", ")).map(str::trim).filter(|word| !word.is_empty());
    let words = words.filter(|word| !ORDINARY.contains(word));
    words.map(|word| word.trim_end_matches(" (in messages)").to_lowercase()).collect()
}

/// Every line with one of the words.
pub(super) fn check(file: &File) -> Vec<Problem> {
    let path = file.path.as_str();
    let is_quoted = QUOTES.iter().any(|place| path.starts_with(place));
    let tests_from = rust::lines_without_tests(&file.text);
    let mut problems = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        let words = split_identifiers(line);
        for kind in KINDS {
            let has: &dyn Fn(&str) -> bool = match kind.scope {
                Scope::Spelt => &|word| line.contains(word),
                Scope::SpeltOutsideTests if index < tests_from => &|word| line.contains(word),
                Scope::Words if !is_quoted => &|word| has_word(&words, word),
                Scope::SpeltOutsideTests | Scope::Words | Scope::Messages => continue,
            };
            problems
                .extend(kind.words.iter().filter(|word| has(word)).map(|word| refused(file, index + 1, word, kind)));
        }
    }
    if path.ends_with(".rs") {
        problems.extend(without_subject(file));
    }
    if !is_quoted && is_of_the_program(path) {
        problems.extend(in_messages(file, tests_from));
    }
    problems
}

/// Functions whose names begin with a question instead of their subject, which is how tests lose it.
fn without_subject(file: &File) -> impl Iterator<Item = Problem> {
    const QUESTIONS: [&str; 4] = ["what_", "who_", "whose_", "which_"];
    let names = file.text.lines().enumerate().filter_map(|(index, line)| {
        let name = line.trim_start().trim_start_matches("pub(super) ").strip_prefix("fn ")?;
        QUESTIONS.iter().any(|question| name.starts_with(question)).then_some(index + 1)
    });
    names.map(|line| Problem::new(&file.path, line, "a test or function is named by its subject".to_owned()))
}

/// True for sources of which messages reach the user.
fn is_of_the_program(path: &str) -> bool {
    let in_sources = path.split_once("/src/").filter(|(place, _)| place.starts_with("crates/"));
    let is_test = |rest: &str| rest.contains("tests") || rest.contains("foreign");
    in_sources.is_some_and(|(place, rest)| place != "crates/testkit" && !is_test(rest))
}

/// Words of [`Scope::Messages`] in texts that are sentences: those with a blank.
fn in_messages(file: &File, tests_from: usize) -> Vec<Problem> {
    let (mut problems, glossary) = (Vec::new(), glossary());
    for literal in rust::literals(&file.text) {
        let (line, text) = (literal.line, literal.text.split_whitespace().collect::<Vec<_>>().join(" "));
        if line > tests_from || !text.contains(' ') {
            continue;
        }
        let text = without_placeholders(&text.replace("\\ ", "")).to_lowercase();
        for kind in KINDS.iter().filter(|kind| kind.scope == Scope::Messages) {
            let words = kind.words.iter().filter(|word| has_word(&text, word));
            // "there is no cpufreq" is a sentence about what is absent.
            let words = words.filter(|word| !text.contains(&format!("there {word}")));
            problems.extend(words.map(|word| refused(file, line, word, kind)));
        }
        let words = glossary.iter().filter(|word| has_word(&text, word));
        problems.extend(words.map(|word| refused(file, line, word, &OF_GLOSSARY)));
    }
    problems
}

fn refused(file: &File, line: usize, word: &str, kind: &Kind) -> Problem {
    Problem::new(&file.path, line, format!("`{word}` does not belong here: {}", kind.instead))
}

/// True if the text has these words as they are, not as parts of others.
fn has_word(text: &str, word: &str) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '\'');
    text.match_indices(word)
        .any(|(at, _)| !is_letter(text[..at].chars().next_back()) && !is_letter(text[at + word.len()..].chars().next()))
}

/// A line in lower case with its identifiers taken apart: `isMade_again` is `is made again`.
fn split_identifiers(line: &str) -> String {
    let mut words = String::with_capacity(line.len() + 8);
    let mut before_is_lower = false;
    for c in line.chars() {
        if before_is_lower && c.is_uppercase() {
            words.push(' ');
        }
        before_is_lower = c.is_lowercase();
        words.extend(if c == '_' { ' ' } else { c }.to_lowercase());
    }
    words
}

/// A message without what is put into it: `{folder}` is the name of a value.
fn without_placeholders(text: &str) -> String {
    let mut rest = text;
    let mut words = String::with_capacity(text.len());
    while let Some((before, after)) = rest.split_once('{') {
        words.push_str(before);
        words.push_str("{}");
        rest = after.split_once('}').map_or("", |(_, after)| after);
    }
    words + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<Option<usize>> {
        let problems = check(&File { path: path.into(), text: text.into() });
        let mut lines: Vec<_> = problems.iter().map(|problem| problem.line).collect();
        // A word of a list may stand in the glossary as well.
        lines.dedup();
        lines
    }

    #[test]
    fn refused_words_are_found() {
        const SOURCE: &str = "crates/bench/src/a.rs";
        for kind in KINDS {
            for word in kind.words {
                let text = format!("fine\n// some {word}, and more\n");
                let is_found = lines(SOURCE, &text) == [Some(2)];
                assert_eq!(is_found, kind.scope != Scope::Messages, "{word}");
                let text = format!("fn a() {{}}\nconst A: &str = \"some {word} and more\";\n");
                assert_eq!(lines(SOURCE, &text), [Some(2)], "{word}");
                let text = format!("#[cfg(test)]\nmod tests {{\nconst A: &str = \"some {word}\";\n}}\n");
                let in_tests = !matches!(kind.scope, Scope::SpeltOutsideTests | Scope::Messages);
                assert_eq!(!lines(SOURCE, &text).is_empty(), in_tests, "{word}");
                if kind.scope == Scope::Words {
                    let snake = word.replace(' ', "_");
                    assert_eq!(lines(SOURCE, &format!("fn is_{snake}_now() {{}}\n")), [Some(1)], "{word}");
                    assert_eq!(lines("data/a.tsv", &format!("some {word}\n")), [], "{word}");
                }
            }
        }
        let fine = "/proc/meminfo\n/workspace\nthe work of bench\nan answer\nbesides\nheard\n";
        assert_eq!(lines("a.rs", fine), []);
        let messages = "const A: &str = \"there is no cpufreq\";\nconst B: &str = \"{folder} is absent\";\n\
                        const C: &str = \"steady\";\n";
        assert_eq!(lines(SOURCE, messages), []);
    }

    #[test]
    fn words_of_the_glossary_are_found() {
        let glossary = glossary();
        assert!(glossary.len() > 70, "{glossary:?}");
        assert!(ORDINARY.iter().all(|word| GLOSSARY.contains(word)));
        for word in &glossary {
            let text = format!("const A: &str = \"some {word} and more\";\n");
            assert!(lines("crates/bench/src/a.rs", &text).contains(&Some(1)), "{word}");
        }
    }

    #[test]
    fn names_without_subject_are_found() {
        assert_eq!(
            lines("a.rs", concat!("#[test]\nfn wh", "at_is_read() {}\n    fn wh", "ich_is_it() {}\n")),
            [Some(2), Some(3)]
        );
        assert_eq!(lines("a.rs", "fn whatsit() {}\nfn is_what_it_was() {}\n"), []);
    }
}
