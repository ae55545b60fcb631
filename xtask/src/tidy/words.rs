//! Words that do not belong into the checkout.
//!
//! Marks of unfinished work, paths of somebody's own machine, and words about how a change came
//! to be: a comment describes the code as it is, its history is in the log of commits.

use super::{Problem, rust};
use crate::workspace::File;

/// Words of one kind. They are put together from halves so that this file does not contain them.
struct Kind {
    words: &'static [&'static str],
    /// What to do instead.
    instead: &'static str,
    /// Whether tests may have them: they may make up a user and a home.
    in_tests: bool,
}

const KINDS: &[Kind] = &[
    Kind {
        words: &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X:")],
        instead: "finish it, or write down what falls short",
        in_tests: false,
    },
    Kind {
        words: &[concat!("/ho", "me/"), concat!("/Us", "ers/"), concat!("/wo", "rk/")],
        instead: "it is a folder of one person's machine",
        in_tests: true,
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
        in_tests: false,
    },
];

/// Every line with one of the words.
pub(super) fn check(file: &File) -> Vec<Problem> {
    let tests_from = rust::lines_without_tests(&file.text);
    let mut problems = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        for kind in KINDS {
            if kind.in_tests && index >= tests_from {
                continue;
            }
            for word in kind.words.iter().filter(|word| line.contains(**word)) {
                problems.push(Problem::new(
                    &file.path,
                    index + 1,
                    format!("`{word}` does not belong here: {}", kind.instead),
                ));
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<Option<usize>> {
        let problems = check(&File { path: "a.rs".into(), text: text.into() });
        problems.iter().map(|problem| problem.line).collect()
    }

    #[test]
    fn every_word_is_found_and_nothing_else() {
        for kind in KINDS {
            for word in kind.words {
                let text = format!("fine\nsome {word}, and more\n");
                assert_eq!(lines(&text), [Some(2)], "{word}");
                let text = format!("#[cfg(test)]\nmod tests {{\nsome {word}\n");
                assert_eq!(lines(&text).is_empty(), kind.in_tests, "{word}");
            }
        }
        assert_eq!(lines("/proc/meminfo\n/workspace\nthe work of bench\n"), []);
    }
}
