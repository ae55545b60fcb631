//! `cargo xtask web`: builds and measures the pages for a browser as one HTML file; with `--check` also checks it in
//! Chromium.

mod browser;
mod check;
pub(crate) mod pictures;

use crate::workspace::{self, run, skip};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET: &str = "wasm32-unknown-unknown";
/// Program that generates the bindings for the browser; its version must equal that of the library.
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
/// Number of timings of a page; the fastest counts.
const TIMES: usize = 5;
/// Maximum size of a downloaded page, in compressed bytes.
const PACKED_BYTES_MAX: u64 = 1_500_000;

/// Builds the file and prints its sizes.
pub(crate) fn main() -> Result<()> {
    let file = build()?;
    println!("{}", file.display());
    Ok(())
}

/// Builds the file and checks it in Chromium.
pub(crate) fn check() -> Result<()> {
    check::main(&build()?)
}

/// Checks the pages of a hub in Chromium.
pub(crate) fn check_hub() -> Result<()> {
    check::of_hub()
}

/// A page in Chromium: milliseconds until it is painted and until it can be used, and its requests.
pub(crate) struct PageLoad {
    pub(crate) painted_ms: f64,
    pub(crate) usable_ms: f64,
    pub(crate) requests: usize,
}

/// Opens a page several times; the fastest counts. `None` without Chromium.
pub(crate) fn opened(page: &Path) -> Result<Option<PageLoad>> {
    let Some(program) = browser::find() else { return Ok(None) };
    let mut best = PageLoad { painted_ms: f64::INFINITY, usable_ms: f64::INFINITY, requests: 0 };
    let mut browser = browser::Browser::start(program)?;
    for _ in 0..TIMES {
        browser.requests.clear();
        browser.open(page)?;
        let [painted_ms, usable_ms] = browser.times_ms()?;
        best.painted_ms = best.painted_ms.min(painted_ms);
        best.usable_ms = best.usable_ms.min(usable_ms);
        best.requests = browser.requests.len().saturating_sub(1);
    }
    Ok(Some(best))
}

/// Builds the file, without paths of this machine.
pub(crate) fn build() -> Result<PathBuf> {
    let target_folder = workspace::target_folder()?;
    let folder = target_folder.join("web");
    fs::create_dir_all(&folder)?;
    let words = ["build", "--locked", "--quiet", "-p", "sbc-bench-web", "--profile", "web", "--target", TARGET];
    let flags = workspace::rustflags(TARGET, workspace::remapped(&target_folder)?.into_iter());
    need_target()?;
    run(workspace::cargo().args(words).args(["--config", &flags]))?;
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

/// Installs Rust's standard library for WebAssembly if it is missing.
fn need_target() -> Result<()> {
    let folder = Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]).output()?;
    if Path::new(String::from_utf8_lossy(&folder.stdout).trim()).is_dir() {
        return Ok(());
    }
    println!("installing Rust's standard library for {TARGET}");
    run(Command::new("rustup").args(["target", "add", TARGET]))
        .with_context(|| format!("needs Rust's standard library for {TARGET}"))
}

/// Size of a file compressed by brotli(1); `None` without that program.
fn packed_bytes(file: &Path) -> Option<u64> {
    let output = Command::new("brotli").args(["--quality=11", "--stdout"]).arg(file).output().ok()?;
    output.status.success().then_some(output.stdout.len() as u64)
}

/// Program with the version of the library in `Cargo.lock`: from the search path, else installed into the target directory.
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
