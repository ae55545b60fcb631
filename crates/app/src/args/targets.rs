//! Arguments of workloads that need more than the machine: a folder on the drive that is measured, and a
//! host at the other end of the network.

use bench::{Host, Targets};
use std::path::PathBuf;

/// Where and with whom.
#[derive(Debug, Clone, Default, PartialEq, clap::Args)]
pub(crate) struct TargetFlags {
    /// Folder on the drive that drive, sftp and rsync measure [default: the current one]
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// The other end for network (where `iperf3 -s` runs), sftp and rsync (an ssh server)
    #[arg(long, value_name = "[USER@]NAME[:PORT]", value_parser = Host::parse)]
    host: Option<Host>,
    /// Configuration of ssh instead of your own
    #[arg(long, value_name = "FILE")]
    ssh_config: Option<PathBuf>,
}

impl TargetFlags {
    /// The targets, with folders that do not depend on where a program is started.
    ///
    /// # Errors
    /// One sentence: there is no such folder or file.
    pub(crate) fn targets(&self) -> Result<Targets, String> {
        let whole = |path: &PathBuf| {
            let found = std::fs::canonicalize(path);
            found.map_err(|why| format!("{}: {why}.", path.display()))
        };
        let folder = self.folder.as_ref().map(whole).transpose()?;
        if let Some(folder) = folder.as_ref().filter(|folder| !folder.is_dir()) {
            return Err(format!("--folder takes a folder; {} is none.", folder.display()));
        }
        Ok(Targets { folder, host: self.host.clone(), ssh_config: self.ssh_config.as_ref().map(whole).transpose()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_to_be_there() {
        let flags = |folder: &str| TargetFlags { folder: Some(folder.into()), ..TargetFlags::default() };
        assert!(flags("/").targets().is_ok());
        for (folder, words) in [("/no/such", "No such file"), ("/proc/version", "is none")] {
            let why = flags(folder).targets().unwrap_err();
            assert!(why.contains(words) && why.ends_with('.'), "{why}");
        }
    }
}
