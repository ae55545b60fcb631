//! What copies of files to and from a host share: ssh without questions, the file, the place of the
//! copy at the other end, and sentences for what goes wrong there.
//!
//! The time of a copy is that of the whole program less that of one which connects and copies nothing:
//! slow CPUs shake hands for a second, which is no property of the copy.

use crate::measure::context::WorkloadContext;
use crate::measure::report::StepReport;
use machine::faults;
use machine::files::{Access, Error, OwnFolder};
use process::child::failure;
use process::scratch::host::Host;
use process::tools::InstalledProgram;
use record::{Failure, FailureKind, Missing, Scores, StepMeasurement, Variant};
use rustix::fs::{Advice, fadvise, fstatvfs};
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
/// Two seconds of a network of 1 Gbit/s; two minutes of a slow Wi-Fi.
const BYTES: u64 = 256 << 20;
/// Minimum free space.
const SPARE_BYTES: u64 = 128 << 20;
const TIME_LIMIT: Duration = Duration::from_secs(600);
/// Files in our folder, in which the programs start.
const FILE: &str = "copied";
const EMPTY: &str = "empty";
const CONNECT_LIMIT: Duration = Duration::from_secs(40);

/// One end of a copy at the other host.
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

/// One kind of program.
pub(super) struct Copier {
    /// Arguments that copy this file of the folder there, or fetch it; files with commands go into the folder.
    pub(super) arguments: fn(&Remote, &str, Direction, &OwnFolder) -> Result<Words, Error>,
    /// Arguments that remove the file there.
    pub(super) removal: fn(&Remote, &OwnFolder) -> Result<Words, Error>,
}

/// Which way.
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
    copier: &Copier,
) -> Result<StepMeasurement, Failure> {
    let refused = |why: String| failure(FailureKind::NotStarted, format!("{why}."), "");
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
    copier: &Copier,
    (remote, folder): (&Remote, &OwnFolder),
) -> Result<Scores, Failure> {
    // Once without work tells whether there is anybody, and how long it takes to get there.
    copy(context, report, found, copier, (remote, EMPTY, Direction::Upload, folder), CONNECT_LIMIT)?;
    let connecting = report.program_elapsed;
    let direction = match context.job.variant.as_str() {
        "receive" => {
            copy(context, report, found, copier, (remote, FILE, Direction::Upload, folder), TIME_LIMIT)?;
            let removed = folder.remove(FILE);
            removed.map_err(|why| failure(FailureKind::NotStarted, format!("{why}."), ""))?;
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
        let why = format!("{arrived} of {BYTES} bytes were transferred.");
        return Err(failure(FailureKind::WrongAnswer, why, ""));
    }
    Ok(Scores {
        rows: vec![super::scored::higher("", BYTES as f64 / time_s / 1e6, "MB/s")],
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
    copier: &Copier,
    (remote, file, direction, folder): (&Remote, &str, Direction, &OwnFolder),
    limit: Duration,
) -> Result<(), Failure> {
    let arguments = (copier.arguments)(remote, file, direction, folder)
        .map_err(|why| failure(FailureKind::NotStarted, format!("{why}."), ""))?;
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = context.program(report, found, &arguments, limit);
    done.map(|_| ()).map_err(|failed| explained(failed, &remote.host))
}

/// Removes the copy at the other end, also when the run was interrupted; true if it is gone.
fn remove(
    context: &WorkloadContext,
    remover: &InstalledProgram,
    copier: &Copier,
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
        // It starts in another folder than the one that the user named it from.
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

/// Makes the file, of bytes that cannot be packed.
fn make(folder: &OwnFolder, drive: &Path) -> Result<(), String> {
    if folder.length(FILE) == Some(BYTES) {
        return Ok(());
    }
    if let Ok(free) = fstatvfs(folder.descriptor()) {
        let free = free.f_bavail.saturating_mul(free.f_frsize);
        if free < BYTES + SPARE_BYTES {
            return Err(format!(
                "{} has {} MB free, {} MB are needed; use another directory (--dir)",
                drive.display(),
                free / 1_000_000,
                (BYTES + SPARE_BYTES) / 1_000_000
            ));
        }
    }
    let written = || -> std::io::Result<()> {
        // Leftovers of an interrupted step.
        folder.remove(FILE)?;
        let out = folder.files().create_new(OsStr::new(FILE), Access::Owner)?;
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut block = vec![0_u8; 1 << 20];
        for _ in 0..BYTES / block.len() as u64 {
            for word in block.chunks_exact_mut(8) {
                // xorshift64: nothing that is copied has to be unpredictable, only unpackable.
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
        // It goes with the folder otherwise.
        let _ = folder.remove(FILE);
        format!("cannot write to {}: {why}", drive.display())
    })
}

/// Brings the file into the page cache, so that the drive has no part in a copy.
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

/// The failure in the words of ssh, with what can be done.
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
