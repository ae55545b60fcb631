//! Operations on names in a directory, without opening files.

use super::{Error, Folder, Problem, listed};
use crate::faults::{self, Call};
use rustix::fs::{self, AtFlags, FileType, RenameFlags};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};

impl Folder {
    /// Names in the directory, sorted.
    ///
    /// # Errors
    /// It cannot be listed.
    pub fn names(&self) -> Result<Vec<OsString>, Error> {
        let error = |errno| Error::new(&self.path, Problem::Read(errno));
        let list = || fs::Dir::read_from(&self.folder);
        let entries = faults::pass(Call::List, &self.path, list);
        let entries = entries.map_err(|errno| {
            crate::root::unread_files::note(&self.path, errno.raw_os_error());
            error(errno)
        })?;
        let mut names = listed(entries).map_err(error)?;
        names.sort();
        Ok(names)
    }

    /// Renames a file; an existing file is replaced.
    ///
    /// # Errors
    /// It does not exist, or cannot be renamed.
    pub fn rename(&self, from: &OsStr, to: &OsStr) -> Result<(), Error> {
        let rename = || fs::renameat(&self.folder, from, &self.folder, to);
        faults::pass(Call::Rename, self.path.join(from), rename).map_err(|errno| self.error(to, Problem::Write(errno)))
    }

    /// Exchanges two files atomically.
    ///
    /// # Errors
    /// One of them does not exist, or the file system does not support it.
    pub fn exchange(&self, one: &OsStr, other: &OsStr) -> Result<(), Error> {
        let exchange = || fs::renameat_with(&self.folder, one, &self.folder, other, RenameFlags::EXCHANGE);
        faults::pass(Call::Rename, self.path.join(one), exchange)
            .map_err(|errno| self.error(other, Problem::Write(errno)))
    }

    /// Length of a regular file in bytes; `None` for other files.
    pub fn length(&self, name: &OsStr) -> Option<u64> {
        let stat = fs::statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let is_file = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
        is_file.then(|| u64::try_from(stat.st_size).ok()).flatten()
    }

    /// True if the name is taken, also by a dangling link.
    pub fn holds(&self, name: &OsStr) -> bool {
        fs::statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Removes a file or link; succeeds if it does not exist.
    ///
    /// # Errors
    /// The removal failed.
    pub fn remove(&self, name: &OsStr) -> Result<(), Error> {
        let remove = || fs::unlinkat(&self.folder, name, AtFlags::empty());
        match faults::pass(Call::Remove, self.path.join(name), remove) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(self.error(name, Problem::Remove(errno))),
        }
    }
}
