//! A minimal system in a folder: made once by debootstrap with all signatures verified, and copied for each use.

use super::System;
use super::namespace::Namespace;
use crate::dist::Target;
use crate::workspace::said;
use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Records of package managers, which a purge leaves.
const RECORDS: &[&str] = &[
    "var/lib/dpkg",
    "var/log/dpkg.log",
    "var/lib/apt",
    "var/cache/apt",
    "var/log/apt",
    // apt looks there for questions of packages; this one has none.
    "var/cache/debconf/tmp.ci",
];

/// Formats of programs that the kernel starts by an interpreter, as qemu-user-static brings them.
const FORMATS: &str = "/usr/lib/binfmt.d";

/// A system in a folder.
pub(super) struct Root {
    path: PathBuf,
    /// The format to be registered where its programs are those of another architecture.
    format: Option<PathBuf>,
    /// A copy is removed with its value.
    is_copy: bool,
}

impl Root {
    /// The untouched root of a system, made in this folder where it is not there yet.
    ///
    /// # Errors
    /// It could not be made; the inner one says in a sentence why it cannot be tried here.
    pub(super) fn made(system: &System, target: &Target, folder: &Path) -> Result<Result<Self, String>> {
        let Some((_, mirror)) = system.mirrors.iter().find(|(arch, _)| *arch == target.deb_arch) else {
            return Ok(Err(format!("it has no {}", target.deb_arch)));
        };
        let format = if std::env::consts::ARCH == target.native_on {
            None
        } else {
            Some(Path::new(FORMATS).join(target.emulator.replace("-static", ".conf")))
        };
        if let Some(why) = lacks(system, format.as_deref())? {
            return Ok(Err(why));
        }
        fs::create_dir_all(folder)?;
        let path = folder.join(format!("{}-{}", system.name, target.deb_arch));
        let root = Self { path, format, is_copy: false };
        if !root.path.exists() {
            if !answers(mirror, system.suite) {
                return Ok(Err(format!("{mirror} does not answer")));
            }
            root.make(system, target.deb_arch, mirror)?;
        }
        Ok(Ok(root))
    }

    /// Both stages of debootstrap: the second runs programs of the new root.
    fn make(&self, system: &System, arch: &str, mirror: &str) -> Result<()> {
        let part = Self { path: self.path.with_extension("part"), format: self.format.clone(), is_copy: true };
        if part.path.exists() {
            fs::remove_dir_all(&part.path)?;
        }
        let mut first = Command::new("debootstrap");
        first.args(["--foreign", "--variant=minbase", "--force-check-gpg"]);
        first.arg(format!("--arch={arch}")).arg(format!("--keyring={}", system.keyring)).arg(system.suite);
        first.arg(&part.path).arg(mirror).arg(format!("/usr/share/debootstrap/scripts/{}", system.script));
        said(&mut first)?;
        // In a container, debootstrap takes the devices that are there.
        let second = part.shell("container=lxc /debootstrap/debootstrap --second-stage && apt-get clean")?;
        let said = String::from_utf8_lossy(&second.stdout);
        anyhow::ensure!(second.status.success(), "debootstrap: {said}{}", String::from_utf8_lossy(&second.stderr));
        Ok(fs::rename(&part.path, &self.path)?)
    }

    /// A copy to be used.
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

    /// Runs a line in its shell, with mounts, processes and network of its own. Formats of programs belong to a user
    /// namespace, so that those of this machine stay as they are.
    pub(super) fn shell(&self, line: &str) -> Result<Output> {
        let namespace = self.format.as_ref().map(|_| Namespace::make()).transpose()?;
        let mut command = namespace.as_ref().map_or_else(|| Command::new("unshare"), Namespace::unshare);
        command.args(["--mount", "--net", "--pid", "--fork", "--kill-child", "sh", "-c", ENTER, "sh"]);
        command.arg(&self.path).arg(line).arg(self.format.as_deref().unwrap_or(Path::new("")));
        command.output().context("unshare (of util-linux)")
    }

    /// All that is in it but the records of its package managers: path, rights, owner, size and goal of a link.
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

/// Goes into a root and runs a line there.
const ENTER: &str = include_str!("enter.sh");

/// Missing requirements in a sentence.
fn lacks(system: &System, format: Option<&Path>) -> Result<Option<String>> {
    if said(Command::new("id").arg("-u"))? != "0" {
        return Ok(Some("making a root needs root".to_owned()));
    }
    if Command::new("debootstrap").arg("--version").output().is_err() {
        return Ok(Some("debootstrap is not installed".to_owned()));
    }
    if !Path::new(system.keyring).exists() {
        return Ok(Some(format!("{} is missing; the package {} has it", system.keyring, system.keyring_package)));
    }
    Ok(format
        .filter(|format| !format.exists())
        .map(|format| format!("{} is missing; the package qemu-user-static has it", format.display())))
}

/// True if a mirror hands out this suite; curl is what can ask in any proxy's environment.
fn answers(mirror: &str, suite: &str) -> bool {
    let url = format!("{mirror}/dists/{suite}/InRelease");
    let mut curl = Command::new("curl");
    curl.args(["--silent", "--fail", "--location", "--max-time", "30", "--output", "/dev/null", &url]);
    curl.status().is_ok_and(|status| status.success())
}
