//! Runs linters and validators over `deploy`.

use crate::workspace;
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::Path;
use std::process::Command;
use testkit::Scratch;

/// Replacement of the pip wheel that ansible-test would download; Python contains one.
const GET_PIP: &str = "import ensurepip\nensurepip.bootstrap(upgrade=True, default_pip=True)\n";

/// Checks: name, folder in `deploy`, and command line.
const CHECKS: &str = include_str!("lint.tsv");

/// Prints a row for each check; fails if any fails.
pub(super) fn main(folder: &Path) -> Result<()> {
    // A copy outside of the checkout, because ansible-test silently skips files that Git ignores.
    let place = Scratch::new("lint");
    let collection = place.join("ansible_collections/sbc_bench/boards");
    let cache = place.join(".ansible/test/cache");
    fs::create_dir_all(place.join("ansible_collections/sbc_bench"))?;
    fs::create_dir_all(&cache)?;
    fs::write(cache.join("get_pip_24_2.py"), GET_PIP)?;
    let deploy = workspace::root().join("deploy");
    super::board::run("cp", &["-a", &deploy.join("ansible").to_string_lossy(), &collection.to_string_lossy()])?;
    let mut failed = Vec::new();
    for line in CHECKS.lines().skip(2) {
        let [name, at, words] = line.split('\t').collect::<Vec<_>>()[..] else { bail!("three columns: {line}") };
        let at = if at == "ansible" { collection.clone() } else { deploy.join(at) };
        let said = said(folder, &place, &at, &words.split(' ').collect::<Vec<_>>());
        println!("{name:38} {}", if said.is_ok() { "clean" } else { "not clean" });
        failed.extend(said.err().map(|error| format!("{name}: {error:#}")));
    }
    ensure!(failed.is_empty(), "{}", failed.join("\n"));
    Ok(())
}

/// Runs a check in a folder, with programs of the virtual environment first. Pythons of a version manager are not in
/// PATH, because ansible-test would use them.
fn said(folder: &Path, home: &Path, at: &Path, words: &[&str]) -> Result<()> {
    let bin = folder.join("venv/bin");
    let program = bin.join(words[0]);
    let mut command = if program.exists() { Command::new(program) } else { Command::new(words[0]) };
    command.args(&words[1..]).current_dir(at).env("PATH", format!("{}:/usr/sbin:/usr/bin:/sbin:/bin", bin.display()));
    command.env("HOME", home).env("ANSIBLE_COLLECTIONS_PATH", home).env("NO_COLOR", "1").env("LC_ALL", "C.UTF-8");
    if let Some(built) = super::built()? {
        command.env("SBC_BENCH", built);
    }
    let output = command.output().with_context(|| words[0].to_owned())?;
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if !output.status.success() || text.contains("All targets skipped") || text.contains("skipped=") {
        bail!("{text}");
    }
    Ok(())
}
