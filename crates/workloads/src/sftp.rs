//! `sftp`: a file copied to a host and back over ssh: network, cipher and drive at once.

use super::attributes::{Attributes, Needs};
use super::copy::{self, Copier, Direction, Remote};
use super::scored::tool;
use super::{Places, Shape, Workload};
use crate::measure::context::WorkloadContext;
use crate::measure::report::StepReport;
use machine::files::{Error, OwnFolder};
use process::child::failure;
use process::tools::{InstalledProgram, ToolKind};
use record::{Failure, FailureKind, Missing, StepMeasurement, WorkloadId};

/// The entry in the table of workloads.
pub(super) const SFTP: Workload = Workload {
    id: WorkloadId::Sftp,
    about: "Copies a 268 MB file to and from --host with sftp, from memory or from the drive of --dir.",
    link: "https://man.openbsd.org/sftp",
    tool: Some(&KIND),
    shape: Some(Shape { variants: copy::VARIANTS, places: Places::All, repetitions: 1, seconds: copy::SECONDS }),
    attributes: Attributes { needs: Needs::DIRECTORY_AND_SSH, ..Attributes::PLAIN },
    lacking,
    run,
    ..Workload::PLAIN
};

/// sftp does not tell its version; ssh next to it does.
pub(super) const KIND: ToolKind = ToolKind {
    name: "OpenSSH",
    programs: &["ssh"],
    version_args: &["-V"],
    recognise: &|text| {
        let line = text.lines().find(|line| line.starts_with("OpenSSH_"))?;
        Some(line.split([' ', ',']).next()?.replacen('_', " ", 1))
    },
    ..ToolKind::PLAIN
};

/// Rises when the file or the way of copying changes.
const METHOD: u32 = 1;

fn lacking(context: &WorkloadContext) -> Option<Missing> {
    match context.tools.find(&KIND) {
        Err(missing) => Some(missing),
        Ok(ssh) if copy::program_next_to(&ssh, "sftp").is_none() => {
            Some(Missing::unsupported("sftp", "ssh is installed but sftp is not"))
        }
        Ok(_) => copy::lacking(context),
    }
}

fn run(context: &WorkloadContext, report: &mut StepReport) -> Result<StepMeasurement, Failure> {
    report.method = METHOD;
    let ssh = tool(context, &KIND)?;
    let sftp = sftp(&ssh)?;
    copy::run(context, report, &sftp, &sftp, &COPIER)
}

/// sftp next to ssh.
fn sftp(ssh: &InstalledProgram) -> Result<InstalledProgram, Failure> {
    let why = || failure(FailureKind::NotStarted, "sftp is not installed next to ssh.".into(), "");
    copy::program_next_to(ssh, "sftp").ok_or_else(why)
}

const COPIER: Copier = Copier { arguments, removal };

fn arguments(remote: &Remote, file: &str, direction: Direction, folder: &OwnFolder) -> Result<Vec<String>, Error> {
    let (file, name) = (quoted(file), quoted(&remote.name));
    let line = match direction {
        Direction::Upload => format!("put {file} {name}"),
        Direction::Download => format!("get {name} {file}"),
    };
    batch(remote, &line, folder)
}

fn removal(remote: &Remote, folder: &OwnFolder) -> Result<Vec<String>, Error> {
    batch(remote, &format!("rm {}", quoted(&remote.name)), folder)
}

/// File with commands, in the folder in which sftp starts.
const BATCH: &str = "batch";

fn batch(remote: &Remote, line: &str, folder: &OwnFolder) -> Result<Vec<String>, Error> {
    folder.write(BATCH, format!("{line}\n").as_bytes())?;
    let mut words = remote.options.clone();
    words.extend(["-b", BATCH, &remote.host.login()].map(str::to_owned));
    Ok(words)
}

/// A name as sftp's own parser wants it.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_and_names() {
        let text = "OpenSSH_9.2p1 Debian-2+deb12u10, OpenSSL 3.0.22 25 Aug 2026";
        assert_eq!((KIND.recognise)(text).as_deref(), Some("OpenSSH 9.2p1"));
        assert_eq!((KIND.recognise)("Dropbear v2022.83"), None);
        assert_eq!(quoted("a \"b\""), "\"a \\\"b\\\"\"");
    }
}
