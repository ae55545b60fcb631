//! Which recordings are being made now: one small file for each, in the folder of the user's running
//! things, with the path of the recording and the moment at which it began on the monotonic clock.
//! So that `sbc-bench mark` finds them.

use rustix::fs::{FlockOperation, flock};
use std::fs::{DirBuilder, File};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// A recording that is being made.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Entry {
    pub(crate) path: PathBuf,
    /// Its moment 0 on the monotonic clock.
    pub(crate) start_mono_ms: i64,
}

/// The entry of a recording; taken away with it.
pub(crate) struct Running(PathBuf);

impl Running {
    /// Enters the recording, whose moment 0 is this one on the monotonic clock. None if there is no
    /// folder for that: then `mark` needs `--to`.
    pub(crate) fn announce(recording: &Path, start_mono_ms: i64) -> Option<Self> {
        let folder = folder();
        // What already exists is looked at below.
        let _ = DirBuilder::new().mode(0o755).create(&folder);
        let meta = std::fs::symlink_metadata(&folder).ok()?;
        if !meta.is_dir() || meta.uid() != rustix::process::geteuid().as_raw() {
            return None;
        }
        let entry = folder.join(format!("{}.recording", std::process::id()));
        let recording = std::path::absolute(recording).ok()?;
        let text = format!("{start_mono_ms}\n{}", recording.to_str()?);
        std::fs::write(&entry, text).ok()?;
        Some(Self(entry))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // A leftover is recognised by its recording, which nobody locks any more.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Recordings that are being made now, by this user, and for root by anybody.
pub(crate) fn recordings() -> Vec<Entry> {
    let mut folders = vec![folder(), "/run/sbc-bench".into()];
    if rustix::process::geteuid().is_root() {
        let users = std::fs::read_dir("/run/user")
            .into_iter()
            .flatten()
            .flatten();
        folders.extend(users.map(|user| user.path().join("sbc-bench")));
    }
    folders.sort();
    folders.dedup();
    let entries = folders
        .iter()
        .filter_map(|folder| std::fs::read_dir(folder).ok());
    let entries = entries.flatten().flatten().map(|entry| entry.path());
    let entries = entries.filter(|entry| entry.extension().is_some_and(|e| e == "recording"));
    let texts = entries.filter_map(|entry| std::fs::read_to_string(entry).ok());
    let parse = |text: String| {
        let (start, path) = text.split_once('\n')?;
        Some(Entry {
            path: path.into(),
            start_mono_ms: start.parse().ok()?,
        })
    };
    let mut running: Vec<Entry> = texts.filter_map(parse).collect();
    running.retain(|entry| is_being_written(&entry.path));
    running.sort();
    running.dedup();
    running
}

/// True while somebody holds the recording's lock.
fn is_being_written(path: &Path) -> bool {
    File::open(path)
        .is_ok_and(|file| flock(&file, FlockOperation::NonBlockingLockExclusive).is_err())
}

fn folder() -> PathBuf {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let uid = rustix::process::geteuid();
    match runtime.filter(|path| path.is_absolute()) {
        Some(runtime) => runtime.join("sbc-bench"),
        None if uid.is_root() => "/run/sbc-bench".into(),
        None => std::env::temp_dir().join(format!("sbc-bench-{}", uid.as_raw())),
    }
}
