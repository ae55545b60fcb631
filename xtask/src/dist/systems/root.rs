//! A minimal system in a folder: made once by debootstrap with all signatures verified, and copied for each use.

use super::namespace::Namespace;
use super::{Distribution, System};
use crate::dist::Target;
use crate::workspace::{self, said};
use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Records of package managers, which a purge leaves.
const RECORDS: &[&str] = &[
    "var/lib/dpkg",
    "var/lib/rpm",
    "root/.rpmdb",
    "var/log/dpkg.log",
    "var/lib/apt",
    // systemd's own time of its last look for units.
    "run/systemd/systemd-units-load",
    "var/cache/apt",
    "var/log/apt",
    // apt looks for questions of packages there; this package has none.
    "var/cache/debconf/tmp.ci",
];

/// Folder of binary formats with interpreters, as qemu-user-static installs them.
const FORMATS: &str = "/usr/lib/binfmt.d";

pub(super) struct Root {
    path: PathBuf,
    /// Binary format to register, for another architecture.
    format: Option<PathBuf>,
    /// A copy is removed when dropped.
    is_copy: bool,
}

impl Root {
    /// The untouched root of a system, made if it is missing. The inner error is the reason to skip the system, as a
    /// sentence.
    pub(super) fn made(system: &System, target: &Target, folder: &Path) -> Result<Result<Self, String>> {
        if !system.has_arch(target) {
            return Ok(Err(format!("it has no {}", target.deb_arch)));
        }
        let distribution = system.distribution();
        let is_main = target.deb_arch == "amd64";
        let mirror = if is_main { &distribution.mirror } else { &distribution.ports_mirror };
        let format = if std::env::consts::ARCH == target.native_on {
            None
        } else {
            Some(Path::new(FORMATS).join(format!("qemu-{}.conf", target.native_on)))
        };
        if let Some(why) = lacks(system, format.as_deref())? {
            return Ok(Err(why));
        }
        fs::create_dir_all(folder)?;
        let path = folder.join(format!("{}-{}", system.name, target.deb_arch));
        let root = Self { path, format, is_copy: false };
        let is_whole = root.path.join("usr/bin/systemctl").exists();
        if root.path.exists() && !is_whole {
            fs::remove_dir_all(&root.path)?;
        }
        if !is_whole {
            if !answers(mirror, &system.suite) {
                return Ok(Err(format!("{mirror} does not answer")));
            }
            root.make(system, &target.deb_arch, mirror)?;
        }
        Ok(Ok(root))
    }

    /// Runs both stages of debootstrap; the second one runs programs of the new root.
    fn make(&self, system: &System, arch: &str, mirror: &str) -> Result<()> {
        let part = Self { path: self.path.with_extension("part"), format: self.format.clone(), is_copy: true };
        workspace::empty(&part.path)?;
        let mut first = Command::new("debootstrap");
        first.args(["--foreign", "--variant=minbase", "--force-check-gpg"]);
        let Distribution { script, keyring, included, .. } = system.distribution();
        first.args([format!("--include={included}"), format!("--arch={arch}"), format!("--keyring={keyring}")]);
        first.arg(&system.suite).arg(&part.path).arg(mirror).arg(format!("/usr/share/debootstrap/scripts/{script}"));
        said(&mut first)?;
        // debootstrap uses the existing devices in a container.
        let second = part.shell("container=lxc /debootstrap/debootstrap --second-stage && apt-get clean")?;
        let said = String::from_utf8_lossy(&second.stdout);
        anyhow::ensure!(second.status.success(), "debootstrap: {said}{}", String::from_utf8_lossy(&second.stderr));
        Ok(fs::rename(&part.path, &self.path)?)
    }

    pub(super) fn copy(&self) -> Result<Self> {
        let path = self.path.with_extension("used");
        if path.exists() {
            fs::remove_dir_all(&path)?;
        }
        said(Command::new("cp").arg("--archive").arg(&self.path).arg(&path))?;
        Ok(Self { path, format: self.format.clone(), is_copy: true })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Runs a command in its shell, with its own mounts, processes and network. Binary formats belong to a user
    /// namespace, so those of the machine stay unchanged.
    pub(super) fn shell(&self, line: &str) -> Result<Output> {
        let namespace = self.format.as_ref().map(|_| Namespace::make()).transpose()?;
        let mut command = namespace.as_ref().map_or_else(|| Command::new("unshare"), Namespace::unshare);
        command.args(["--mount", "--net", "--pid", "--fork", "--kill-child", "sh", "-c", ENTER, "sh"]);
        command.arg(&self.path).arg(line).arg(self.format.as_deref().unwrap_or(Path::new("")));
        command.output().context("unshare (of util-linux)")
    }

    /// All files except the records of its package managers: path, mode, owner, size and target of a link.
    pub(super) fn listing(&self) -> Result<BTreeSet<String>> {
        let mut find = Command::new("find");
        find.arg(&self.path).args(["-mindepth", "1", "("]);
        for (at, record) in RECORDS.iter().enumerate() {
            find.args(["-o"].iter().take(at.min(1))).arg("-path").arg(self.path.join(record));
        }
        find.args([")", "-prune", "-o", "-type", "d", "-printf", "%P %M %U:%G\\n"]);
        find.args(["-o", "-printf", "%P %M %U:%G %s %l\\n"]);
        Ok(said(&mut find)?.lines().map(str::to_owned).collect())
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        if self.is_copy {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// Script that enters a root and runs a command there.
const ENTER: &str = include_str!("enter.sh");

/// Missing requirements in a sentence.
fn lacks(system: &System, format: Option<&Path>) -> Result<Option<String>> {
    if said(Command::new("id").arg("-u"))? != "0" {
        return Ok(Some("making a root needs root".to_owned()));
    }
    for (program, flag) in [("debootstrap", "--version"), ("ip", "-V")] {
        if Command::new(program).arg(flag).output().is_err() {
            return Ok(Some(format!("{program} is not installed")));
        }
    }
    let Distribution { keyring, keyring_package, .. } = system.distribution();
    if !Path::new(keyring).exists() {
        return Ok(Some(format!("{keyring} is missing; the package {keyring_package} has it")));
    }
    Ok(format
        .filter(|format| !format.exists())
        .map(|format| format!("{} is missing; the package qemu-user-static has it", format.display())))
}

/// Whether a mirror offers the suite. curl respects the proxies of the environment.
fn answers(mirror: &str, suite: &str) -> bool {
    let url = format!("{mirror}/dists/{suite}/InRelease");
    let mut curl = Command::new("curl");
    curl.args(["--silent", "--fail", "--location", "--max-time", "30", "--output", "/dev/null", &url]);
    curl.status().is_ok_and(|status| status.success())
}
