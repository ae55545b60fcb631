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
        for (line, words) in words_as_code(&document.text) {
            for (at, &(word, behind)) in words.iter().enumerate() {
                let file =
                    words.get(at + 1).map(|&(file, _)| file).filter(|file| file.ends_with(".rs") && !is_made_up(file));
                let message = match file {
                    _ if is_path(word) => {
                        let lost = spelled_out(word).into_iter().find(|path| !is_there(path, paths));
                        lost.map(|path| format!("there is no `{path}`"))
                    }
                    Some(file) if [" of ", " in "].contains(&behind) && is_name(word) => {
                        (!is_defined(word, files.iter().filter(|known| is_end(&known.path, file))))
                            .then(|| format!("there is no `{word}` in `{file}`"))
                    }
                    _ if is_table(word) => (!is_defined(word, files.iter().filter(|file| file.path.ends_with(".rs"))))
                        .then(|| format!("there is no table `{word}`")),
                    _ => None,
                };
                problems.extend(message.map(|message| Problem::new(&document.path, line, message)));
            }
        }
    }
    problems
}

/// Whether one of the files defines a type, a table, a function or a macro.
fn is_defined<'a>(word: &str, mut files: impl Iterator<Item = &'a File>) -> bool {
    const KINDS: [&str; 7] = ["const", "static", "struct", "enum", "trait", "fn", "macro_rules!"];
    let name = word.trim_end_matches('!');
    files.any(|file| {
        let is_one = |kind: &str| {
            let definition = format!("{kind} {name}");
            let mut ends = file.text.match_indices(&definition).map(|(at, found)| &file.text[at + found.len()..]);
            ends.any(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        };
        KINDS.into_iter().any(is_one)
    })
}

/// Texts between backticks of a line outside of code blocks, each with the prose behind it.
fn words_as_code(text: &str) -> impl Iterator<Item = (usize, Vec<(&str, &str)>)> {
    prose(text).map(|(number, line)| {
        let parts: Vec<&str> = line.split('`').skip(1).collect();
        (number, parts.chunks(2).map(|pair| (pair[0], pair.get(1).copied().unwrap_or_default())).collect())
    })
}

/// Whether a word must be a file or folder of the checkout.
fn is_path(word: &str) -> bool {
    let is_plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "_-./{},".contains(c));
    let ends = [".rs", ".tsv", ".toml", ".md"].iter().any(|end| word.ends_with(end));
    let is_folder = word.contains("src/") || word.ends_with("/tests");
    is_plain && !is_made_up(word) && !word.starts_with(['/', '.']) && (ends || is_folder)
}

/// True for a path of a new file.
fn is_made_up(path: &str) -> bool {
    ANY.iter().any(|any| path == *any || path.ends_with(&format!("/{any}")))
}

/// Whether a word is a name of Rust, or the call of a macro without its brackets: `Kind`, `verbs!`.
fn is_name(word: &str) -> bool {
    let name = word.trim_end_matches('!');
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
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
    let is_one = |path: &str| is_end(path, name);
    paths.iter().any(|path| is_one(path) || path.strip_suffix(".rs").is_some_and(is_one) || has_folder(path, name))
}

fn is_end(path: &str, name: &str) -> bool {
    path == name || path.ends_with(&format!("/{name}"))
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
        check(
            "`SENSORS` of `b/mod.rs`, `SENSORS` in `lost.rs`, `Kind` in `c/x.rs`",
            &["STYLE.md:1: there is no `SENSORS` in `lost.rs`", "STYLE.md:1: there is no `lost.rs`"],
        );
        check("`SENSOR` of `b/mod.rs`", &["STYLE.md:1: there is no `SENSOR` in `b/mod.rs`"]);
        check("`a/tests`", &["STYLE.md:1: there is no `a/tests`"]);
    }
}
