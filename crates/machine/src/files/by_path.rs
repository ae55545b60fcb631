//! The same files by their paths, for those who need one file of a folder and no more.

use super::{Access, Error, Folder, Named, Problem};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::File;
use std::path::Path;

/// As [`Folder::create_new`], by its path.
///
/// # Errors
/// As there.
pub fn create_new(path: &Path, access: Access) -> Result<File, Error> {
    let (folder, name) = parts(path, Problem::Make)?;
    folder.create_new(name, access)
}

/// As [`Folder::append`], by its path.
///
/// # Errors
/// As there.
pub fn append(path: &Path, access: Access) -> Result<File, Error> {
    let (folder, name) = parts(path, Problem::Write)?;
    folder.append(name, access)
}

/// As [`Folder::existing`], by its path.
///
/// # Errors
/// As there.
pub fn existing(path: &Path) -> Result<File, Error> {
    let (folder, name) = parts(path, Problem::Write)?;
    folder.existing(name)
}

/// As [`Folder::read`], by its path.
///
/// # Errors
/// As there.
pub fn read(path: &Path, bytes_max: u64) -> Result<Vec<u8>, Error> {
    let (folder, name) = parts(path, Problem::Read)?;
    folder.read(name, bytes_max)
}

/// As [`Folder::replace`], by its path.
///
/// # Errors
/// As there.
pub fn replace(path: &Path, bytes: &[u8], access: Access) -> Result<(), Error> {
    let (folder, name) = parts(path, Problem::Write)?;
    folder.replace(name, bytes, access)
}

/// As [`Folder::replace_unsynced`], by its path.
///
/// # Errors
/// As there.
pub fn replace_unsynced(path: &Path, bytes: &[u8], access: Access) -> Result<(), Error> {
    let (folder, name) = parts(path, Problem::Write)?;
    folder.replace_unsynced(name, bytes, access)
}

/// As [`Folder::replace_both`], by the path of one and the name of the other.
///
/// # Errors
/// As there.
pub fn replace_both(path: &Path, bytes: &[u8], other: Named<'_>, access: Access) -> Result<(), Error> {
    let (folder, name) = parts(path, Problem::Write)?;
    folder.replace_both([other, (name, bytes)], access)
}

/// Makes a folder that the user named, and those above it, where they are missing.
///
/// # Errors
/// One cannot be made, or something else has its name.
pub fn make_all(folder: &Path) -> Result<(), Error> {
    super::owner::make_all(folder)
}

/// The folder and name of a file; where there is no such folder, the file is what cannot be used.
fn parts(path: &Path, failed: fn(Errno) -> Problem) -> Result<(Folder, &OsStr), Error> {
    let name = path.file_name().ok_or_else(|| Error::new(path, Problem::Kind("a directory")))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let folder = Folder::open(folder).map_err(|error| match error.problem {
        Problem::Read(errno) => Error::new(path, failed(errno)),
        _ => error,
    });
    Ok((folder?, name))
}
