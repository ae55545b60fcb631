//! Files, folders and tables named by documents for contributors exist.

use super::Problem;
use super::links::prose;
use crate::workspace::File;

/// Checked documents.
const DOCUMENTS: [&str; 3] = ["ARCHITECTURE.md", "CONTRIBUTING.md", "STYLE.md"];

/// Placeholders for a new file: `sensors/x.rs`.
const ANY: [&str; 2] = ["x.rs", "y.rs"];

/// Names that do not exist.
pub(super) fn check(files: &[File], paths: &[String]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for document in files.iter().filter(|file| DOCUMENTS.contains(&file.path.as_str())) {
        for (line, word) in words_as_code(&document.text) {
            let message = match word {
                _ if is_path(word) => {
                    let lost = spelled_out(word).into_iter().find(|path| !is_there(path, paths));
                    lost.map(|path| format!("there is no `{path}`"))
                }
                _ if is_table(word) => {
                    let is_defined = |kind: &str| {
                        let definition = format!("{kind} {word}:");
                        files.iter().any(|file| file.path.ends_with(".rs") && file.text.contains(&definition))
                    };
                    (!["const", "static"].iter().any(|kind| is_defined(kind)))
                        .then(|| format!("there is no table `{word}`"))
                }
                _ => None,
            };
            problems.extend(message.map(|message| Problem::new(&document.path, line, message)));
        }
    }
    problems
}

/// Texts between backticks outside of code blocks, with their lines.
fn words_as_code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    prose(text).flat_map(|(number, line)| line.split('`').skip(1).step_by(2).map(move |word| (number, word)))
}

/// Whether a word must be a file or folder of the checkout.
fn is_path(word: &str) -> bool {
    let is_plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "_-./{},".contains(c));
    let ends = [".rs", ".tsv", ".toml", ".md"].iter().any(|end| word.ends_with(end));
    let is_made_up = ANY.iter().any(|any| word == *any || word.ends_with(&format!("/{any}")));
    is_plain && !is_made_up && !word.starts_with(['/', '.']) && (ends || word.contains("src/"))
}

/// Whether a word is the name of a table: `SENSORS`.
fn is_table(word: &str) -> bool {
    word.len() > 4 && word.chars().all(|c| c.is_ascii_uppercase())
}

/// Expands `a/{b,c/d}.rs` to `a/b.rs` and `a/c/d.rs`.
fn spelled_out(word: &str) -> Vec<String> {
    let Some((before, rest)) = word.split_once('{') else { return vec![word.to_owned()] };
    let Some((choices, behind)) = rest.split_once('}') else { return vec![word.to_owned()] };
    choices.split(',').flat_map(|choice| spelled_out(&format!("{before}{choice}{behind}"))).collect()
}

/// Whether the path of a file or folder ends with the name: a document may say `run/mod.rs` where the crate is clear.
fn is_there(name: &str, paths: &[String]) -> bool {
    let name = name.trim_end_matches('/');
    let is_end = |path: &str| path == name || path.ends_with(&format!("/{name}"));
    paths.iter().any(|path| is_end(path) || path.strip_suffix(".rs").is_some_and(is_end) || has_folder(path, name))
}

fn has_folder(path: &str, name: &str) -> bool {
    path.starts_with(&format!("{name}/")) || path.contains(&format!("/{name}/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_names_what_is_there() {
        let check = |text: &str, expected: &[&str]| {
            let file = |path: &str, text: &str| File { path: path.into(), text: text.into() };
            let files = [
                file("STYLE.md", text),
                file("crates/a/src/b/mod.rs", "pub const SENSORS: &[Sensor] = &[];"),
                file("c.md", "`d.rs`"),
            ];
            let paths = files.each_ref().map(|file| file.path.clone());
            let found: Vec<String> = super::check(&files, &paths).iter().map(Problem::to_string).collect();
            assert_eq!(found, expected, "{text}");
        };
        check("`crates/a/src/b/mod.rs`, `a/src/b`, `b/mod.rs`, `mod.rs`, `c.md`, `src/{b,b/mod.rs}`", &[]);
        check("\n`b/lost.rs`", &["STYLE.md:2: there is no `b/lost.rs`"]);
        check("`a/src/{b,lost}`", &["STYLE.md:1: there is no `a/src/lost`"]);
        check("`sensors/x.rs`, `/proc/stat`, `b::c`, `f(a.rs)`", &[]);
        check("```rust\n`lost.rs`\n```\n`SENSORS`, `HOME`", &[]);
        check("`RULES`", &["STYLE.md:1: there is no table `RULES`"]);
    }
}
