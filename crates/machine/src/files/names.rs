//! Names in a folder: what has one, others for it, and none any more. No file is opened.

use super::{Error, Folder, Problem, listed};
use crate::faults::{self, Call};
use rustix::fs::{self, AtFlags, FileType, RenameFlags};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};

impl Folder {
    /// What is in it, sorted by name.
    ///
    /// # Errors
    /// It cannot be listed.
    pub fn names(&self) -> Result<Vec<OsString>, Error> {
        let error = |errno| Error::new(&self.path, Problem::Read(errno));
        let list = || fs::Dir::read_from(&self.folder);
        let entries = faults::pass(Call::List, &self.path, list);
        let entries = entries.map_err(|errno| {
            crate::root::unread::note(&self.path, errno.raw_os_error());
            error(errno)
        })?;
        let mut names = listed(entries).map_err(error)?;
        names.sort();
        Ok(names)
    }

    /// Gives a file in it another name; anything of that name is replaced.
    ///
    /// # Errors
    /// It is not there, or cannot be renamed.
    pub fn rename(&self, from: &OsStr, to: &OsStr) -> Result<(), Error> {
        let rename = || fs::renameat(&self.folder, from, &self.folder, to);
        faults::pass(Call::Rename, self.path.join(from), rename).map_err(|errno| self.error(to, Problem::Write(errno)))
    }

    /// Exchanges the names of two files in it, in one step.
    ///
    /// # Errors
    /// One of them is not there, or the file system cannot exchange names.
    pub fn exchange(&self, one: &OsStr, other: &OsStr) -> Result<(), Error> {
        let exchange = || fs::renameat_with(&self.folder, one, &self.folder, other, RenameFlags::EXCHANGE);
        faults::pass(Call::Rename, self.path.join(one), exchange)
            .map_err(|errno| self.error(other, Problem::Write(errno)))
    }

    /// Length of a regular file in it, in bytes; none of what is a link or anything else.
    pub fn length(&self, name: &OsStr) -> Option<u64> {
        let stat = fs::statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let is_file = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
        is_file.then(|| u64::try_from(stat.st_size).ok()).flatten()
    }

    /// True if anything has this name, a link that leads nowhere included.
    pub fn holds(&self, name: &OsStr) -> bool {
        fs::statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Removes a file or link; one that is not there counts as removed.
    ///
    /// # Errors
    /// It is still there.
    pub fn remove(&self, name: &OsStr) -> Result<(), Error> {
        let remove = || fs::unlinkat(&self.folder, name, AtFlags::empty());
        match faults::pass(Call::Remove, self.path.join(name), remove) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(self.error(name, Problem::Remove(errno))),
        }
    }
}
