//! Which crates may touch files, sockets, programs, standard streams, clocks, the environment and threads. All others are
//! refused, and so is a crate in a list that does not touch it. `docs/generated/touches.md` has the files that do, made from
//! the code, so that another file is read in review.
//!
//! The check covers paths and methods without arguments (`path.exists()`). Other forbidden methods are in the
//! `clippy.toml` of their crate. Tests are exempt, as are `testkit` and `xtask`, which are not installed.

use super::Problem;
use super::modules::{Module, Modules, Source};
use crate::workspace;
use serde::Deserialize;
use std::sync::LazyLock;

/// A resource outside of the program's memory; `allowed.toml` describes its fields.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reach {
    /// Name in ARCHITECTURE.md.
    pub(super) name: String,
    ways: Vec<String>,
    pub(super) crates: Vec<String>,
}

#[derive(Deserialize)]
struct Reaches {
    reach: Vec<Reach>,
}

/// Crates that are not installed.
pub(super) const FREE: [&str; 2] = ["testkit", "xtask"];

/// All checked resources.
pub(super) fn reaches() -> &'static [Reach] {
    static REACHES: LazyLock<Reaches> = LazyLock::new(|| workspace::table(include_str!("allowed.toml")));
    &REACHES.reach
}

/// Crates that touch a resource and may not, and crates that may and do not.
pub(super) fn check(crates: &[Modules]) -> Vec<Problem> {
    check_by(reaches(), crates)
}

fn check_by(reaches: &[Reach], crates: &[Modules]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for reach in reaches {
        for modules in crates.iter().filter(|modules| !FREE.contains(&modules.krate.as_str())) {
            let is_allowed = reach.crates.contains(&modules.krate);
            let mut touches = reach.touches(modules).peekable();
            if is_allowed && touches.peek().is_none() {
                let message = format!("{} does not touch {}: delete it there", modules.krate, reach.name);
                problems.push(Problem::new(THIS_FILE, None, message));
            }
            problems.extend(touches.filter(|_| !is_allowed).map(|(module, line, path)| {
                let message = format!("`{path}` is not allowed here: {THIS_FILE} says who may touch {}", reach.name);
                Problem::new(&module.file, line, message)
            }));
        }
    }
    problems
}

/// File of these lists.
const THIS_FILE: &str = "xtask/src/tidy/allowed.toml";

impl Reach {
    /// Files of a crate that touch it, each with the first line and path that does.
    pub(super) fn touches<'a>(&'a self, modules: &'a Modules) -> impl Iterator<Item = (&'a Module, usize, String)> {
        modules.all.iter().filter_map(|module| {
            let (line, path) = self.first_touch(&module.source)?;
            Some((module, line, path))
        })
    }

    fn first_touch(&self, source: &Source) -> Option<(usize, String)> {
        source.named.iter().find_map(|named| {
            let path = source.whole(&named.segments).join("::");
            let leads =
                |way: &String| path.strip_prefix(way).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"));
            self.ways.iter().any(leads).then_some((named.line, path))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::arrows::Package;
    use crate::workspace::File;

    fn files_of_y() -> Reach {
        let ways = ["std::fs", "rustix::fs", ".exists"].map(str::to_owned).to_vec();
        Reach { name: "files".to_owned(), ways, crates: vec!["y".to_owned()] }
    }

    /// Problems of a crate with this module.
    fn check(name: &str, code: &str, expected: &[&str]) {
        let package = Package { name: name.into(), dependencies: Vec::new() };
        let file =
            |path: &str, text: &str| File { path: format!("{}/src/{path}", package.folder()), text: text.into() };
        let files = [file("lib.rs", "mod c;"), file("c.rs", code)];
        let problems = check_by(&[files_of_y()], &[Modules::of(&package, &files)]);
        let found: Vec<String> = problems.iter().map(Problem::to_string).collect();
        assert_eq!(found, expected, "{code}");
    }

    #[test]
    fn only_listed_crates_pass() {
        let refused = |path: &str, line: usize| {
            format!("crates/x/src/c.rs:{line}: `{path}` is not allowed here: {THIS_FILE} says who may touch files")
        };
        check("x", "fn c() { a::b() }", &[]);
        check("x", "fn c() {\nstd::fs::read(\"x\") }", &[&refused("std::fs::read", 2)]);
        check("x", "use std::{env, fs::File};", &[&refused("std::fs::File", 1)]);
        check("x", "use rustix as r;\nfn c() { r::fs::stat() }", &[&refused("rustix::fs::stat", 2)]);
        check("x", "fn c() { path.exists() }", &[&refused(".exists", 1)]);
        check("x", "fn c() { root.exists(path); self.exists }", &[]);
        check("x", "// std::fs\nfn c() { std::fsx::a(\"std::fs\") }", &[]);
        check("x", "#[cfg(test)] mod tests { use std::fs; }", &[]);
        check("y", "use std::fs; fn a() { fs::read(\"x\") }", &[]);
        check("testkit", "fn c() { std::fs::read() }", &[]);
        let dead = format!("{THIS_FILE}: y does not touch files: delete it there");
        check("y", "fn c() {}", &[&dead]);
    }
}
