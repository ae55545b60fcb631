//! Access to files by path, for callers that need a single file of a directory.

use super::{Access, Error, Folder, NamedContent, Problem};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::File;
use std::path::Path;

/// As [`Folder::append`], by its path.
///
/// # Errors
/// As [`Folder::append`].
pub fn append(path: &Path, access: Access) -> Result<File, Error> {
    let (folder, name) = parts(path, Problem::Write)?;
    folder.append(name, access)
}

/// As [`Folder::existing`], by its path.
///
/// # Errors
/// As [`Folder::existing`].
pub fn existing(path: &Path) -> Result<File, Error> {
    let (folder, name) = parts(path, Problem::Write)?;
    folder.existing(name)
}

/// As [`Folder::read`], by its path.
///
/// # Errors
/// As [`Folder::read`].
pub fn read(path: &Path, bytes_max: u64) -> Result<Vec<u8>, Error> {
    let (folder, name) = parts(path, Problem::Read)?;
    folder.read(name, bytes_max)
}

/// As [`Folder::replace`], by its path.
///
/// # Errors
/// As [`Folder::replace`].
pub fn replace(path: &Path, bytes: &[u8], access: Access) -> Result<(), Error> {
    let (folder, name) = parts(path, Problem::Write)?;
    folder.replace(name, bytes, access)
}

/// As [`Folder::replace_unsynced`], by its path.
///
/// # Errors
/// As [`Folder::replace_unsynced`].
pub fn replace_unsynced(path: &Path, bytes: &[u8], access: Access) -> Result<(), Error> {
    let (folder, name) = parts(path, Problem::Write)?;
    folder.replace_unsynced(name, bytes, access)
}

/// As [`Folder::replace_both`], by the path of the first and the name of the second.
///
/// # Errors
/// As [`Folder::replace_both`].
pub fn replace_both(path: &Path, bytes: &[u8], other: NamedContent<'_>, access: Access) -> Result<(), Error> {
    let (folder, name) = parts(path, Problem::Write)?;
    folder.replace_both([other, (name, bytes)], access)
}

/// Directory and name of a file; an error of the directory is reported for the file.
fn parts(path: &Path, failed: fn(Errno) -> Problem) -> Result<(Folder, &OsStr), Error> {
    let name = path.file_name().ok_or_else(|| Error::new(path, Problem::Kind("a directory")))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let folder = Folder::open(folder).map_err(|error| match error.problem {
        Problem::Read(errno) => Error::new(path, failed(errno)),
        _ => error,
    });
    Ok((folder?, name))
}
