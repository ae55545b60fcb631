//! Packages of one part of a release in `target/package/PART`: .deb, .rpm and tarball of a program with its manual,
//! completions, documents and units; the binary alone for `sbc-bench update`; or the file for a browser. With each come
//! the list of its parts (CycloneDX) and checksums. All dates are those of the commit, and no file contains a path of
//! the build machine, so that two builds of one commit are equal.

use super::{DIST, Profile, Target, checksums, command, one, version};
use crate::web_page;
use crate::workspace::{self, empty, entries, remapped, run, said};
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Part for a browser.
pub(super) const WEB: &str = "web";
/// Part for an operator of a hub.
pub(super) const HUB: &str = "hub";

/// Packaged program; `dist.toml` describes its fields.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Product {
    pub(super) name: String,
    folder: String,
    profile: String,
    pub(super) units: String,
    copied: Vec<(String, String)>,
}

#[derive(Deserialize)]
pub(super) struct Products {
    board: Product,
    hub: Product,
}

/// Document with all pages of rules, which `explain --details` names.
const RULES: &str = "rules.md";

/// Folder of the checkout with the examples of farms, and its place in packages. The container is one of a hub.
const EXAMPLES: (&str, &str) = ("deploy/", "doc/examples/");
const NO_EXAMPLE: &str = "deploy/container/";

impl Product {
    /// Names of the documents that every package has.
    pub(super) fn documents(&self) -> impl Iterator<Item = &str> {
        let copied = self.copied.iter().filter_map(|(_, to)| to.strip_prefix("doc/"));
        copied.chain(self.is_board().then_some(RULES))
    }

    fn is_board(&self) -> bool {
        self.name == DIST.product.board.name
    }

    /// Product of a part.
    pub(super) fn of(part: &str) -> &'static Self {
        if part == HUB { &DIST.product.hub } else { &DIST.product.board }
    }

    fn binary(&self, target: &Target, profile: Profile, target_folder: &Path) -> PathBuf {
        target_folder.join(&target.triple).join(self.profile(profile)).join(&self.name)
    }

    fn profile(&self, profile: Profile) -> &str {
        match profile {
            Profile::Release => &self.profile,
            Profile::Proof => profile.name(),
        }
    }
}

/// Builds the packages of a part.
pub(crate) fn main(part: &str, profile: Profile) -> Result<()> {
    let target_folder = workspace::target_folder()?;
    let out = target_folder.join("package").join(part);
    empty(&out)?;
    let epoch = workspace::git(&["log", "-1", "--format=%ct"])?;
    if part == WEB {
        println!("{part}: building");
        let version = env!("CARGO_PKG_VERSION");
        fs::copy(web_page::build()?, out.join(format!("sbc-bench-{version}.html")))?;
        let parts = parts("crates/web", "wasm32-unknown-unknown", &epoch)?;
        fs::write(out.join(format!("sbc-bench-{version}-web.cdx.json")), parts)?;
    } else {
        programs(part, profile, &target_folder, &epoch, &out)?;
    }
    let files = names(&out)?;
    let sums = [day(&epoch)?.into_bytes(), checksums(&out, &files)?].concat();
    fs::write(out.join("SHA256SUMS"), &sums)?;
    println!("{}{}", String::from_utf8_lossy(&sums), out.display());
    Ok(())
}

fn programs(part: &str, profile: Profile, target_folder: &Path, epoch: &str, out: &Path) -> Result<()> {
    let (product, target) = (Product::of(part), super::target(part)?);
    let version_number = env!("CARGO_PKG_VERSION");
    println!("{part}: building {} with the profile {}", product.name, product.profile(profile));
    build(product, target, profile, target_folder)?;
    let binary = product.binary(target, profile, target_folder);
    let line = match part {
        HUB => version(target, &binary)?,
        _ => one(target, profile, target_folder)?.line,
    };
    println!("{line}\n{part}: packing");
    let root = staged(product, target, &binary, epoch)?;
    let sbom = fs::read(root.join(format!("doc/{}.cdx.json", product.name)))?;
    fs::write(out.join(format!("{}-{version_number}-{}.cdx.json", product.name, target.arch)), sbom)?;
    pack(&root)?;
    date(&root, epoch)?;
    let folder = out.display().to_string();
    let common = ["--target", &target.triple, "--output", &folder];
    tool(&[&["deb", "--no-build", "--no-strip", "--package", &product.name], &common[..]].concat(), epoch)?;
    finish_deb(out, epoch)?;
    rpm(product, target, target_folder, epoch, out, &[])?;
    tarball(&format!("{}-{version_number}", product.name), &target.arch, epoch, &root, out)?;
    if part != HUB {
        let alone = Command::new("gzip").args(["-9n", "--to-stdout"]).arg(&binary).output().context("gzip")?;
        ensure!(alone.status.success(), "gzip failed");
        fs::write(out.join(format!("sbc-bench-{version_number}-{part}.gz")), alone.stdout)?;
    }
    Ok(())
}

/// Makes an .rpm of the staged files.
fn rpm(
    product: &Product,
    target: &Target,
    target_folder: &Path,
    epoch: &str,
    out: &Path,
    others: &[&str],
) -> Result<()> {
    let (folder, out) = (target_folder.display().to_string(), out.display().to_string());
    let words = ["generate-rpm", "--package", &product.folder, "--source-date", epoch, "--target-dir", &folder];
    tool(&[&words[..], &["--target", &target.triple, "--output", &out], others].concat(), epoch)
}

/// Makes an .rpm with an older version of the files that were staged last, to upgrade from.
pub(super) fn older_rpm(part: &str, target: &Target, target_folder: &Path, file: &Path) -> Result<()> {
    let epoch = workspace::git(&["log", "-1", "--format=%ct"])?;
    let older = ["--set-metadata", "version = \"0.0.1\""];
    rpm(Product::of(part), target, target_folder, &epoch, file, &older)
}

/// Stages all files of a package where cargo-deb and cargo-generate-rpm look for `target/release`.
fn staged(product: &Product, target: &Target, binary: &Path, epoch: &str) -> Result<PathBuf> {
    let triple_folder = binary.parent().and_then(Path::parent).context("a build has a folder")?;
    let root = triple_folder.join("release/package").join(&product.name);
    empty(&root)?;
    for folder in ["man", "systemd", "workloads.d", "doc"] {
        fs::create_dir(root.join(folder))?;
    }
    let name = &product.name;
    let print = |words: &[&str]| said(command(target, binary).args(words)).map(|text| text + "\n");
    fs::copy(binary, root.join(name))?;
    fs::write(root.join(format!("{name}.bash")), print(&["completions", "bash"])?)?;
    fs::write(root.join(format!("_{name}")), print(&["completions", "zsh"])?)?;
    fs::write(root.join(format!("{name}.fish")), print(&["completions", "fish"])?)?;
    fs::write(root.join("third-party.txt"), print(&["licences"])?)?;
    said(command(target, binary).arg("manual").arg(root.join("man")))?;
    for (from, to) in &product.copied {
        fs::copy(workspace::root().join(from), root.join(to))?;
    }
    if product.is_board() {
        fs::write(root.join("doc").join(RULES), rules()?)?;
        let tracked = workspace::git(&["ls-files", EXAMPLES.0])?;
        // Hidden files are settings of linters.
        for example in tracked.lines().filter(|path| !path.starts_with(NO_EXAMPLE) && !path.contains("/.")) {
            let path = root.join(example.replacen(EXAMPLES.0, EXAMPLES.1, 1));
            fs::create_dir_all(path.parent().context("an example has a folder")?)?;
            fs::copy(workspace::root().join(example), path)?;
        }
    }
    fs::write(root.join(format!("doc/{name}.cdx.json")), parts(&product.folder, &target.triple, epoch)?)?;
    fs::write(root.join("changelog.Debian"), debian_changelog(name, epoch)?)?;
    // Only the boards' program has workloads.
    let _ = fs::remove_dir(root.join("workloads.d"));
    Ok(root)
}

/// Compresses the files that Debian's packages have compressed.
fn pack(root: &Path) -> Result<()> {
    let mut gzip = Command::new("gzip");
    gzip.args(["-9nr", "man", "changelog.Debian", "doc/changelog", "third-party.txt"]);
    gzip.args(
        names(&root.join("doc"))?.iter().filter(|name| name.ends_with(".cdx.json")).map(|name| format!("doc/{name}")),
    );
    run(gzip.current_dir(root))
}

/// Sets the date of all files to that of the commit; an .rpm keeps dates of older files.
fn date(root: &Path, epoch: &str) -> Result<()> {
    run(Command::new("find").arg(root).args(["-exec", "touch", "-d"]).arg(format!("@{epoch}")).args(["{}", "+"]))
}

/// Sorted names of the files of a folder.
pub(super) fn names(folder: &Path) -> Result<Vec<String>> {
    Ok(entries(folder)?.iter().map(|path| workspace::name(path)).collect())
}

/// All pages of rules as one document.
fn rules() -> Result<String> {
    let pages = workspace::files(|path| path.starts_with("docs/rules/") && path.ends_with(".md"))?;
    Ok(pages.iter().map(|page| page.text.trim_end().to_owned() + "\n\n").collect())
}

fn finish_deb(out: &Path, epoch: &str) -> Result<()> {
    for name in names(out)?.iter().filter(|name| name.ends_with(".deb")) {
        let script = workspace::root().join("xtask/src/dist/finish_deb.sh");
        said(Command::new("sh").arg(script).arg(out.join(name)).env("SOURCE_DATE_EPOCH", epoch))?;
    }
    Ok(())
}

/// Builds a part again in a clone of the checkout in another folder, and compares.
pub(crate) fn twice(part: &str, profile: Profile) -> Result<()> {
    ensure!(workspace::commit().is_some(), "commit first: a clone has what is committed");
    main(part, profile)?;
    let target_folder = workspace::target_folder()?;
    // Outside the checkout, whose cargo settings would apply a second time.
    let clone = std::env::temp_dir().join(format!("sbc-bench twice {}", std::process::id()));
    run(Command::new("git").args(["clone", "--quiet", "--no-hardlinks"]).arg(workspace::root()).arg(&clone))?;
    let again_folder = clone.join("target");
    let mut again = Command::new(std::env::current_exe()?);
    again.args(["package", part]).args((profile == Profile::Proof).then_some("--proof"));
    run(again.current_dir(&clone).env(workspace::ROOT, &clone).env("CARGO_TARGET_DIR", &again_folder))?;
    let sums = |target: &Path| fs::read_to_string(target.join("package").join(part).join("SHA256SUMS"));
    let (first, second) = (sums(&target_folder)?, sums(&again_folder)?);
    ensure!(first == second, "two builds differ; the second is kept in {}:\n{first}\n{second}", clone.display());
    fs::remove_dir_all(&clone)?;
    let files = first.lines().filter(|line| !line.starts_with('#')).count();
    println!("{part}: {files} files of two builds in two folders are equal");
    Ok(())
}

fn build(product: &Product, target: &Target, profile: Profile, target_folder: &Path) -> Result<()> {
    let mut command = workspace::cargo();
    command.args(["build", "--quiet", "--locked", "--profile", product.profile(profile), "--package", &product.name]);
    command.args(["--target", &target.triple, "--config", &target.flags(&remapped(target_folder)?)]);
    // The symbols are only for debugging an emulated machine.
    command.env("CARGO_PROFILE_PROOF_STRIP", "true");
    if let Some(commit) = workspace::commit() {
        command.env("SBC_BENCH_COMMIT", commit);
    }
    run(&mut command).with_context(|| format!("cargo could not build {} for {}", product.name, target.triple))
}

/// Runs a cargo subcommand that is installed separately.
fn tool(words: &[&str], epoch: &str) -> Result<()> {
    let called = said(workspace::cargo().args(words).env("SOURCE_DATE_EPOCH", epoch));
    called.context("these tools come by: cargo install cargo-deb cargo-generate-rpm cargo-cyclonedx").map(drop)
}

/// One folder with all files, in an order and with dates that depend on the commit alone.
fn tarball(name: &str, arch: &str, epoch: &str, root: &Path, out: &Path) -> Result<()> {
    let order = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=go=rX,u+rw,a-s", "--format=gnu"];
    let mut command = Command::new("tar");
    command.args(order).arg(format!("--mtime=@{epoch}")).arg("--use-compress-program=gzip -9n");
    command.arg(format!("--transform=s,^\\.,{name},"));
    command.arg("--create").arg("--file").arg(out.join(format!("{name}-{arch}.tar.gz")));
    run(command.arg("--directory").arg(root).arg("."))
}

/// CycloneDX bill of materials; cargo-cyclonedx writes one next to the manifest of each member of the workspace.
fn parts(folder: &str, triple: &str, epoch: &str) -> Result<String> {
    const FILE: &str = "parts-of-sbc-bench.cdx.json";
    let workspace_root = workspace::root();
    let place = workspace_root.display().to_string();
    let manifest = workspace_root.join(folder).join("Cargo.toml").display().to_string();
    let name = FILE.trim_end_matches(".json");
    let words = ["cyclonedx", "--quiet", "--format", "json", "--override-filename", name, "--target", triple];
    tool(&[&words[..], &["--manifest-path", &manifest]].concat(), epoch)?;
    let text = fs::read_to_string(workspace_root.join(folder).join(FILE))?;
    for crate_folder in fs::read_dir(workspace_root.join("crates"))?.chain(fs::read_dir(&workspace_root)?) {
        let _ = fs::remove_file(crate_folder?.path().join(FILE));
    }
    // Paths of the build machine would make two builds differ.
    Ok(text.replace(&place.replace(' ', "%20"), "/sbc-bench").replace(&place, "/sbc-bench"))
}

/// Changelog in Debian's format, which refers to CHANGELOG.md.
fn debian_changelog(name: &str, epoch: &str) -> Result<String> {
    let date = said(Command::new("date").args(["--utc", "--rfc-email", "--date"]).arg(format!("@{epoch}")))?;
    let version = env!("CARGO_PKG_VERSION");
    Ok(format!(
        "{name} ({version}-1) unstable; urgency=medium\n\n  * Release {version}; changelog.gz has the changes.\n\n \
         -- sbc-bench contributors <sbc-bench@users.noreply.github.com>  {date}\n"
    ))
}

/// First line of `SHA256SUMS`: a comment for sha256sum, and the signed date of the release for `update`.
pub(super) fn day(epoch: &str) -> Result<String> {
    let line = said(Command::new("date").args(["--utc", "+# date: %Y-%m-%d", "--date"]).arg(format!("@{epoch}")))?;
    Ok(line + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_have_a_date_that_sha256sum_takes_for_a_comment() {
        assert_eq!(day("1795737600").unwrap(), "# date: 2026-11-27\n");
        let folder = testkit::Scratch::new("sums");
        fs::write(folder.join("a"), "a").unwrap();
        let sums = [day("0").unwrap().into_bytes(), checksums(&folder, &["a".to_owned()]).unwrap()].concat();
        fs::write(folder.join("SHA256SUMS"), sums).unwrap();
        let checked =
            said(Command::new("sha256sum").args(["--check", "--strict", "SHA256SUMS"]).current_dir(&folder)).unwrap();
        assert_eq!(checked, "a: OK");
    }

    #[test]
    fn summaries_of_packages_fit_a_line_of_rpm() {
        for product in [Product::of("x86_64"), Product::of(HUB)] {
            let manifest = workspace::root().join(&product.folder).join("Cargo.toml");
            let text = fs::read_to_string(manifest).unwrap();
            let summary = text.lines().find_map(|line| line.strip_prefix("description = \"")).unwrap();
            // Limit of rpmlint.
            assert!(summary.trim_end_matches('"').len() <= 79, "{summary}");
        }
    }

    /// An .rpm keeps the date of a file that is older than the commit, so that a file of the checkout would differ from clone to
    /// clone.
    #[test]
    fn rpms_have_staged_files_alone() {
        for product in [Product::of("x86_64"), Product::of(HUB)] {
            let text = fs::read_to_string(workspace::root().join(&product.folder).join("Cargo.toml")).unwrap();
            let sources: Vec<&str> =
                text.lines().filter_map(|line| line.trim().strip_prefix("{ source = \"")).collect();
            assert!(!sources.is_empty());
            let staged = format!("target/release/package/{}/", product.name);
            assert!(sources.iter().all(|source| source.starts_with(&staged)), "{sources:?}");
        }
    }

    /// Each system names a script that runs before the program is removed.
    #[test]
    fn every_removal_restores_settings_first() {
        let of = |path: &str| fs::read_to_string(workspace::root().join(path)).unwrap();
        for (script, name, manifest) in [
            ("packaging/deb/prerm", "maintainer-scripts = \"../../packaging/deb\"", "crates/app/Cargo.toml"),
            ("crates/app/Cargo.toml", "pre_uninstall_script = ", "crates/app/Cargo.toml"),
            ("packaging/arch/sbc-bench.install", "\ninstall=sbc-bench.install\n", "packaging/arch/PKGBUILD"),
            (
                "packaging/alpine/sbc-bench.pre-deinstall",
                "\ninstall=\"$pkgname.pre-deinstall\"\n",
                "packaging/alpine/APKBUILD",
            ),
        ] {
            assert!(of(script).contains("-e /var/lib/sbc-bench/settings.journal ]"), "{script}");
            assert!(of(script).contains("sbc-bench restore || "), "{script}");
            assert!(of(manifest).contains(name), "{manifest}");
        }
    }

    #[test]
    fn recipes_have_the_version_of_the_workspace() {
        for recipe in ["packaging/arch/PKGBUILD", "packaging/alpine/APKBUILD"] {
            let text = fs::read_to_string(workspace::root().join(recipe)).unwrap();
            let expected = format!("pkgver={}", env!("CARGO_PKG_VERSION"));
            assert!(text.lines().any(|line| line == expected), "{recipe} has to say {expected}");
        }
    }
}
