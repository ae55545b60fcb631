//! Words that do not belong into the checkout.
//!
//! Marks of unfinished work, paths of somebody's own machine, and words about how a change came
//! to be: a comment describes the code as it is, its history is in the log of commits.

use super::Problem;
use crate::workspace::File;

/// The words and what to do instead. They are put together from halves so that this file does
/// not contain them.
const WORDS: &[(&str, &str)] = &[
    (
        concat!("TO", "DO"),
        "finish it, or write down what falls short",
    ),
    (
        concat!("FIX", "ME"),
        "mend it, or write down what falls short",
    ),
    (
        concat!("XX", "X:"),
        "mend it, or write down what falls short",
    ),
    (concat!("/ho", "me/"), "a path of one person's machine"),
    (concat!("/Us", "ers/"), "a path of one person's machine"),
    (concat!("/wo", "rk/"), "a path of one person's machine"),
    (
        concat!("as req", "uested"),
        "say what the code does and why",
    ),
    (
        concat!("as disc", "ussed"),
        "say what the code does and why",
    ),
    (
        concat!("as instr", "ucted"),
        "say what the code does and why",
    ),
    (concat!("issue ", "#"), "say what the code does and why"),
    (concat!("work", "tree"), "say what the code does and why"),
    (
        concat!("language ", "model"),
        "say what the code does and why",
    ),
];

/// Every line with one of the words.
pub(super) fn check(file: &File) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        for (word, instead) in WORDS {
            if line.contains(word) {
                problems.push(Problem::new(
                    &file.path,
                    index + 1,
                    format!("`{word}` does not belong here: {instead}"),
                ));
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_found_and_nothing_else() {
        let check_text = |text: &str| {
            check(&File {
                path: "a.rs".into(),
                text: text.into(),
            })
        };
        for (word, _) in WORDS {
            let found = check_text(&format!("fine\nsome {word}, and more\n"));
            assert_eq!(found.len(), 1, "{word}");
            assert_eq!(found[0].line, Some(2), "{word}");
        }
        assert!(check_text("/proc/meminfo\n/workspace\nthe work of bench\n").is_empty());
    }
}
