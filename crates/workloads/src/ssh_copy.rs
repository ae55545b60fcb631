//! `sftp` and `rsync`: copies of a file to and from a host over ssh: network, cipher and drive at once. `copy` has what
//! both share.

use super::attributes::{Attributes, Needs};
use super::copy::{self, CopyProgram, Direction, Remote};
use super::scored::{not_started, tool};
use super::{Places, Shape, Workload};
use crate::job::definition::recognised;
use crate::measure::context::WorkloadContext;
use crate::measure::report::StepReport;
use machine::files::{Error, OwnFolder};
use process::tools::ToolKind;
use record::{Failure, Missing, StepMeasurement, WorkloadId};

/// Row of sftp in the table of workloads.
pub(super) const SFTP: Workload = Workload {
    id: WorkloadId::Sftp,
    about: "Copies a 268 MB file to and from --host with sftp, from memory or from the drive of --dir.",
    link: "https://man.openbsd.org/sftp",
    tool: Some(&SSH),
    shape: Some(SHAPE),
    attributes: ATTRIBUTES,
    lacking: |context| {
        let ssh = context.tools.find(&SSH).ok()?;
        let is_without = copy::program_next_to(&ssh, "sftp").is_none();
        let why = || Missing::unsupported("sftp", "ssh is installed but sftp is not");
        is_without.then(why).or_else(|| copy::lacking(context))
    },
    run: |context, report| {
        let why = || not_started("sftp is not installed next to ssh.");
        let sftp = copy::program_next_to(&tool(context, &SSH)?, "sftp").ok_or_else(why)?;
        report.method = METHOD;
        let removal =
            |remote: &Remote, folder: &OwnFolder| batch(remote, &format!("rm {}", quoted(&remote.name)), folder);
        copy::run(context, report, &sftp, &sftp, &CopyProgram { arguments: sftp_arguments, removal })
    },
};

/// Row of rsync, as backups copy.
pub(super) const RSYNC: Workload = Workload {
    id: WorkloadId::Rsync,
    about: "Copies a 268 MB file to and from --host with rsync, from memory or from the drive of --dir.",
    link: "https://rsync.samba.org/",
    tool: Some(&RSYNC_TOOL),
    shape: Some(SHAPE),
    attributes: ATTRIBUTES,
    lacking: |context| context.tools.find(&SSH).err().or_else(|| copy::lacking(context)),
    run: run_rsync,
};

const SHAPE: Shape = Shape { variants: copy::VARIANTS, places: Places::All, repetitions: 1, seconds: copy::SECONDS };
const ATTRIBUTES: Attributes = Attributes { needs: Needs::DIRECTORY_AND_SSH, ..Attributes::PLAIN };
/// Rises when the file or the copy changes.
const METHOD: u32 = 1;
/// File with commands, in sftp's working directory.
const BATCH: &str = "batch";

/// sftp does not print its version; ssh in the same folder does.
const SSH: ToolKind = ToolKind {
    name: "OpenSSH",
    programs: &["ssh"],
    version_args: &["-V"],
    recognise: &|text| recognised("OpenSSH", "^OpenSSH_([^ ,]+)", text),
    ..ToolKind::PLAIN
};

const RSYNC_TOOL: ToolKind = ToolKind {
    name: "rsync",
    programs: &["rsync"],
    recognise: &|text| recognised("rsync", r"^rsync .*?version +(\S+)", text),
    ..ToolKind::PLAIN
};

fn sftp_arguments(remote: &Remote, file: &str, way: Direction, folder: &OwnFolder) -> Result<Vec<String>, Error> {
    let (file, name) = (quoted(file), quoted(&remote.name));
    let line = match way {
        Direction::Upload => format!("put {file} {name}"),
        Direction::Download => format!("get {name} {file}"),
    };
    batch(remote, &line, folder)
}

fn batch(remote: &Remote, line: &str, folder: &OwnFolder) -> Result<Vec<String>, Error> {
    folder.write(BATCH, format!("{line}\n").as_bytes())?;
    let mut words = remote.options.clone();
    words.extend(["-b", BATCH, &remote.host.login()].map(str::to_owned));
    Ok(words)
}

/// A name in the syntax of sftp's commands.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

fn run_rsync(context: &WorkloadContext, report: &mut StepReport) -> Result<StepMeasurement, Failure> {
    report.method = METHOD;
    let removal = |remote: &Remote, _: &OwnFolder| {
        let host = &remote.host;
        let login = host.user.as_ref().map_or(host.name.clone(), |user| format!("{user}@{}", host.name));
        Ok([&remote.options[..], &[login, "rm".into(), "-f".into(), remote.name.clone()]].concat())
    };
    let (rsync, ssh) = (tool(context, &RSYNC_TOOL)?, tool(context, &SSH)?);
    copy::run(context, report, &rsync, &ssh, &CopyProgram { arguments: rsync_arguments, removal })
}

fn rsync_arguments(remote: &Remote, file: &str, way: Direction, _: &OwnFolder) -> Result<Vec<String>, Error> {
    let there = format!("{}:{}", remote.host.login(), remote.name);
    let (from, to) = match way {
        Direction::Upload => (file.to_owned(), there),
        Direction::Download => (there, file.to_owned()),
    };
    // Disables the delta transfer, so that every byte is sent.
    Ok(vec!["--whole-file".into(), "-e".into(), shell(remote), from, to])
}

/// The command for rsync's `-e`, which rsync splits at blanks outside of quotes.
fn shell(remote: &Remote) -> String {
    let word = |word: &String| {
        if word.contains([' ', '\'']) { format!("'{}'", word.replace('\'', "''")) } else { word.clone() }
    };
    std::iter::once("ssh".to_owned()).chain(remote.options.iter().map(word)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use process::scratch::host::Host;

    #[test]
    fn versions_and_quoting() {
        for (kind, text, expected) in [
            (&SSH, "OpenSSH_9.2p1 Debian-2+deb12u10, OpenSSL 3.0.22 25 Aug 2026", Some("OpenSSH 9.2p1")),
            (&SSH, "Dropbear v2022.83", None),
            (&RSYNC_TOOL, "rsync  version 3.5.0  protocol version 32", Some("rsync 3.5.0")),
        ] {
            assert_eq!((kind.recognise)(text).as_deref(), expected);
        }
        assert_eq!(quoted("a \"b\""), "\"a \\\"b\\\"\"");
        let remote = Remote {
            host: Host::parse("pi@nas").unwrap(),
            options: ["-F", "/my own/config"].map(str::to_owned).to_vec(),
            name: "copy".into(),
        };
        assert_eq!(shell(&remote), "ssh -F '/my own/config'");
        let folder = OwnFolder::make(&std::env::temp_dir(), &mut |_, _| Ok(())).unwrap();
        let back = rsync_arguments(&remote, "x", Direction::Download, &folder).unwrap();
        assert_eq!(back[3..], ["pi@nas:copy", "x"]);
    }
}
