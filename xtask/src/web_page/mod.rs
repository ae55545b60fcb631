//! `cargo xtask web`: the pages in a browser as one HTML file, built and measured; with `--check` also tried in Chromium
//! and Firefox.

mod browser;
mod check;
mod firefox;
pub(crate) mod pictures;

use crate::workspace::{self, run};
use anyhow::{Context, Result, ensure};
use std::env;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET: &str = "wasm32-unknown-unknown";
/// The program that makes the script between the browser and the program; its version has to be that of the library.
const BINDGEN: &str = "wasm-bindgen";
const BINDGEN_OPTIONS: [&str; 8] = [
    "--target",
    "no-modules",
    "--no-typescript",
    "--remove-name-section",
    "--remove-producers-section",
    "--out-name",
    "sbc-bench",
    "--out-dir",
];
/// Maximum size of a downloaded page, in compressed bytes.
const PACKED_BYTES_MAX: u64 = 1_500_000;

/// Builds the file and prints its sizes.
pub(crate) fn main() -> Result<()> {
    let file = build()?;
    println!("{}", file.display());
    Ok(())
}

/// Builds the file and tries it in Chromium, then in Firefox where there is one.
pub(crate) fn check() -> Result<()> {
    let file = build()?;
    check::main(&file)?;
    firefox::check(&file)
}

/// Tries the pages of a hub in Chromium.
pub(crate) fn check_hub() -> Result<()> {
    check::of_hub()
}

/// Says what was not tried and why, also where `./test` counts it; a failure where nothing may be skipped.
fn skip(what: &str) -> Result<()> {
    println!("skipped: {what}");
    if let Some(list) = env::var_os("SBC_BENCH_SKIPS") {
        writeln!(fs::OpenOptions::new().append(true).create(true).open(list)?, "skipped: {what}")?;
    }
    ensure!(env::var_os("SBC_BENCH_NO_SKIP").is_none(), "not tried, and SBC_BENCH_NO_SKIP is set");
    Ok(())
}

/// Makes the file, without paths of this machine.
pub(crate) fn build() -> Result<PathBuf> {
    let target_folder = workspace::target_folder()?;
    let folder = target_folder.join("web");
    fs::create_dir_all(&folder)?;
    let words = ["build", "--locked", "--quiet", "-p", "sbc-bench-web", "--profile", "web", "--target", TARGET];
    let flags = workspace::rustflags(TARGET, workspace::remapped(&target_folder)?.into_iter());
    run(workspace::cargo().args(words).args(["--config", &flags]))
        .with_context(|| format!("needs `rustup target add {TARGET}`"))?;
    let built = workspace::target_folder()?.join(TARGET).join("web/web.wasm");
    let mut bindgen = Command::new(bindgen()?);
    run(bindgen.args(BINDGEN_OPTIONS).arg(&folder).arg(built))?;
    let wasm = fs::read(folder.join("sbc-bench_bg.wasm"))?;
    let glue = fs::read_to_string(folder.join("sbc-bench.js"))?;
    let file = folder.join("sbc-bench.html");
    fs::write(&file, web::shell::document(&wasm, &glue))?;
    println!("WebAssembly {} bytes, with gzip in one HTML file {} bytes", wasm.len(), file.metadata()?.len());
    match packed_bytes(&folder.join("sbc-bench_bg.wasm")) {
        Some(bytes) => {
            println!("WebAssembly with brotli {bytes} bytes");
            ensure!(bytes <= PACKED_BYTES_MAX, "more than {PACKED_BYTES_MAX} bytes");
        }
        None => skip("size of the WebAssembly with brotli: brotli(1) is not installed (apt install brotli)")?,
    }
    Ok(file)
}

/// Length of a file as brotli(1) packs it; none without that program.
fn packed_bytes(file: &Path) -> Option<u64> {
    let output = Command::new("brotli").args(["--quality=11", "--stdout"]).arg(file).output().ok()?;
    output.status.success().then_some(output.stdout.len() as u64)
}

/// The program of the version that `Cargo.lock` has of the library: of the search path, else installed into the target directory.
fn bindgen() -> Result<PathBuf> {
    let lock = fs::read_to_string(workspace::root().join("Cargo.lock"))?;
    let version = version_of(&lock, BINDGEN).context("Cargo.lock has no wasm-bindgen")?;
    let own = workspace::target_folder()?.join("tools");
    let installed = own.join("bin").join(BINDGEN);
    for program in [PathBuf::from(BINDGEN), installed.clone()] {
        let told = Command::new(&program).arg("--version").output();
        if told.is_ok_and(|told| String::from_utf8_lossy(&told.stdout).split_whitespace().any(|word| word == version)) {
            return Ok(program);
        }
    }
    println!("installing wasm-bindgen-cli {version} into {}", own.display());
    let words = ["install", "--quiet", "wasm-bindgen-cli", "--version", version, "--root"];
    // Its own target directory: nothing of it has to be built with the workspace.
    run(workspace::cargo().args(words).arg(&own).env("CARGO_TARGET_DIR", own.join("build")))?;
    Ok(installed)
}

/// Version of a package in the text of a `Cargo.lock`.
fn version_of<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let (_, rest) = lock.split_once(&format!("name = \"{package}\"\nversion = \""))?;
    rest.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_is_that_of_the_package() {
        let lock = "[[package]]\nname = \"wasm-bindgen-macro\"\nversion = \"7\"\n\n[[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.9\"\n";
        assert_eq!(version_of(lock, BINDGEN), Some("0.2.9"));
        assert_eq!(version_of(lock, "other"), None);
    }
}
