//! `cargo xtask fuzz`: builds the fuzz targets with the counters of coverage that the pinned compiler can put in, and
//! runs them. What they are and what is done stands in `fuzz/`.

use crate::workspace;
use anyhow::{Context, Result, ensure};
use std::process::Command;

/// A counter at every edge of the control flow; many units, as the build is most of a short run.
const FLAGS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=3 \
                     -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Ccodegen-units=16";

/// A run of at most so many seconds a target is a short one.
const SHORT_S: u32 = 2;

/// Builds and runs; the words go to the driver.
pub(crate) fn main(words: &[&str]) -> Result<()> {
    let folder = workspace::root().join("fuzz");
    let host = host()?;
    let profile = if is_short(words) { "short" } else { "release" };
    let mut build = workspace::cargo();
    build.args(["build", "--quiet", "--profile", profile, "--bin", "fuzz"]);
    // With a target, build scripts and macros are made without the flags.
    build.args(["--target", &host]).env("RUSTFLAGS", FLAGS);
    let status = build.current_dir(&folder).status().context("cargo")?;
    ensure!(status.success(), "the fuzz targets cannot be built: {status}");
    let binary = folder.join(format!("target/{host}/{profile}/fuzz"));
    let status = Command::new(&binary).args(words).status();
    let status = status.with_context(|| format!("{}", binary.display()))?;
    ensure!(status.success(), "there are inputs that break something: fuzz/artifacts has them");
    Ok(())
}

/// True for a run of so few seconds a target that its build takes longer.
fn is_short(words: &[&str]) -> bool {
    let seconds = words.iter().skip_while(|word| **word != "--seconds").nth(1);
    seconds.and_then(|seconds| seconds.parse().ok()).is_some_and(|seconds: u32| seconds <= SHORT_S)
}

/// The target that this machine is.
fn host() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").output().context("rustc")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    host_of(&text).context("rustc -vV names no host")
}

fn host_of(text: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.strip_prefix("host: "))?;
    Some(line.trim().to_owned())
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

    #[test]
    fn host_is_found() {
        let text = "rustc 1.95.0\nbinary: rustc\nhost: aarch64-unknown-linux-gnu\nrelease: 1.95.0\n";
        assert_eq!(host_of(text).as_deref(), Some("aarch64-unknown-linux-gnu"));
        assert_eq!(host_of(""), None);
    }
}
