//! `cargo xtask release`: all artefacts of the tag at HEAD in `target/package/release`, built in two folders and
//! compared, checked, tried in clean systems, with signed checksums and notes.

use super::package::{self, day, names};
use super::{Profile, checksums, parts, systems};
use crate::workspace::{self, empty, run};
use anyhow::{Context, Result, ensure};
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Variable with the path of the secret key of minisign(1), which only the owner of the project has.
const KEY: &str = "SBC_BENCH_SIGNING_KEY";
/// Mark of an unpublished version in the changelog.
const UNPUBLISHED: &str = "(unreleased)";

/// Makes a release; with `--dry` these parts of one, from any commit and with little optimisation; with `--notes` only
/// prints its notes.
pub(crate) fn main(words: &[&str]) -> Result<()> {
    let (profile, chosen) = match words {
        ["--dry", parts @ ..] => (Profile::Proof, parts),
        parts => (Profile::Release, parts),
    };
    let changelog = fs::read_to_string(workspace::root().join("CHANGELOG.md"))?;
    let notes = notes(&changelog, env!("CARGO_PKG_VERSION"), profile == Profile::Proof)?;
    if chosen == ["--notes"] {
        print!("{notes}");
        return Ok(());
    }
    if profile == Profile::Release {
        let tag = workspace::git(&["describe", "--tags", "--exact-match", "HEAD"])?;
        let expected = concat!("v", env!("CARGO_PKG_VERSION"));
        ensure!(tag == expected, "the tag of HEAD is {tag}; the version of the workspace asks for {expected}");
    }
    let all = parts();
    let chosen: &[&str] = if chosen.is_empty() { &all } else { chosen };
    for part in chosen {
        package::twice(part, profile)?;
        systems::main(part, &[], profile == Profile::Release)?;
    }
    let package_folder = workspace::target_folder()?.join("package");
    let out = package_folder.join("release");
    empty(&out)?;
    for part in chosen {
        let folder = package_folder.join(part);
        for name in names(&folder)?.iter().filter(|name| *name != "SHA256SUMS") {
            fs::copy(folder.join(name), out.join(name))?;
        }
    }
    let epoch = workspace::git(&["log", "-1", "--format=%ct"])?;
    let files = names(&out)?;
    fs::write(out.join("SHA256SUMS"), [day(&epoch)?.into_bytes(), checksums(&out, &files)?].concat())?;
    fs::write(out.join("notes.md"), notes)?;
    sign(&out)?;
    println!("{}: {} files", out.display(), files.len());
    Ok(())
}

/// Signs the checksums, or prints how their owner does.
fn sign(out: &Path) -> Result<()> {
    let Some(key) = std::env::var_os(KEY) else {
        let sums = out.join("SHA256SUMS");
        println!("not signed: {KEY} names no key; sign by: minisign -S -s KEY -m {}", sums.display());
        return Ok(());
    };
    sign_with(out, &key)
}

fn sign_with(out: &Path, key: &OsStr) -> Result<()> {
    let comment = format!("sbc-bench {}", env!("CARGO_PKG_VERSION"));
    let mut minisign = Command::new("minisign");
    minisign.args(["-S", "-t", &comment, "-s"]).arg(key).arg("-m").arg(out.join("SHA256SUMS"));
    run(&mut minisign).context("minisign(1) has to sign the sums")
}

/// Section of a version in the changelog.
fn notes(changelog: &str, version: &str, may_be_unpublished: bool) -> Result<String> {
    let is_own = |line: &&str| line.strip_prefix("## ").is_some_and(|title| title.split(' ').next() == Some(version));
    let mut lines = changelog.lines().skip_while(|line| !is_own(line));
    let title = lines.next().with_context(|| format!("CHANGELOG.md has no section {version}"))?;
    ensure!(may_be_unpublished || !title.contains(UNPUBLISHED), "CHANGELOG.md calls {version} {UNPUBLISHED}");
    let text = lines.take_while(|line| !line.starts_with("## ")).collect::<Vec<_>>().join("\n");
    ensure!(!text.trim().is_empty(), "CHANGELOG.md says nothing of {version}");
    Ok(text.trim().to_owned() + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_the_section_of_the_version() {
        let text = "# Changelog\n\n## 1.1.0 (unreleased)\n\nNew.\n\n## 1.0.0 (2026-11-28)\n\n* One.\n\n**Two**\n\n## 0.9.0\n\n";
        assert_eq!(notes(text, "1.0.0", false).unwrap(), "* One.\n\n**Two**\n");
        assert_eq!(notes(text, "1.1.0", true).unwrap(), "New.\n");
        for (version, why) in [("1.1.0", "(unreleased)"), ("0.9.0", "nothing of 0.9.0"), ("1.0", "no section 1.0")] {
            assert!(notes(text, version, false).unwrap_err().to_string().contains(why), "{version}");
        }
    }

    #[test]
    fn workflow_publishes_the_notes() {
        let workflow = include_str!("../../../.github/workflows/release.yml");
        assert!(
            workflow.contains("cargo xtask release --notes > notes.md") && workflow.contains("--notes-file notes.md")
        );
    }

    #[test]
    fn sums_are_signed_by_the_key_that_is_named() {
        if Command::new("minisign").arg("-v").output().is_err() {
            return testkit::skip("minisign is not installed (Debian's package minisign)");
        }
        let place = testkit::Scratch::new("signed");
        let of = |name: &str| place.join(name);
        fs::write(of("SHA256SUMS"), "# date: 2026-11-28\n").unwrap();
        let made =
            Command::new("minisign").args(["-G", "-W", "-p"]).arg(of("key.pub")).arg("-s").arg(of("key")).output();
        assert!(made.unwrap().status.success());
        sign_with(&place, of("key").as_os_str()).unwrap();
        let good = Command::new("minisign")
            .args(["-V", "-q", "-p"])
            .arg(of("key.pub"))
            .arg("-m")
            .arg(of("SHA256SUMS"))
            .status();
        assert!(good.unwrap().success());
    }
}
