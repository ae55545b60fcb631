//! Documents generated from the checks: the table of crates in ARCHITECTURE.md, between `<!-- made: crates -->` and
//! `<!-- end -->`, and the pages of `docs/generated`. `cargo xtask docs` writes them, and a test compares them.

use super::allowed::{FREE, reaches};
use super::arrows::Package;
use super::fences;
use super::modules::{Module, Modules};
use crate::workspace::File;
use anyhow::{Context, Result, ensure};

const BEGIN: &str = "<!-- made: ";
const END: &str = "<!-- end -->";

/// ARCHITECTURE.md and the pages of `docs/generated`: path and text of each.
///
/// # Errors
/// A block has no end, is unknown, or is missing.
pub(super) fn pages(
    architecture: &str,
    packages: &[Package],
    crates: &[Modules],
    files: &[File],
) -> Result<Vec<(String, String)>> {
    let page = |name: &str, title: &str, text: String| {
        (format!("docs/generated/{name}.md"), format!("# {title}\n\n`cargo xtask docs` writes this page.\n\n{text}"))
    };
    Ok(vec![
        ("ARCHITECTURE.md".to_owned(), filled(architecture, &[("crates", crate_table(packages, crates, files))])?),
        page("libraries", "Libraries of each crate", libraries(packages)),
        page("touches", "Code that touches the machine", touched(crates, files)),
        page("folders", "Folders", folders(crates, files)),
    ])
}

fn filled(document: &str, blocks: &[(&str, String)]) -> Result<String> {
    let mut text = String::new();
    let mut used = Vec::new();
    let mut rest = document;
    while let Some((before, behind)) = rest.split_once(BEGIN) {
        let (name, behind) = behind.split_once(" -->\n").context("a made block has no name")?;
        let (_, behind) = behind.split_once(END).with_context(|| format!("the made block `{name}` has no end"))?;
        let block = blocks.iter().find(|(known, _)| *known == name);
        let (_, made) = block.with_context(|| format!("nothing makes the block `{name}`"))?;
        text += &format!("{before}{BEGIN}{name} -->\n{made}{END}");
        used.push(name);
        rest = behind;
    }
    for (name, _) in blocks {
        ensure!(used.iter().filter(|used| *used == name).count() == 1, "the block `{name}` has to stand there once");
    }
    Ok(text + rest)
}

fn table<const N: usize>(head: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> String {
    let line = |cells: &[&str]| format!("| {} |\n", cells.join(" | "));
    let mut text = line(&head) + &format!("{}|\n", "|---".repeat(N));
    for row in rows {
        text += &line(&row.each_ref().map(String::as_str));
    }
    text
}

/// Names as code, with commas; a dash for none.
fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    if names.is_empty() { "-".into() } else { names.join(", ") }
}

/// Names of the dependencies of a package that is not only for tests, sorted.
fn dependencies(package: &Package, ours: bool) -> Vec<&str> {
    let all = package.dependencies.iter().filter(|dependency| dependency.ours == ours && !dependency.tests_only);
    let mut names: Vec<&str> = all.map(|dependency| dependency.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn crate_table(packages: &[Package], crates: &[Modules], files: &[File]) -> String {
    let rows = packages.iter().map(|package| {
        let name = package.name.as_str();
        let root = crates.iter().find(|modules| modules.krate == name).and_then(|modules| modules.all.first());
        let touches = reaches().iter().filter(|reach| reach.crates.contains(&package.name));
        let touches: Vec<&str> = touches.map(|reach| reach.name.as_str()).collect();
        let touches = match touches.as_slice() {
            _ if FREE.contains(&name) => "anything: it is never installed".to_owned(),
            [] => "nothing".to_owned(),
            some => some.join(", "),
        };
        let sentence = root.map_or(String::new(), |root| sentence(root, files));
        [format!("`{name}`"), sentence, list(dependencies(package, true)), touches, fences::home_of_unsafe(name)]
    });
    table(["crate", "what it is", "depends on", "touches", "`unsafe`"], rows)
}

fn libraries(packages: &[Package]) -> String {
    let rows = packages.iter().map(|package| [format!("`{}`", package.name), list(dependencies(package, false))]);
    table(["crate", "libraries"], rows)
}

fn touched(crates: &[Modules], files: &[File]) -> String {
    let rows = reaches().iter().flat_map(|reach| {
        let installed = crates.iter().filter(|modules| !FREE.contains(&modules.krate.as_str()));
        installed.flat_map(|modules| reach.touches(modules)).map(|(module, ..)| {
            let path = module.file.strip_prefix("crates/").unwrap_or(&module.file);
            [reach.name.clone(), format!("`{path}`"), sentence(module, files)]
        })
    });
    table(["what", "where", "what it is"], rows)
}

fn folders(crates: &[Modules], files: &[File]) -> String {
    let rows = crates.iter().flat_map(|modules| {
        let inner =
            modules.all.iter().enumerate().skip(1).filter(|(index, _)| modules.children(*index).next().is_some());
        inner.map(|(_, module)| {
            let folder = module.file.strip_suffix("/mod.rs").or(module.file.strip_suffix(".rs"));
            let folder = folder.map(|folder| folder.strip_prefix("crates/").unwrap_or(folder));
            [format!("`{}`", folder.unwrap_or(&module.file)), sentence(module, files)]
        })
    });
    table(["folder", "what it is"], rows)
}

/// The first sentence of the comment of a module.
fn sentence(module: &Module, files: &[File]) -> String {
    let text = super::find(files, &module.file).map_or("", |file| file.text.as_str());
    let lines = text.lines().map_while(|line| line.strip_prefix("//! "));
    let paragraph = lines.collect::<Vec<_>>().join(" ");
    let first = paragraph.split(". ").next().unwrap_or_default().trim_end_matches('.');
    // Links of rustdoc do not work here.
    first.replace("[`", "`").replace("`]", "`").replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::arrows::Package;

    #[test]
    fn blocks_are_filled_and_the_rest_is_kept() {
        let blocks = [("a", "made\n".to_owned())];
        let check = |document: &str, expected: Result<&str, &str>| {
            let found = filled(document, &blocks).map_err(|error| error.to_string());
            assert_eq!(found.as_deref().map_err(String::as_str), expected, "{document}");
        };
        check("x\n<!-- made: a -->\nold\n<!-- end -->\ny\n", Ok("x\n<!-- made: a -->\nmade\n<!-- end -->\ny\n"));
        check("<!-- made: a -->\nold\n", Err("the made block `a` has no end"));
        check("<!-- made: b -->\n<!-- end -->", Err("nothing makes the block `b`"));
        check("x\n", Err("the block `a` has to stand there once"));
    }

    #[test]
    fn a_folder_is_told_by_its_first_sentence() {
        let package = Package { name: "x".into(), dependencies: Vec::new() };
        let file = |path: &str, text: &str| File { path: format!("crates/x/src/{path}"), text: text.into() };
        let files = [
            file("lib.rs", "//! The crate.\nmod a; mod b;"),
            file("a/mod.rs", "//! Reads [`Root`],\n//! and more. Not this.\n//!\n//! Nor this.\nmod c;"),
            file("a/c.rs", "//! A file.\n"),
            file("b.rs", "//! A file.\n"),
        ];
        let modules = Modules::of(&package, &files);
        assert_eq!(
            folders(&[modules], &files),
            "| folder | what it is |\n|---|---|\n| `x/src/a` | Reads `Root`, and more |\n"
        );
    }
}
