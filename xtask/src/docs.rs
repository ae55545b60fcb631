//! Documents generated from the code: the JSON Schema of the Record, tables of code and commands, and a page
//! for each rule. A test fails if they are out of date.

mod book;
mod commands;
mod rules;
mod source;

use crate::{tidy, workspace};
use anyhow::{Context, Result, ensure};
use std::process::Command;

const SCHEMA: &str = "docs/record.schema.json";
/// Directory of the pages of rules.
const RULES: &str = "docs/rules/";
/// Page of commands. A test of the program checks that it is up to date.
const COMMANDS: &str = "docs/commands.md";
/// Document with generated parts.
const ARCHITECTURE: &str = "ARCHITECTURE.md";

/// The JSON Schema of the Record. A separate process writes it, so that `xtask` can use `record` without the feature `schema`.
fn schema() -> Result<String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["run", "--quiet", "--locked", "--package", "sbc-bench-record", "--features", "schema"]);
    let output = cargo.args(["--example", "schema"]).current_dir(workspace::root()).output()?;
    ensure!(output.status.success(), "no schema: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?)
}

/// Paths and texts of all generated files.
fn made() -> Result<Vec<(String, String)>> {
    let path = workspace::root().join(ARCHITECTURE);
    let document = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let mut made = vec![(SCHEMA.to_owned(), schema()?)];
    made.extend(tidy::tables_of_code(&document)?);
    made.extend(rules::pages()?);
    made.push(book::summary()?);
    Ok(made)
}

/// Builds the program and returns a function that reads the help text of a command.
fn help() -> Result<impl Fn(&[&str]) -> Result<String>> {
    let program = workspace::built_for_tests("sbc-bench")?;
    Ok(move |words: &[&str]| {
        let mut command = Command::new(&program);
        // Help shows the values of the first two, and wraps at the third.
        for name in ["SBC_BENCH_HUB", "SBC_BENCH_HUB_TOKEN_FILE", "COLUMNS"] {
            command.env_remove(name);
        }
        let output = command.args(words).arg("--help").output().with_context(|| program.display().to_string())?;
        ensure!(output.status.success(), "sbc-bench {} --help failed", words.join(" "));
        Ok(String::from_utf8(output.stdout)?)
    })
}

/// Pages of removed rules.
fn lost(made: &[(String, String)]) -> Result<Vec<String>> {
    let mut pages = workspace::paths()?;
    pages.retain(|path| path.starts_with(RULES) && made.iter().all(|(name, _)| name != path));
    Ok(pages)
}

/// Writes all generated files.
pub(crate) fn write() -> Result<()> {
    let mut made = made()?;
    made.push((COMMANDS.to_owned(), commands::page(&help()?)?));
    for path in lost(&made)? {
        std::fs::remove_file(workspace::root().join(&path)).with_context(|| path.clone())?;
        println!("removed {path}");
    }
    for (name, text) in made {
        let path = workspace::root().join(&name);
        if std::fs::read_to_string(&path).is_ok_and(|found| found == text) {
            continue;
        }
        path.parent().map(std::fs::create_dir_all).transpose().with_context(|| name.clone())?;
        std::fs::write(&path, text).with_context(|| path.display().to_string())?;
        println!("wrote {name}");
    }
    Ok(())
}

/// Fails if a generated file is out of date.
pub(crate) fn check() -> Result<()> {
    let made = made()?;
    let lost = lost(&made)?;
    ensure!(lost.is_empty(), "{} is the page of no rule; run: cargo xtask docs", lost.join(", "));
    for (name, text) in made {
        let found = std::fs::read_to_string(workspace::root().join(&name)).unwrap_or_default();
        ensure!(found == text, "{name} is not up to date; run: cargo xtask docs");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::SCHEMA_VERSION;
    use serde_json::Value;

    #[test]
    fn docs_are_up_to_date() {
        check().unwrap();
    }

    #[test]
    fn schema_names_itself_and_explains_every_field() {
        let schema: Value = serde_json::from_str(&schema().unwrap()).unwrap();
        let dialect = "https://json-schema.org/draft/2020-12/schema";
        assert_eq!(schema["$schema"], dialect);
        assert_eq!(schema["$id"], format!("urn:sbc-bench:record:{SCHEMA_VERSION}"));
        for (name, field) in schema["properties"].as_object().unwrap() {
            assert!(field["description"].is_string(), "{name} has no description");
        }
    }
}
