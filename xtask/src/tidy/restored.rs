//! Sentences about settings that do not have their old value are made by `record::NotRestored` alone, from the outcome of a
//! restoration. Text elsewhere could contradict the Record and the exit status, and is refused.

use super::{Problem, rust, source};
use crate::workspace::File;

/// The one place.
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
    let tests_from = rust::lines_without_tests(&rust::code_only(&file.text));
    let literals = rust::literals(&file.text).into_iter().filter(|literal| literal.line <= tests_from);
    let says = |text: &str| WORDS.iter().any(|words| text.to_lowercase().contains(words));
    let message = "only `record::NotRestored` says so: make one of the outcome, or say something else";
    literals
        .filter(|literal| says(&literal.text))
        .map(|literal| Problem::new(&file.path, literal.line, message))
        .collect()
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
