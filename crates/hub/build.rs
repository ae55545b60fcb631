//! Names the build: results that another build derived are derived once more.
#![allow(clippy::print_stdout, reason = "a build script talks to Cargo by printing")]

fn main() {
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    // Who builds names the commit, and only where nothing was changed since.
    let commit = std::env::var("SBC_BENCH_COMMIT").unwrap_or_default();
    println!("cargo::rustc-env=SBC_BENCH_HUB_BUILD={version} {commit}");
    println!("cargo::rerun-if-env-changed=SBC_BENCH_COMMIT");
    println!("cargo::rerun-if-changed=build.rs");
}
