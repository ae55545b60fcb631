//! Where a run makes folders of its own, written down before it does: when the run and its guard are killed, or
//! the power is cut, the next start finds there what they left.
//!
//! One small file for each run, which the run holds locked: the kernel lets go of it when the run dies. What
//! lies in the folders is a matter of [`crate::site`].

use crate::workloads::folder::remove_left_by;
use machine::faults::{self, Call};
use machine::files::{self, Access};
use rustix::fs::{FlockOperation, flock};
use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Files are called so, with the process behind.
const PREFIX: &str = ".places-";
/// More than two paths ever have.
const BYTES_MAX: u64 = 64 << 10;

/// The places of a living run; forgotten when this is dropped.
#[derive(Debug)]
pub(crate) struct Places {
    path: PathBuf,
    /// Holds the lock.
    _file: File,
}

impl Places {
    /// Writes down where this process will make its folders.
    ///
    /// # Errors
    /// It cannot be written: what a kill leaves has then to be found by hand.
    pub(crate) fn note(state: &Path, places: &[PathBuf]) -> std::io::Result<Self> {
        files::make_all(state)?;
        let path = state.join(format!("{PREFIX}{}", std::process::id()));
        let file = files::create_new(&path, Access::Owner)?;
        let mut text = Vec::new();
        for place in places {
            text.extend_from_slice(place.as_os_str().as_bytes());
            text.push(b'\n');
        }
        let lock = || flock(&file, FlockOperation::NonBlockingLockExclusive);
        let kept = faults::pass(Call::Lock, &path, lock)
            .map_err(std::io::Error::from)
            .and_then(|()| faults::write_all(&file, &text))
            .and_then(|()| faults::sync_data(&file));
        let places = Self { path, _file: file };
        kept.map(|()| places)
    }
}

impl Drop for Places {
    fn drop(&mut self) {
        // One that stays names places where nothing is left.
        let _ = faults::pass(Call::Remove, &self.path, || {
            std::fs::remove_file(&self.path)
        });
    }
}

/// Removes the folders of runs that are dead; tells which there were.
pub(crate) fn remove_left_behind(state: &Path) -> Vec<PathBuf> {
    let Ok(folder) = files::Folder::open(state) else {
        return Vec::new();
    };
    let mut removed = Vec::new();
    for name in folder.names().unwrap_or_default() {
        let owner = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        let Some(owner) = owner.and_then(|pid| pid.parse::<u32>().ok()) else {
            continue;
        };
        let Ok(file) = folder.readable(&name) else {
            continue;
        };
        if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
            continue;
        }
        let text = folder.read(&name, BYTES_MAX).unwrap_or_default();
        let places = text
            .split(|byte| *byte == b'\n')
            .filter(|place| !place.is_empty());
        for place in places {
            removed.extend(remove_left_by(owner, Path::new(OsStr::from_bytes(place))));
        }
        // It is looked at again by the next start.
        let _ = folder.remove(&name);
    }
    removed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_dead_runs_are_found_and_those_of_living_ones_left() {
        let state = std::env::temp_dir().join(format!("sbc-bench-places-{}", std::process::id()));
        let drive = state.join("drive");
        let left = drive.join(format!("sbc-bench-{}-0", std::process::id()));
        std::fs::create_dir_all(&left).unwrap();
        std::fs::write(left.join("large"), "x").unwrap();
        let places = Places::note(&state, std::slice::from_ref(&drive)).unwrap();
        assert!(remove_left_behind(&state).is_empty());
        assert!(left.exists());
        // What a kill leaves: the file, and no lock.
        let text = std::fs::read(&places.path).unwrap();
        let path = places.path.clone();
        drop(places);
        assert!(!path.exists());
        std::fs::write(&path, text).unwrap();
        let removed = remove_left_behind(&state);
        let is_left = left.exists() || path.exists();
        std::fs::remove_dir_all(&state).unwrap();
        assert_eq!(removed, [left]);
        assert!(!is_left);
    }
}
