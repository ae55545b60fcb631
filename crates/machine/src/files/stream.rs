//! Destinations of text that are not regular files: named pipes, discarding devices, and open files of a process
//! (`/dev/stdout`).

use super::folder::is_discarding;
use super::owner::own_uid;
use super::{Error, Problem};
use rustix::fs::{self, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::path::Path;

/// Destination that is written to rather than replaced.
#[derive(Debug)]
pub struct Stream {
    /// Open for writing; a write waits for its reader.
    pub file: File,
    /// Kind, with its article.
    pub kind: &'static str,
}

/// Opens a pipe or a device; `None` for a regular file, a link or a missing path. A pipe must have a reader.
///
/// # Errors
/// As [`stream_kind`], or the pipe has no reader.
pub fn stream(path: &Path) -> Result<Option<Stream>, Error> {
    let Some(kind) = stream_kind(path)? else { return Ok(None) };
    // Opening does not wait for a reader; writing does.
    let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let opened = fs::open(path, flags, Mode::empty());
    let opened = opened.and_then(|file| fs::fcntl_setfl(&file, OFlags::empty()).map(|()| file));
    let file = opened.map_err(|errno| match errno {
        Errno::NXIO => Error::new(path, Problem::Unread),
        errno => Error::new(path, Problem::Write(errno)),
    })?;
    Ok(Some(Stream { file: file.into(), kind }))
}

/// Kind of a pipe or a device, with its article; `None` for a path that can be replaced by a file. Does not open it.
///
/// # Errors
/// It belongs to another user, or is a device that acts on written data.
pub fn stream_kind(path: &Path) -> Result<Option<&'static str>, Error> {
    let refused = |problem| Error::new(path, problem);
    let Ok(mut stat) = fs::lstat(path) else { return Ok(None) };
    let is_of_process = is_of_process(path);
    if is_of_process {
        stat = fs::stat(path).map_err(|errno| refused(Problem::Write(errno)))?;
    }
    Ok(match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile if is_of_process => return Err(refused(Problem::Link)),
        FileType::RegularFile | FileType::Directory | FileType::Symlink => None,
        FileType::Fifo if !is_of_process && stat.st_uid != own_uid() => {
            return Err(refused(Problem::ForeignOwner(stat.st_uid)));
        }
        FileType::Fifo => Some("a named pipe"),
        FileType::CharacterDevice if is_of_process || is_discarding(&stat) => Some("a device"),
        _ => return Err(refused(Problem::of_kind(&stat).unwrap_or(Problem::Kind("a device")))),
    })
}

/// True for open files of a process: `/dev/stdout`, `/dev/fd/3`.
fn is_of_process(path: &Path) -> bool {
    let is_in_proc = |path: std::path::PathBuf| path.starts_with("/proc/");
    std::fs::read_link(path).is_ok_and(is_in_proc)
        || path.parent().and_then(|folder| folder.canonicalize().ok()).is_some_and(is_in_proc)
}
