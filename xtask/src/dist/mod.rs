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
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Maximum size of a binary, which boards download within seconds.
const BYTES_MAX: usize = 10_000_000;

/// Variable that injects faults in builds for tests.
const FAULTS: &str = "SBC_BENCH_FAULTS";

/// Name of the symbol table among the names of sections.
const SYMBOLS: &[u8] = b"\0.symtab\0";

/// Machine type of a binary.
struct Target {
    /// Name in file names.
    arch: &'static str,
    /// Rust's name.
    triple: &'static str,
    /// Machine of the ELF file, as readelf(1) spells it.
    elf_machine: &'static str,
    /// `std::env::consts::ARCH` of machines that run it without an emulator.
    native_on: &'static str,
    /// Debian's name.
    deb_arch: &'static str,
    /// Compiler flags for a smaller binary, besides `.cargo/config.toml`.
    smaller: &'static [&'static str],
}

impl Target {
    /// Emulator for other machines.
    fn emulator(&self) -> String {
        format!("qemu-{}-static", self.native_on)
    }

    /// Argument of cargo's `--config` with the flags of this target and others.
    fn flags(&self, others: &[String]) -> String {
        let own = self.smaller.iter().map(|flag| (*flag).to_owned());
        rustflags(self.triple, own.chain(others.iter().cloned()))
    }
}

/// Omits unwind tables, which a program that aborts on a panic never reads.
const NO_UNWINDING: &str = "-Cforce-unwind-tables=no";
/// As [`NO_UNWINDING`] with the linker that ships with Rust, which also drops the tables of the standard library (0.9
/// of 11 MB), packs relocations (0.3 MB) and keeps one of several equal functions (0.1 MB).
const SMALL_BY_RUST_LLD: &[&str] = &[
    NO_UNWINDING,
    "-Clinker=rust-lld",
    "-Clink-arg=xtask/src/dist/no_unwinding.ld",
    "-Clink-arg=--no-eh-frame-hdr",
    "-Clink-arg=--pack-dyn-relocs=relr",
    "-Clink-arg=--icf=all",
];

const TARGETS: &[Target] = &[
    Target {
        arch: "x86_64",
        triple: TRIPLES[0],
        elf_machine: "X86-64",
        native_on: "x86_64",
        deb_arch: "amd64",
        smaller: SMALL_BY_RUST_LLD,
    },
    Target {
        arch: "aarch64",
        triple: TRIPLES[1],
        elf_machine: "AArch64",
        native_on: "aarch64",
        deb_arch: "arm64",
        smaller: SMALL_BY_RUST_LLD,
    },
    Target {
        arch: "armv7",
        triple: TRIPLES[2],
        elf_machine: "ARM",
        native_on: "arm",
        deb_arch: "armhf",
        // Thumb instructions, as Debian and Ubuntu compile for it.
        smaller: &[NO_UNWINDING, "-Ctarget-feature=+thumb-mode"],
    },
    Target {
        arch: "riscv64",
        triple: TRIPLES[3],
        elf_machine: "RISC-V",
        native_on: "riscv64",
        deb_arch: "riscv64",
        smaller: &[NO_UNWINDING],
    },
];

/// Target of the hub: the build machine. A panic unwinds and fails one request.
const HUB_TARGET: Target = if cfg!(target_arch = "aarch64") {
    Target { triple: "aarch64-unknown-linux-gnu", smaller: &[], ..TARGETS[1] }
} else {
    Target { triple: "x86_64-unknown-linux-gnu", smaller: &[], ..TARGETS[0] }
};

/// Parts of a release: one for each architecture, the hub, and the file for a browser.
fn parts() -> Vec<&'static str> {
    TARGETS.iter().map(|target| target.arch).chain([package::HUB, package::WEB]).collect()
}

fn target(arch: &str) -> Result<&'static Target> {
    let hub = (arch == package::HUB).then_some(&HUB_TARGET);
    let target = TARGETS.iter().find(|target| target.arch == arch).or(hub);
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
    for target in TARGETS {
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
    for target in TARGETS {
        let checked = one(target, Profile::Proof, &target_folder).context(target.triple)?;
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
    let binary = target_folder.join(target.triple).join(Profile::Proof.name()).join("sbc-bench");
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
    let binary = target_folder.join(target.triple).join(profile.name()).join("sbc-bench");
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
    for target in TARGETS {
        let others = if target.arch == "armv7" { armv7_flags } else { &[] };
        command.args(["--target", target.triple, "--config", &target.flags(others)]);
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
    ensure!(machine.ends_with(target.elf_machine), "built for {machine}, not {}", target.elf_machine);
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
        for target in TARGETS {
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
        for target in TARGETS.iter().filter(|target| target.arch != "x86_64") {
            assert!(config.contains(&format!("[target.{}]", target.triple)));
            assert!(config.contains(&format!("runner = \"{}\"", target.emulator())));
        }
    }
}
