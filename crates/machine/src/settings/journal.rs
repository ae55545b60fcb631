//! Journal of changes on disk, written and synced before each change, so that another process can restore it. It stores
//! lines and does not interpret them.

use crate::faults::{self, Call};
use crate::files::{self, Exclusive};
use crate::threads::refused;
use record::{Missing, MissingReason, Reading};
use serde::{Deserialize, Serialize};
use std::fs::{File, Permissions};
use std::io::{Read, Seek, SeekFrom};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::Builder;
use std::time::Duration;

/// Maximum time of a disk operation. Without its journal nothing is changed.
const DISK_TIME_MAX: Duration = Duration::from_secs(10);
const STACK_BYTES: usize = 256 << 10;
/// Directory of the journal in `/var/lib`.
const OWN_FOLDER: &str = "sbc-bench";
/// Mode of the journal: other users can neither lock nor read it.
const FILE_MODE: u32 = 0o600;
/// Maximum number of attempts to open a file that is being replaced.
const OPEN_TRIES: u32 = 10;

/// One line of the journal.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Entry {
    /// Place of the setting.
    pub(super) path: String,
    /// The user's value.
    pub(super) old: String,
    /// Value to write; `None` for a setting that a change only disturbs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) new: Option<String>,
    /// Value read back after the change. Without it, the change may or may not have been made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) read: Option<String>,
    /// The place is settled: restored, or left as another program has set it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) settled: bool,
    pub(super) boot_id: String,
    /// Identity of the machine, because several may share a directory; none in journals of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) machine: Option<String>,
}

/// Journal locked by this process until it is dropped.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: Arc<Exclusive<File>>,
    /// The last line may be cut: the next one must not be glued to it.
    is_torn: bool,
}

impl Journal {
    /// Opens a journal for writing, and creates it with its directory if missing.
    ///
    /// # Errors
    /// It cannot be written, or another process holds it.
    pub(super) fn create(path: &Path) -> Reading<Self> {
        let own = path.to_path_buf();
        in_time(path, move || Self::open_or_create(&own))
    }

    fn open_or_create(path: &Path) -> Reading<Self> {
        let folder = path.parent().unwrap_or(Path::new("."));
        // Our own state directory stays private; the permissions of others are kept.
        if folder.file_name().is_some_and(|name| name == OWN_FOLDER) {
            drop(files::Folder::state(folder)?)
        } else {
            files::make_all(folder)?
        }
        Self::locked(path, || files::append(path, files::Access::Owner))
    }

    /// Opens a journal that a process left behind; none if there is no such file.
    ///
    /// # Errors
    /// It cannot be opened, or its process is still running.
    pub(super) fn left_behind(path: &Path) -> Reading<Option<Self>> {
        let own = path.to_path_buf();
        let opened = in_time(path, move || Self::locked(&own, || files::existing(&own)));
        match opened {
            Err(missing) if missing.why == MissingReason::Absent => Ok(None),
            journal => journal.map(Some),
        }
    }

    /// Opens a journal that was opened while its writer lived, even if its name now belongs to another file.
    ///
    /// # Errors
    /// Its process is still running.
    pub(super) fn of_open(path: &Path, file: &File) -> Reading<Self> {
        let file = file.try_clone().map_err(|error| io(path, &error))?;
        let own = path.to_path_buf();
        in_time(path, move || Self::of_locked(&own, lock(&own, file)?))
    }

    fn of_locked(path: &Path, file: Exclusive<File>) -> Reading<Self> {
        let is_torn = file.metadata().map_err(|e| io(path, &e))?.len() > 0;
        Ok(Self { path: path.to_path_buf(), file: Arc::new(file), is_torn })
    }

    /// Path by which another process of this user opens the journal while this one holds it.
    pub(super) fn descriptor(&self) -> PathBuf {
        PathBuf::from(format!("/proc/{}/fd/{}", std::process::id(), self.file.as_raw_fd()))
    }

    /// Opens and locks a journal, because only one process at a time may change settings: a second one would take the
    /// values of the first one for the user's. The kernel releases the lock when its holder dies.
    fn locked(path: &Path, open: impl Fn() -> Result<File, files::Error>) -> Reading<Self> {
        for _ in 0..OPEN_TRIES {
            let file = lock(path, open()?)?;
            // The previous holder may have removed the file, which then has no name.
            if is_named(path, &file) {
                // Journals of earlier versions are readable by all users, who could lock them.
                let _ = file.set_permissions(Permissions::from_mode(FILE_MODE));
                return Self::of_locked(path, file);
            }
        }
        Err(Missing::unsupported(path.display().to_string(), "it is being replaced repeatedly"))
    }

    /// Appends lines and syncs them.
    ///
    /// # Errors
    /// The lines are not on the disk; nothing must be changed then.
    pub(super) fn append(&mut self, entries: &[Entry]) -> Reading<()> {
        self.write(entries, true)
    }

    /// Appends the result of a change without syncing it: other processes see it at once, and a power loss also resets
    /// the setting.
    ///
    /// # Errors
    /// The write failed.
    pub(super) fn note(&mut self, entries: &[Entry]) -> Reading<()> {
        self.write(entries, false)
    }

    fn write(&mut self, entries: &[Entry], synced: bool) -> Reading<()> {
        // A thread that waits for the drive still holds the file.
        if Arc::strong_count(&self.file) > 1 {
            return Err(io(&self.path, &no_answer()));
        }
        let mut text = String::new();
        if self.is_torn {
            text.push('\n');
        }
        for entry in entries {
            text.push_str(&serde_json::to_string(entry).unwrap_or_default());
            text.push('\n');
        }
        let (file, path) = (Arc::clone(&self.file), self.path.clone());
        let write = move || {
            let written = faults::write_all(&file, text.as_bytes());
            let written = written.and_then(|()| if synced { faults::sync_data(&file) } else { Ok(()) });
            written.map_err(|error| io(&path, &error))
        };
        let written = in_time(&self.path, write);
        self.is_torn = written.is_err();
        written
    }

    /// Parses all complete lines, and counts damaged ones.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn entries(&mut self) -> Reading<(Vec<Entry>, usize)> {
        let (file, path) = (Arc::clone(&self.file), self.path.clone());
        in_time(&self.path, move || {
            let mut bytes = Vec::new();
            let mut file: &File = &file;
            let read = || {
                file.seek(SeekFrom::Start(0))?;
                file.read_to_end(&mut bytes)
            };
            faults::pass(Call::Read, &path, read).map_err(|e| io(&path, &e))?;
            Ok(parse(&bytes))
        })
    }

    /// True if it was written since this machine booted.
    pub(super) fn is_of_this_boot(&self, uptime: Duration) -> bool {
        let written = self.file.metadata().and_then(|meta| meta.modified());
        written.is_ok_and(|written| written.elapsed().is_ok_and(|age| age < uptime))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the file after all places are settled. A failure is harmless: its lines say that they are settled.
    pub(super) fn remove(self) {
        self.end(|path| std::fs::remove_file(path));
    }

    /// Renames a file with unreadable lines, so that it is reported once and can be inspected.
    pub(super) fn set_aside(self) {
        self.end(|path| std::fs::rename(path, path.with_extension("journal.damaged")));
    }

    fn end(self, end: impl FnOnce(&Path) -> std::io::Result<()> + Send + 'static) {
        let Self { path, file, .. } = self;
        let own = path.clone();
        let _ = in_time(&path, move || {
            // Another file may have taken its place.
            if !is_named(&own, &file) {
                return Ok(());
            }
            let ended = faults::pass(Call::Remove, &own, || end(&own));
            ended.map_err(|error| io(&own, &error))
        });
    }
}

/// Opens the journal of another process of this user by its descriptor.
pub(super) fn opened(descriptor: &Path) -> Option<File> {
    let file = File::options().read(true).append(true).open(descriptor).ok()?;
    let about = file.metadata().ok()?;
    (about.is_file() && about.uid() == rustix::process::geteuid().as_raw()).then_some(file)
}

fn lock(path: &Path, file: File) -> Reading<Exclusive<File>> {
    let file = Exclusive::new(file);
    file.lock().map_err(|_| {
        let reason = "another sbc-bench is running and has changed settings";
        Missing::unsupported(path.display().to_string(), reason)
    })?;
    Ok(file)
}

/// True if the path leads to this file.
pub(super) fn is_named(path: &Path, file: &File) -> bool {
    let (named, opened) = (std::fs::symlink_metadata(path), file.metadata());
    named.is_ok_and(|named| opened.is_ok_and(|opened| (named.dev(), named.ino()) == (opened.dev(), opened.ino())))
}

/// Runs a disk operation in a thread. If the drive does not respond, only that thread hangs.
fn in_time<T: Send + 'static>(path: &Path, ask: impl FnOnce() -> Reading<T> + Send + 'static) -> Reading<T> {
    let (sender, answer) = channel();
    let builder = Builder::new().name("journal".into());
    // The receiver is gone after the timeout.
    let ask = move || drop(sender.send(ask()));
    let start = || builder.stack_size(STACK_BYTES).spawn(ask);
    faults::pass(Call::Thread, "journal", start).map_err(|why| refused(&why))?;
    let answer = answer.recv_timeout(DISK_TIME_MAX);
    answer.unwrap_or_else(|_| Err(io(path, &no_answer())))
}

fn no_answer() -> std::io::Error {
    std::io::Error::other("the drive does not respond")
}

/// Complete lines of a journal, and the number of damaged ones. A truncated line does not count as damaged: it belongs
/// to a change that was never made, because the journal is written first.
pub(super) fn parse(bytes: &[u8]) -> (Vec<Entry>, usize) {
    let text = String::from_utf8_lossy(bytes);
    let (mut entries, mut damaged) = (Vec::new(), 0);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        match serde_json::from_str(line) {
            Ok(entry) => entries.push(entry),
            Err(error) => damaged += usize::from(!error.is_eof()),
        }
    }
    (entries, damaged)
}

fn io(path: &Path, error: &std::io::Error) -> Missing {
    let path = path.display().to_string();
    let why = match error.raw_os_error() {
        Some(errno) => MissingReason::Io(errno),
        None => MissingReason::Unsupported(format!("{path}: {error}")),
    };
    Missing { path, why }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Removes the journal between opening and locking it, `times` times, as its previous holder may.
    fn taken_away(name: &str, times: u32) -> (PathBuf, Reading<Journal>) {
        let name = format!("sbc-bench-journal-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let opened = Cell::new(0);
        let journal = Journal::locked(&path, || {
            let file = files::append(&path, files::Access::Owner);
            opened.set(opened.get() + 1);
            if opened.get() <= times {
                std::fs::remove_file(&path).unwrap();
            }
            file
        });
        (path, journal)
    }

    #[test]
    fn lock_on_unlinked_file_is_invalid() {
        let (path, journal) = taken_away("twice", 2);
        // The next process finds the locked file.
        let second = Journal::create(&path).map(drop).unwrap_err();
        assert!(second.to_string().contains("another sbc-bench"), "{second}");
        journal.unwrap().remove();
        assert!(Journal::left_behind(&path).unwrap().is_none());
        let (_, journal) = taken_away("always", u32::MAX);
        let why = journal.map(drop).unwrap_err();
        assert!(why.to_string().contains("repeatedly"), "{why}");
    }
}
