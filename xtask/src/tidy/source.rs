//! Limits of a Rust file: opening sentence, length, length of functions, and tests that return early. Lines of tests do not
//! count.

use super::Problem;
use super::rust::{self, Token};
use crate::workspace::File;

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
    problems.extend(own_writes(&file.path, &code, lines));
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

/// Calls that create files without the checks of `machine::files`.
const WRITES: [&str; 5] = ["File::create", "File::options", "OpenOptions", "fs::write(", "DirBuilder"];

/// Calls of the program that create files without `machine::files`.
fn own_writes(path: &str, code: &str, lines: usize) -> Vec<Problem> {
    if !path.starts_with("crates/app/src/") {
        return Vec::new();
    }
    let lines = code.lines().take(lines).enumerate();
    let past = lines.filter(|(_, line)| WRITES.iter().any(|way| line.contains(way)));
    past.map(|(index, _)| {
        Problem::new(path, index + 1, "create files by `machine::files`, which follows no links and checks the owner")
    })
    .collect()
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
