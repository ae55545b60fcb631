//! `cargo xtask fuzz`: builds the fuzz targets of `fuzz/` with coverage counters of the pinned compiler, and runs them.

use crate::workspace;
use anyhow::{Context, Result, ensure};
use std::path::PathBuf;
use std::process::Command;

/// A counter at each edge of the control flow. Several codegen units, as the build dominates a short run.
const FLAGS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=3 \
                     -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Ccodegen-units=16";

/// Maximum duration of a short run per target, in seconds.
const SHORT_S: u32 = 2;

/// Builds the driver and runs it with these arguments.
pub(crate) fn main(words: &[&str]) -> Result<()> {
    let status = Command::new(build(is_short(words))?).args(words).status().context("the fuzz targets")?;
    ensure!(status.success(), "there are inputs that break something: fuzz/artifacts has them");
    Ok(())
}

/// Builds the driver and returns its path.
pub(crate) fn build(is_short: bool) -> Result<PathBuf> {
    let folder = workspace::root().join("fuzz");
    let host = workspace::said(Command::new("rustc").args(["--print", "host-tuple"]))?;
    let profile = if is_short { "short" } else { "release" };
    let mut build = workspace::cargo();
    build.args(["build", "--quiet", "--profile", profile, "--bin", "fuzz"]);
    // With a target, cargo builds build scripts and macros without the flags.
    build.args(["--target", &host]).env("RUSTFLAGS", FLAGS);
    workspace::run(build.current_dir(&folder)).context("the fuzz targets cannot be built")?;
    Ok(folder.join(format!("target/{host}/{profile}/fuzz")))
}

/// Whether an optimised build would take longer than the run.
fn is_short(words: &[&str]) -> bool {
    let seconds = words.iter().skip_while(|word| **word != "--seconds").nth(1);
    seconds.and_then(|seconds| seconds.parse().ok()).is_some_and(|seconds: u32| seconds <= SHORT_S)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_runs_are_built_quickly() {
        assert!(is_short(&["--seconds", "1"]));
        assert!(!is_short(&["--seconds", "60", "logs"]));
        assert!(!is_short(&["logs", "--seconds"]));
        assert!(!is_short(&[]));
    }
}
