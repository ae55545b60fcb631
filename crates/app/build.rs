//! Hands the target triple to the program, so that a Record says what it was built for, and the commit to
//! `--version`, so that `./bench` knows a binary of its checkout.
#![allow(clippy::print_stdout, reason = "a build script talks to Cargo by printing")]

fn main() {
    // Cargo sets TARGET for every build script.
    let target = std::env::var("TARGET").unwrap_or_default();
    println!("cargo::rustc-env=SBC_BENCH_TARGET={target}");
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    // Who builds names the commit, and only where nothing was changed since.
    let commit = std::env::var("SBC_BENCH_COMMIT").unwrap_or_default();
    let commit = if commit.is_empty() { commit } else { format!(" ({commit})") };
    println!("cargo::rustc-env=SBC_BENCH_VERSION={version}{commit}");
    println!("cargo::rerun-if-env-changed=SBC_BENCH_COMMIT");
    println!("cargo::rerun-if-changed=build.rs");
}
