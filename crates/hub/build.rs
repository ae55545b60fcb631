//! Names the build: results derived by another build are derived again.
#![allow(clippy::print_stdout, reason = "a build script prints its messages to Cargo")]

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;

/// Folders of the code and data that derive results.
const FOLDERS: [&str; 8] = [
    "src",
    "../compare/src",
    "../explain/src",
    "../facts/src",
    "../logs/src",
    "../record/src",
    "../rules/src",
    "../../data",
];

fn main() {
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    // The builder names the commit of a clean checkout; otherwise the hash of the contents names the build.
    let commit = std::env::var("SBC_BENCH_COMMIT").unwrap_or_default();
    let commit = if commit.is_empty() { format!("{:016x}", content()) } else { commit };
    println!("cargo::rustc-env=SBC_BENCH_HUB_BUILD={version} {commit}");
    println!("cargo::rerun-if-env-changed=SBC_BENCH_COMMIT");
    println!("cargo::rerun-if-changed=build.rs");
}

/// Hash of all code and data that derive results.
fn content() -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut folders: Vec<PathBuf> = FOLDERS.iter().map(PathBuf::from).collect();
    while let Some(folder) = folders.pop() {
        println!("cargo::rerun-if-changed={}", folder.display());
        let mut paths: Vec<PathBuf> =
            folder.read_dir().into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                folders.push(path)
            } else {
                (path.display().to_string(), std::fs::read(&path).unwrap_or_default()).hash(&mut hasher)
            }
        }
    }
    hasher.finish()
}
