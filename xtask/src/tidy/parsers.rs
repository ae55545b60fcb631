//! Code that reads foreign bytes is fuzzed: each file with a function `parse` or `parse_x` of text or bytes has a row in
//! `fuzz/parsers.tsv` with its fuzz target, or with the reason why it needs none.

use super::rust::{functions, tokens};
use super::{Problem, find, source};
use crate::workspace::File;

const TABLE: &str = "fuzz/parsers.tsv";
/// Files that register targets by name in quotes.
const TARGETS: [&str; 4] = [
    "fuzz/src/targets.rs",
    "crates/bench/src/foreign/mod.rs",
    "crates/net/src/meters/foreign.rs",
    "crates/workloads/src/foreign.rs",
];
const MACHINE: &str = "crates/machine/src/foreign.rs";
/// Marks a file without a target. The reason follows in the next column.
const NONE: &str = "-";

/// Parsers without a row, rows without a parser, and targets that do not exist.
pub(super) fn check(files: &[File]) -> Vec<Problem> {
    let Some(table) = find(files, TABLE) else { return vec![Problem::new(TABLE, None, "is missing")] };
    let lines = table.text.lines().enumerate();
    let rows: Vec<(usize, Vec<&str>)> = lines
        .filter(|(_, line)| !line.starts_with('#') && !line.is_empty())
        .map(|(line, text)| (line + 1, text.split('\t').collect()))
        .collect();
    let mut problems = Vec::new();
    for file in files.iter().filter(|file| has_parser(file)) {
        if !rows.iter().any(|(_, cells)| cells[0] == file.path) {
            let message = format!("reads bytes: {TABLE} has to name its fuzz target");
            problems.push(Problem::new(&file.path, None, message));
        }
    }
    for (line, cells) in &rows {
        let problem = |message: String| Problem::new(TABLE, *line, message);
        let [path, target, rest @ ..] = cells.as_slice() else {
            problems.push(problem("has no target".to_owned()));
            continue;
        };
        if !find(files, path).is_some_and(has_parser) {
            problems.push(problem(format!("{path} has no parser")));
        }
        if *target == NONE {
            if rest.first().is_none_or(|why| why.is_empty()) {
                problems.push(problem(format!("gives no reason why {path} has no target")));
            }
        } else if !is_registered(files, target) {
            problems.push(problem(format!("there is no target {target}")));
        }
    }
    problems
}

fn is_registered(files: &[File], target: &str) -> bool {
    let name = format!("\"{target}\"");
    let mut tables = TARGETS.iter().chain([&MACHINE]);
    tables.any(|path| find(files, path).is_some_and(|file| file.text.contains(&name)))
}

/// Whether code other than tests has a function `parse` or `parse_x` of text or bytes.
fn has_parser(file: &File) -> bool {
    if !source::is_of_program(&file.path) {
        return false;
    }
    let tokens = tokens(&file.text);
    functions(&tokens).iter().filter(|function| function.name == "parse" || function.name.starts_with("parse_")).any(
        |parser| {
            let signature: Vec<&str> = tokens[parser.at..parser.open].iter().map(|token| token.text.as_str()).collect();
            let is_foreign = |type_of: &[&str]| signature.windows(type_of.len()).any(|words| words == type_of);
            is_foreign(&["&", "str"]) || is_foreign(&["&", "[", "u8", "]"])
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> File {
        File { path: path.to_owned(), text: text.to_owned() }
    }

    fn check(parser: &str, table: &str, expected: &[&str]) {
        let files = [
            file("crates/machine/src/x.rs", parser),
            file(TABLE, table),
            file("fuzz/src/targets.rs", "(\"board\", f)"),
        ];
        let found: Vec<String> = super::check(&files).iter().map(Problem::to_string).collect();
        assert_eq!(found, expected, "{parser}");
    }

    #[test]
    fn every_parser_has_its_row() {
        let parser = "fn parse_x(\n    text: &str,\n) -> u32 { 0 }";
        let missing = "crates/machine/src/x.rs: reads bytes: fuzz/parsers.tsv has to name its fuzz target";
        let row = "crates/machine/src/x.rs\tboard\n";
        check(parser, row, &[]);
        check(parser, "# a remark\n", &[missing]);
        check("fn parse(bytes: &[u8]) {}", "", &[missing]);
        check("fn parsed(text: &str) {}", "", &[]);
        check("fn parse(number: u32) { f(\"&str\") }", "", &[]);
        check("#[cfg(test)] mod tests {\nfn parse(text: &str) {} }", "", &[]);
        let stale = "fuzz/parsers.tsv:1: crates/machine/src/x.rs has no parser";
        check("fn other() {}", row, &[stale]);
    }

    #[test]
    fn every_row_has_a_target_or_a_reason() {
        let parser = "fn parse(text: &str) {}";
        let check = |row: &str, expected| check(parser, &format!("crates/machine/src/x.rs{row}"), expected);
        check("\tnone", &["fuzz/parsers.tsv:1: there is no target none"]);
        check("\t-\ttyped by its user", &[]);
        check("\t-", &["fuzz/parsers.tsv:1: gives no reason why crates/machine/src/x.rs has no target"]);
        check("", &["fuzz/parsers.tsv:1: has no target"]);
    }
}
