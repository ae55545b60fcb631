//! External programs and the packages they come in: which are there, and the command that installs the
//! others. A command is made here and run only after confirmation.

use crate::survey::SMARTCTL;
use crate::{WORKLOADS, XVFB};
use process::search_path::search_path;
use process::tools::{InstalledProgram, ToolKind, Tools};
use record::table::Table;
use record::{Reading, StableSort};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Names of packages by distribution, one row for each tool.
const TABLE: Table = Table::of(include_str!("../../../data/tools.tsv"));

/// Distributions, in the order of the table's columns.
pub const DISTRIBUTIONS: [&str; 5] = ["Debian", "Fedora", "Arch", "Alpine", "openSUSE"];

/// State of an external program on this machine.
#[derive(Debug, Clone)]
pub struct ToolStatus {
    /// Common name.
    pub name: &'static str,
    /// Names of its program.
    pub programs: &'static [&'static str],
    /// Path and version, or the reason why it is missing.
    pub found: Reading<InstalledProgram>,
    /// Ids of the workloads that run it, or another use.
    pub used_for: Vec<&'static str>,
    /// Its package on each of [`DISTRIBUTIONS`], where there is one.
    pub packages: [Option<&'static str>; 5],
    /// Hint for its installation, or an empty string.
    pub about: &'static str,
}

/// Tools that no workload needs, with their uses.
const OTHERS: [(&ToolKind, &str); 2] = [(&SMARTCTL, "disk health"), (&XVFB, "opengl without a display")];

/// Every kind of program with one of its uses.
pub fn kinds() -> impl Iterator<Item = (&'static ToolKind, &'static str)> {
    let of_workloads = WORKLOADS.iter().filter_map(|w| Some((w.tool?, w.id.as_str())));
    of_workloads.chain(OTHERS)
}

/// Every usable external program, by name.
pub fn survey(tools: &Tools) -> Vec<ToolStatus> {
    let mut different: Vec<&'static ToolKind> = Vec::new();
    for (kind, _) in kinds() {
        if !different.iter().any(|known| known.name == kind.name) {
            different.push(kind);
        }
    }
    tools.find_at_once(&different);
    let mut all: Vec<ToolStatus> = Vec::new();
    for (kind, user) in kinds() {
        if let Some(known) = all.iter_mut().find(|status| status.name == kind.name) {
            known.used_for.push(user);
            continue;
        }
        let (packages, about) = row(kind.name);
        all.push(ToolStatus {
            name: kind.name,
            programs: kind.programs,
            found: tools.find(kind),
            used_for: vec![user],
            packages,
            about,
        });
    }
    all.stable_sort_by_key(|status| status.name.to_lowercase());
    all
}

/// Packages and hint of a tool; empty for a tool without a row.
fn row(name: &str) -> ([Option<&'static str>; 5], &'static str) {
    match TABLE.rows().find(|row| row.get("tool") == name) {
        Some(row) => (DISTRIBUTIONS.map(|of| row.cell(&of.to_lowercase())), row.cell("about").unwrap_or_default()),
        None => ([None; 5], ""),
    }
}

/// A program that installs packages.
#[derive(Debug, PartialEq, Eq)]
pub struct PackageManager {
    /// Its command without the names of packages; must not ask.
    command: &'static [&'static str],
    /// Index in [`DISTRIBUTIONS`] for names of packages.
    distribution: usize,
}

/// Package managers; ambiguous commands last, as a game of Debian is called `pacman`.
const MANAGERS: [PackageManager; 5] = [
    manager(&["apt-get", "install", "-y", "--no-install-recommends"], 0),
    manager(&["dnf", "install", "-y"], 1),
    manager(&["zypper", "--non-interactive", "install"], 4),
    manager(&["apk", "add"], 3),
    manager(&["pacman", "-S", "--needed", "--noconfirm"], 2),
];

const fn manager(command: &'static [&'static str], distribution: usize) -> PackageManager {
    PackageManager { command, distribution }
}

/// Plan of `install-tools`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstallPlan {
    /// The command line, word by word; empty if there is nothing to install.
    pub command: Vec<String>,
    /// A sentence for each tool that is not installed by the command.
    pub notes: Vec<String>,
}

/// The command that installs these tools, or all missing ones without names.
///
/// # Errors
/// One sentence: unknown tool, no package manager, or no right to install.
pub fn installation(tools: &Tools, names: &[String], is_root: bool) -> Result<InstallPlan, String> {
    let all = survey(tools);
    let (manager, program) = manager_here(tools)
        .ok_or("no supported package manager found (apt-get, dnf, zypper, apk, pacman)".to_owned())?;
    let prefix = if is_root {
        None
    } else {
        Some(
            ["sudo", "doas"]
                .into_iter()
                .find_map(|name| tools.program(name))
                .ok_or("installing packages needs root, and neither sudo nor doas is available")?,
        )
    };
    let wanted = wanted(&all, names)?;
    let mut installation = InstallPlan { command: Vec::new(), notes: Vec::new() };
    let mut packages: Vec<String> = Vec::new();
    for status in wanted {
        let distribution = DISTRIBUTIONS[manager.distribution];
        match (&status.found, status.packages[manager.distribution]) {
            (Ok(found), _) => {
                let (name, path) = (status.name, &found.path);
                installation.notes.push(format!("{name} is already installed: {path}."));
            }
            // A tool may need two packages.
            (Err(_), Some(package)) => {
                packages.extend(package.split_whitespace().map(str::to_owned));
            }
            (Err(_), None) => {
                installation.notes.push(format!("{distribution} has no package for {}: {}.", status.name, status.about))
            }
        }
    }
    if !packages.is_empty() {
        // sudo gets the name alone and searches a path that only root can write; ours is the user's.
        installation.command = match prefix {
            None => vec![program.display().to_string()],
            Some(sudo) => vec![sudo.display().to_string(), manager.command[0].to_owned()],
        };
        let options = manager.command[1..].iter();
        installation.command.extend(options.map(|word| (*word).to_owned()));
        installation.command.extend(packages);
    }
    Ok(installation)
}

fn manager_here(tools: &Tools) -> Option<(&'static PackageManager, PathBuf)> {
    MANAGERS.iter().find_map(|manager| Some((manager, tools.program(manager.command[0])?)))
}

/// Index in [`DISTRIBUTIONS`] by the installed package manager.
pub fn distribution(tools: &Tools) -> Option<usize> {
    manager_here(tools).map(|(manager, _)| manager.distribution)
}

/// Tools by name, by name of a program, or by workload.
fn wanted<'a>(all: &'a [ToolStatus], names: &[String]) -> Result<Vec<&'a ToolStatus>, String> {
    if names.is_empty() {
        return Ok(all.iter().filter(|status| status.found.is_err()).collect());
    }
    let find = |name: &String| {
        let is_it = |status: &&ToolStatus| {
            let own = [status.name].into_iter();
            let others = status.programs.iter().chain(&status.used_for).copied();
            own.chain(others).any(|known| known.eq_ignore_ascii_case(name))
        };
        let known: Vec<&str> = all.iter().map(|status| status.name).collect();
        all.iter().find(is_it).ok_or_else(|| format!("unknown tool {name:?}; tools: {}", known.join(", ")))
    };
    names.iter().map(find).collect()
}

/// Runs the command on the user's terminal.
///
/// # Errors
/// One sentence: it could not be started, or failed.
pub fn install(installation: &InstallPlan) -> Result<(), String> {
    let Some((program, arguments)) = installation.command.split_first() else { return Ok(()) };
    let mut command = Command::new(program);
    if machine::is_root() {
        command.env("PATH", search_path().variable());
    }
    let status = command
        .args(arguments)
        .env("DEBIAN_FRONTEND", "noninteractive")
        // sudo reads the password from the terminal.
        .stdin(Stdio::null())
        .status()
        .map_err(|why| format!("cannot start {program}: {why}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{} failed with {status}; see its output above", installation.command.join(" ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Bench, Program};

    #[test]
    fn every_tool_has_its_row() {
        let names: Vec<&str> = TABLE.rows().map(|row| row.get("tool")).collect();
        assert!(names.is_sorted(), "{names:?}");
        for status in survey(&Tools::in_directories(Vec::new())) {
            assert!(names.contains(&status.name), "{}", status.name);
            let has_package = status.packages.iter().any(Option::is_some);
            // Without a package, name the place to get it.
            assert!(has_package || !status.about.is_empty(), "{}", status.name);
        }
    }

    fn program(name: &str, body: &str) -> Program {
        Program { name: name.into(), body: body.into() }
    }

    /// The command and the notes in one line, or the refusal.
    fn check(programs: &[Program], names: &[&str], is_root: bool, expected: &str) {
        let bench = Bench::new(programs);
        let tools = Tools::in_directories(vec![bench.tools_directory().to_owned()]);
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let text = match installation(&tools, &names, is_root) {
            Ok(found) => format!("{}|{}", found.command.join(" "), found.notes.join(" ")),
            Err(why) => why,
        };
        let text = text.replace(&bench.tools_directory().display().to_string(), "DIR");
        assert_eq!(text, expected, "{names:?}");
    }

    #[test]
    fn command_is_that_of_the_distribution() {
        let apt = || program("apt-get", ":");
        let names = &["stockfish", "7zz", "perf"];
        check(
            &[apt(), program("pacman", ":")],
            names,
            true,
            "DIR/apt-get install -y --no-install-recommends stockfish 7zip linux-perf|",
        );
        check(
            &[program("pacman", ":"), program("sudo", ":")],
            names,
            false,
            "DIR/sudo pacman -S --needed --noconfirm 7zip perf|Arch has no package for Stockfish: Arch has it in the \
             AUR.",
        );
        let there = program("sysbench", "echo sysbench 1.0.20");
        check(&[apt(), there], &["sysbench"], true, "|sysbench is already installed: DIR/sysbench.");
    }

    #[test]
    fn install_errors() {
        check(
            &[program("apk", ":")],
            &["gcc"],
            true,
            "unknown tool \"gcc\"; tools: 7-zip, cpuminer, ffmpeg, fio, Geekbench, glmark2, iperf3, OpenSSH, OpenSSL, \
             perf, Phoronix Test Suite, rsync, smartctl, Stockfish, stress-ng, sysbench, Xvfb, zstd",
        );
        check(
            &[program("apk", ":")],
            &["perf"],
            false,
            "installing packages needs root, and neither sudo nor doas is available",
        );
        check(&[], &[], true, "no supported package manager found (apt-get, dnf, zypper, apk, pacman)");
    }

    #[test]
    fn failing_package_manager_is_named() {
        let of = |words: &[&str]| InstallPlan {
            command: words.iter().map(|word| (*word).to_owned()).collect(),
            notes: Vec::new(),
        };
        assert_eq!(install(&of(&[])), Ok(()));
        assert_eq!(install(&of(&["/bin/true", "x"])), Ok(()));
        let failed = install(&of(&["/bin/false", "x"])).unwrap_err();
        assert!(failed.contains("/bin/false x failed"), "{failed}");
        let absent = install(&of(&["/none"])).unwrap_err();
        assert!(absent.contains("cannot start"), "{absent}");
    }
}
