//! `cargo xtask kernels`: our binary on real kernels of every architecture, on machines that qemu emulates.
//!
//! apt fetches Debian's kernels into `target/kernels` with separate lists and status, so this system is not changed and root is
//! not needed. They boot with an initramfs of busybox and the binary of the architecture, and run commands on the serial
//! console. Each command is a row with its result and duration.

mod boot;
mod console;
mod cuts;
mod tables;

use crate::dist;
use crate::workspace::{self, Words};
use anyhow::{Context, Result, bail, ensure};
use boot::Start;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use tables::{CASES, Case, Machine, PLANS, machines};

/// First words of a snapshot; snapshots are kept with the outputs, for `boards/`.
const BOARD: &str = "# Snapshot by sbc-bench";

/// Options.
#[derive(Debug, Default, PartialEq, Eq)]
struct Options<'a> {
    /// One machine of each architecture, and short commands only.
    quick: bool,
    /// Only fetch missing files.
    fetch: bool,
    /// Uses the binaries in `target` without a build.
    built: bool,
    /// Number of power losses, in place of the commands.
    cuts: Option<u32>,
    /// Only these machines; all if there are none.
    machines: Vec<&'a str>,
}

fn options<'a>(words: &[&'a str]) -> Result<Options<'a>> {
    let mut words = Words(words.to_vec());
    let [quick, fetch, built] = ["--quick", "--fetch", "--built"].map(|name| words.flag(name));
    let mut options = Options { quick, fetch, built, cuts: words.value("--cuts")?, machines: words.0 };
    let names: Vec<&str> = machines().iter().map(|machine| machine.name.as_str()).collect();
    if let Some(other) = options.machines.iter().find(|name| !names.contains(name)) {
        bail!("no machine or option of kernels: {other}; machines are {}", names.join(", "));
    }
    if options.cuts.is_some() {
        let with_disk = machines().iter().filter(|machine| machine.has_disk).map(|machine| machine.name.as_str());
        options.machines =
            with_disk.filter(|name| options.machines.is_empty() || options.machines.contains(name)).collect();
        ensure!(!options.machines.is_empty(), "power cuts need a machine with a disk");
    }
    Ok(options)
}

/// Boots the machines, runs the commands and prints the table. Fails if a row is not as expected.
pub(crate) fn main(words: &[&str]) -> Result<()> {
    let options = options(words)?;
    let machines: Vec<&Machine> = machines()
        .iter()
        .filter(|machine| options.machines.is_empty() || options.machines.contains(&machine.name.as_str()))
        .filter(|machine| !options.quick || machine.is_quick)
        .collect();
    let folder = workspace::target_folder()?.join("kernels");
    fetch(&folder, &machines).context("packages of kernels cannot be fetched")?;
    if options.fetch {
        return Ok(());
    }
    if !options.built {
        dist::build_here()?;
    }
    if let Some(count) = options.cuts {
        return machines
            .iter()
            .try_for_each(|machine| cuts::all(count, machine, &ready(machine, &folder, &[&CASES.cuts])?));
    }
    let mut wrong = Vec::new();
    for machine in machines {
        let rows =
            asked(machine, &folder, options.quick).with_context(|| format!("{} could not be booted", machine.name))?;
        for row in rows {
            println!("{row}");
            if !row.complaint.is_empty() {
                wrong.push(format!("{} {}: {}", machine.name, row.case, row.complaint));
            }
        }
    }
    ensure!(wrong.is_empty(), "not as expected (output is in {}):\n{}", folder.display(), wrong.join("\n"));
    Ok(())
}

/// One command on one machine.
struct Row {
    machine: &'static str,
    case: &'static str,
    seconds: f64,
    /// Errors; empty if all is as expected.
    complaint: String,
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { machine, case, seconds, complaint } = self;
        let verdict = if complaint.is_empty() { "as expected" } else { complaint };
        write!(f, "{machine:12} {case:14} {seconds:7.1} s  {verdict}")
    }
}

/// The folders of a machine that can be booted, and its initramfs.
struct Ready {
    folder: PathBuf,
    unpacked: PathBuf,
    image: PathBuf,
}

/// A package of Debian, and the directory into which it is unpacked.
struct Package<'a> {
    name: &'a str,
    arch: &'a str,
    suite: &'a str,
    folder: String,
}

/// Directory of UEFI for Arm.
const FIRMWARE: &str = "firmware-arm64";
/// Suite for packages that their own suite does not have at the moment: a mirror during an update has inconsistent lists.
const LATER: &str = "forky";

/// Packages of a machine.
fn packages(machine: &Machine) -> impl Iterator<Item = Package<'static>> {
    let kernel = machine.kernel();
    let arch = kernel.debian.as_str();
    let image = Package { name: &kernel.package, arch, suite: &kernel.suite, folder: machine.kernel.clone() };
    let busybox = Package { name: "busybox-static", arch, suite: "trixie", folder: format!("busybox-{arch}") };
    let firmware =
        || Package { name: "qemu-efi-aarch64", arch: "amd64", suite: "bookworm", folder: FIRMWARE.to_owned() };
    [image, busybox].into_iter().chain(machine.arguments.contains("FIRMWARE").then(firmware))
}

/// Fetches and unpacks the missing packages of machines.
///
/// # Errors
/// No apt, no keys of Debian, no network, or a package is gone.
fn fetch(folder: &Path, machines: &[&Machine]) -> Result<()> {
    let unpacked = folder.join("unpacked");
    fs::create_dir_all(&unpacked)?;
    for Package { name, arch, suite, folder: of_package } in machines.iter().flat_map(|machine| packages(machine)) {
        let target = unpacked.join(of_package);
        let from = |suite: &str| {
            let script = workspace::root().join("xtask/src/kernels/fetch.sh");
            workspace::run(Command::new("sh").arg(script).arg(folder).args([name, arch, suite]).arg(&target))
        };
        if !target.exists() {
            from(suite)
                .or_else(|error| {
                    println!("{name} of {suite} cannot be fetched, so it is that of {LATER}: {error:#}");
                    from(LATER)
                })
                .with_context(|| format!("{name} for {arch}"))?;
        }
    }
    Ok(())
}

/// Makes the initramfs for these cases: busybox, the binary, modules, and the cases as scripts.
fn ready(machine: &'static Machine, folder: &Path, cases: &[&'static Case]) -> Result<Ready> {
    let kernel = machine.kernel();
    let unpacked = folder.join("unpacked");
    let tree = folder.join(format!("{}.tree", machine.name));
    workspace::empty(&tree)?;
    for part in
        ["bin", "cases", "dev", "etc", "modules", "plans", "proc", "root", "run", "sys", "tmp", "var/lib", "var/log"]
    {
        fs::create_dir_all(tree.join(part))?;
    }
    let copy = |from: &Path, to: &str| fs::copy(from, tree.join(to)).with_context(|| from.display().to_string());
    copy(&unpacked.join(format!("busybox-{}/usr/bin/busybox", kernel.debian)), "bin/busybox")?;
    copy(&dist::binary_here(&workspace::target_folder()?, &kernel.binary)?, "bin/sbc-bench")?;
    for module in workspace::entries(&unpacked.join(&machine.kernel).join("modules"))? {
        copy(&module, &format!("modules/{}", workspace::name(&module)))?;
    }
    // A distribution, so that it has a name.
    fs::write(
        tree.join("etc/os-release"),
        "PRETTY_NAME=\"Debian GNU/Linux 13 (trixie)\"\nID=debian\nVERSION_ID=\"13\"\n",
    )?;
    fs::write(tree.join("etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n")?;
    fs::write(tree.join("etc/group"), "root:x:0:\n")?;
    copy(&workspace::root().join("xtask/src/kernels/init.sh"), "init")?;
    for case in cases {
        fs::write(tree.join("cases").join(&case.name), &case.script)?;
        let plan = File::options().append(true).create(true).open(tree.join("plans").join(&case.plan));
        writeln!(plan?, "case_of {} {}", case.name, case.seconds_max)?;
    }
    let image = folder.join(format!("{}.cpio", machine.name));
    let pack = "chmod +x init && find . | cpio --quiet --create --format=newc --owner=+0:+0 --file=\"$0\"";
    workspace::run(Command::new("sh").args(["-c", pack]).arg(&image).current_dir(&tree))?;
    Ok(Ready { folder: folder.to_owned(), unpacked, image })
}

/// Boots a machine for each plan of its cases.
fn asked(machine: &'static Machine, folder: &Path, quick: bool) -> Result<Vec<Row>> {
    let cases: Vec<&'static Case> = tables::of(machine, quick);
    let ready = ready(machine, folder, &cases)?;
    let mut rows = Vec::new();
    for plan in tables::plans(&cases) {
        let start = Start { plan, is_first: plan == PLANS[0], words: "", ends_at_reset: false };
        let booted = boot::boot(machine, &start, &ready)?;
        let log: PathBuf = folder.join(format!("{}-{plan}.log", machine.name));
        fs::write(log, &booted.console)?;
        for case in cases.iter().filter(|case| case.plan == plan) {
            let (seconds, complaint) = tables::judged(case, machine, &booted);
            if let Some(board) =
                booted.told(&case.name).and_then(|told| told.text.find(BOARD).map(|at| &told.text[at..]))
            {
                fs::write(folder.join(format!("{}.board", machine.name)), board.trim_end().to_owned() + "\n")?;
            }
            rows.push(Row { machine: &machine.name, case: &case.name, seconds, complaint });
        }
    }
    fs::remove_file(ready.image)?;
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_machines_and_words() {
        let asked = options(&["--quick", "raspi3b"]).unwrap();
        assert_eq!(asked, Options { quick: true, machines: vec!["raspi3b"], ..Options::default() });
        assert_eq!(options(&["--cuts", "50"]).unwrap().cuts, Some(50));
        assert!(options(&["--cuts", "50", "raspi3b"]).is_err() && options(&["--cuts"]).is_err());
        assert!(options(&["raspi9"]).unwrap_err().to_string().contains("riscv64-virt"));
    }
}
