//! Arguments of workloads that need a directory on the drive under test, or a remote host.

use super::groups::chosen;
use process::scratch::Targets;
use process::scratch::host::Host;
use record::WorkloadId;
use std::path::PathBuf;
use workloads::Needs;

#[derive(Debug, Clone, Default, PartialEq, clap::Args)]
pub(crate) struct TargetFlags {
    /// Directory on the drive to test (workloads drive, sftp, rsync) [default: current directory]
    #[arg(long = "dir", alias = "folder", value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Remote host: runs `iperf3 -s` for network, an SSH server for sftp and rsync
    #[arg(long, value_name = "[USER@]NAME[:PORT]", value_parser = Host::parse)]
    host: Option<Host>,
    /// SSH configuration file to use instead of your own
    #[arg(long, value_name = "FILE")]
    ssh_config: Option<PathBuf>,
}

impl TargetFlags {
    /// Refuses a directory or a host that no workload of the run uses.
    ///
    /// # Errors
    /// One sentence with the option and the workload.
    pub(crate) fn check<'a>(&self, used: impl IntoIterator<Item = &'a WorkloadId>) -> Result<(), String> {
        let (mut needs, mut names) = (Needs::NOTHING, Vec::new());
        for id in used {
            needs = workloads::workload(*id).map_or(needs, |workload| needs.and(workload.attributes.needs));
            names.push(id.as_str());
        }
        let workload = if names.is_empty() { "this command".to_owned() } else { names.join(", ") };
        let given = [
            (self.folder.is_some() && !needs.directory, "--dir"),
            (self.host.is_some() && !needs.host, "--host"),
            (self.ssh_config.is_some() && !needs.ssh, "--ssh-config"),
        ];
        match chosen(given).next() {
            Some(option) => Err(format!("{option} does not apply to {workload}.")),
            None => Ok(()),
        }
    }

    /// The targets, with absolute paths.
    pub(crate) fn targets(&self) -> Result<Targets, String> {
        let whole = |path: &PathBuf| {
            let found = std::fs::canonicalize(path);
            found.map_err(|why| format!("{}: {why}.", path.display()))
        };
        let folder = self.folder.as_ref().map(whole).transpose()?;
        if let Some(folder) = folder.as_ref().filter(|folder| !folder.is_dir()) {
            return Err(format!("--dir must name a directory; {} is not one.", folder.display()));
        }
        Ok(Targets { folder, host: self.host.clone(), ssh_config: self.ssh_config.as_ref().map(whole).transpose()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dir_must_exist() {
        let flags = |folder: &str| TargetFlags { folder: Some(folder.into()), ..TargetFlags::default() };
        assert!(flags("/").targets().is_ok());
        for (folder, words) in [("/no/such", "No such file"), ("/proc/version", "is not one")] {
            let why = flags(folder).targets().unwrap_err();
            assert!(why.contains(words) && why.ends_with('.'), "{why}");
        }
    }
}
