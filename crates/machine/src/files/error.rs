//! Errors of our own files, as sentences for users.

use record::{Missing, MissingReason};
use rustix::fs::{FileType, Stat};
use rustix::io::Errno;
use std::fmt;
use std::path::{Path, PathBuf};

/// A file or directory that cannot be used. Displayed as a sentence without its full stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// Path of the file or directory.
    pub path: PathBuf,
    /// Problem.
    pub problem: Problem,
}

/// Problem with a file or directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// Cannot be opened or read.
    Read(Errno),
    /// Cannot be opened for writing, or written.
    Write(Errno),
    /// Cannot be created; [`Errno::EXIST`] if it exists.
    Make(Errno),
    /// Cannot be removed.
    Remove(Errno),
    /// Is a link.
    Link,
    /// Is of another kind, with its article.
    Kind(&'static str),
    /// Named pipe without a reader.
    Unread,
    /// Belongs to this user, who is neither the current one nor the owner of its directory.
    ForeignOwner(u32),
    /// Writable by users other than its owner.
    OthersWrite,
    /// Another directory than the expected one.
    Another,
    /// Exceeds this maximum size in bytes.
    TooLong(u64),
}

impl Error {
    pub(super) fn new(path: &Path, problem: Problem) -> Self {
        Self { path: path.to_path_buf(), problem }
    }

    /// True if the file or directory does not exist, which is often not a failure.
    pub fn is_absent(&self) -> bool {
        self.problem.errno() == Some(Errno::NOENT)
    }

    /// True if the name is taken.
    pub fn is_taken(&self) -> bool {
        self.problem == Problem::Make(Errno::EXIST)
    }
}

impl Problem {
    /// errno, if the kernel returned one.
    pub fn errno(self) -> Option<Errno> {
        match self {
            Self::Read(errno) | Self::Write(errno) | Self::Make(errno) | Self::Remove(errno) => Some(errno),
            _ => None,
        }
    }

    /// Problem of a path that could not be opened as a directory.
    pub(super) fn of_folder(path: &Path, errno: Errno) -> Self {
        let stat = rustix::fs::lstat(path);
        let kind = stat.map(|stat| FileType::from_raw_mode(stat.st_mode));
        match (errno, kind) {
            (Errno::NOTDIR | Errno::LOOP, Ok(FileType::Symlink)) => Self::Link,
            (Errno::NOTDIR | Errno::EXIST, Ok(kind)) if kind != FileType::Directory => Self::Kind("not a directory"),
            _ => Self::Read(errno),
        }
    }

    /// Problem of a file that is not regular.
    pub(super) fn of_kind(stat: &Stat) -> Option<Self> {
        Some(match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => return None,
            FileType::Symlink => Self::Link,
            FileType::Directory => Self::Kind("a directory"),
            FileType::Fifo => Self::Kind("a named pipe"),
            FileType::Socket => Self::Kind("a socket"),
            _ => Self::Kind("a device"),
        })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        let words = |errno: Errno| std::io::Error::from(errno);
        match self.problem {
            Problem::Read(errno) => write!(f, "{path} cannot be read: {}", words(errno)),
            Problem::Write(errno) => write!(f, "{path} cannot be written: {}", words(errno)),
            Problem::Make(Errno::EXIST) => write!(f, "{path} already exists"),
            Problem::Make(errno) => write!(f, "{path} cannot be created: {}", words(errno)),
            Problem::Remove(errno) => write!(f, "{path} cannot be removed: {}", words(errno)),
            Problem::Link => write!(f, "{path} is a symbolic link; links are not followed here"),
            Problem::Kind("not a directory") => write!(f, "{path} is not a directory"),
            Problem::Kind(kind) => write!(f, "{path} is {kind}, not a regular file"),
            Problem::Unread => write!(f, "{path} is a named pipe without a reader"),
            Problem::ForeignOwner(uid) => write!(f, "{path} belongs to another user (uid {uid})"),
            Problem::OthersWrite => write!(f, "{path} can be written by others"),
            Problem::Another => write!(f, "{path} is not the directory that was created there"),
            Problem::TooLong(bytes) => write!(f, "{path} is larger than {bytes} bytes"),
        }
    }
}

impl std::error::Error for Error {}

impl From<Error> for std::io::Error {
    fn from(error: Error) -> Self {
        let kind = error.problem.errno().map_or(std::io::ErrorKind::Other, |errno| std::io::Error::from(errno).kind());
        Self::new(kind, error)
    }
}

impl From<Error> for Missing {
    fn from(error: Error) -> Self {
        let why = match error.problem.errno() {
            Some(Errno::NOENT) => MissingReason::Absent,
            Some(Errno::ACCESS | Errno::PERM) => MissingReason::Denied,
            _ => MissingReason::Unsupported(error.to_string()),
        };
        Self { path: error.path.display().to_string(), why }
    }
}
