//! Runs linters and validators over `deploy`.

use crate::workspace;
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::Path;
use std::process::Command;
use testkit::Scratch;

/// Checks of ansible-test that need no container.
const SANITY: [&str; 11] = [
    "action-plugin-docs",
    "ansible-doc",
    "compile",
    "import",
    "no-assert",
    "pep8",
    "runtime-metadata",
    "shebang",
    "use-argspec-type-path",
    "validate-modules",
    "yamllint",
];

/// Replacement of the pip wheel that ansible-test would download; Python contains one.
const GET_PIP: &str = "import ensurepip\nensurepip.bootstrap(upgrade=True, default_pip=True)\n";

/// Other checks: name, folder in `deploy`, command line.
const CHECKS: [(&str, &str, &[&str]); 9] = [
    ("ruff check", ".", &["ruff", "check", "--no-cache", "."]),
    ("ruff format", ".", &["ruff", "format", "--check", "--no-cache", "."]),
    ("promtool check config", "prometheus", &["promtool", "check", "config", "prometheus.yml"]),
    ("promtool check rules", "prometheus", &["promtool", "check", "rules", "sbc-bench.rules.yml"]),
    ("promtool test rules", "prometheus", &["promtool", "test", "rules", "sbc-bench.rules.test.yml"]),
    ("shellcheck", "slurm", &["shellcheck", "sbc-bench.sbatch"]),
    ("Kubernetes: job", "kubernetes", &["kubernetes-validate", "--strict", "job.yml"]),
    ("Kubernetes: daemonset", "kubernetes", &["kubernetes-validate", "--strict", "daemonset.yml"]),
    ("labgrid: driver", "labgrid", &["python", "-B", "-m", "unittest"]),
];

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
    let mut row = |name: &str, at: &Path, words: &[&str]| -> Result<()> {
        let said = said(folder, &place, at, words);
        println!("{name:38} {}", if said.is_ok() { "clean" } else { "not clean" });
        failed.extend(said.err().map(|error| format!("{name}: {error:#}")));
        Ok(())
    };
    for (name, at, words) in CHECKS {
        row(name, &deploy.join(at), words)?;
    }
    row("ansible-lint, profile production", &collection, &["ansible-lint", "--offline", "--profile", "production"])?;
    for test in SANITY {
        let words = ["ansible-test", "sanity", "--test", test, "--python", "default"];
        row(&format!("ansible-test sanity {test}"), &collection, &words)?;
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
