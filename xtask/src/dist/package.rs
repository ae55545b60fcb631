//! Packages of one architecture: the release binary with its manual, completions and units as .deb, .rpm and tarball, the
//! binary alone for `sbc-bench update`, a list of what it is made of (CycloneDX), and their sums, in `target/package/ARCH`.
//! All dates are those of the commit, and no path of the machine that builds is in any file, so that two builds of one
//! commit are equal.

use super::{Profile, Target, checksums, command, one};
use crate::workspace;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Files of the tarball besides its folders: made by the binary, and copied from the checkout.
const MADE: [(&str, &[&str]); 3] = [
    ("sbc-bench.bash", &["completions", "bash"]),
    ("_sbc-bench", &["completions", "zsh"]),
    ("sbc-bench.fish", &["completions", "fish"]),
];
const COPIED: [(&str, &str); 12] = [
    ("packaging/systemd/sbc-bench-monitor.service", "systemd/sbc-bench-monitor.service"),
    ("packaging/systemd/sbc-bench-restore.service", "systemd/sbc-bench-restore.service"),
    ("packaging/systemd/sbc-bench-regular.service", "systemd/sbc-bench-regular.service"),
    ("packaging/systemd/sbc-bench-regular.timer", "systemd/sbc-bench-regular.timer"),
    ("packaging/systemd/sbc-bench-upload.service", "systemd/sbc-bench-upload.service"),
    ("packaging/workloads.d/README", "workloads.d/README"),
    ("CHANGELOG.md", "doc/changelog"),
    ("README.md", "doc/README.md"),
    ("docs/reading-results.md", "doc/reading-results.md"),
    ("docs/farms.md", "doc/farms.md"),
    ("LICENSE-MIT", "LICENSE-MIT"),
    ("LICENSE-APACHE", "LICENSE-APACHE"),
];

/// Builds the packages of this architecture.
pub(crate) fn main(arch: &str) -> Result<()> {
    let target = super::target(arch)?;
    let target_folder = workspace::target_folder()?;
    let epoch =
        said(Command::new("git").arg("-C").arg(workspace::root()).args(["log", "-1", "--format=%ct"]).output()?)?;
    build(target, &target_folder)?;
    let made = one(target, Profile::Release, &target_folder)?;
    // cargo-deb and cargo-generate-rpm look for `target/release` there.
    let root = target_folder.join(target.triple).join(Profile::Release.name()).join("package");
    let out = target_folder.join("package").join(arch);
    for folder in [&root, &out] {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        fs::create_dir_all(folder)?;
    }
    fs::copy(&made.binary, root.join("sbc-bench"))?;
    for (name, words) in MADE {
        let output = command(target, &made.binary).args(words).output().with_context(|| name.to_owned())?;
        fs::write(root.join(name), said(output)? + "\n")?;
    }
    for folder in ["man", "systemd", "workloads.d", "doc"] {
        fs::create_dir(root.join(folder))?;
    }
    said(command(target, &made.binary).arg("manual").arg(root.join("man")).output()?)?;
    for (from, to) in COPIED {
        fs::copy(workspace::root().join(from), root.join(to))?;
    }
    fs::write(root.join("doc/rules.md"), rules()?)?;
    fs::write(root.join("doc/sbc-bench.cdx.json"), parts(target, &epoch, &out)?)?;
    notices(&mut command(target, &made.binary), &root)?;
    fs::write(root.join("changelog.Debian"), debian_changelog("sbc-bench", &epoch)?)?;
    let packed = Command::new("gzip")
        .args(["-9nr", "man", "changelog.Debian", "doc/changelog", "doc/third-party.txt", "doc/sbc-bench.cdx.json"])
        .current_dir(&root)
        .status();
    ensure!(packed.context("gzip")?.success(), "gzip failed");
    // An .rpm has the dates of files that are older than the commit.
    let mut dated = Command::new("find");
    dated.arg(&root).args(["-exec", "touch", "-d"]).arg(format!("@{epoch}")).args(["{}", "+"]);
    ensure!(dated.status().context("find")?.success(), "touch failed");
    let folder = out.display().to_string();
    let common = ["--target", target.triple, "--output", &folder];
    let deb = ["deb", "--no-build", "--no-strip", "--package", "sbc-bench"];
    tool(&[&deb[..], &common].concat(), &epoch)?;
    finish_deb(&out, &epoch)?;
    let build_folder = target_folder.display().to_string();
    let rpm = ["generate-rpm", "--package", "crates/app", "--source-date", &epoch, "--target-dir", &build_folder];
    tool(&[&rpm[..], &common].concat(), &epoch)?;
    tarball(arch, &epoch, &root, &out)?;
    let alone = Command::new("gzip").args(["-9n", "--to-stdout"]).arg(&made.binary).output().context("gzip")?;
    ensure!(alone.status.success(), "gzip failed");
    fs::write(out.join(format!("sbc-bench-{}-{arch}.gz", env!("CARGO_PKG_VERSION"))), alone.stdout)?;
    let mut files: Vec<String> = Vec::new();
    for entry in fs::read_dir(&out)? {
        files.push(entry?.file_name().to_string_lossy().into_owned());
    }
    files.sort();
    let sums = [day(&epoch)?.into_bytes(), checksums(&out, &files)?].concat();
    fs::write(out.join("SHA256SUMS"), &sums)?;
    println!("{}\n{}{}", made.line, String::from_utf8_lossy(&sums), out.display());
    Ok(())
}

/// Notices of what the binary contains.
pub(super) fn notices(binary: &mut Command, root: &Path) -> Result<()> {
    Ok(fs::write(root.join("doc/third-party.txt"), said(binary.arg("licences").output()?)? + "\n")?)
}

/// All pages of rules as one document.
fn rules() -> Result<String> {
    let pages = workspace::files(|path| path.starts_with("docs/rules/") && path.ends_with(".md"))?;
    Ok(pages.iter().map(|page| page.text.trim_end().to_owned() + "\n\n").collect())
}

/// Completes the .deb of a folder.
pub(super) fn finish_deb(out: &Path, epoch: &str) -> Result<()> {
    for entry in fs::read_dir(out)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "deb") {
            let script = workspace::root().join("xtask/src/dist/finish_deb.sh");
            said(Command::new("sh").arg(script).arg(&path).env("SOURCE_DATE_EPOCH", epoch).output()?)?;
        }
    }
    Ok(())
}

/// Builds them once more in a clone of the checkout, in another folder, and compares.
pub(crate) fn twice(arch: &str) -> Result<()> {
    ensure!(workspace::commit().is_some(), "commit first: a clone has what is committed");
    main(arch)?;
    let target_folder = workspace::target_folder()?;
    // Not below the checkout, whose settings of cargo would count once more.
    let clone = std::env::temp_dir().join(format!("sbc-bench twice {}", std::process::id()));
    let mut git = Command::new("git");
    git.args(["clone", "--quiet", "--no-hardlinks"]).arg(workspace::root()).arg(&clone);
    ensure!(git.status().context("git")?.success(), "git could not clone the checkout");
    let mut again = workspace::cargo();
    again.current_dir(&clone).args(["xtask", "package", arch]).env("CARGO_TARGET_DIR", clone.join("target"));
    ensure!(again.status()?.success(), "the second build failed");
    let sums = |target: &Path| fs::read_to_string(target.join("package").join(arch).join("SHA256SUMS"));
    let (first, second) = (sums(&target_folder)?, sums(&clone.join("target"))?);
    ensure!(first == second, "two builds differ:\n{first}\n{second}");
    fs::remove_dir_all(&clone)?;
    let files = first.lines().filter(|line| !line.starts_with('#')).count();
    println!("equal: {files} files of two builds in two folders");
    Ok(())
}

/// Builds the binary; paths of this machine stand in no panic message of it.
fn build(target: &Target, target_folder: &Path) -> Result<()> {
    let home = std::env::var("CARGO_HOME").or_else(|_| std::env::var("HOME").map(|home| format!("{home}/.cargo")))?;
    let places = [
        (home, "/cargo"),
        (workspace::root().display().to_string(), "/sbc-bench"),
        (target_folder.display().to_string(), "/target"),
    ];
    let flags: Vec<String> = places.iter().map(|(from, to)| format!("--remap-path-prefix={from}={to}")).collect();
    let mut command = workspace::cargo();
    command.args(["build", "--quiet", "--locked", "--profile", Profile::Release.name(), "--package", "sbc-bench"]);
    command.args(["--target", target.triple]);
    command.arg("--config").arg(target.flags(&flags));
    if let Some(commit) = workspace::commit() {
        command.env("SBC_BENCH_COMMIT", commit);
    }
    ensure!(command.status()?.success(), "cargo could not build sbc-bench for {}", target.triple);
    Ok(())
}

/// Runs a subcommand of cargo that is installed apart.
pub(super) fn tool(words: &[&str], epoch: &str) -> Result<()> {
    let output = workspace::cargo().args(words).env("SOURCE_DATE_EPOCH", epoch).output()?;
    ensure!(
        output.status.success(),
        "cargo {}: {}; these tools come by: cargo install cargo-deb cargo-generate-rpm cargo-cyclonedx",
        words[0],
        String::from_utf8_lossy(&output.stderr).trim()
    );
    Ok(())
}

/// One folder with everything, in an order and with dates that depend on the commit alone.
fn tarball(arch: &str, epoch: &str, root: &Path, out: &Path) -> Result<()> {
    let file = out.join(format!("sbc-bench-{}-{arch}.tar.gz", env!("CARGO_PKG_VERSION")));
    let order = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=go=rX,u+rw,a-s", "--format=gnu"];
    let mut command = Command::new("tar");
    command.args(order).arg(format!("--mtime=@{epoch}")).arg("--use-compress-program=gzip -9n");
    command.arg(format!("--transform=s,^\\.,sbc-bench-{},", env!("CARGO_PKG_VERSION")));
    command.arg("--create").arg("--file").arg(file).arg("--directory").arg(root).arg(".");
    ensure!(command.status().context("tar")?.success(), "tar failed");
    Ok(())
}

/// Bill of materials as CycloneDX; cargo-cyclonedx writes it next to the manifest.
fn parts(target: &Target, epoch: &str, out: &Path) -> Result<String> {
    let manifest = workspace::root().join("crates/app/Cargo.toml");
    let manifest_name = manifest.display().to_string();
    let words =
        ["cyclonedx", "--quiet", "--format", "json", "--override-filename", "sbc-bench.cdx", "--target", target.triple];
    tool(&[&words[..], &["--manifest-path", &manifest_name]].concat(), epoch)?;
    let mut parts = String::new();
    // It writes one for each member of the workspace.
    for crate_folder in fs::read_dir(workspace::root().join("crates"))?.chain(fs::read_dir(workspace::root())?) {
        let file = crate_folder?.path().join("sbc-bench.cdx.json");
        if file.parent() == manifest.parent() {
            let text = fs::read_to_string(&file)?;
            // Paths of the build would make two builds differ.
            let place = workspace::root().display().to_string();
            let text = text.replace(&place.replace(' ', "%20"), "/sbc-bench").replace(&place, "/sbc-bench");
            fs::write(out.join(format!("sbc-bench-{}-{}.cdx.json", env!("CARGO_PKG_VERSION"), target.arch)), &text)?;
            parts = text;
        }
        if file.exists() {
            fs::remove_file(&file)?;
        }
    }
    Ok(parts)
}

/// The changelog as Debian's tools read it; what changed is in CHANGELOG.md.
pub(super) fn debian_changelog(name: &str, epoch: &str) -> Result<String> {
    let date = said(Command::new("date").args(["--utc", "--rfc-email", "--date"]).arg(format!("@{epoch}")).output()?)?;
    let version = env!("CARGO_PKG_VERSION");
    Ok(format!(
        "{name} ({version}-1) unstable; urgency=medium\n\n  * Release {version}; changelog.gz has the changes.\n\n \
         -- sbc-bench contributors <sbc-bench@users.noreply.github.com>  {date}\n"
    ))
}

/// The first line of `SHA256SUMS`: a comment for sha256sum, and the signed date of the release for `update`.
fn day(epoch: &str) -> Result<String> {
    said(Command::new("date").args(["--utc", "+# date: %Y-%m-%d", "--date"]).arg(format!("@{epoch}")).output()?)
        .map(|line| line + "\n")
}

/// Output of a program that succeeded.
pub(super) fn said(output: Output) -> Result<String> {
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_have_a_date_that_sha256sum_takes_for_a_comment() {
        assert_eq!(day("1795737600").unwrap(), "# date: 2026-11-27\n");
        let folder = std::env::temp_dir().join(format!("sbc-bench-sums-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("a"), "a").unwrap();
        let sums = [day("0").unwrap().into_bytes(), checksums(&folder, &["a".to_owned()]).unwrap()].concat();
        fs::write(folder.join("SHA256SUMS"), sums).unwrap();
        let checked =
            Command::new("sha256sum").args(["--check", "--strict", "SHA256SUMS"]).current_dir(&folder).output();
        let said = said(checked.unwrap()).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(said, "a: OK");
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
