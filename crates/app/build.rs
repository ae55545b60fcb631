//! Hands the target triple to the program, so that a Record says what it was built for.
#![allow(clippy::print_stdout, reason = "a build script talks to Cargo by printing")]

fn main() {
    // Cargo sets TARGET for every build script.
    let target = std::env::var("TARGET").unwrap_or_default();
    println!("cargo::rustc-env=SBC_BENCH_TARGET={target}");
    println!("cargo::rerun-if-changed=build.rs");
}
