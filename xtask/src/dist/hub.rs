//! Packages of the hub for this machine: program, manual pages, completions and unit as .deb and .rpm, in
//! `target/package/hub`. SQLite is inside; the C library is that of the system.

use super::package::{debian_changelog, finish_deb, notices, said, tool};
use crate::workspace;
use anyhow::{Result, ensure};
use std::fs;
use std::process::Command;

/// Completions by the name of the shell.
const COMPLETIONS: [(&str, &str); 3] =
    [("sbc-bench-hub.bash", "bash"), ("_sbc-bench-hub", "zsh"), ("sbc-bench-hub.fish", "fish")];

/// Builds both packages.
pub(crate) fn main() -> Result<()> {
    let target_folder = workspace::target_folder()?;
    let epoch =
        said(Command::new("git").arg("-C").arg(workspace::root()).args(["log", "-1", "--format=%ct"]).output()?)?;
    let mut build = workspace::cargo();
    build.args(["build", "--quiet", "--locked", "--profile", "hub", "--package", "sbc-bench-hub"]);
    if let Some(commit) = workspace::commit() {
        build.env("SBC_BENCH_COMMIT", commit);
    }
    ensure!(build.status()?.success(), "cargo could not build sbc-bench-hub");
    // cargo-deb and cargo-generate-rpm look for `target/release`.
    let binary = target_folder.join("hub/sbc-bench-hub");
    let root = target_folder.join("release/package-hub");
    let out = target_folder.join("package/hub");
    for folder in [&root, &out] {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
    }
    for folder in [&root.join("man"), &root.join("doc"), &out] {
        fs::create_dir_all(folder)?;
    }
    fs::copy(&binary, root.join("sbc-bench-hub"))?;
    said(Command::new(&binary).arg("manual").arg(root.join("man")).output()?)?;
    for (name, shell) in COMPLETIONS {
        fs::write(root.join(name), said(Command::new(&binary).args(["completions", shell]).output()?)? + "\n")?;
    }
    for (from, to) in [("docs/hub.md", "doc/hub.md"), ("CHANGELOG.md", "doc/changelog")] {
        fs::copy(workspace::root().join(from), root.join(to))?;
    }
    notices(&mut Command::new(&binary), &root)?;
    fs::write(root.join("changelog.Debian"), debian_changelog("sbc-bench-hub", &epoch)?)?;
    let packed = Command::new("gzip")
        .args(["-9nr", "man", "changelog.Debian", "doc/changelog", "doc/third-party.txt"])
        .current_dir(&root)
        .status()?;
    ensure!(packed.success(), "gzip failed");
    let folder = out.display().to_string();
    tool(&["deb", "--no-build", "--no-strip", "--package", "sbc-bench-hub", "--output", &folder], &epoch)?;
    finish_deb(&out, &epoch)?;
    let build_folder = target_folder.display().to_string();
    let rpm = ["generate-rpm", "--package", "crates/hub", "--source-date", &epoch, "--target-dir", &build_folder];
    tool(&[&rpm[..], &["--output", &folder]].concat(), &epoch)?;
    println!("{folder}");
    Ok(())
}
