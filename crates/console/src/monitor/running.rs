//! Recordings in progress, for `sbc-bench monitor mark`: each has an entry in the runtime directory of its user, with the path
//! of the recording and its start on the monotonic clock.
//!
//! Root reads the directories of all users and trusts an entry only if the open file belongs to that user, is a recording, and
//! is being written.

use machine::files::{self, Access, Exclusive, Folder};
use record::StableSort;
use record::recording::is_recording;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

/// An entry holds a number and a path, which has at most 4096 bytes.
const ENTRY_BYTES_MAX: u64 = 4096 + 32;
const ENTRIES_MAX: usize = 64;
const EXTENSION: &str = ".recording";

/// A recording in progress.
#[derive(Debug)]
pub struct Entry {
    /// Absolute path of the recording.
    pub path: PathBuf,
    /// Start of the recording on the monotonic clock.
    pub start_mono_ms: i64,
    /// The recording, open for appending.
    pub file: Exclusive<File>,
}

/// The entry of a recording, removed when dropped.
pub struct ActiveRecording {
    folder: Folder,
    name: OsString,
}

impl ActiveRecording {
    /// Makes the entry of a recording.
    ///
    /// # Errors
    /// The entry cannot be written; then `mark` needs `--record`.
    pub fn announce(recording: &Path, start_mono_ms: i64) -> Result<Self, files::Error> {
        let folder = Folder::state(&folder())?;
        let name = OsString::from(format!("{}{EXTENSION}", std::process::id()));
        let recording = std::path::absolute(recording).unwrap_or_else(|_| recording.to_owned());
        let mut text = format!("{start_mono_ms}\n").into_bytes();
        text.extend_from_slice(recording.as_os_str().as_bytes());
        folder.replace_unsynced(&name, &text, Access::Owner)?;
        Ok(Self { folder, name })
    }
}

impl Drop for ActiveRecording {
    fn drop(&mut self) {
        // The recording of a leftover entry is not locked.
        let _ = self.folder.remove(&self.name);
    }
}

/// Recordings in progress of this user; for root, of all users.
pub fn recordings() -> Vec<Entry> {
    let mut folders = vec![(folder(), own_uid())];
    if machine::is_root() {
        let users = Folder::open(Path::new("/run/user")).and_then(|users| users.names());
        let users = users.unwrap_or_default().into_iter();
        folders.push(("/run/sbc-bench".into(), 0));
        folders.extend(users.filter_map(|name| {
            let uid = name.to_str()?.parse().ok()?;
            Some((Path::new("/run/user").join(name).join("sbc-bench"), uid))
        }));
    }
    folders.sort();
    folders.dedup();
    let entries = folders.iter().flat_map(|(path, uid)| entries_of(path, *uid));
    let mut running: Vec<Entry> = entries.collect();
    running.stable_sort_by(|a, b| (&a.path, a.start_mono_ms).cmp(&(&b.path, b.start_mono_ms)));
    running.dedup_by(|a, b| a.path == b.path);
    running
}

/// Trusted entries in the directory of a user.
fn entries_of(path: &Path, uid: u32) -> Vec<Entry> {
    // Users who record nothing have no such directory; another user may have made one in its place.
    let folder = Folder::open_itself(path).ok();
    let Some(folder) = folder.filter(|folder| folder.owner() == uid) else { return Vec::new() };
    let names = folder.names().unwrap_or_default().into_iter();
    let names = names.filter(|name| name.as_bytes().ends_with(EXTENSION.as_bytes()));
    let entries = names.take(ENTRIES_MAX);
    entries.filter_map(|name| entry(&folder, &name)).collect()
}

fn entry(folder: &Folder, name: &OsStr) -> Option<Entry> {
    let text = folder.read(name, ENTRY_BYTES_MAX).ok()?;
    let end = text.iter().position(|byte| *byte == b'\n')?;
    let start = std::str::from_utf8(&text[..end]).ok()?;
    let path = PathBuf::from(OsString::from_vec(text[end + 1..].to_vec()));
    let file = Exclusive::new(files::existing(&path).ok()?);
    let is_theirs = file.metadata().ok()?.uid() == folder.owner();
    let believed = is_theirs && has_recording_header(&file) && is_being_written(&file);
    believed.then_some(Entry { start_mono_ms: start.parse().ok()?, path, file })
}

/// True if a file begins like a recording.
pub fn has_recording_header(file: &File) -> bool {
    let mut beginning = [0; 8];
    let read = file.read_at(&mut beginning, 0);
    read.is_ok_and(|count| is_recording(&beginning[..count]))
}

/// True while another process holds the recording's lock.
fn is_being_written(file: &Exclusive<File>) -> bool {
    file.lock().is_err()
}

/// Runtime directory of the user. Root never uses that of another user, which `sudo -E` names.
fn folder() -> PathBuf {
    let uid = own_uid();
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let is_own = |path: &PathBuf| path.is_absolute() && Folder::open(path).is_ok_and(|f| f.owner() == uid);
    match runtime.filter(is_own) {
        Some(runtime) => runtime.join("sbc-bench"),
        None if uid == 0 => "/run/sbc-bench".into(),
        None => std::env::temp_dir().join(format!("sbc-bench-{uid}")),
    }
}

fn own_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}
