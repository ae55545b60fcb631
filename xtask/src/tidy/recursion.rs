//! Recursion needs a bound: a function that calls itself once per match in foreign text overflows the stack, which ends
//! the process. Each function that can reach itself within its file is in a list, with the bound of its depth.
//!
//! Calls are found by name: plain ones, those of `Self`, and those on `self`.

use super::rust::{Function, Token, functions, tokens};
use super::{Problem, source};
use crate::workspace::{self, File};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// A function that may call itself.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RecursionBound {
    file: String,
    function: String,
    /// Bound of the depth.
    bound: String,
}

#[derive(Deserialize)]
struct Table {
    bounded: Vec<RecursionBound>,
}

/// File of the list.
const LIST: &str = "xtask/src/tidy/recursion.toml";

/// Functions without a row, and rows without such a function.
pub(super) fn check(files: &[File]) -> Vec<Problem> {
    check_by(&workspace::table::<Table>(include_str!("recursion.toml")).bounded, files)
}

fn check_by(rows: &[RecursionBound], files: &[File]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut needed = vec![false; rows.len()];
    for file in files.iter().filter(|file| source::is_of_program(&file.path)) {
        for (name, line) in recursive(&file.text) {
            match rows.iter().position(|row| row.file == file.path && row.function == name) {
                Some(at) => needed[at] = true,
                None => {
                    let message = format!("`{name}` calls itself: use a loop, or add what bounds its depth to {LIST}");
                    problems.push(Problem::new(&file.path, line, message));
                }
            }
        }
    }
    let dead = rows.iter().zip(needed).filter(|(_, needed)| !needed);
    problems.extend(dead.map(|(row, _)| {
        let message = format!("{}: `{}` ({}) does not call itself: delete the row", row.file, row.function, row.bound);
        Problem::new(LIST, None, message)
    }));
    problems
}

/// The functions of a file that can reach themselves, with their lines.
fn recursive(text: &str) -> Vec<(String, usize)> {
    let tokens = tokens(text);
    let functions = functions(&tokens);
    let mut calls: BTreeMap<Key, BTreeSet<Key>> = BTreeMap::new();
    for function in &functions {
        let body = function.open..function.close;
        // Calls in a nested function belong to that function.
        let inner: Vec<_> =
            functions.iter().filter(|inner| inner.open > body.start && inner.close < body.end).collect();
        let variable =
            |name: &str| tokens[body.clone()].windows(2).any(|two| two[0].text == "let" && two[1].text == name);
        for at in body.clone().filter(|at| !inner.iter().any(|inner| (inner.open..inner.close).contains(at))) {
            let called =
                call(&tokens, at).filter(|called| functions.iter().any(|function| Key::of(function) == *called));
            if let Some(called) = called.filter(|called| called.is_method || !variable(called.name)) {
                calls.entry(Key::of(function)).or_default().insert(called);
            }
        }
    }
    let is_recursive = |key: Key| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![key]);
        while let Some(at) = next.pop() {
            next.extend(calls.get(&at).into_iter().flatten().filter(|to| seen.insert(**to)));
        }
        seen.contains(&key)
    };
    let mut keys = BTreeSet::new();
    let found = functions.iter().filter(|function| is_recursive(Key::of(function)) && keys.insert(Key::of(function)));
    found.map(|function| (function.name.to_owned(), function.line)).collect()
}

/// Name of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key<'a> {
    name: &'a str,
    /// Whether it is in an `impl` or a `trait`.
    is_method: bool,
}

impl<'a> Key<'a> {
    fn of(function: &Function<'a>) -> Self {
        Self { name: function.name, is_method: function.is_method }
    }
}

/// The function that is called here: `name(`, `Self::name(` or `self.name(`.
fn call(tokens: &[Token], at: usize) -> Option<Key<'_>> {
    let text = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("", |token| token.text.as_str());
    let before = |by: usize| text(at.checked_sub(by));
    if !tokens[at].is_word() || text(Some(at + 1)) != "(" {
        return None;
    }
    let is_method = match before(1) {
        "fn" => return None,
        "::" if before(2) == "Self" && before(3) != "::" => true,
        "." if before(2) == "self" && before(3) != "." => true,
        "::" | "." => return None,
        _ => false,
    };
    Some(Key { name: &tokens[at].text, is_method })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(code: &str, expected: &[&str]) {
        let found = recursive(code);
        let found: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(found, expected, "{code}");
    }

    #[test]
    fn functions_that_reach_themselves_are_found() {
        check("fn a(x: &str) { if x.is_empty() { return } a(&x[1..]) }", &["a"]);
        check("fn a() { b() } fn b() { c() } fn c() { a() } fn d() { a() }", &["a", "b", "c"]);
        check("impl X { fn a(&self) { self.a() } fn b() { Self::b() } }", &["a", "b"]);
        check("fn a() { fn b() { a() } }", &[]);
        check("fn a(&self) { self.inner.a(); X::a(); x::Self::a(); y().a() }", &[]);
        check("fn a() { let a = |x| x; a(a) }", &[]);
        check("fn a() {} impl X { fn a(&self) { a() } }", &[]);
        check("fn a(x: impl Fn()) { x() } fn b(x: impl Fn()) { b(x) }", &["b"]);
        check("#[cfg(test)] mod tests { fn a() { a() } }", &[]);
        check("fn a(); // a()\nfn b() { \"b()\"; }", &[]);
    }

    #[test]
    fn rows_are_needed() {
        let file = |text: &str| File { path: "crates/x/src/a.rs".into(), text: text.into() };
        let [path, name, bound] = ["crates/x/src/a.rs", "a", "folders are 16 deep"].map(str::to_owned);
        let rows = [RecursionBound { file: path, function: name, bound }];
        assert_eq!(check_by(&rows, &[file("fn a() { a() }")]), []);
        let dead = check_by(&rows, &[file("fn a() {}")]);
        assert_eq!(dead.len(), 1);
        assert_eq!(check_by(&[], &[file("fn a() { a() }")])[0].line, Some(1));
    }
}
