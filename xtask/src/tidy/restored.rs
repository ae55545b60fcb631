//! `record::NotRestored` alone writes sentences about settings that do not have their old value, from the outcome of a
//! restoration. Other text could contradict the Record and the exit status, and is refused.

use super::{Problem, rust, source};
use crate::workspace::File;

/// File that may contain the words.
const PLACE: &str = "crates/record/src/not_restored.rs";
/// The words. Concatenated, so that this file does not contain them.
const WORDS: [&str; 4] = [
    concat!("not ", "restored"),
    concat!("not be ", "restored"),
    concat!("not ", "put back"),
    concat!("not be ", "put back"),
];

/// Texts of the program with these words elsewhere.
pub(super) fn check(file: &File) -> Vec<Problem> {
    if !source::is_of_program(&file.path) || file.path == PLACE {
        return Vec::new();
    }
    let says = |text: &str| WORDS.iter().any(|words| text.to_lowercase().contains(words));
    let message = "only `record::NotRestored` says so: make one of the outcome, or say something else";
    let tokens = rust::tokens(&file.text).into_iter().filter(|token| token.string().is_some_and(says));
    tokens.map(|token| Problem::new(&file.path, token.line, message)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_in_one_place() {
        let said = format!("let a = \"{{path}} was {}.\";", WORDS[0]);
        for (path, text, expected) in [
            ("crates/bench/src/a.rs", said.clone(), 1),
            ("crates/bench/src/a.rs", said.to_uppercase(), 1),
            ("crates/bench/src/a.rs", format!("// It was {}.", WORDS[0]), 0),
            ("crates/bench/src/a.rs", format!("#[cfg(test)]\nmod tests {{\n{said}\n}}"), 0),
            ("crates/bench/tests/a.rs", said.clone(), 0),
            (PLACE, said, 0),
        ] {
            assert_eq!(check(&File { path: path.into(), text: text.clone() }).len(), expected, "{path}: {text}");
        }
    }
}
