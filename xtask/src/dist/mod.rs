//! Builds the four static binaries, proves them static and small, and starts them. `--check` builds them with little
//! optimisation, in less time, and proves all but their size.
//!
//! A binary that needs a library, exceeds the size limit or does not start fails the task, because it would fail on a
//! user's board. Nothing is timed: foreign binaries run under qemu.

mod contents;
pub(crate) mod package;
pub(crate) mod release;
pub(crate) mod systems;

use crate::workspace::{self, TRIPLES, rustflags, said};
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// Maximum size of a binary, which boards download within seconds.
const BYTES_MAX: usize = 10_000_000;

/// Variable that injects faults in builds for tests.
const FAULTS: &str = "SBC_BENCH_FAULTS";

/// Name of the symbol table among the names of sections.
const SYMBOLS: &[u8] = b"\0.symtab\0";

/// Machine type of a binary; `dist.toml` describes its fields.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Target {
    arch: String,
    triple: String,
    elf_machine: String,
    native_on: String,
    deb_arch: String,
    smaller: Vec<String>,
}

impl Target {
    /// Emulator for other machines.
    fn emulator(&self) -> String {
        format!("qemu-{}-static", self.native_on)
    }

    /// Argument of cargo's `--config` with the flags of this target and others.
    fn flags(&self, others: &[String]) -> String {
        rustflags(&self.triple, self.smaller.iter().chain(others).cloned())
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Dist {
    target: Vec<Target>,
    product: package::Products,
}

static DIST: LazyLock<Dist> = LazyLock::new(|| workspace::table(include_str!("dist.toml")));

/// Target of the hub: the build machine. A panic unwinds and fails one request.
static HUB_TARGET: LazyLock<Target> = LazyLock::new(|| {
    let arch = if cfg!(target_arch = "aarch64") { "aarch64" } else { "x86_64" };
    let own = DIST.target.iter().find(|target| target.arch == arch).unwrap_or(&DIST.target[0]);
    Target { triple: format!("{arch}-unknown-linux-gnu"), smaller: Vec::new(), ..own.clone() }
});

/// Parts of a release: one for each architecture, the hub, and the file for a browser.
fn parts() -> Vec<&'static str> {
    DIST.target.iter().map(|target| target.arch.as_str()).chain([package::HUB, package::WEB]).collect()
}

fn target(arch: &str) -> Result<&'static Target> {
    let hub = (arch == package::HUB).then(|| &*HUB_TARGET);
    let target = DIST.target.iter().find(|target| target.arch == arch).or(hub);
    target.with_context(|| format!("unknown part {arch}; known are {}", parts().join(", ")))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    /// Optimised, for publication.
    Release,
    /// With little optimisation, which changes only size and speed.
    Proof,
}

impl Profile {
    /// Cargo's name, also of the folder.
    fn name(self) -> &'static str {
        match self {
            Self::Release => "release",
            Self::Proof => "proof",
        }
    }
}

/// Builds, checks and starts all binaries into `target/dist`.
pub(crate) fn main() -> Result<()> {
    let target_folder = workspace::target_folder()?;
    let dist = target_folder.join("dist");
    workspace::empty(&dist)?;
    build(Profile::Release)?;
    let mut names = Vec::new();
    for target in &DIST.target {
        let name = format!("sbc-bench-{}", target.arch);
        let checked = one(target, Profile::Release, &target_folder).with_context(|| name.clone())?;
        fs::copy(&checked.path, dist.join(&name))?;
        println!("{}", checked.line);
        names.push(name);
    }
    fs::write(dist.join("SHA256SUMS"), checksums(&dist, &names)?)?;
    println!("{}", dist.display());
    Ok(())
}

/// Builds and starts all binaries without optimisation, in a third of the time, and checks all but their size. Keeps
/// none.
pub(crate) fn check_all() -> Result<()> {
    let target_folder = workspace::target_folder()?;
    build_checked()?;
    for target in &DIST.target {
        let checked = one(target, Profile::Proof, &target_folder).with_context(|| target.triple.clone())?;
        println!("{}", checked.line);
    }
    Ok(())
}

/// Builds what [`check_all`] checks.
pub(crate) fn build_checked() -> Result<()> {
    build_with(Profile::Proof, &[("CARGO_PROFILE_PROOF_OPT_LEVEL", "0")], &lld_flags()?)
}

/// Builds all binaries with little optimisation.
pub(crate) fn build_here() -> Result<()> {
    build(Profile::Proof)
}

/// Path of such a binary.
pub(crate) fn binary_here(target_folder: &Path, arch: &str) -> Result<PathBuf> {
    let target = target(arch)?;
    let binary = target_folder.join(&target.triple).join(Profile::Proof.name()).join("sbc-bench");
    ensure!(binary.exists(), "{} is not built", binary.display());
    Ok(binary)
}

/// Checked binary.
struct CheckedBinary {
    path: PathBuf,
    /// Line of the report.
    line: String,
}

/// Checks and starts one binary.
fn one(target: &Target, profile: Profile, target_folder: &Path) -> Result<CheckedBinary> {
    let binary = target_folder.join(&target.triple).join(profile.name()).join("sbc-bench");
    let bytes = fs::read(&binary).with_context(|| binary.display().to_string())?;
    check(target, profile, &binary, &bytes)?;
    let version = version(target, &binary)?;
    let size = match profile {
        Profile::Release => format!("{:2}.{} MB  ", bytes.len() / 1_000_000, bytes.len() / 100_000 % 10),
        Profile::Proof => String::new(),
    };
    Ok(CheckedBinary { line: format!("{:8} {size}static  {version}", target.arch), path: binary })
}

/// Builds all binaries in one call, so that some compile while another one is linked.
fn build(profile: Profile) -> Result<()> {
    build_with(profile, &[], &[])
}

/// As [`build`], with variables of the environment, and compiler flags for armv7.
fn build_with(profile: Profile, variables: &[(&str, &str)], armv7_flags: &[String]) -> Result<()> {
    let mut command = workspace::cargo();
    command.args(["build", "--quiet", "--locked", "--profile", profile.name()]);
    command.args(["--package", "sbc-bench"]);
    if let Some(commit) = workspace::commit() {
        command.env("SBC_BENCH_COMMIT", commit);
    }
    command.envs(variables.iter().copied());
    for target in &DIST.target {
        let others = if target.arch == "armv7" { armv7_flags } else { &[] };
        command.args(["--target", &target.triple, "--config", &target.flags(others)]);
    }
    ensure!(
        command.status()?.success(),
        "cargo could not build all of them; ./test installs what they need of standard libraries and \
         linkers, so does: rustup target add {}",
        TRIPLES.join(" ")
    );
    Ok(())
}

/// Makes gcc use the linker that ships with Rust. The unoptimised code of armv7 exceeds 16 MB, the reach of a Thumb
/// branch; the veneers of GNU ld end with SIGILL at the first call of `memchr`.
fn lld_flags() -> Result<Vec<String>> {
    let libraries = said(Command::new("rustc").args(["--print", "target-libdir"]))?;
    let folder = Path::new(&libraries).with_file_name("bin").join("gcc-ld");
    ensure!(folder.exists(), "Rust's own linker is not in {}", folder.display());
    Ok(vec![format!("-Clink-arg=-B{}", folder.display()), "-Clink-arg=-fuse-ld=lld".to_owned()])
}

/// Refuses a binary of another machine or with dependencies, and one for publication that is too large.
fn check(target: &Target, profile: Profile, binary: &Path, bytes: &[u8]) -> Result<()> {
    let mut readelf = Command::new("readelf");
    readelf.env("LC_ALL", "C").args(["--file-header", "--program-headers", "--dynamic", "--wide"]).arg(binary);
    let told = said(&mut readelf)?;
    let machine = told.lines().find_map(|line| line.trim().strip_prefix("Machine:")).unwrap_or_default().trim();
    ensure!(machine.ends_with(&target.elf_machine), "built for {machine}, not {}", target.elf_machine);
    ensure!(!told.contains("(NEEDED)") && !told.contains(" INTERP "), "not static:\n{told}");
    ensure!(!has(bytes, FAULTS.as_bytes()), "built for tests: it lets system calls fail when {FAULTS} is set");
    ensure!(profile != Profile::Release || !has(bytes, SYMBOLS), "it has a table of symbols: a setting undoes `strip`");
    ensure!(profile != Profile::Release || bytes.len() <= BYTES_MAX, "{} bytes; the limit is {BYTES_MAX}", bytes.len());
    Ok(())
}

fn has(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

/// Command that runs the binary, under its emulator if necessary.
fn command(target: &Target, binary: &Path) -> Command {
    if std::env::consts::ARCH == target.native_on {
        return Command::new(binary);
    }
    let mut emulated = Command::new(target.emulator());
    emulated.arg(binary);
    emulated
}

/// Output of `--version`; fails if the binary does not start or is another program.
fn version(target: &Target, binary: &Path) -> Result<String> {
    let line = said(command(target, binary).arg("--version"))?;
    ensure!(line.starts_with("sbc-bench"), "`--version` said {line:?}");
    Ok(line)
}

/// Content of `SHA256SUMS`, written by the tool that verifies it.
fn checksums(folder: &Path, names: &[String]) -> Result<Vec<u8>> {
    Ok((said(Command::new("sha256sum").args(names).current_dir(folder))? + "\n").into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_of_another_machine_is_refused() {
        let itself = std::env::current_exe().unwrap();
        let bytes = fs::read(&itself).unwrap();
        let refusal = |target: &Target| check(target, Profile::Release, &itself, &bytes).unwrap_err().to_string();
        let is_own = |target: &&Target| target.native_on == std::env::consts::ARCH;
        for target in &DIST.target {
            // Tests are linked dynamically to the C library.
            let expected = if is_own(&target) { "not static:" } else { "built for " };
            assert!(refusal(target).starts_with(expected), "{}", refusal(target));
        }
    }

    #[test]
    fn binary_with_symbols_is_refused() {
        let itself = fs::read(std::env::current_exe().unwrap()).unwrap();
        assert!(has(&itself, SYMBOLS), "tests are built with symbols");
        assert!(!has(b"\0.text\0.dynsym\0", SYMBOLS));
    }

    #[test]
    fn targets_are_those_that_cargo_is_told_about() {
        let config = fs::read_to_string(workspace::root().join(".cargo/config.toml")).unwrap();
        for target in DIST.target.iter().filter(|target| target.arch != "x86_64") {
            assert!(config.contains(&format!("[target.{}]", target.triple)));
            assert!(config.contains(&format!("runner = \"{}\"", target.emulator())));
        }
    }
}
