//! `cargo xtask licences`: writes the notices of linked and embedded parts, from the licence files in the packages of
//! crates. `tidy` compares only the list of crates, which needs no sources.

use crate::workspace::{self, said};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// Path of the notices in the workspace.
pub(crate) const FILE: &str = "crates/licences/third-party.txt";
const REFERENCE: &str = include_str!("licences/reference.txt");
const LIBRARIES: &str = include_str!("licences/libraries.txt");
const LGPL: &str = include_str!("licences/LGPL-2.1.txt");
/// Heading of the list of crates.
const CRATES: &str = "CRATES";
/// Prefixes of the names of licence files.
const NAMES: [&str; 7] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE", "LICENSES"];
/// Licences that the choice of MIT makes unnecessary.
const OTHERS: [&str; 6] = ["APACHE", "ZLIB", "BOOST", "0BSD", "UNLICENSE", "LLVM"];

/// Name and version of a crate.
type Crate = (String, String);

/// Products: package, and target triples.
fn products() -> [(&'static str, Vec<&'static str>); 3] {
    [
        ("sbc-bench", workspace::TRIPLES.to_vec()),
        ("sbc-bench-hub", vec!["x86_64-unknown-linux-gnu"]),
        ("sbc-bench-web", vec!["wasm32-unknown-unknown"]),
    ]
}

/// Linked crates from outside of the workspace, with their products.
fn linked() -> Result<BTreeMap<Crate, BTreeSet<&'static str>>> {
    let mut found: BTreeMap<Crate, BTreeSet<&'static str>> = BTreeMap::new();
    for (package, triples) in products() {
        let mut command = workspace::cargo();
        command.args("tree --quiet --locked --offline --edges normal,no-proc-macro --prefix none".split(' '));
        command.args(["--package", package]);
        command.args(triples.iter().flat_map(|triple| ["--target", triple]));
        for name in parse_tree(&said(&mut command).with_context(|| format!("cargo tree of {package}"))?) {
            found.entry(name).or_default().insert(package);
        }
    }
    Ok(found)
}

/// Parses `cargo tree --prefix none`. Crates of the workspace have a path and are omitted.
fn parse_tree(text: &str) -> Vec<Crate> {
    let lines = text.lines().filter(|line| !line.contains("(/"));
    let parts = lines.filter_map(|line| line.split_once(" v"));
    parts.map(|(name, rest)| (name.to_owned(), rest.split(' ').next().unwrap_or_default().to_owned())).collect()
}

pub(crate) fn main() -> Result<()> {
    let text = made()?;
    fs::write(workspace::root().join(FILE), &text)?;
    println!("{FILE}: {} bytes", text.len());
    Ok(())
}

/// Linked crates missing in the file, and listed crates that are not linked.
pub(crate) fn differences() -> Result<Vec<String>> {
    let text = fs::read_to_string(workspace::root().join(FILE)).with_context(|| FILE.to_owned())?;
    let listed = listed(&text);
    let linked: BTreeSet<Crate> = linked()?.into_keys().collect();
    let line = |what: &str, (name, version): &Crate| format!("{name} {version} is {what}: run cargo xtask licences");
    let missing = linked.difference(&listed).map(|one| line("linked and has no notice", one));
    let needless = listed.difference(&linked).map(|one| line("not linked", one));
    Ok(missing.chain(needless).collect())
}

/// Gaps of an artefact of a product: crates, fonts and data without a notice, and crates missing in the list of its
/// parts (CycloneDX).
pub(crate) fn missing(product: &str, notices: &str, parts: Option<&str>) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    let listed = listed(notices);
    for name in ["REFERENCE DATA", "FONTS", "STANDARD LIBRARIES"] {
        if !notices.contains(&heading(name)) {
            faults.push(format!("no notices of {}", name.to_lowercase()));
        }
    }
    let parts: Option<Value> = parts.map(serde_json::from_str).transpose()?;
    let components = parts.iter().flat_map(|parts| parts["components"].as_array().into_iter().flatten());
    let word = |component: &Value, key: &str| component[key].as_str().unwrap_or_default().to_owned();
    let components: BTreeSet<Crate> =
        components.map(|component| (word(component, "name"), word(component, "version"))).collect();
    for (name, _) in linked()?.iter().filter(|(_, products)| products.contains(product)) {
        if !listed.contains(name) {
            faults.push(format!("no notice of {} {}", name.0, name.1));
        }
        if parts.is_some() && !components.contains(name) {
            faults.push(format!("{} {} is not in the list of parts", name.0, name.1));
        }
    }
    Ok(faults)
}

/// Crates in the list of a text with notices.
fn listed(text: &str) -> BTreeSet<Crate> {
    let list = text.split_once(&heading(CRATES)).map_or("", |(_, rest)| rest);
    let lines = list.lines().skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty());
    lines
        .filter_map(|line| {
            let mut words = line.split(' ');
            Some((words.next()?.to_owned(), words.next()?.to_owned()))
        })
        .collect()
}

fn heading(name: &str) -> String {
    format!("\n{}\n{name}\n\n", "=".repeat(78))
}

fn made() -> Result<String> {
    let packages = packages()?;
    let linked = linked()?;
    let font = fs::read_to_string(workspace::root().join("crates/page/src/font/LICENSE"))?;
    let mut text = "sbc-bench is licensed under MIT OR Apache-2.0, at your option. What it contains of others is listed here with its\n\
                    notices. Made by `cargo xtask licences`, never edited by hand.\n"
        .to_owned();
    for (name, body) in [("REFERENCE DATA", REFERENCE), ("FONTS", &font), ("STANDARD LIBRARIES", LIBRARIES)] {
        let _ = writeln!(text, "{}{}", heading(name), body.trim_end());
    }
    text.push_str(&heading(CRATES));
    let mut notices: Vec<Notice> = Vec::new();
    for ((name, version), products) in &linked {
        let package =
            packages.get(&(name.clone(), version.clone())).with_context(|| format!("{name} is not fetched"))?;
        let licence = package["license"].as_str().unwrap_or("its own licence");
        let products: Vec<&str> = products.iter().copied().collect();
        let _ = writeln!(text, "{name} {version} ({licence}): {}", products.join(", "));
        let found = texts(package).with_context(|| name.clone())?;
        for found in found {
            add(&mut notices, name, &found);
        }
    }
    for notice in &notices {
        let _ = writeln!(text, "\n{}", "-".repeat(78));
        for (owner, names) in notice.owners() {
            let _ = writeln!(text, "{}:\n{owner}", names.join(", "));
        }
        let _ = writeln!(text, "\n{}", notice.body.trim_matches('\n'));
    }
    let _ = write!(text, "{}{}", heading("GNU LESSER GENERAL PUBLIC LICENSE, VERSION 2.1"), LGPL);
    let lines = text.lines().map(|line| line.trim_end().to_owned() + "\n");
    Ok(lines.collect())
}

/// Packages of `cargo metadata`, with the folders of their sources.
fn packages() -> Result<BTreeMap<Crate, Value>> {
    let text = said(workspace::cargo().args(["metadata", "--format-version=1", "--locked", "--offline"]))?;
    let metadata: Value = serde_json::from_str(&text)?;
    let word = |package: &Value, key: &str| package[key].as_str().unwrap_or_default().to_owned();
    let packages = metadata["packages"].as_array().cloned().unwrap_or_default();
    Ok(packages.into_iter().map(|package| ((word(&package, "name"), word(&package, "version")), package)).collect())
}

/// Texts of the chosen licence and of notices; for a package without a file, its authors with the text of MIT.
fn texts(package: &Value) -> Result<Vec<String>> {
    let manifest = PathBuf::from(package["manifest_path"].as_str().context("no manifest")?);
    let folder = manifest.parent().unwrap_or(Path::new("/"));
    let mut names: Vec<String> = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    let chosen = chosen(&names);
    if !chosen.is_empty() {
        return chosen.iter().map(|name| Ok(fs::read_to_string(folder.join(name))?)).collect();
    }
    let licence = package["license"].as_str().unwrap_or_default();
    ensure!(licence.contains("MIT"), "it has no file with its licence, {licence}");
    let authors = package["authors"].as_array().cloned().unwrap_or_default();
    let authors: Vec<&str> = authors.iter().filter_map(Value::as_str).collect();
    let (_, mit) = LIBRARIES.split_once("for both:\n\n").context("no text of MIT")?;
    let (mit, _) = mit.split_once("\nThe static").context("no end of the text of MIT")?;
    Ok(vec![format!("Copyright of the authors: {}\n\n{mit}", authors.join(", "))])
}

/// Licence files, without the alternatives if MIT is among them.
fn chosen(names: &[String]) -> Vec<&String> {
    let upper = |name: &String| name.to_uppercase();
    let is_code = |name: &String| name.ends_with(".rs") || name.ends_with(".toml");
    let all: Vec<&String> =
        names.iter().filter(|name| NAMES.iter().any(|start| upper(name).starts_with(start))).collect();
    let has_mit = all.iter().any(|name| upper(name).contains("MIT"));
    let is_other = |name: &String| has_mit && OTHERS.iter().any(|other| upper(name).contains(other));
    all.into_iter().filter(|name| !is_other(name) && !is_code(name)).collect()
}

/// Text of several crates, with their copyright lines.
struct Notice {
    /// Words of the text; equal words are equal texts.
    words: String,
    body: String,
    /// Crates and their copyright lines.
    users: Vec<(String, String)>,
}

impl Notice {
    /// Names of crates by their copyright lines, in order of appearance.
    fn owners(&self) -> Vec<(&str, Vec<&str>)> {
        let mut owners: Vec<(&str, Vec<&str>)> = Vec::new();
        for (name, owner) in &self.users {
            match owners.iter_mut().find(|(known, _)| known == owner) {
                Some((_, names)) => names.push(name),
                None => owners.push((owner, vec![name])),
            }
        }
        owners
    }
}

/// Adds a text, with its copyright lines separated.
fn add(notices: &mut Vec<Notice>, name: &str, text: &str) {
    let is_owner = |line: &&str| {
        let line = line.trim().to_lowercase();
        line.starts_with("copyright (c)")
            || line.starts_with("copyright ©")
            || line.starts_with("copyright 2")
            || line.starts_with("copyright of")
    };
    let owner = text.lines().filter(is_owner).map(|line| format!("    {}", line.trim())).collect::<Vec<_>>().join("\n");
    let is_heading = |line: &&str| line.len() < 40 && line.to_lowercase().contains("mit license");
    let body: Vec<&str> = text.lines().filter(|line| !is_owner(line) && !is_heading(line)).collect();
    let body = body.join("\n");
    let words: String = body.chars().filter(|letter| letter.is_alphanumeric()).collect::<String>().to_lowercase();
    let user = (name.to_owned(), owner);
    match notices.iter_mut().find(|notice| notice.words == words) {
        Some(notice) => notice.users.push(user),
        None => notices.push(Notice { words, body, users: vec![user] }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tree_gives_crates_of_others() {
        let text = "sbc-bench v1.0.0 (/x/app)\nanyhow v1.0.1\ncpufeatures v0.3.0 (*)\n\n";
        let own = |(name, version): (&str, &str)| (name.to_owned(), version.to_owned());
        assert_eq!(parse_tree(text), [("anyhow", "1.0.1"), ("cpufeatures", "0.3.0")].map(own));
    }

    #[test]
    fn licence_is_mit_where_one_may_choose_it() {
        let check = |names: &[&str], expected: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            assert_eq!(chosen(&names), expected);
        };
        check(&["Cargo.toml", "LICENSE-APACHE", "LICENSE-MIT", "LICENSE-UNICODE"], &["LICENSE-MIT", "LICENSE-UNICODE"]);
        check(&["COPYING", "LICENSE-MIT", "UNLICENSE", "license.rs"], &["COPYING", "LICENSE-MIT"]);
        check(&["LICENSE", "LICENSE.httprouter", "src"], &["LICENSE", "LICENSE.httprouter"]);
    }

    #[test]
    fn texts_that_differ_in_their_owners_stand_once() {
        let mut notices = Vec::new();
        add(&mut notices, "a", "MIT License\n\nCopyright (c) 2015 A\n\nPermission is\ngranted.\n");
        add(&mut notices, "b", "Copyright (c) 2016 B\n\nPermission is granted.\n");
        assert_eq!(notices.len(), 1);
        assert_eq!(
            notices[0].owners(),
            [("    Copyright (c) 2015 A", vec!["a"]), ("    Copyright (c) 2016 B", vec!["b"])]
        );
    }

    #[test]
    fn list_ends_with_an_empty_line() {
        let text = format!("x{}anyhow 1.0.1 (MIT): sbc-bench\n\n---\nb 1 c\n", heading(CRATES));
        assert_eq!(listed(&text), BTreeSet::from([("anyhow".to_owned(), "1.0.1".to_owned())]));
    }
}
