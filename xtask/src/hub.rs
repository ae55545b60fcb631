//! `cargo xtask hub`: tests the hub with other programs. Schemathesis makes requests from the document of its API, on
//! both databases, and Chromium shows its pages.

use crate::web_page;
use crate::workspace::{self, run};
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::process::Command;

/// From PyPI.
const SCHEMATHESIS: &str = "schemathesis==4.32.5";

pub(crate) fn main() -> Result<()> {
    let program = schemathesis()?;
    let words =
        ["test", "--locked", "-p", "sbc-bench-hub", "--test", "integration", "--", "schemathesis::", "--nocapture"];
    run(workspace::cargo().args(words).env("SCHEMATHESIS", program))?;
    web_page::check_hub()
}

/// Path of the program, which the first call installs into the target directory.
fn schemathesis() -> Result<PathBuf> {
    let folder = workspace::target_folder()?.join("tools").join(SCHEMATHESIS);
    let program = folder.join("bin/schemathesis");
    if !program.exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&folder)).context("python3 (package python3-venv)")?;
        let words = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", SCHEMATHESIS];
        run(Command::new(folder.join("bin/python")).args(words))?;
    }
    Ok(program)
}
