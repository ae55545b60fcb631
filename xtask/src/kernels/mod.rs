//! `cargo xtask kernels`: our binary on real kernels of every architecture, on machines that qemu emulates.
//!
//! apt fetches Debian's kernels into `target/kernels` with separate lists and status, so this system is not changed and root is
//! not needed. They boot with an initramfs of busybox and the binary of the architecture, and run commands on the serial
//! console. Each command is a row with its result and duration.

mod archive;
mod boot;
mod cases;
mod console;
mod cuts;
mod initramfs;
mod machines;
mod modules;
mod packages;

use crate::dist;
use crate::workspace::{self, Words};
use anyhow::{Context, Result, bail, ensure};
use boot::Start;
use cases::Case;
use machines::{MACHINES, Machine};
use std::fs;
use std::path::{Path, PathBuf};

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
    let names: Vec<&str> = MACHINES.iter().map(|machine| machine.name).collect();
    if let Some(other) = options.machines.iter().find(|name| !names.contains(name)) {
        bail!("no machine or option of kernels: {other}; machines are {}", names.join(", "));
    }
    if options.cuts.is_some() {
        let with_disk = MACHINES.iter().filter(|machine| machine.has_disk).map(|machine| machine.name);
        options.machines =
            with_disk.filter(|name| options.machines.is_empty() || options.machines.contains(name)).collect();
        ensure!(!options.machines.is_empty(), "power cuts need a machine with a disk");
    }
    Ok(options)
}

/// Boots the machines, runs the commands and prints the table. Fails if a row is not as expected.
pub(crate) fn main(words: &[&str]) -> Result<()> {
    let options = options(words)?;
    let machines: Vec<&Machine> = MACHINES
        .iter()
        .filter(|machine| options.machines.is_empty() || options.machines.contains(&machine.name))
        .filter(|machine| !options.quick || machine.is_quick)
        .collect();
    let folder = workspace::target_folder()?.join("kernels");
    packages::fetch(&folder, &machines).context("packages of kernels cannot be fetched")?;
    if options.fetch {
        return Ok(());
    }
    if !options.built {
        dist::build_here()?;
    }
    if let Some(count) = options.cuts {
        return machines
            .iter()
            .try_for_each(|machine| cuts::all(count, machine, &ready(machine, &folder, &[&cases::CUTS])?));
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

/// Makes the initramfs for these cases.
fn ready(machine: &'static Machine, folder: &Path, cases: &[&'static Case]) -> Result<Ready> {
    let arch = machine.kernel.arch;
    let unpacked = folder.join("unpacked");
    let binary = dist::binary_here(&workspace::target_folder()?, arch.binary)?;
    let image = folder.join(format!("{}.cpio", machine.name));
    let modules = modules::of(&unpacked.join(machine.kernel.package.folder).join("modules"))?;
    fs::write(&image, initramfs::image(&unpacked.join(arch.busybox.folder), &binary, &modules, cases)?)?;
    Ok(Ready { folder: folder.to_owned(), unpacked, image })
}

/// Boots a machine for each plan of its cases.
fn asked(machine: &'static Machine, folder: &Path, quick: bool) -> Result<Vec<Row>> {
    let cases: Vec<&'static Case> = cases::of(machine, quick);
    let ready = ready(machine, folder, &cases)?;
    let mut rows = Vec::new();
    for plan in cases::plans(&cases) {
        let start = Start { plan, is_first: plan == cases::PLANS[0], words: "", ends_at_reset: false };
        let booted = boot::boot(machine, &start, &ready)?;
        let log: PathBuf = folder.join(format!("{}-{plan}.log", machine.name));
        fs::write(log, &booted.console)?;
        for case in cases.iter().filter(|case| case.plan == plan) {
            let (seconds, complaint) = cases::judged(case, machine, &booted);
            if let Some(board) =
                booted.told(case.name).and_then(|told| told.text.find(BOARD).map(|at| &told.text[at..]))
            {
                fs::write(folder.join(format!("{}.board", machine.name)), board.trim_end().to_owned() + "\n")?;
            }
            rows.push(Row { machine: machine.name, case: case.name, seconds, complaint });
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
