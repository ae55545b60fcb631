//! Removes our own directories with their content through descriptors: links are not followed, other file systems not
//! entered, and a directory is removed only if its identity matches.

use super::identity::{Identity, PREFIX, identity};
use super::{Error, Folder, Problem, is_empty, listed, own_uid};
use crate::faults::{self, Call};
use rustix::fs::{self, AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Maximum depth of nested directories.
const DEPTH_MAX: u32 = 32;

/// Removes the directory that a dead process created at this path. False if it does not exist. Without an identity (the
/// process died while creating it) it is removed only if it is empty.
///
/// # Errors
/// The removal failed; [`Problem::Another`] if it is another directory, which is unchanged.
pub fn remove_left(path: &Path, noted: Option<Identity>, is_same_boot: bool) -> Result<bool, Error> {
    let error = |problem| Error::new(path, problem);
    let another = || error(Problem::Another);
    let name = path.file_name().ok_or_else(another)?;
    if !name.as_bytes().starts_with(PREFIX.as_bytes()) {
        return Err(another());
    }
    let above = match Folder::open(path.parent().unwrap_or(Path::new("/"))) {
        Err(error) if error.is_absent() => return Ok(false),
        above => above?,
    };
    let (folder, about) = match open_in(above.folder.as_fd(), name, path) {
        Err(Problem::Read(Errno::NOENT)) => return Ok(false),
        Err(Problem::Link | Problem::Kind(_)) => return Err(another()),
        opened => opened.map_err(error)?,
    };
    let found = identity(folder.as_fd(), &about);
    let is_it = match noted {
        Some(noted) => found.inode == noted.inode && (found.device == noted.device || !is_same_boot),
        None => about.st_uid == own_uid(),
    };
    if !is_it {
        return Err(another());
    }
    let folder = Folder { path: path.to_owned(), folder, owner: about.st_uid };
    if noted.is_none() && !is_empty(&folder.folder).unwrap_or(false) {
        return Err(another());
    }
    remove_held(above.folder.as_fd(), name, &folder)?;
    Ok(true)
}

/// Empties a directory through its descriptor, and removes it if it still has this name.
pub(super) fn remove_held(above: BorrowedFd, name: &OsStr, folder: &Folder) -> Result<(), Error> {
    let held = &folder.folder;
    let error = |errno| Error::new(&folder.path, Problem::Remove(errno));
    let about = fs::fstat(held).map_err(error)?;
    empty(held.as_fd(), &folder.path, (about.st_dev, 0)).map_err(error)?;
    let there = fs::statat(above, name, AtFlags::SYMLINK_NOFOLLOW).map_err(error)?;
    if (there.st_dev, there.st_ino) != (about.st_dev, about.st_ino) {
        return Err(Error::new(&folder.path, Problem::Another));
    }
    // After a concurrent rename this removes at most an empty directory of the renaming process.
    let remove = || fs::unlinkat(above, name, AtFlags::REMOVEDIR);
    faults::pass(Call::Remove, &folder.path, remove).map_err(error)
}

/// Removes the content of an open directory, without following links or entering other file systems. Continues after
/// failures.
fn empty(folder: BorrowedFd, path: &Path, place: (u64, u32)) -> Result<(), Errno> {
    let mut outcome = Ok(());
    for name in listed(fs::Dir::read_from(folder)?)? {
        outcome = outcome.and(remove_in(folder, &name, &path.join(&name), place));
    }
    outcome
}

/// Removes an entry of an open directory with its content. `place` is device and depth.
pub(super) fn remove_in(
    above: BorrowedFd,
    name: &OsStr,
    path: &Path,
    (device, depth): (u64, u32),
) -> Result<(), Errno> {
    let unlink = |flags| faults::pass(Call::Remove, path, || fs::unlinkat(above, name, flags));
    match unlink(AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => return Ok(()),
        // Linux returns EISDIR for a directory, POSIX EPERM.
        Err(Errno::ISDIR | Errno::PERM) if depth < DEPTH_MAX => {}
        Err(errno) => return Err(errno),
    }
    let (folder, about) = open_in(above, name, path).map_err(|problem| match problem {
        Problem::Read(errno) => errno,
        _ => Errno::NOTDIR,
    })?;
    if about.st_dev != device {
        return Err(Errno::XDEV);
    }
    empty(folder.as_fd(), path, (device, depth + 1))?;
    unlink(AtFlags::REMOVEDIR)
}

/// Opens a subdirectory without following links.
pub(super) fn open_in(above: BorrowedFd, name: &OsStr, path: &Path) -> Result<(OwnedFd, Stat), Problem> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let open = || fs::openat(above, name, flags, Mode::empty());
    let opened = faults::pass(Call::Open, path, open).and_then(|folder| {
        let about = fs::fstat(&folder)?;
        Ok((folder, about))
    });
    opened.map_err(|errno| {
        let there = fs::statat(above, name, AtFlags::SYMLINK_NOFOLLOW);
        match there.map(|stat| FileType::from_raw_mode(stat.st_mode)) {
            Ok(FileType::Symlink) => Problem::Link,
            Ok(kind) if kind != FileType::Directory => Problem::Kind("not a directory"),
            _ => Problem::Read(errno),
        }
    })
}
