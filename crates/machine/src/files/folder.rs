//! An open directory, and operations on files in it.

use super::error::{Error, Problem};
use super::owner;
use super::owner::own_uid;
use crate::faults::{self, Call};
use rustix::fs::{self, AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use std::collections::hash_map::RandomState;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::{BuildHasher, Hasher};
use std::io::Read;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

/// Permissions of a new file, reduced by the umask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Owner only (0600).
    Owner,
    /// Owner and group (0640), for program names, kernel messages and serial numbers.
    Group,
    /// All users (0644), for files that other programs read or users share.
    World,
    /// All users, executable (0755).
    Program,
    /// Exact permissions regardless of the umask: those of the replaced file.
    As(u32),
}

/// Permission bits without setuid and setgid, because the owner of the new file may differ.
const PERMISSIONS: u32 = 0o777;

/// Maximum number of attempts for a temporary name; two names of 64 random bits never collide in practice.
const TEMPORARY_NAMES_MAX: u32 = 4;

/// Open directory with its path.
#[derive(Debug)]
pub struct Folder {
    pub(super) path: PathBuf,
    pub(super) folder: OwnedFd,
    pub(super) owner: u32,
}

/// Opens a path without any effect on its file.
const LOOK: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// True for a regular file, and for devices that may replace one (`/dev/null`).
fn may_be_opened(stat: &Stat) -> bool {
    is_discarding(stat) || Problem::of_kind(stat).is_none()
}

impl Folder {
    /// Opens a directory named by the user; links in the path are followed.
    ///
    /// # Errors
    /// It is not a directory, or cannot be opened.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::opened(path, OFlags::empty())
    }

    /// Opens a directory that must not be a link.
    ///
    /// # Errors
    /// It is a link or not a directory, or cannot be opened.
    pub fn open_itself(path: &Path) -> Result<Self, Error> {
        Self::opened(path, OFlags::NOFOLLOW)
    }

    /// State directory of this program, created with missing parents, accessible by its owner only (0700). In a
    /// directory of the calling user, the state directory and its files belong to that user.
    ///
    /// # Errors
    /// It is a link, belongs to another user, or cannot be created.
    pub fn state(path: &Path) -> Result<Self, Error> {
        if let Some(above) = path.parent() {
            owner::make_all(above)?;
        }
        let is_new = match faults::pass(Call::Folder, path, || fs::mkdir(path, Mode::RWXU)) {
            Ok(()) => true,
            Err(Errno::EXIST) => false,
            Err(errno) => return Err(Error::new(path, Problem::Make(errno))),
        };
        let mut folder = Self::open_itself(path)?;
        if is_new && folder.owner == own_uid() {
            // On failure the directory stays root's, as without sudo.
            if let Ok(above) = Self::open(path.parent().unwrap_or(Path::new("."))) {
                owner::give_to_caller(&folder.folder, above.owner);
            }
            let now = fs::fstat(&folder.folder);
            folder.owner = now.map_or(folder.owner, |stat| stat.st_uid);
        }
        if folder.owner != own_uid() && !owner::is_of_caller(folder.owner) {
            return Err(Error::new(path, Problem::ForeignOwner(folder.owner)));
        }
        // File systems without permissions (FAT) reject it; they cannot contain secrets anyway.
        let _ = fs::fchmod(&folder.folder, Mode::RWXU);
        Ok(folder)
    }

    /// Opens a directory of this user or of the user who called sudo, which must not be a link.
    ///
    /// # Errors
    /// It is a link or not a directory, belongs to another user, or cannot be opened.
    pub fn own(path: &Path) -> Result<Self, Error> {
        let folder = Self::open_itself(path)?;
        if folder.owner == own_uid() || owner::is_of_caller(folder.owner) {
            Ok(folder)
        } else {
            Err(Error::new(path, Problem::ForeignOwner(folder.owner)))
        }
    }

    fn opened(path: &Path, flags: OFlags) -> Result<Self, Error> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let flags = flags | OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = faults::pass(Call::Open, path, || fs::open(path, flags, Mode::empty()));
        let folder = opened.map_err(|errno| {
            crate::root::unread_files::note(path, errno.raw_os_error());
            Error::new(path, Problem::of_folder(path, errno))
        })?;
        let stat = fs::fstat(&folder).map_err(|e| Error::new(path, Problem::Read(e)))?;
        Ok(Self { path: path.to_path_buf(), folder, owner: stat.st_uid })
    }

    /// Path that it was opened by.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// User id of its owner.
    pub fn owner(&self) -> u32 {
        self.owner
    }

    /// Creates a file for reading and appending.
    ///
    /// # Errors
    /// The name is taken (also by a link), or the file cannot be created.
    pub fn create_new(&self, name: &OsStr, access: Access) -> Result<File, Error> {
        let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE | OFlags::EXCL;
        self.reopen(name, flags, access).map_err(|errno| self.error(name, Problem::Make(errno)))
    }

    /// Opens a file for reading and appending, and creates it if missing.
    ///
    /// # Errors
    /// It is not ours, not a regular file, or cannot be opened.
    pub fn append(&self, name: &OsStr, access: Access) -> Result<File, Error> {
        let flags = OFlags::RDWR | OFlags::APPEND;
        // Only a file created by this call may get another owner, so it must be distinguished.
        let opened = match self.reopen(name, flags | OFlags::CREATE | OFlags::EXCL, access) {
            Err(Errno::EXIST) => self.reopen(name, flags, access),
            made => made,
        };
        self.check_ours(name, opened, Problem::Write)
    }

    /// Opens an existing file for reading and appending.
    ///
    /// # Errors
    /// It does not exist, is not ours, is not a regular file, or cannot be opened.
    pub fn existing(&self, name: &OsStr) -> Result<File, Error> {
        let flags = OFlags::RDWR | OFlags::APPEND;
        let opened = self.reopen(name, flags, Access::Owner);
        self.check_ours(name, opened, Problem::Write)
    }

    /// Opens an existing file for reading.
    ///
    /// # Errors
    /// It does not exist, is not ours, is not a regular file, or cannot be opened.
    pub fn readable(&self, name: &OsStr) -> Result<File, Error> {
        let opened = self.reopen(name, OFlags::RDONLY, Access::Owner);
        self.check_ours(name, opened, Problem::Read)
    }

    /// Reads a file of at most `bytes_max` bytes.
    ///
    /// # Errors
    /// As for [`Folder::readable`], or it is too long.
    pub fn read(&self, name: &OsStr, bytes_max: u64) -> Result<Vec<u8>, Error> {
        let file = self.readable(name)?;
        let mut bytes = Vec::new();
        let read = || file.take(bytes_max + 1).read_to_end(&mut bytes);
        match faults::pass(Call::Read, self.path.join(name), read) {
            Ok(_) if bytes.len() as u64 > bytes_max => Err(self.error(name, Problem::TooLong(bytes_max))),
            Ok(_) => Ok(bytes),
            Err(error) => Err(self.error(name, Problem::Read(errno_of(&error)))),
        }
    }

    /// Replaces a file atomically and durably: readers see the old or the new content, also after a power loss. A link
    /// or pipe with this name is replaced, not opened; a device is kept, and so is a link to an open file of a process
    /// (`/dev/stdout`). `/dev/null` and similar devices are written to.
    ///
    /// # Errors
    /// It cannot be written, or is a device; the old file is unchanged.
    pub fn replace(&self, name: &OsStr, bytes: &[u8], access: Access) -> Result<(), Error> {
        self.put(name, bytes, access, true)?;
        self.sync()
    }

    /// As [`Folder::replace`] without waiting for the drive, for copies of durable data, and for data that a power loss
    /// makes useless.
    ///
    /// # Errors
    /// As for [`Folder::replace`].
    pub fn replace_unsynced(&self, name: &OsStr, bytes: &[u8], access: Access) -> Result<(), Error> {
        self.put(name, bytes, access, false)
    }

    /// Permissions of a file.
    ///
    /// # Errors
    /// It does not exist.
    pub fn access(&self, name: &OsStr) -> Result<Access, Error> {
        let stat = fs::statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW);
        let stat = stat.map_err(|errno| self.error(name, Problem::Read(errno)))?;
        Ok(Access::As(stat.st_mode & PERMISSIONS))
    }

    /// Makes new, replaced and removed names durable.
    ///
    /// # Errors
    /// The sync failed.
    pub fn sync(&self) -> Result<(), Error> {
        match faults::pass(Call::Sync, &self.path, || fs::fsync(&self.folder)) {
            // File systems without directory sync (some FUSE and network ones) do it on their own.
            Ok(()) | Err(Errno::INVAL | Errno::NOTSUP) => Ok(()),
            Err(errno) => Err(Error::new(&self.path, Problem::Write(errno))),
        }
    }

    fn put(&self, name: &OsStr, bytes: &[u8], access: Access, wait: bool) -> Result<(), Error> {
        if let Some(discarding) = self.discarding(name)? {
            let written = faults::write_all(&discarding, bytes);
            return written.map_err(|error| self.error(name, Problem::Write(errno_of(&error))));
        }
        let (new, file) = self.temporary(name, access)?;
        let sync = || faults::pass_open(Call::Sync, &file, || file.sync_all());
        let written = faults::write_all(&file, bytes);
        let written = written.and_then(|()| if wait { sync() } else { Ok(()) });
        let written = written.map_err(|error| errno_of(&error));
        let rename = || fs::renameat(&self.folder, &new, &self.folder, name);
        let put = written.and_then(|()| faults::pass(Call::Rename, self.path.join(name), rename));
        put.map_err(|errno| {
            // Removes the partial file; a failure to remove it does not change the error.
            let _ = self.remove(&new);
            self.error(name, Problem::Write(errno))
        })
    }

    /// Device with this name, if it discards data; `None` for files that can be replaced.
    pub(super) fn discarding(&self, name: &OsStr) -> Result<Option<File>, Error> {
        let Ok(stat) = fs::statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW) else { return Ok(None) };
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::CharacterDevice if is_discarding(&stat) => {
                let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                let opened = fs::openat(&self.folder, name, flags, Mode::empty());
                opened.map(|file| Some(file.into())).map_err(|errno| self.error(name, Problem::Write(errno)))
            }
            FileType::CharacterDevice | FileType::BlockDevice => Err(self.error(name, Problem::Kind("a device"))),
            FileType::Symlink => {
                let target = fs::readlinkat(&self.folder, name, Vec::new());
                let is_of_process = target.is_ok_and(|target| target.as_bytes().starts_with(b"/proc/"));
                if is_of_process { Err(self.error(name, Problem::Link)) } else { Ok(None) }
            }
            _ => Ok(None),
        }
    }

    /// New file with a unique name, next to the file that it will replace.
    pub(super) fn temporary(&self, name: &OsStr, access: Access) -> Result<(OsString, File), Error> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        let mut refused = Errno::EXIST;
        for _ in 0..TEMPORARY_NAMES_MAX {
            let new = Self::unused(name);
            match self.reopen(&new, flags, access) {
                Ok(file) => return Ok((new, file)),
                Err(Errno::EXIST) => {}
                Err(errno) => {
                    refused = errno;
                    break;
                }
            }
        }
        Err(self.error(name, Problem::Write(refused)))
    }

    /// An unpredictable name: another process could create a file under a predictable one.
    pub(super) fn unused(name: &OsStr) -> OsString {
        let mut new = name.to_owned();
        new.push(format!(".{}.new", unguessable()));
        new
    }

    fn reopen(&self, name: &OsStr, flags: OFlags, access: Access) -> Result<File, Errno> {
        let never = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let mode = match access {
            Access::Owner => 0o600,
            Access::Group => 0o640,
            Access::World => 0o644,
            Access::Program => 0o755,
            Access::As(mode) => mode & PERMISSIONS,
        };
        let mode = Mode::from_raw_mode(mode);
        // Opening may already act on a tape or a watchdog, so an existing file is checked first.
        let look = || fs::openat(&self.folder, name, LOOK, Mode::empty());
        let there = look().ok().filter(|_| !flags.contains(OFlags::EXCL));
        let open = || match &there {
            Some(there) if !fs::fstat(there).is_ok_and(|stat| may_be_opened(&stat)) => look(),
            Some(there) => {
                let itself = format!("/proc/self/fd/{}", there.as_raw_fd());
                match fs::open(itself, (flags | never) - OFlags::NOFOLLOW, mode) {
                    // /proc is not mounted.
                    Err(Errno::NOENT) => fs::openat(&self.folder, name, flags | never, mode),
                    opened => opened,
                }
            }
            None => fs::openat(&self.folder, name, flags | never, mode),
        };
        let file = faults::pass(Call::Open, self.path.join(name), open).map(File::from)?;
        if flags.contains(OFlags::EXCL) {
            owner::give_to_caller(&file, self.owner);
            if let Access::As(_) = access {
                // File systems without permissions (FAT) reject it.
                let _ = fs::fchmod(&file, mode);
            }
        }
        Ok(file)
    }

    /// Checks the descriptor of an opened file before it is used.
    fn check_ours(
        &self,
        name: &OsStr,
        opened: Result<File, Errno>,
        failed: fn(Errno) -> Problem,
    ) -> Result<File, Error> {
        let file = match opened {
            Ok(file) => file,
            Err(Errno::LOOP) => return Err(self.error(name, Problem::Link)),
            // For a pipe without a reader or a socket, the kind is more helpful than the errno.
            Err(errno) => {
                let stat = fs::statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW);
                let foreign = stat.ok().and_then(|stat| Problem::of_kind(&stat));
                return Err(self.error(name, foreign.unwrap_or(failed(errno))));
            }
        };
        let stat = fs::fstat(&file).map_err(|errno| self.error(name, failed(errno)))?;
        let owner = stat.st_uid;
        let problem = if is_discarding(&stat) {
            None
        } else if let Some(kind) = Problem::of_kind(&stat) {
            Some(kind)
        } else {
            (owner != own_uid() && owner != self.owner).then_some(Problem::ForeignOwner(owner))
        };
        problem.map_or(Ok(file), |problem| Err(self.error(name, problem)))
    }

    pub(super) fn error(&self, name: &OsStr, problem: Problem) -> Error {
        Error::new(&self.path.join(name), problem)
    }
}

/// 64 random bits as 16 digits, for names in directories that others can write to. The standard library gets its keys
/// from the kernel.
pub fn unguessable() -> String {
    format!("{:016x}", RandomState::new().build_hasher().finish())
}

/// `/dev/null`, `/dev/zero`, `/dev/full` (devices.txt of the kernel: 1:3, 1:5, 1:7): users name them to discard output.
pub(super) fn is_discarding(stat: &Stat) -> bool {
    let device = (fs::major(stat.st_rdev), fs::minor(stat.st_rdev));
    FileType::from_raw_mode(stat.st_mode) == FileType::CharacterDevice && matches!(device, (1, 3 | 5 | 7))
}

pub(super) fn errno_of(error: &std::io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}
