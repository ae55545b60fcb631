//! Paths of results: for root the latest in the system's log directory and all runs in its state directory, for others everything
//! in the user's state directory.

use bench::Runs;
use machine::files::{self, Access, Stream};
use rustix::fs::Access as Need;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Files of one run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Paths {
    /// The latest log; its last line is the summary line.
    pub(crate) log: PathBuf,
    /// The latest Record, next to the log; none next to a device or a pipe.
    pub(crate) record: Option<PathBuf>,
    /// Folder of all runs.
    pub(crate) history: PathBuf,
    /// Journal of changed settings.
    pub(crate) journal: PathBuf,
}

/// The journal of changed settings; it must survive a loss of power, so it is not in `/run`.
const JOURNAL: &str = "/var/lib/sbc-bench/settings.journal";

impl Paths {
    /// Chooses paths by rights and `--log`.
    pub(crate) fn choose(as_root: bool, asked: Option<&Path>) -> Self {
        let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
        let log = match asked {
            Some(path) => path.to_path_buf(),
            None if as_root => PathBuf::from("/var/log/sbc-bench.log"),
            None => state_folder(variable("XDG_STATE_HOME"), variable("HOME")).join("sbc-bench/sbc-bench.log"),
        };
        let is_stream = asked.is_some_and(|path| !matches!(files::stream_kind(path), Ok(None)));
        let record = (!is_stream).then(|| log.with_extension("json"));
        // No files are created next to a device or a pipe.
        let history = match (asked.filter(|_| !is_stream), as_root) {
            (None, true) => system_state(variable("STATE_DIRECTORY")).join("runs"),
            (None, false) => state_folder(variable("XDG_STATE_HOME"), variable("HOME")).join("sbc-bench/runs"),
            (Some(_), _) => log.with_file_name("sbc-bench-runs"),
        };
        Self { record, history, log, journal: PathBuf::from(JOURNAL) }
    }

    /// Opens a log that is a pipe or a device; none if the log is a regular file.
    ///
    /// # Errors
    /// One sentence: the log cannot be written there, or would replace a file of another program. Checked before a run, so that
    /// no measurement is lost.
    pub(crate) fn stream(&self) -> Result<Option<Stream>, String> {
        let stream = files::stream(&self.log).map_err(|error| match error.problem {
            files::Problem::Unread => format!("--log {error}; start that first."),
            _ => format!("--log {error}; give a file name."),
        })?;
        match (&stream, &self.record) {
            (None, Some(record)) => self.objection(record).map_or(Ok(stream), Err),
            _ => Ok(stream),
        }
    }

    fn objection(&self, record: &Path) -> Option<String> {
        let log = self.log.display();
        if self.log.is_dir() {
            return Some(format!("--log {log} is a directory; give a file name."));
        }
        let folder = self.log.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(missing) = folder.filter(|folder| !folder.is_dir()) {
            return Some(format!("--log {log}: directory {} does not exist; create it first.", missing.display()));
        }
        let place = folder.unwrap_or(Path::new("."));
        if let Err(errno) = rustix::fs::access(place, Need::WRITE_OK | Need::EXEC_OK) {
            let why = std::io::Error::from(errno);
            return Some(format!("--log {log}: directory {} cannot be written: {why}.", place.display()));
        }
        if self.log == record {
            return Some(format!("--log {log} is the name of the result file next to the log; use another extension."));
        }
        // A link is replaced, not its target; opening a pipe would block.
        let is_file = std::fs::symlink_metadata(record).is_ok_and(|meta| meta.is_file());
        let mut beginning = [0; 64];
        let mut read = || File::open(record)?.read(&mut beginning);
        let is_other = is_file && read().is_ok_and(|count| !beginning[..count].trim_ascii_start().starts_with(RECORD));
        is_other.then(|| {
            format!(
                "{} is not an sbc-bench result file and would be replaced by one; use another name for --log.",
                record.display()
            )
        })
    }
}

/// Prefix of every Record.
const RECORD: &[u8] = b"{\"schema\"";

/// State directory of the system, which is on the drive, unlike some `/var/log`. systemd gives a unit its own, or several with
/// colons between them (`StateDirectory=`, systemd.exec(5)).
fn system_state(of_unit: Option<PathBuf>) -> PathBuf {
    let all = of_unit.unwrap_or_default().into_os_string();
    let first = all.as_bytes().split(|byte| *byte == b':').next();
    let first = first.map(|path| PathBuf::from(OsStr::from_bytes(path)));
    let of_unit = first.filter(|path| path.is_absolute());
    of_unit.unwrap_or_else(|| PathBuf::from("/var/lib/sbc-bench"))
}

/// XDG Base Directory Specification: `$XDG_STATE_HOME`, else `~/.local/state`.
fn state_folder(xdg: Option<PathBuf>, home: Option<PathBuf>) -> PathBuf {
    let absolute = |path: &PathBuf| path.is_absolute();
    xdg.filter(absolute)
        .or_else(|| home.filter(absolute).map(|home| home.join(".local/state")))
        .unwrap_or_else(std::env::temp_dir)
}

/// Directory of the user's own results that every comparison includes.
pub(crate) fn references(as_root: bool) -> PathBuf {
    Paths::choose(as_root, None).history.with_file_name("references")
}

/// The result file of the last run: of this user, or of root where that is newer and readable.
pub(crate) fn last_run() -> Option<PathBuf> {
    let users = [machine::is_root(), true].map(|as_root| Paths::choose(as_root, None));
    let kept = users.iter().filter_map(|paths| Runs::existing(&paths.history).ok()??.newest());
    let latest = users.iter().filter_map(|paths| paths.record.clone());
    let written = |path: &PathBuf| File::open(path).and_then(|file| file.metadata()?.modified()).ok();
    kept.chain(latest).filter_map(|path| Some((written(&path)?, path))).max().map(|(_, path)| path)
}

/// Writes a result that survives a loss of power, and creates its directory if it is missing. Writes into a pipe of this name.
///
/// # Errors
/// The file cannot be written; an older one is unchanged.
pub(crate) fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(mut stream) = files::stream(path)? {
        return stream.file.write_all(text.as_bytes());
    }
    make_folder_of(path)?;
    Ok(files::replace(path, text.as_bytes(), Access::Group)?)
}

/// As [`replace`], for a log and the Record next to it: both are replaced or neither is.
///
/// # Errors
/// As [`replace`].
pub(crate) fn replace_both(log: (&Path, &str), record: (&Path, &str)) -> Result<(), files::Error> {
    make_folder_of(log.0)?;
    let name = record.0.file_name().unwrap_or_default();
    files::replace_both(log.0, log.1.as_bytes(), (name, record.1.as_bytes()), Access::Group)
}

fn make_folder_of(path: &Path) -> Result<(), files::Error> {
    path.parent().map_or(Ok(()), files::make_all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_root_and_user() {
        assert_eq!(Paths::choose(true, None).log, Path::new("/var/log/sbc-bench.log"));
        assert_eq!(Paths::choose(true, None).record.unwrap(), Path::new("/var/log/sbc-bench.json"));
        let asked = Paths::choose(true, Some(Path::new("/tmp/a/b.log")));
        assert_eq!(asked.record.unwrap(), Path::new("/tmp/a/b.json"));
        assert_eq!(asked.history, Path::new("/tmp/a/sbc-bench-runs"));
        let folder = |of_unit: &str| system_state(Some(of_unit.into()));
        assert_eq!(folder("/var/lib/unit"), Path::new("/var/lib/unit"));
        assert_eq!(folder("/var/lib/a:/var/lib/b"), Path::new("/var/lib/a"));
        assert_eq!(folder("unit"), Path::new("/var/lib/sbc-bench"));
        assert_eq!(system_state(None), Path::new("/var/lib/sbc-bench"));
        let home = Some(PathBuf::from("/home/a"));
        assert_eq!(state_folder(None, home.clone()), Path::new("/home/a/.local/state"));
        assert_eq!(state_folder(Some("/x".into()), home.clone()), Path::new("/x"));
        assert_eq!(state_folder(Some("relative".into()), home), Path::new("/home/a/.local/state"));
    }
}
