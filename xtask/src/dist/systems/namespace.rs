//! A user namespace that maps all ids to themselves. Binary formats registered there do not affect the machine (since
//! Linux 6.7).

use crate::workspace::ChildProcess;
use anyhow::{Context, Result};
use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};

/// Ids of a root.
const MAP: &str = "0 0 65536";

/// A namespace that ends when dropped.
pub(super) struct Namespace(ChildProcess);

impl Namespace {
    /// Makes a namespace. root writes the maps directly, because unshare would need an entry for root in /etc/subuid.
    pub(super) fn make() -> Result<Self> {
        let mut holder = Command::new("unshare");
        holder.args(["--user", "sh", "-c", "echo; read -r line"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut made = Self(ChildProcess(holder.spawn().context("unshare (of util-linux)")?));
        // Its line reports that the namespace exists.
        let said = made.0.0.stdout.as_mut().map(|stdout| stdout.read_exact(&mut [0]));
        said.context("unshare has no output")?.context("this kernel makes no user namespaces")?;
        for map in ["uid_map", "gid_map"] {
            fs::write(format!("/proc/{}/{map}", made.0.0.id()), MAP).with_context(|| map.to_owned())?;
        }
        Ok(made)
    }

    /// A call of unshare in the namespace, as its root.
    pub(super) fn unshare(&self) -> Command {
        let mut command = Command::new("nsenter");
        command.args(["--user", "--setuid=0", "--setgid=0", "--target", &self.0.0.id().to_string(), "unshare"]);
        command
    }
}
