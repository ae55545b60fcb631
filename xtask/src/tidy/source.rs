//! Limits of a Rust file: opening sentence, length, length of functions, and tests that return early. Lines of tests do not
//! count.

use super::Problem;
use super::rust::{self, Token};
use crate::workspace::{self, File};
use serde::Deserialize;
use std::sync::LazyLock;

/// Maximum length of a file, in lines without its tests.
const FILE_LINES_MAX: usize = 450;
/// Maximum length of a function, in lines between its braces: one screen.
const FUNCTION_LINES_MAX: usize = 70;

/// Whether a Rust file is compiled into an installed program.
pub(super) fn is_of_program(path: &str) -> bool {
    let is_source = path.starts_with("crates/") && path.split('/').nth(2) == Some("src") && path.ends_with(".rs");
    is_source && !["crates/testkit/", "/tests", "/testing"].iter().any(|part| path.contains(part))
}

/// Violations in a Rust file.
pub(super) fn check(file: &File) -> Vec<Problem> {
    let mut problems = Vec::new();
    let says_what_it_is = file
        .text
        .strip_prefix("//! ")
        .and_then(|rest| rest.lines().next())
        .is_some_and(|sentence| sentence.contains(' '));
    if !says_what_it_is {
        problems.push(Problem::new(&file.path, 1, "open with `//!` and a sentence: what it is and what it is not"));
    }
    problems.extend(tests_of_documentation(file));
    let code = rust::code_only(&file.text);
    let tokens = rust::all_tokens(&file.text);
    let functions = rust::functions(&tokens);
    let bodies = functions.iter().filter(|function| function.is_test).map(|test| &tokens[test.open..=test.close]);
    let is_silent = |two: &&[Token]| two[0].text == "return" && [";", "}", ","].contains(&two[1].text.as_str());
    for two in bodies.flat_map(|body| body.windows(2).filter(is_silent)) {
        problems.push(Problem::new(
            &file.path,
            two[0].line,
            "a test that returns early passes in silence: `return testkit::skip(why)`, or `testkit::needs!` and `testkit::found!` where a helper has said why",
        ));
    }
    if file.path.contains("/tests/") || file.path.ends_with("/tests.rs") {
        return problems;
    }
    let lines = rust::lines_without_tests(&code);
    problems.extend(doors(&file.path, &code, lines));
    if lines > FILE_LINES_MAX {
        problems.push(Problem::new(
            &file.path,
            None,
            format!("{lines} lines without tests; {FILE_LINES_MAX} is the limit, one idea per file"),
        ));
    }
    for function in functions.iter().filter(|function| function.line <= lines) {
        let body_lines = (tokens[function.close].line - tokens[function.open].line).saturating_sub(1);
        if body_lines > FUNCTION_LINES_MAX {
            let message = format!("`{}` has {body_lines} lines; {FUNCTION_LINES_MAX} is the limit", function.name);
            problems.push(Problem::new(&file.path, function.line, message));
        }
    }
    problems
}

/// Blocks of Rust in documentation, which are tests that nothing runs.
fn tests_of_documentation(file: &File) -> Vec<Problem> {
    let mut is_inside = false;
    let comment =
        |line: &str| Some(line.trim().strip_prefix("//!").or(line.trim().strip_prefix("///"))?.trim().to_owned());
    let is_test = |line: &str| {
        let Some(language) = comment(line).and_then(|text| Some(text.strip_prefix("```")?.to_owned())) else {
            return false;
        };
        is_inside = !is_inside;
        is_inside && (language.is_empty() || language.starts_with("rust"))
    };
    let lines: Vec<bool> = file.text.lines().map(is_test).collect();
    let tests = (1..).zip(lines).filter(|(_, is_test)| *is_test);
    tests
        .map(|(line, _)| {
            Problem::new(&file.path, line, "nothing runs this example: write a test, or name the block's language")
        })
        .collect()
}

/// Calls that code of programs may contain in some folders only; `doors.toml` describes its fields.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Door {
    calls: Vec<String>,
    within: String,
    homes: Vec<String>,
    instead: String,
}

#[derive(Deserialize)]
struct Doors {
    door: Vec<Door>,
}

static DOORS: LazyLock<Doors> = LazyLock::new(|| workspace::table(include_str!("doors.toml")));

/// Calls that do not belong into this file.
fn doors(path: &str, code: &str, lines: usize) -> Vec<Problem> {
    let is_refused = |door: &&Door| {
        is_of_program(path) && path.starts_with(&door.within) && !door.homes.iter().any(|home| path.starts_with(home))
    };
    let refused: Vec<&Door> = DOORS.door.iter().filter(is_refused).collect();
    let lines = code.lines().take(lines).enumerate();
    let door_in = |line: &str| refused.iter().find(|door| door.calls.iter().any(|call| line.contains(call)));
    lines.filter_map(|(index, line)| Some(Problem::new(path, index + 1, door_in(line)?.instead.as_str()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_text(path: &str, text: String) -> Vec<String> {
        let path = path.to_owned();
        check(&File { path, text }).iter().map(Problem::to_string).collect()
    }

    #[test]
    fn file_says_what_it_is() {
        let good = "//! Reads a file.\nfn main() {}\n";
        assert!(check_text("a/src/b.rs", good.into()).is_empty());
        for bad in ["fn main() {}\n", "//! x\n", "// Reads a file.\n", ""] {
            assert_eq!(check_text("a/src/b.rs", bad.into()).len(), 1, "{bad:?}");
        }
    }

    #[test]
    fn tests_that_return_early_are_named() {
        let test = |body: &str| {
            let text = format!("//! A test.\n#[test]\nfn f() {{\n    {body}\n}}\nfn g() {{ return; }}\n");
            check_text("a/tests/b.rs", text).len()
        };
        assert_eq!(test("let Some(x) = y() else { return };"), 1);
        assert_eq!(test("if z {\n        return;\n    }"), 1);
        assert_eq!(test("if z { return skip(\"return;\"); }"), 0);
        assert_eq!(test("let a = || { return 1; };"), 0);
    }

    #[test]
    fn examples_that_nothing_runs_are_named() {
        let count = |block: &str| check_text("a/src/b.rs", format!("//! A file.\n//! {block}\n//! x\n//! ```\n")).len();
        assert_eq!((count("```"), count("```rust,ignore"), count("```text"), count("`a`")), (1, 1, 0, 1));
    }

    #[test]
    fn calls_stay_in_their_folders() {
        let count = |path: &str, line: &str| check_text(path, format!("//! A file.\n{line}\n")).len();
        assert_eq!(count("crates/explain/src/a.rs", "const A: RuleId = RuleId::own(\"a\");"), 1);
        assert_eq!(count("crates/rules/src/a.rs", "const A: RuleId = RuleId::own(\"a\");"), 0);
        assert_eq!(count("crates/explain/src/a.rs", "const A: &str = \"RuleId::own(\";"), 0);
        assert_eq!(count("crates/rules/src/a.rs", "fn a() { finding.explains(1) }"), 1);
        assert_eq!(count("crates/app/src/a.rs", "fn a() { fs::write(x) }"), 1);
        assert_eq!(count("crates/hub/src/a.rs", "fn a() { fs::write(x) }"), 0);
    }

    #[test]
    fn long_files_and_functions_are_named() {
        let function = |lines: usize| format!("fn f() {{\n{}}}\n", "    g();\n".repeat(lines));
        let file = |rest: String| format!("//! A test.\n{rest}");
        let path = "a/src/b.rs";
        assert!(check_text(path, file(function(FUNCTION_LINES_MAX))).is_empty());
        assert_eq!(
            check_text(path, file(function(FUNCTION_LINES_MAX + 1))),
            ["a/src/b.rs:2: `f` has 71 lines; 70 is the limit"]
        );
        assert!(check_text(path, file("\n".repeat(FILE_LINES_MAX - 1))).is_empty());
        assert_eq!(check_text(path, file("\n".repeat(FILE_LINES_MAX))).len(), 1);
        let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", function(500));
        assert!(check_text(path, file(tests)).is_empty());
        assert!(check_text("a/tests/b.rs", file(function(500))).is_empty());
    }
}
