//! Why a file of our own could not be used, as a sentence for people.

use record::{Missing, Why};
use rustix::fs::{FileType, Stat};
use rustix::io::Errno;
use std::fmt;
use std::path::{Path, PathBuf};

/// A file or folder that could not be used, and why. Shown as a sentence without its stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The file or folder.
    pub path: PathBuf,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with a file or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// It cannot be opened or read.
    Read(Errno),
    /// It cannot be opened for writing, or written.
    Write(Errno),
    /// It cannot be made; [`Errno::EXIST`] if there is one already.
    Make(Errno),
    /// It cannot be removed.
    Remove(Errno),
    /// A link is in its place.
    Link,
    /// Something else is in its place: what it is, with its article.
    Kind(&'static str),
    /// A named pipe without a reader.
    Unread,
    /// It belongs to this user, who is neither this one nor the owner of its folder.
    ForeignOwner(u32),
    /// Others than its owner can write it.
    OthersWrite,
    /// It is another folder than the one that is meant.
    Another,
    /// It has more bytes than any of its kind has.
    TooLong(u64),
}

impl Error {
    pub(super) fn new(path: &Path, problem: Problem) -> Self {
        Self { path: path.to_path_buf(), problem }
    }

    /// True if there is no such file or folder, which is often no failure.
    pub fn is_absent(&self) -> bool {
        self.problem.errno() == Some(Errno::NOENT)
    }

    /// True if something of that name was there before.
    pub fn is_taken(&self) -> bool {
        self.problem == Problem::Make(Errno::EXIST)
    }
}

impl Problem {
    /// What the kernel answered, where it was asked.
    pub fn errno(self) -> Option<Errno> {
        match self {
            Self::Read(errno) | Self::Write(errno) | Self::Make(errno) | Self::Remove(errno) => Some(errno),
            Self::Link
            | Self::Kind(_)
            | Self::Unread
            | Self::ForeignOwner(_)
            | Self::OthersWrite
            | Self::Another
            | Self::TooLong(_) => None,
        }
    }

    /// Why a path could not be opened as a folder.
    pub(super) fn of_folder(path: &Path, errno: Errno) -> Self {
        let stat = rustix::fs::lstat(path);
        let kind = stat.map(|stat| FileType::from_raw_mode(stat.st_mode));
        match (errno, kind) {
            (Errno::NOTDIR | Errno::LOOP, Ok(FileType::Symlink)) => Self::Link,
            (Errno::NOTDIR | Errno::EXIST, Ok(kind)) if kind != FileType::Directory => Self::Kind("not a directory"),
            _ => Self::Read(errno),
        }
    }

    /// What this is, if it is no regular file.
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
        match self.problem {
            Problem::Read(errno) => write!(f, "{path} cannot be read: {}", Words(errno)),
            Problem::Write(errno) => write!(f, "{path} cannot be written: {}", Words(errno)),
            Problem::Make(Errno::EXIST) => write!(f, "{path} already exists"),
            Problem::Make(errno) => write!(f, "{path} cannot be created: {}", Words(errno)),
            Problem::Remove(errno) => write!(f, "{path} cannot be removed: {}", Words(errno)),
            Problem::Link => write!(f, "{path} is a symbolic link; links are not followed here"),
            Problem::Kind("not a directory") => write!(f, "{path} is not a directory"),
            Problem::Kind(kind) => write!(f, "{path} is {kind}, not a regular file"),
            Problem::Unread => write!(f, "{path} is a named pipe without a reader"),
            Problem::ForeignOwner(uid) => {
                write!(f, "{path} belongs to another user (uid {uid})")
            }
            Problem::OthersWrite => write!(f, "{path} can be written by others"),
            Problem::Another => write!(f, "{path} is not the directory that was created there"),
            Problem::TooLong(bytes) => write!(f, "{path} is larger than {bytes} bytes"),
        }
    }
}

/// An errno in the words of the C library, with its number.
struct Words(Errno);

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", std::io::Error::from(self.0))
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
            Some(Errno::NOENT) => Why::Absent,
            Some(Errno::ACCESS | Errno::PERM) => Why::Denied,
            _ => Why::Unsupported(error.to_string()),
        };
        Self { path: error.path.display().to_string(), why }
    }
}
