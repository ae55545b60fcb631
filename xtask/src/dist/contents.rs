//! Checks that every artefact contains its notices, the list of its parts and its documents, also what
//! `packaging/install.sh` installs for Arch and Alpine. Pages of a site and of a hub name their
//! source in the footer, which tests of `page` and `hub` check.

use super::package::{HUB, Product, WEB, names};
use crate::licences::missing;
use crate::workspace::{self, said};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// File name of the notices, compressed or not.
const NOTICES: &str = "third-party.txt";
/// Suffix of the file with the list of parts.
const PARTS: &str = ".cdx.json";
/// Texts with the program's own licence; one of them is required.
const OWN: [&str; 3] = ["copyright", "LICENSE-MIT", "LICENSE-APACHE"];

/// Script that installs the files of a package for Arch and Alpine.
const INSTALL: &str = "packaging/install.sh";
/// Unpacks the program `$1` into the file `$2`.
const UNPACK_ALONE: &str = "gzip -dc \"$1\" > \"$2\" && chmod 755 \"$2\"";

/// Commands that unpack an artefact into the folder `$2`, by suffix. A program alone prints its notices itself.
const KINDS: [(&str, &str); 3] = [
    (".deb", "dpkg-deb --extract \"$1\" \"$2\""),
    (".rpm", "cd \"$2\" && rpm2cpio \"$1\" | cpio --extract --make-directories --quiet"),
    (".tar.gz", "tar --extract --file \"$1\" --directory \"$2\""),
];

/// Prints a line for each artefact of a part; fails if a notice or a part is missing.
pub(super) fn check(part: &str, folder: &Path) -> Result<()> {
    let mut faults = Vec::new();
    for name in names(folder)?.iter().filter(|name| *name != "SHA256SUMS") {
        let found = of_file(part, &folder.join(name)).with_context(|| name.clone())?;
        println!("{name:44} {}", if found.is_empty() { "has all notices and parts" } else { "lacks some" });
        faults.extend(found.into_iter().map(|fault| format!("{name}: {fault}")));
    }
    if part == HUB {
        faults.extend(container());
    } else if super::target(part).is_ok_and(|target| std::env::consts::ARCH == target.native_on) {
        let found = installed(part, folder).context("packaging/install.sh")?;
        println!("{:44} {}", INSTALL, if found.is_empty() { "has all notices and parts" } else { "lacks some" });
        faults.extend(found.into_iter().map(|fault| format!("{INSTALL}: {fault}")));
    }
    ensure!(faults.is_empty(), "{}", faults.join("\n"));
    Ok(())
}

/// Missing notices, parts and documents of what the recipes of Arch and Alpine install.
fn installed(part: &str, folder: &Path) -> Result<Vec<String>> {
    let place = testkit::Scratch::new("installed");
    let file_of = |end: &str| names(folder).map(|names| names.into_iter().find(|name| name.ends_with(end)));
    let binary = place.join("sbc-bench");
    let packed = file_of(&format!("-{part}.gz"))?.context("no binary")?;
    let parts = file_of(PARTS)?.context("no list of parts")?;
    said(Command::new("sh").args(["-c", UNPACK_ALONE, "sh"]).arg(folder.join(packed)).arg(&binary))?;
    let root = place.join("root");
    let mut install = Command::new(workspace::root().join(INSTALL));
    said(install.env("DESTDIR", &root).arg(&binary).arg(folder.join(parts)))?;
    of_folder(Product::of(part), &root)
}

/// Missing notices and parts of an artefact.
fn of_file(part: &str, file: &Path) -> Result<Vec<String>> {
    let product = if part == WEB { "sbc-bench-web" } else { &Product::of(part).name };
    let name = workspace::name(file);
    if name.ends_with(PARTS) {
        let own = fs::read_to_string(workspace::root().join(crate::licences::FILE))?;
        return missing(product, &own, Some(&fs::read_to_string(file)?));
    }
    if name.ends_with(".html") {
        let text = fs::read_to_string(file)?;
        return missing(product, &text.replace("&lt;", "<").replace("&amp;", "&"), None);
    }
    let place = testkit::Scratch::new("contents");
    let Some((_, line)) = KINDS.iter().find(|(end, _)| name.ends_with(end)) else {
        let program = place.join("alone");
        said(Command::new("sh").args(["-c", UNPACK_ALONE, "sh"]).arg(file).arg(&program))?;
        let notices = said(super::command(super::target(part)?, &program).arg("licences"));
        return missing(product, &notices?, None);
    };
    said(Command::new("sh").args(["-c", line, "sh"]).arg(file).arg(&place))?;
    let mut faults = of_folder(Product::of(part), &place)?;
    if name.ends_with(".rpm") {
        let list = |what: &str| said(Command::new("rpm").args(["--query", "--package", what]).arg(file));
        faults.extend(without_documents(product, &list("--list")?, &list("--docfiles")?));
    }
    Ok(faults)
}

/// Notices that an .rpm lacks where it is installed without its documents, as in images of containers.
fn without_documents(product: &str, files: &str, documents: &str) -> Vec<String> {
    let needed = ["LICENSE-MIT", "LICENSE-APACHE", "third-party.txt.gz"];
    let paths = needed.map(|name| format!("/usr/share/licenses/{product}/{name}"));
    let has = |list: &str, path: &str| list.lines().any(|line| line == path);
    let lacking = paths.into_iter().filter(|path| !has(files, path) || has(documents, path));
    lacking.map(|path| format!("{path} is not installed without documents")).collect()
}

/// Missing notices, parts and documents of an unpacked package.
fn of_folder(product: &Product, place: &Path) -> Result<Vec<String>> {
    let files = said(Command::new("find").arg(place).args(["-type", "f"]))?;
    let path_of =
        |what: &str| files.lines().find(|path| path.trim_end_matches(".gz").ends_with(what)).map(PathBuf::from);
    let text = |path: PathBuf| said(Command::new("gzip").args(["-dcf"]).arg(path));
    let notices = path_of(NOTICES).map(text).transpose()?;
    let parts = path_of(PARTS).map(text).transpose()?;
    let mut faults = missing(&product.name, notices.as_deref().unwrap_or_default(), parts.as_deref())?;
    if parts.is_none() {
        faults.push("no list of parts".to_owned());
    }
    if !OWN.iter().any(|own| path_of(&format!("/{own}")).is_some()) {
        faults.push("no licence of its own".to_owned());
    }
    // The tarball has no folder of the product's name.
    let folders = ["doc".to_owned(), format!("doc/{}", product.name)];
    let has = |name: &str| folders.iter().any(|folder| path_of(&format!("/{folder}/{name}")).is_some());
    let lacking = product.documents().filter(|name| !has(name));
    faults.extend(lacking.map(|name| format!("no document {name}")));
    Ok(faults)
}

/// Gaps in the container of a hub. Users build it, so its file is checked.
fn container() -> Vec<String> {
    let text = include_str!("../../../deploy/container/Containerfile");
    let needed = ["sbc-bench-hub licences", "cargo cyclonedx", "/usr/share/doc/sbc-bench-hub"];
    let lacking = needed.into_iter().filter(|needed| !text.contains(needed));
    lacking.map(|needed| format!("Containerfile: no `{needed}`")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn package_without_notices_or_parts_is_refused() {
        let place = testkit::Scratch::new("lacking");
        let docs = place.join("usr/share/doc/sbc-bench");
        fs::create_dir_all(&docs).unwrap();
        let product = Product::of("x86_64");
        let faults = || of_folder(product, &place).unwrap();
        let lacks = |what: &str| faults().iter().any(|fault| fault.starts_with(what));
        assert!(lacks("no notice of serde ") && lacks("no notices of fonts") && lacks("no list of parts"));
        assert!(lacks("no licence of its own") && lacks("no document farms.md"));
        for name in product.documents() {
            fs::write(docs.join(name), "x").unwrap();
        }
        let notices = fs::read_to_string(workspace::root().join(crate::licences::FILE)).unwrap();
        fs::write(docs.join(NOTICES), &notices).unwrap();
        fs::write(docs.join("copyright"), "x").unwrap();
        fs::write(docs.join("sbc-bench.cdx.json"), "{\"components\": []}").unwrap();
        assert!(faults().iter().all(|fault| fault.ends_with("is not in the list of parts")), "{:?}", faults());
        let without = notices.replacen("\nserde 1", "\nother 1", 1);
        fs::write(docs.join(NOTICES), without).unwrap();
        assert!(lacks("no notice of serde 1"), "{:?}", faults());
    }

    #[test]
    fn notices_that_are_documents_are_refused() {
        let files = "/usr/share/licenses/a/LICENSE-MIT\n/usr/share/licenses/a/LICENSE-APACHE\n/usr/share/licenses/a/third-party.txt.gz";
        assert!(without_documents("a", files, "/usr/share/doc/a/README.md").is_empty());
        assert_eq!(without_documents("a", files, files).len(), 3);
        assert_eq!(without_documents("a", "", "").len(), 3);
    }

    #[test]
    fn container_has_its_notices() {
        assert_eq!(container(), Vec::<String>::new());
    }
}
