//! `cargo xtask fuzz`: builds the fuzz targets of `fuzz/` with coverage counters of the pinned compiler, and runs them.

use crate::workspace;
use anyhow::{Context, Result, ensure};
use std::process::Command;

/// A counter at each edge of the control flow. Several codegen units, as the build dominates a short run.
const FLAGS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=3 \
                     -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Ccodegen-units=16";

/// Maximum duration of a short run per target, in seconds.
const SHORT_S: u32 = 2;

/// Builds the driver and runs it with these arguments.
pub(crate) fn main(words: &[&str]) -> Result<()> {
    let folder = workspace::root().join("fuzz");
    let host = host()?;
    let profile = if is_short(words) { "short" } else { "release" };
    let mut build = workspace::cargo();
    build.args(["build", "--quiet", "--profile", profile, "--bin", "fuzz"]);
    // With a target, cargo builds build scripts and macros without the flags.
    build.args(["--target", &host]).env("RUSTFLAGS", FLAGS);
    let status = build.current_dir(&folder).status().context("cargo")?;
    ensure!(status.success(), "the fuzz targets cannot be built: {status}");
    let binary = folder.join(format!("target/{host}/{profile}/fuzz"));
    let status = Command::new(&binary).args(words).status();
    let status = status.with_context(|| format!("{}", binary.display()))?;
    ensure!(status.success(), "there are inputs that break something: fuzz/artifacts has them");
    Ok(())
}

/// Whether an optimised build would take longer than the run.
fn is_short(words: &[&str]) -> bool {
    let seconds = words.iter().skip_while(|word| **word != "--seconds").nth(1);
    seconds.and_then(|seconds| seconds.parse().ok()).is_some_and(|seconds: u32| seconds <= SHORT_S)
}

fn host() -> Result<String> {
    let output = Command::new("rustc").args(["--print", "host-tuple"]).output().context("rustc")?;
    ensure!(output.status.success(), "rustc --print host-tuple: {}", output.status);
    Ok(String::from_utf8(output.stdout)?.trim_end().to_owned())
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
