//! What Ansible's own checks say of the collection, and ruff of all Python in `deploy`.

use crate::workspace;
use anyhow::{Context, Result, ensure};
use std::path::Path;
use std::process::Command;

/// Checks of ansible-test that need no network and no container.
const SANITY: [&str; 17] = [
    "action-plugin-docs",
    "ansible-doc",
    "changelog",
    "compile",
    "empty-init",
    "ignores",
    "import",
    "line-endings",
    "no-assert",
    "no-get-exception",
    "no-illegal-filenames",
    "no-smart-quotes",
    "replace-urlopen",
    "shebang",
    "symlinks",
    "use-argspec-type-path",
    "use-compat-six",
];

/// Prints a row for each check; fails if one does.
pub(super) fn main(folder: &Path) -> Result<()> {
    let bin = folder.join("venv/bin");
    let deploy = workspace::root().join("deploy");
    let collection = folder.join("collections/ansible_collections/sbc_bench/boards");
    let mut failed = Vec::new();
    let mut row = |name: &str, place: &Path, words: &[&str]| -> Result<()> {
        let mut command = Command::new(bin.join(words[0]));
        let path = std::env::var("PATH").unwrap_or_default();
        command.args(&words[1..]).current_dir(place).env("PATH", format!("{}:{path}", bin.display()));
        command.env("ANSIBLE_COLLECTIONS_PATH", folder.join("collections")).env("NO_COLOR", "1");
        let output = command.output().with_context(|| words[0].to_owned())?;
        let is_good = output.status.success();
        println!("{:32} {}", name, if is_good { "clean" } else { "not clean" });
        if !is_good {
            failed.push(format!(
                "{}{}",
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            ));
        }
        Ok(())
    };
    row("ruff check", &deploy, &["ruff", "check", "--no-cache", "."])?;
    row("ruff format", &deploy, &["ruff", "format", "--check", "--no-cache", "."])?;
    row("ansible-lint (production)", &collection, &["ansible-lint", "--offline", "--profile", "production"])?;
    for test in SANITY {
        row(
            &format!("ansible-test sanity {test}"),
            &collection,
            &["ansible-test", "sanity", "--test", test, "--python", "default"],
        )?;
    }
    ensure!(failed.is_empty(), "{}", failed.join("\n"));
    Ok(())
}
