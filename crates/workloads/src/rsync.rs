//! `rsync`: a file copied to a host and back by rsync over ssh, as backups do it.

use super::attributes::{Attributes, Needs};
use super::copy::{self, Copier, Direction, Remote};
use super::scored::tool;
use super::sftp;
use super::{Places, Shape, Workload};
use crate::measure::context::WorkloadContext;
use crate::measure::report::StepReport;
use machine::files::{Error, OwnFolder};
use process::tools::ToolKind;
use record::{Failure, Missing, StepMeasurement, WorkloadId};

/// The entry in the table of workloads.
pub(super) const RSYNC: Workload = Workload {
    id: WorkloadId::Rsync,
    about: "Copies a 268 MB file to and from --host with rsync, from memory or from the drive of --dir.",
    link: "https://rsync.samba.org/",
    tool: Some(&KIND),
    shape: Some(Shape { variants: copy::VARIANTS, places: Places::All, repetitions: 1, seconds: copy::SECONDS }),
    attributes: Attributes { needs: Needs::DIRECTORY_AND_SSH, ..Attributes::PLAIN },
    lacking,
    run,
    ..Workload::PLAIN
};

pub(super) const KIND: ToolKind = ToolKind {
    name: "rsync",
    programs: &["rsync"],
    recognise: &|text| {
        let line = text.lines().find(|line| line.starts_with("rsync "))?;
        let version = line.split_whitespace().skip_while(|word| *word != "version").nth(1)?;
        Some(format!("rsync {version}"))
    },
    ..ToolKind::PLAIN
};

/// Rises when the file or the way of copying changes.
const METHOD: u32 = 1;

fn lacking(context: &WorkloadContext) -> Option<Missing> {
    context.tools.find(&sftp::KIND).err().or_else(|| copy::lacking(context))
}

fn run(context: &WorkloadContext, report: &mut StepReport) -> Result<StepMeasurement, Failure> {
    report.method = METHOD;
    let rsync = tool(context, &KIND)?;
    let ssh = tool(context, &sftp::KIND)?;
    copy::run(context, report, &rsync, &ssh, &COPIER)
}

const COPIER: Copier = Copier { arguments, removal };

fn arguments(remote: &Remote, file: &str, direction: Direction, _: &OwnFolder) -> Result<Vec<String>, Error> {
    let there = format!("{}:{}", remote.host.login(), remote.name);
    let here = file.to_owned();
    let (from, to) = match direction {
        Direction::Upload => (here, there),
        Direction::Download => (there, here),
    };
    // Whole files: what would be compared with an older copy is no copy.
    Ok(vec!["--whole-file".into(), "-e".into(), shell(remote), from, to])
}

fn removal(remote: &Remote, _: &OwnFolder) -> Result<Vec<String>, Error> {
    let mut words = remote.options.clone();
    let host = &remote.host;
    let login = host.user.as_ref().map_or(host.name.clone(), |user| format!("{user}@{}", host.name));
    words.extend([login, "rm".into(), "-f".into(), remote.name.clone()]);
    Ok(words)
}

/// The command of rsync's `-e`, which it splits at blanks outside of quotes.
fn shell(remote: &Remote) -> String {
    let words = remote
        .options
        .iter()
        .map(|word| if word.contains([' ', '\'']) { format!("'{}'", word.replace('\'', "''")) } else { word.clone() });
    std::iter::once("ssh".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use process::scratch::host::Host;

    #[test]
    fn shell_quoting_of_spaces() {
        let remote = Remote {
            host: Host::parse("pi@nas").unwrap(),
            options: ["-F", "/my own/config"].map(str::to_owned).to_vec(),
            name: "copy".into(),
        };
        assert_eq!(shell(&remote), "ssh -F '/my own/config'");
        let folder = OwnFolder::make(&std::env::temp_dir(), &mut |_, _| Ok(())).unwrap();
        let back = arguments(&remote, "x", Direction::Download, &folder).unwrap();
        assert_eq!(back[3..], ["pi@nas:copy", "x"]);
        assert_eq!((KIND.recognise)("rsync  version 3.5.0  protocol version 32").as_deref(), Some("rsync 3.5.0"));
    }
}
