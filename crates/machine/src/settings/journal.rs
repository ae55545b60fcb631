//! The journal on disk: what was changed, written and synced before the change, so that another process
//! can put it back. It knows lines and nothing of what they mean.

use crate::faults::{self, Call};
use record::{Missing, Reading, Why};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// One line of the journal.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) path: String,
    pub(super) old: String,
    pub(super) new: String,
    pub(super) boot_id: String,
}

/// A journal that this process alone holds, until it is dropped.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// A journal to write to, created with its folder where there is none.
    ///
    /// # Errors
    /// It cannot be written, or another process holds it.
    pub(super) fn create(path: &Path) -> Reading<Self> {
        if let Some(folder) = path.parent() {
            faults::pass(Call::Folder, folder, || std::fs::create_dir_all(folder))
                .map_err(|e| io(path, &e))?;
        }
        let open = || File::options().create(true).append(true).open(path);
        let file = faults::pass(Call::Open, path, open).map_err(|e| io(path, &e))?;
        Self::locked(path, file)
    }

    /// A journal that was left behind; none if there is no such file.
    ///
    /// # Errors
    /// It cannot be opened, or its process is still running.
    pub(super) fn left_behind(path: &Path) -> Reading<Option<Self>> {
        match faults::pass(Call::Open, path, || File::open(path)) {
            Ok(file) => Self::locked(path, file).map(Some),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(io(path, &error)),
        }
    }

    /// One process at a time changes settings: a second one would take the first one's values for
    /// those of the user. The kernel lets go of the lock when its holder dies.
    fn locked(path: &Path, file: File) -> Reading<Self> {
        let lock =
            || rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive);
        faults::pass(Call::Lock, path, lock).map_err(|_| {
            Missing::unsupported(
                path.display().to_string(),
                "another sbc-bench is running and has changed settings",
            )
        })?;
        Ok(Self {
            path: path.to_path_buf(),
            file,
        })
    }

    /// Appends a line and waits until it is on the disk.
    ///
    /// # Errors
    /// It is not: then nothing must be changed.
    pub(super) fn append(&mut self, entry: &Entry) -> Reading<()> {
        let mut line = serde_json::to_string(entry).unwrap_or_default();
        line.push('\n');
        faults::write_all(&self.file, line.as_bytes())
            .and_then(|()| faults::sync_data(&self.file))
            .map_err(|error| io(&self.path, &error))
    }

    /// All whole lines. The last one can be cut: then its write never happened, because the journal
    /// comes first.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn entries(&mut self) -> Reading<Vec<Entry>> {
        let mut bytes = Vec::new();
        let read = || (&self.file).read_to_end(&mut bytes);
        faults::pass(Call::Read, &self.path, read).map_err(|e| io(&self.path, &e))?;
        let text = String::from_utf8_lossy(&bytes);
        let entries = text.lines().map(serde_json::from_str::<Entry>);
        Ok(entries.filter_map(Result::ok).collect())
    }

    /// Removes the file, when everything in it is restored. One that cannot be removed is harmless:
    /// compare-and-restore finds nothing of ours next time.
    pub(super) fn remove(self) {
        let _ = faults::pass(Call::Remove, &self.path, || {
            std::fs::remove_file(&self.path)
        });
    }
}

fn io(path: &Path, error: &std::io::Error) -> Missing {
    Missing {
        path: path.display().to_string(),
        why: Why::Io(error.raw_os_error().unwrap_or(libc::EIO)),
    }
}
