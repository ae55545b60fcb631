//! `cargo xtask farms`: runs the Ansible collection on the boards of a simulated farm. Each board is an sshd with its
//! own processes, files and network. Some boards die during their run.
//!
//! The farm lives in namespaces below one process, so that nothing remains when the process ends. Needs root. Ansible
//! comes from PyPI into `target/farms`.

mod after;
mod board;
mod hub;
mod lint;
mod monitors;
mod observer;
mod play;
#[cfg(test)]
mod tests;

use crate::workspace::{self, Words, skip};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Programs of a farm, with their Debian packages.
const PROGRAMS: [(&str, &str); 6] = [
    ("/usr/sbin/sshd", "openssh-server"),
    ("ssh-keygen", "openssh-client"),
    ("ip", "iproute2"),
    ("unshare", "util-linux"),
    ("/usr/bin/python3", "python3"),
    ("strip", "binutils"),
];

/// Programs for monitors under Prometheus, and for the linters of `deploy`.
const WATCHERS: [(&str, &str); 5] = [
    ("prometheus", "prometheus"),
    ("promtool", "prometheus"),
    ("ip", "iproute2"),
    ("unshare", "util-linux"),
    ("strip", "binutils"),
];
const LINTERS: [(&str, &str); 3] = [("python3", "python3"), ("promtool", "prometheus"), ("shellcheck", "shellcheck")];

/// Exit status of a script without a required program.
const NOT_HERE: i32 = 77;

/// Packages from PyPI.
const PACKAGES: [&str; 5] = ["ansible-core>=2.19,<2.20", "ansible-lint", "ruff", "kubernetes-validate", "labgrid"];

#[derive(Debug)]
struct Options {
    boards: usize,
    /// Names in the inventory for each board; with several, no board dies.
    names: usize,
    binary: Option<PathBuf>,
    /// Program of a hub that receives the results.
    hub: Option<PathBuf>,
    /// Whether this process is the one in the namespaces.
    is_inside: bool,
    lint: bool,
    /// Whether to run monitors under Prometheus instead of benchmarks.
    monitors: bool,
}

fn options(words: &[&str]) -> Result<Options> {
    let mut words = Words(words.to_vec());
    let options = Options {
        boards: words.value("--boards")?.unwrap_or(20),
        names: words.value("--names")?.unwrap_or(1),
        binary: words.value("--binary")?,
        hub: words.value("--hub")?,
        is_inside: words.flag("--inside"),
        lint: words.flag("--lint"),
        monitors: words.flag("--monitors"),
    };
    words.end()?;
    ensure!((1..=250).contains(&options.boards), "a farm has 1 to 250 boards");
    ensure!((1..=1000).contains(&options.names), "a board has 1 to 1000 names");
    Ok(options)
}

/// Runs the Slurm file under a scheduler on this machine.
fn slurm() -> Result<()> {
    let status = Command::new("sh").arg(workspace::root().join("xtask/src/farms/slurm.sh")).status()?;
    if status.code() == Some(NOT_HERE) {
        return skip("Slurm is not installed (Debian: slurm-wlm, munge)");
    }
    ensure!(status.success(), "the Slurm file does not work");
    Ok(())
}

/// Makes the farm, runs the playbooks, and prints the results of each board. Fails on any difference from the expected
/// ones.
pub(crate) fn main(words: &[&str]) -> Result<()> {
    if words == ["--slurm"] {
        return slurm();
    }
    let options = options(words)?;
    let folder = workspace::target_folder()?.join("farms");
    if options.is_inside && options.monitors {
        return monitors::main(options.boards, &folder);
    }
    if options.is_inside {
        return play::main(&options, &folder);
    }
    if let Some(why) = lacking(&options) {
        return skip(&why);
    }
    fs::create_dir_all(&folder)?;
    if options.monitors {
        program(&options, &folder)?;
        return inside(words);
    }
    if let Err(error) = workspace::python_programs(&folder.join("venv"), &PACKAGES, "ansible-lint") {
        return skip(&format!("Ansible is not installed and cannot be fetched from PyPI: {error:#}"));
    }
    if options.lint {
        return lint::main(&folder);
    }
    collection(&folder)?;
    keys(&folder)?;
    program(&options, &folder)?;
    inside(words)
}

/// Missing requirements of the machine.
fn lacking(options: &Options) -> Option<String> {
    let has = |program: &str| Command::new("sh").args(["-c", &format!("command -v {program} >/dev/null")]).status();
    let lacks = |program: &str| !has(program).is_ok_and(|status| status.success());
    let programs = match (options.lint, options.monitors) {
        (true, _) => &LINTERS[..],
        (_, true) => &WATCHERS[..],
        _ => &PROGRAMS[..],
    };
    let is_root = fs::metadata("/proc/self").is_ok_and(|me| std::os::unix::fs::MetadataExt::uid(&me) == 0);
    match programs.iter().find(|(program, _)| lacks(program)) {
        Some((program, package)) => Some(format!("{program} is missing (package {package})")),
        None if options.hub.is_some() && hub::postgres().is_none() => {
            Some("PostgreSQL is missing (package postgresql)".to_owned())
        }
        None if !is_root && !options.lint => Some("namespaces need root".to_owned()),
        None => None,
    }
}

/// Builds the collection and installs it as a user would.
fn collection(folder: &Path) -> Result<()> {
    let galaxy = folder.join("venv/bin/ansible-galaxy");
    let collections = folder.join("collections");
    let built = folder.join("built");
    workspace::empty(&collections)?;
    workspace::empty(&built)?;
    let run = |words: &[&str]| {
        let mut command = Command::new(&galaxy);
        command.args(words).current_dir(workspace::root().join("deploy/ansible"));
        workspace::said(command.env("ANSIBLE_COLLECTIONS_PATH", &collections)).map(drop)
    };
    run(&["collection", "build", "--output-path", &built.to_string_lossy()])?;
    let archive = built.read_dir()?.next().context("no collection was built")??.path();
    let path = collections.to_string_lossy().into_owned();
    run(&["collection", "install", "--offline", "--collections-path", &path, &archive.to_string_lossy()])
}

/// A key for sshd of all boards, and one for the controller.
fn keys(folder: &Path) -> Result<()> {
    let keys = folder.join("keys");
    fs::create_dir_all(&keys)?;
    for name in ["host_key", "user_key"] {
        let path = keys.join(name);
        if !path.exists() {
            board::run("ssh-keygen", &["-q", "-t", "ed25519", "-N", "", "-f", &path.to_string_lossy()])?;
        }
    }
    Ok(())
}

/// The first existing build of the program, optimised ones first.
pub(crate) fn built() -> Result<Option<PathBuf>> {
    let target = workspace::target_folder()?;
    let built = ["release", "here", "debug"].map(|profile| target.join(profile).join("sbc-bench"));
    Ok(built.into_iter().find(|path| path.exists()))
}

/// Strips the program that is installed on boards.
fn program(options: &Options, folder: &Path) -> Result<()> {
    let binary = match &options.binary {
        Some(binary) => Some(binary.clone()),
        None => built()?,
    };
    let binary = binary.context("no build of sbc-bench: run cargo build -p sbc-bench, or name one with --binary")?;
    println!("program: {}", binary.display());
    board::run("strip", &["-o", &folder.join("sbc-bench").to_string_lossy(), &binary.to_string_lossy()])
}

/// Arguments of unshare(1) for separate networks, mounts and processes, which end with it.
const ALONE: [&str; 6] = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];

/// Runs the same task again in separate namespaces, which end with this process.
fn inside(words: &[&str]) -> Result<()> {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "unshare"]).args(ALONE);
    command.arg(std::env::current_exe()?).args(["farms", "--inside"]).args(words);
    let status = command.status().context("setpriv (of util-linux)")?;
    ensure!(status.success(), "the farm is not as expected");
    Ok(())
}
