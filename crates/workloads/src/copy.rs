//! Copies of files to and from a host: ssh without questions, the file, its remote name, and messages for errors of
//! the connection.
//!
//! The time of a copy is that of the program less that of a run which copies an empty file: the handshake takes a slow
//! CPU a second and is not part of the copy.

use super::drive::check_space;
use super::scored::{higher, not_started, wrong_answer};
use crate::measure::context::WorkloadContext;
use crate::measure::report::StepReport;
use machine::faults;
use machine::files::{Access, Error, OwnFolder};
use process::scratch::host::Host;
use process::tools::InstalledProgram;
use record::{Failure, Missing, Scores, StepMeasurement, Variant};
use rustix::fs::{Advice, fadvise};
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The forms of a copy.
pub(super) const VARIANTS: &[Variant] =
    &[Variant::own("send"), Variant::own("receive"), Variant::own("send-from-drive")];
/// About how long one takes in a network of 1 Gbit/s.
pub(super) const SECONDS: u64 = 10;
/// Two seconds at 1 Gbit/s, two minutes on slow Wi-Fi.
const BYTES: u64 = 256 << 20;
const TIME_LIMIT: Duration = Duration::from_secs(600);
/// Files in the working directory of the programs.
const FILE: &str = "copied";
const EMPTY: &str = "empty";
const CONNECT_LIMIT: Duration = Duration::from_secs(40);

/// Remote end of a copy.
#[derive(Debug, Clone)]
pub(super) struct Remote {
    pub(super) host: Host,
    /// Options of ssh, word by word.
    pub(super) options: Vec<String>,
    /// Name of the file there, in the folder of the login.
    pub(super) name: String,
}

/// A command line without its program, word by word.
pub(super) type Words = Vec<String>;

/// A program that copies.
pub(super) struct CopyProgram {
    /// Arguments that copy this file of the folder there, or fetch it; files with commands go into the folder.
    pub(super) arguments: fn(&Remote, &str, Direction, &OwnFolder) -> Result<Words, Error>,
    /// Arguments that remove the file there.
    pub(super) removal: fn(&Remote, &OwnFolder) -> Result<Words, Error>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Upload,
    Download,
}

pub(super) fn lacking(context: &WorkloadContext) -> Option<Missing> {
    context.site.targets.host.is_none().then(|| {
        let why = "needs --host [USER@]NAME with an SSH server and key login";
        Missing::unsupported("--host", why)
    })
}

/// Runs the form of the job.
pub(super) fn run(
    context: &WorkloadContext,
    report: &mut StepReport,
    found: &InstalledProgram,
    remover: &InstalledProgram,
    copier: &CopyProgram,
) -> Result<StepMeasurement, Failure> {
    let refused = |why: String| not_started(format!("{why}."));
    let Some(host) = context.site.targets.host.clone() else {
        return Err(refused("no host given (--host [USER@]NAME)".into()));
    };
    let remote = Remote {
        options: ssh_options(&host, context.site.targets.ssh_config.as_deref()),
        host,
        name: format!("sbc-bench-{}.tmp", machine::files::unguessable()),
    };
    let folder = context.site.drive_folder().map_err(refused)?;
    let context = &context.in_folder(&folder);
    make(&folder, &context.site.drive()).map_err(refused)?;
    let empty = folder.write(EMPTY, b"");
    empty.map_err(|why| refused(why.to_string()))?;
    let outcome = copies(context, report, found, copier, (&remote, &folder));
    let gone = remove(context, remover, copier, &remote, &folder);
    let mut scores = outcome?;
    if !gone {
        let note = format!("; could not remove {} on {}", remote.name, remote.host.name);
        scores.detail.push_str(&note);
    }
    Ok(StepMeasurement::Scores(scores))
}

fn copies(
    context: &WorkloadContext,
    report: &mut StepReport,
    found: &InstalledProgram,
    copier: &CopyProgram,
    (remote, folder): (&Remote, &OwnFolder),
) -> Result<Scores, Failure> {
    // An empty copy shows whether the host answers, and how long the connection takes.
    copy(context, report, found, copier, (remote, EMPTY, Direction::Upload, folder), CONNECT_LIMIT)?;
    let connecting = report.program_elapsed;
    let direction = match context.job.variant.as_str() {
        "receive" => {
            copy(context, report, found, copier, (remote, FILE, Direction::Upload, folder), TIME_LIMIT)?;
            let removed = folder.remove(FILE);
            removed.map_err(|why| not_started(format!("{why}.")))?;
            Direction::Download
        }
        "send-from-drive" => {
            drop_from_cache(folder);
            Direction::Upload
        }
        _ => {
            read_once(folder);
            Direction::Upload
        }
    };
    report.start_timing(context.timeline);
    copy(context, report, found, copier, (remote, FILE, direction, folder), TIME_LIMIT)?;
    let time_s = report.program_elapsed.saturating_sub(connecting).as_secs_f64();
    let arrived = folder.length(FILE).unwrap_or(0);
    if arrived != BYTES || time_s <= 0.0 {
        return Err(wrong_answer(format!("{arrived} of {BYTES} bytes were transferred.")));
    }
    Ok(Scores {
        rows: vec![higher("", BYTES as f64 / time_s / 1e6, "MB/s")],
        detail: format!(
            "{} MB with {}; {:.2} s connection time not included",
            BYTES / 1_000_000,
            remote.host.name,
            connecting.as_secs_f64()
        ),
        ..Scores::default()
    })
}

fn copy(
    context: &WorkloadContext,
    report: &mut StepReport,
    found: &InstalledProgram,
    copier: &CopyProgram,
    (remote, file, direction, folder): (&Remote, &str, Direction, &OwnFolder),
    limit: Duration,
) -> Result<(), Failure> {
    let arguments =
        (copier.arguments)(remote, file, direction, folder).map_err(|why| not_started(format!("{why}.")))?;
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = context.program(report, found, &arguments, limit);
    done.map(|_| ()).map_err(|failed| explained(failed, &remote.host))
}

/// Removes the remote copy, also after an interruption; true if that succeeded.
fn remove(
    context: &WorkloadContext,
    remover: &InstalledProgram,
    copier: &CopyProgram,
    remote: &Remote,
    folder: &OwnFolder,
) -> bool {
    let Ok(arguments) = (copier.removal)(remote, folder) else { return false };
    context.run_cleanup(remover, &arguments, CONNECT_LIMIT)
}

/// Options that keep ssh from asking and limit its time.
fn ssh_options(host: &Host, config: Option<&Path>) -> Vec<String> {
    let mut options: Vec<String> = Vec::new();
    if let Some(config) = config {
        // The working directory of the program is not the user's.
        let config = std::path::absolute(config).unwrap_or_else(|_| config.to_owned());
        options.extend(["-F".to_owned(), config.display().to_string()]);
    }
    for option in ["BatchMode=yes", "ConnectTimeout=10", "ServerAliveInterval=10"] {
        options.extend(["-o".to_owned(), option.to_owned()]);
    }
    let port = host.port.map(|port| format!("Port={port}"));
    options.extend(port.into_iter().flat_map(|port| ["-o".to_owned(), port]));
    options
}

/// Makes the file, of incompressible bytes.
fn make(folder: &OwnFolder, drive: &Path) -> Result<(), String> {
    if folder.length(FILE) == Some(BYTES) {
        return Ok(());
    }
    check_space(drive, folder, BYTES)?;
    let written = || -> std::io::Result<()> {
        // Leftovers of an interrupted step.
        folder.remove(FILE)?;
        let out = folder.files().create_new(OsStr::new(FILE), Access::Owner)?;
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut block = vec![0_u8; 1 << 20];
        for _ in 0..BYTES / block.len() as u64 {
            for word in block.chunks_exact_mut(8) {
                // xorshift64: incompressible is enough.
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                word.copy_from_slice(&state.to_le_bytes());
            }
            faults::write_all(&out, &block)?;
        }
        out.sync_all()
    };
    written().map_err(|why| {
        // Otherwise it is removed with the folder.
        let _ = folder.remove(FILE);
        format!("cannot write to {}: {why}", drive.display())
    })
}

/// Reads the file into the page cache, so that the copy does not depend on the drive.
fn read_once(folder: &OwnFolder) {
    let Ok(mut file) = opened(folder) else { return };
    let mut block = vec![0; 1 << 20];
    while file.read(&mut block).is_ok_and(|count| count > 0) {}
}

fn opened(folder: &OwnFolder) -> Result<File, Error> {
    folder.files().readable(OsStr::new(FILE))
}

fn drop_from_cache(folder: &OwnFolder) {
    if let Ok(file) = opened(folder) {
        let _ = fadvise(&file, 0, None, Advice::DontNeed);
    }
}

/// The failure with ssh's message and a hint.
fn explained(failed: Failure, host: &Host) -> Failure {
    let Some((why, hint)) = reason(&failed.output_tail) else { return failed };
    Failure { message: format!("cannot connect to {} by SSH: {why}{hint}.", host.name), ..failed }
}

/// Messages of ssh, sftp or rsync about failed connections, each with a hint.
pub(super) fn reason(output: &str) -> Option<(String, &'static str)> {
    const SIGNS: [(&str, &str); 9] = [
        ("Permission denied", "; set up key login without passphrase prompt (ssh-copy-id)"),
        ("Host key verification failed", "; log in once manually to accept the host key"),
        ("Could not resolve hostname", ""),
        ("Connection refused", "; no SSH server is running there"),
        ("Connection timed out", ""),
        ("No route to host", ""),
        ("Network is unreachable", ""),
        ("command not found", "; it must also be installed there"),
        ("No space left on device", " (locally or on the remote host)"),
    ];
    output.lines().find_map(|line| {
        let (_, hint) = SIGNS.iter().find(|(sign, _)| line.contains(sign))?;
        Some((line.trim().trim_end_matches('.').to_owned(), *hint))
    })
}

/// A program next to another, such as sftp next to ssh.
pub(super) fn program_next_to(found: &InstalledProgram, name: &str) -> Option<InstalledProgram> {
    let path: PathBuf = Path::new(&found.path).with_file_name(name);
    process::search_path::is_program(&path).then(|| InstalledProgram {
        name: name.to_owned(),
        path: path.display().to_string(),
        version: found.version.clone(),
        runs_as_caller: found.runs_as_caller,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ssh_errors_have_hints() {
        for (output, expected) in [
            (
                "ssh: connect to host nas port 22: Connection refused\r\nConnection closed\n",
                Some("no SSH server is running"),
            ),
            ("root@nas: Permission denied (publickey,password).\n", Some("ssh-copy-id")),
            ("Host key verification failed.\n", Some("manually")),
            ("bash: line 1: rsync: command not found\n", Some("also be installed there")),
            ("sftp> put x\n", None),
        ] {
            let found = reason(output).map(|(why, hint)| why + hint);
            match expected {
                Some(words) => assert!(found.unwrap().contains(words), "{output}"),
                None => assert_eq!(found, None),
            }
        }
    }

    #[test]
    fn ssh_is_non_interactive() {
        let host = Host::parse("pi@nas:2222").unwrap();
        let words = ssh_options(&host, Some(Path::new("/etc/own"))).join(" ");
        assert!(words.starts_with("-F /etc/own -o BatchMode=yes"), "{words}");
        assert!(words.ends_with("-o Port=2222"), "{words}");
    }
}
