//! Text that does not belong in the checkout: marks of unfinished work, paths of a developer's machine, and the history
//! of a change, which belongs in the commit message. Style is left to reviewers.

use super::{Problem, rust};
use crate::workspace::File;

/// Refused text and the remedy. The text is split in two so that this file passes.
const REFUSED: [(&str, &str); 12] = [
    (concat!("TO", "DO"), FINISH),
    (concat!("FIX", "ME"), FINISH),
    (concat!("XX", "X:"), FINISH),
    (concat!("/ho", "me/"), MACHINE),
    (concat!("/Us", "ers/"), MACHINE),
    (concat!("/wo", "rk/"), MACHINE),
    (concat!("as req", "uested"), HISTORY),
    (concat!("as disc", "ussed"), HISTORY),
    (concat!("as instr", "ucted"), HISTORY),
    (concat!("issue ", "#"), HISTORY),
    (concat!("work", "tree"), HISTORY),
    (concat!("language ", "model"), HISTORY),
];

const FINISH: &str = "finish it, or write down what falls short";
const MACHINE: &str = "it is a folder of one person's machine";
const HISTORY: &str = "say what the code does and why";

/// Lines with refused text. Tests may contain paths of home directories.
pub(super) fn check(file: &File) -> Vec<Problem> {
    let tests_from = rust::lines_without_tests(&file.text);
    let lines = file.text.lines().enumerate();
    let found = lines.flat_map(|(index, line)| {
        let is_refused =
            move |word: &str, remedy: &str| (remedy != MACHINE || index < tests_from) && line.contains(word);
        let refused = REFUSED.iter().filter(move |(word, remedy)| is_refused(word, remedy));
        refused.map(move |(word, remedy)| (index + 1, format!("`{word}` does not belong here: {remedy}")))
    });
    found.map(|(line, message)| Problem::new(&file.path, line, message)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_words_are_found() {
        let lines = |text: String| -> Vec<Option<usize>> {
            check(&File { path: "a.rs".into(), text }).iter().map(|problem| problem.line).collect()
        };
        for (word, remedy) in REFUSED {
            assert_eq!(lines(format!("fine\n// some {word}, and more\n")), [Some(2)], "{word}");
            let in_tests = lines(format!("#[cfg(test)]\nmod tests {{\n// {word}\n}}\n"));
            assert_eq!(in_tests.is_empty(), remedy == MACHINE, "{word}");
        }
        assert!(lines("/proc/meminfo\n/workspace\nthe work of bench\n".into()).is_empty());
    }
}
