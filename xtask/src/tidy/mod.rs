//! Checks that the compiler does not make: fences, arrows, sizes, tables.
//!
//! Each check is a pure function of text that returns its problems. `cargo test` runs all of them over the checkout;
//! `cargo xtask tidy` prints the same list.

mod allowed;
mod architecture;
mod arrows;
mod circles;
mod documents;
mod fences;
mod links;
mod log_format;
mod modules;
mod parsers;
mod recursion;
mod rust;
mod source;
mod tables;
mod test_programs;

use crate::workspace::{self, File};
use anyhow::{Result, ensure};
use modules::Modules;
use std::fmt;

/// A violation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    /// File, relative to the workspace.
    path: String,
    /// Line, from 1.
    line: Option<usize>,
    /// Problem and remedy.
    message: String,
}

impl Problem {
    fn new(path: &str, line: impl Into<Option<usize>>, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line: line.into(), message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.path, self.message),
            None => write!(f, "{}: {}", self.path, self.message),
        }
    }
}

/// All violations in the checkout.
fn problems() -> Result<Vec<Problem>> {
    let files = workspace::files(|path| [".rs", ".md", ".toml", ".tsv"].iter().any(|end| path.ends_with(end)))?;
    let of = |end: &'static str| files.iter().filter(move |file| file.path.ends_with(end));
    let mut problems = Vec::new();
    for file in of(".rs") {
        problems.extend(source::check(file));
    }
    for file in of(".tsv").filter(|file| file.path.starts_with("data/")) {
        problems.extend(tables::check(file));
    }
    let packages = arrows::packages(&workspace::metadata()?);
    problems.extend(arrows::check(&packages));
    problems.extend(fences::dead_rows(&packages));
    problems.extend(fences::check(&packages, &files));
    let crates: Vec<Modules> = packages.iter().map(|package| Modules::of(package, &files)).collect();
    problems.extend(allowed::check(&crates));
    problems.extend(circles::check(&crates));
    problems.extend(documents::check(&files, &workspace::paths()?));
    problems.extend(links::check(&files, &workspace::paths()?));
    problems.extend(parsers::check(&files));
    problems.extend(recursion::check(&files));
    problems.extend(test_programs::check(&files));
    problems.extend(find(&files, "data/log_format.tsv").into_iter().flat_map(log_format::check));
    let text = |path: &str| find(&files, path).map(|file| file.text.as_str());
    if let (Some(manifest), Some(dependencies)) = (text("Cargo.toml"), text("docs/dependencies.md")) {
        problems.extend(arrows::check_reasons(manifest, dependencies));
    }
    let notices = crate::licences::differences()?;
    problems.extend(notices.iter().map(|line| Problem::new("crates/licences/third-party.txt", None, line.clone())));
    Ok(problems)
}

/// Paths and texts of documents generated from the checks.
pub(crate) fn tables_of_code(architecture: &str) -> Result<Vec<(String, String)>> {
    let files = workspace::files(|path| path.ends_with(".rs"))?;
    let packages = arrows::packages(&workspace::metadata()?);
    let crates: Vec<Modules> = packages.iter().map(|package| Modules::of(package, &files)).collect();
    architecture::pages(architecture, &packages, &crates, &files)
}

/// String literals of a Rust file as written, without those of tests.
pub(crate) fn string_literals(text: &str) -> Vec<String> {
    rust::tokens(text).iter().filter_map(|token| token.string().map(str::to_owned)).collect()
}

fn find<'a>(files: &'a [File], path: &str) -> Option<&'a File> {
    files.iter().find(|file| file.path == path)
}

/// Prints all violations and fails if there are any.
pub(crate) fn main() -> Result<()> {
    let problems = problems()?;
    for problem in &problems {
        println!("{problem}");
    }
    ensure!(problems.is_empty(), "{} problems", problems.len());
    println!("tidy");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkout_is_tidy() {
        let problems: Vec<String> =
            problems().expect("the checkout can be read").iter().map(Problem::to_string).collect();
        assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
    }
}
