//! `cargo xtask kernels`: our binary on real kernels of every architecture, on machines that qemu emulates.
//!
//! Debian's kernels are fetched by apt into `target/kernels` (with lists and status of its own: nothing of this system
//! is changed, and root is not needed), booted with an initramfs of busybox and the binary of that architecture, and
//! asked on the serial console. What each command ended with, whether it said what it should, and how long it took is a row.

mod archive;
mod boot;
mod cases;
mod console;
mod initramfs;
mod machines;
mod modules;
mod packages;

use crate::{dist, workspace};
use anyhow::{Context, Result, bail, ensure};
use cases::Case;
use machines::{MACHINES, Machine};
use std::fs;
use std::path::{Path, PathBuf};

/// The first words of a snapshot: each is kept with the outputs, for `boards/`.
const BOARD: &str = "# Snapshot by sbc-bench";

/// What was asked for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Options<'a> {
    /// Only one machine of each architecture, and only commands that are over soon.
    quick: bool,
    /// Only fetch what is missing.
    fetch: bool,
    /// Binaries as they lie in `target`; nothing is built.
    built: bool,
    /// Only these machines; all if there are none.
    machines: Vec<&'a str>,
}

fn options<'a>(words: &[&'a str]) -> Result<Options<'a>> {
    let mut options = Options::default();
    for word in words {
        match *word {
            "--quick" => options.quick = true,
            "--fetch" => options.fetch = true,
            "--built" => options.built = true,
            name if MACHINES.iter().any(|machine| machine.name == name) => options.machines.push(name),
            other => {
                let names: Vec<&str> = MACHINES.iter().map(|machine| machine.name).collect();
                bail!("no machine or option of kernels: {other}; machines are {}", names.join(", "))
            }
        }
    }
    Ok(options)
}

/// Boots, asks, and prints the table. Fails if any row is not as expected.
pub(crate) fn main(words: &[&str]) -> Result<()> {
    let options = options(words)?;
    let machines: Vec<&Machine> = MACHINES
        .iter()
        .filter(|machine| options.machines.is_empty() || options.machines.contains(&machine.name))
        .filter(|machine| !options.quick || machine.is_quick)
        .collect();
    let target_folder = workspace::target_folder()?;
    let folder = target_folder.join("kernels");
    packages::fetch(&folder, &machines).context("packages of kernels cannot be fetched")?;
    if options.fetch {
        return Ok(());
    }
    if !options.built {
        dist::build_here()?;
    }
    let mut wrong = Vec::new();
    for machine in machines {
        let rows = asked(machine, &folder, &target_folder, options.quick)
            .with_context(|| format!("{} could not be booted", machine.name))?;
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
    /// What is wrong; empty if all is as expected.
    complaint: String,
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { machine, case, seconds, complaint } = self;
        let verdict = if complaint.is_empty() { "as expected" } else { complaint };
        write!(f, "{machine:12} {case:14} {seconds:7.1} s  {verdict}")
    }
}

/// Boots a machine as often as its cases need it.
fn asked(machine: &'static Machine, folder: &Path, target_folder: &Path, quick: bool) -> Result<Vec<Row>> {
    let arch = machine.kernel.arch;
    let unpacked = folder.join("unpacked");
    let binary = dist::binary_here(target_folder, arch.binary)?;
    let cases: Vec<&'static Case> = cases::of(machine, quick);
    let image = folder.join(format!("{}.cpio", machine.name));
    let modules = modules::of(&unpacked.join(machine.kernel.package).join("modules"))?;
    fs::write(&image, initramfs::image(&unpacked.join(arch.busybox), &binary, &modules, &cases)?)?;
    let mut rows = Vec::new();
    for plan in cases::plans(&cases) {
        let is_first = plan == cases::PLANS[0];
        let booted = boot::boot(machine, (plan, is_first), &unpacked, &image, folder)?;
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
    fs::remove_file(image)?;
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_machines_and_words() {
        let asked = options(&["--quick", "raspi3b"]).unwrap();
        assert_eq!(asked, Options { quick: true, machines: vec!["raspi3b"], ..Options::default() });
        assert!(options(&["raspi9"]).unwrap_err().to_string().contains("riscv64-virt"));
    }
}
