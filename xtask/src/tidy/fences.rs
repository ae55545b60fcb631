//! That every crate keeps its fence: a `clippy.toml` of its own, and no `unsafe` but where it has
//! its home.
//!
//! What is inside the fences (which calls are refused and why) stands in those files; the
//! compiler and clippy enforce it.

use super::arrows::Package;
use super::{Problem, find, rust};
use crate::workspace::File;

/// Places of a crate that may contain `unsafe`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unsafe {
    /// Nowhere: `#![forbid(unsafe_code)]`.
    Nowhere,
    /// In this file alone: `#![deny(unsafe_code)]`, allowed at its head.
    OneFile(&'static str),
    /// Anywhere: it is the home of `unsafe`.
    Home,
}

/// A crate's fence.
struct Fence {
    name: &'static str,
    /// Whether it must refuse calls by a `clippy.toml`. Programs, the terminal and test crates may call anything.
    refuses_calls: bool,
    unsafety: Unsafe,
    /// Line budget: maximum number of lines of Rust, with tests. A row is raised by the change that needs more.
    lines_max: usize,
}

const FENCES: &[Fence] = &[
    fence("allocator", true, Unsafe::Home, 310),
    fence("app", false, Unsafe::Nowhere, 20_470),
    fence("archive", true, Unsafe::Nowhere, 430),
    fence("bench", true, Unsafe::Nowhere, 10_220),
    fence("compare", true, Unsafe::Nowhere, 7_220),
    fence("console", false, Unsafe::Nowhere, 4_850),
    fence("explain", true, Unsafe::Nowhere, 9_450),
    fence("facts", true, Unsafe::Nowhere, 18_790),
    fence("hub", false, Unsafe::Nowhere, 14_160),
    fence("identify", true, Unsafe::Nowhere, 3_980),
    fence("licences", true, Unsafe::Nowhere, 50),
    fence("logs", true, Unsafe::Nowhere, 8_650),
    fence("microbench", true, Unsafe::Home, 6_900),
    fence("machine", true, Unsafe::OneFile("src/syscall.rs"), 21_480),
    fence("net", true, Unsafe::Nowhere, 5_980),
    fence("page", true, Unsafe::Nowhere, 5_480),
    fence("process", true, Unsafe::Nowhere, 3_470),
    fence("redact", true, Unsafe::Nowhere, 2_920),
    fence("report", true, Unsafe::Nowhere, 3_990),
    fence("record", true, Unsafe::Nowhere, 8_770),
    fence("rules", true, Unsafe::Nowhere, 20_550),
    fence("testkit", false, Unsafe::Nowhere, 4_010),
    fence("web", true, Unsafe::Nowhere, 650),
    fence("workloads", true, Unsafe::Nowhere, 10_350),
    fence("xtask", false, Unsafe::Nowhere, 14_750),
];

const fn fence(name: &'static str, refuses_calls: bool, unsafety: Unsafe, lines_max: usize) -> Fence {
    Fence { name, refuses_calls, unsafety, lines_max }
}

/// Places of a crate that may contain `unsafe`, in words.
pub(super) fn home_of_unsafe(name: &str) -> String {
    match FENCES.iter().find(|fence| fence.name == name).map(|fence| fence.unsafety) {
        Some(Unsafe::Home) => "anywhere".to_owned(),
        Some(Unsafe::OneFile(file)) => format!("`{name}/{file}`"),
        Some(Unsafe::Nowhere) | None => "-".to_owned(),
    }
}

/// Fences around nothing.
pub(super) fn dead_rows(packages: &[Package]) -> Vec<Problem> {
    let dead = FENCES.iter().filter(|fence| !packages.iter().any(|package| package.name == fence.name));
    let message = |fence: &Fence| format!("there is no crate {}: delete its fence", fence.name);
    dead.map(|fence| Problem::new("xtask/src/tidy/fences.rs", None, message(fence))).collect()
}

/// Fences that are missing or broken.
pub(super) fn check(packages: &[Package], files: &[File]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for package in packages {
        let folder = package.folder();
        let Some(fence) = FENCES.iter().find(|fence| fence.name == package.name) else {
            let message = "a new crate: give it its fence in xtask/src/tidy/fences.rs";
            problems.push(Problem::new(&folder, None, message));
            continue;
        };
        problems.extend(check_calls(fence, &folder, files));
        problems.extend(check_unsafe(fence, &folder, files));
        problems.extend(check_lints(&folder, files));
        problems.extend(check_lines(fence, &folder, files));
    }
    problems
}

fn check_lines(fence: &Fence, folder: &str, files: &[File]) -> Option<Problem> {
    let inside = format!("{folder}/");
    let of_crate = files.iter().filter(|file| file.path.starts_with(&inside) && file.path.ends_with(".rs"));
    let lines: usize = of_crate.map(|file| file.text.lines().count()).sum();
    let message = || {
        format!(
            "{lines} lines; the budget is {}: make something simpler, or raise the row in this change",
            fence.lines_max
        )
    };
    (lines > fence.lines_max).then(|| Problem::new(folder, None, message()))
}

fn check_calls(fence: &Fence, folder: &str, files: &[File]) -> Option<Problem> {
    let path = format!("{folder}/clippy.toml");
    let refuses = find(files, &path)
        .is_some_and(|file| file.text.contains("disallowed-methods") && file.text.contains("reason ="));
    (fence.refuses_calls && !refuses)
        .then(|| Problem::new(&path, None, "refuse what this crate never calls, with the reason"))
}

fn check_unsafe(fence: &Fence, folder: &str, files: &[File]) -> Vec<Problem> {
    let (attribute, home) = match fence.unsafety {
        Unsafe::Nowhere => ("#![forbid(unsafe_code)]", None),
        Unsafe::OneFile(home) => ("#![deny(unsafe_code)]", Some(format!("{folder}/{home}"))),
        Unsafe::Home => return Vec::new(),
    };
    let mut problems = Vec::new();
    let heads = [format!("{folder}/src/lib.rs"), format!("{folder}/src/main.rs")];
    for head in heads.iter().filter_map(|path| find(files, path)) {
        if !head.text.lines().any(|line| line == attribute) {
            problems.push(Problem::new(&head.path, None, format!("no `{attribute}`")));
        }
    }
    let inside = format!("{folder}/src/");
    let others = files
        .iter()
        .filter(|file| file.path.starts_with(&inside) && file.path.ends_with(".rs"))
        .filter(|file| Some(&file.path) != home.as_ref());
    for file in others {
        let allows = |line: &str| line.contains("allow(") && line.contains("unsafe_code");
        let code = rust::code_only(&file.text);
        if let Some(index) = code.lines().position(allows) {
            problems.push(Problem::new(
                &file.path,
                index + 1,
                "`unsafe` has its home in allocator, in microbench and in machine/src/syscall.rs",
            ));
        }
    }
    problems
}

/// A crate has the lints of the workspace only if its manifest asks for them.
fn check_lints(folder: &str, files: &[File]) -> Option<Problem> {
    let path = format!("{folder}/Cargo.toml");
    let binds = find(files, &path).is_some_and(|file| file.text.contains("[lints]\nworkspace = true"));
    (!binds).then(|| Problem::new(&path, None, "no `[lints] workspace = true`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Problems of a crate with these files, which are named from its folder.
    fn found(name: &str, files: &[(&str, &str)]) -> Vec<String> {
        let package = Package { name: name.into(), dependencies: Vec::new() };
        let manifest = ("Cargo.toml", "[lints]\nworkspace = true\n");
        let files: Vec<File> = std::iter::once(&manifest)
            .chain(files)
            .map(|(path, text)| File { path: format!("{}/{path}", package.folder()), text: (*text).into() })
            .collect();
        check(&[package], &files).iter().map(Problem::to_string).collect()
    }

    const CALLS: (&str, &str) = ("clippy.toml", "disallowed-methods = [{ path = \"x\", reason = \"y\" }]");
    const FORBIDS: &str = "//! A test.\n#![forbid(unsafe_code)]\n";
    const DENIES: &str = "//! A test.\n#![deny(unsafe_code)]\n";
    const ALLOWS: &str = "//! A test.\n#![allow(unsafe_code)]\n";

    #[test]
    fn whole_fence_passes() {
        let none: [&str; 0] = [];
        assert_eq!(found("record", &[CALLS, ("src/lib.rs", FORBIDS)]), none);
        assert_eq!(found("app", &[("src/main.rs", FORBIDS)]), none);
        assert_eq!(found("microbench", &[CALLS, ("src/lib.rs", ALLOWS)]), none);
        let syscall = ("src/syscall.rs", ALLOWS);
        assert_eq!(found("machine", &[CALLS, ("src/lib.rs", DENIES), syscall]), none);
    }

    #[test]
    fn a_fence_around_nothing_is_refused() {
        let package = |fence: &Fence| Package { name: fence.name.into(), dependencies: Vec::new() };
        let mut packages: Vec<Package> = FENCES.iter().map(package).collect();
        assert_eq!(dead_rows(&packages), []);
        packages.retain(|package| package.name != "record");
        assert_eq!(
            dead_rows(&packages)[0].to_string(),
            "xtask/src/tidy/fences.rs: there is no crate record: delete its fence"
        );
    }

    #[test]
    fn a_crate_beyond_its_budget_is_reported() {
        let head = format!("{FORBIDS}{}", "\n".repeat(680));
        assert_eq!(
            found("web", &[CALLS, ("src/lib.rs", &head)]),
            ["crates/web: 682 lines; the budget is 650: make something simpler, or raise the row in this change"]
        );
    }

    #[test]
    fn missing_fence_is_reported() {
        assert_eq!(
            found("record", &[("src/lib.rs", FORBIDS)]),
            ["crates/record/clippy.toml: refuse what this crate never calls, with the reason"]
        );
        assert_eq!(
            found("record", &[CALLS, ("src/lib.rs", "//! A test.\n")]),
            ["crates/record/src/lib.rs: no `#![forbid(unsafe_code)]`"]
        );
        assert_eq!(
            found("machine", &[CALLS, ("src/lib.rs", DENIES), ("src/root.rs", ALLOWS)]),
            [
                "crates/machine/src/root.rs:2: `unsafe` has its home in allocator, in microbench and in machine/src/syscall.rs"
            ]
        );
        assert_eq!(found("new", &[]).len(), 1);
    }
}
