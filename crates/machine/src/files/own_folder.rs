//! Our own directory for files of a measurement, inside a directory of another user: created under an unpredictable
//! name, kept open, emptied and removed through its descriptor. Other processes may rename or replace it; data is never
//! written, read or removed through its path.
//!
//! Programs get it as their working directory ([`OwnFolder::current`]) and file names without a path.
//!
//! A directory left by a killed process is recognised by its [`Identity`], which is stored before the directory is
//! filled: another directory with the same name belongs to another user.

use super::identity::{Identity, PREFIX, identity};
use super::removal::{open_in, remove_held, remove_in};
use super::{Access, Error, Folder, Problem, is_empty, own_uid, unguessable};
use crate::faults::{self, Call};
use crate::storage::served_by;
use rustix::fs::{self, AtFlags, Mode};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

/// Maximum number of attempts for a name; two names of 64 random bits never collide in practice.
const NAMES_MAX: u32 = 4;
/// The directory; emptied and removed on drop.
#[derive(Debug)]
pub struct OwnFolder {
    above: OwnedFd,
    name: OsString,
    folder: Folder,
}

/// Stores path and identity durably.
pub type Note<'a> = &'a mut dyn FnMut(&Path, Option<Identity>) -> Result<(), Error>;

impl OwnFolder {
    /// Creates a directory in `parent`. `note` is called with its path before it is created, and with its identity
    /// before it is used.
    ///
    /// # Errors
    /// The parent does not exist or is not writable; `note` failed; or the new directory belongs to other users or is
    /// writable by them, who could replace our files by links.
    pub fn make(parent: &Path, note: Note) -> Result<Self, Error> {
        let above = Folder::open(parent)?;
        // The process that removes it after a kill may have another working directory.
        let place = std::fs::canonicalize(parent).unwrap_or_else(|_| parent.to_owned());
        let mut refused = Errno::EXIST;
        for _ in 0..NAMES_MAX {
            let name = OsString::from(format!("{PREFIX}{}", unguessable()));
            let path = place.join(&name);
            note(&path, None)?;
            let make = || fs::mkdirat(&above.folder, &name, Mode::RWXU);
            match faults::pass(Call::Folder, &path, make) {
                Ok(()) => {
                    let made = Self::open_new(above.folder, name, path)?;
                    note(&made.folder.path, Some(made.identity()?))?;
                    return Ok(made);
                }
                Err(Errno::EXIST) => {}
                Err(errno) => {
                    refused = errno;
                    break;
                }
            }
        }
        Err(Error::new(parent, Problem::Make(refused)))
    }

    /// Opens and checks the new directory. A rejected one is removed again if it is empty.
    fn open_new(above: OwnedFd, name: OsString, path: PathBuf) -> Result<Self, Error> {
        match verify_new(above.as_fd(), &name, &path) {
            Ok(folder) => Ok(Self { above, name, folder }),
            Err(problem) => {
                let _ = fs::unlinkat(&above, &name, AtFlags::REMOVEDIR);
                Err(Error::new(&path, problem))
            }
        }
    }

    /// Path at creation; for messages only, never to be opened.
    pub fn path(&self) -> &Path {
        &self.folder.path
    }

    /// Files in the directory.
    pub fn files(&self) -> &Folder {
        &self.folder
    }

    /// Working directory for a child process. The path is valid only between fork and exec, while the child still has
    /// the descriptors of this process.
    pub fn current(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.folder.folder.as_raw_fd()))
    }

    /// Descriptor of the directory, for queries about its file system.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.folder.folder.as_fd()
    }

    /// Identity of the directory.
    ///
    /// # Errors
    /// The query failed.
    pub fn identity(&self) -> Result<Identity, Error> {
        let stat = fs::fstat(&self.folder.folder);
        let stat = stat.map_err(|errno| Error::new(self.path(), Problem::Read(errno)))?;
        Ok(identity(self.descriptor(), &stat))
    }

    /// Changes the owner, for a program that runs as that user.
    ///
    /// # Errors
    /// The file system rejects it.
    pub fn give_to(&mut self, uid: u32, gid: u32) -> Result<(), Error> {
        let (user, group) = (fs::Uid::from_raw(uid), fs::Gid::from_raw(gid));
        fs::fchown(&self.folder.folder, Some(user), Some(group))
            .map_err(|errno| Error::new(self.path(), Problem::Write(errno)))?;
        self.folder.owner = uid;
        Ok(())
    }

    /// Creates a subdirectory.
    ///
    /// # Errors
    /// The name is taken, or it cannot be created.
    pub fn make_folder(&self, name: &str) -> Result<(), Error> {
        let path = self.path().join(name);
        let make = || fs::mkdirat(&self.folder.folder, name, Mode::RWXU);
        let made = faults::pass(Call::Folder, &path, make);
        made.map_err(|errno| Error::new(&path, Problem::Make(errno)))
    }

    /// Length of a regular file in bytes.
    pub fn length(&self, name: &str) -> Option<u64> {
        self.folder.length(OsStr::new(name))
    }

    /// Writes a small file for the next program, and replaces any file with that name.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        self.folder.replace_unsynced(OsStr::new(name), bytes, Access::Owner)
    }

    /// Renames a file.
    ///
    /// # Errors
    /// It does not exist, or cannot be renamed.
    pub fn rename(&self, from: &str, to: &str) -> Result<(), Error> {
        self.folder.rename(OsStr::new(from), OsStr::new(to))
    }

    /// Removes a file, or a directory with its content; succeeds if it does not exist.
    ///
    /// # Errors
    /// The removal is incomplete.
    pub fn remove(&self, name: &str) -> Result<(), Error> {
        let path = self.path().join(name);
        let device = fs::fstat(&self.folder.folder).map(|about| about.st_dev);
        device
            .and_then(|device| remove_in(self.descriptor(), OsStr::new(name), &path, (device, 0)))
            .map_err(|errno| Error::new(&path, Problem::Remove(errno)))
    }
}

impl Drop for OwnFolder {
    fn drop(&mut self) {
        // If the removal fails, the directory stays in the journal and is removed later.
        let _ = remove_held(self.above.as_fd(), &self.name, &self.folder);
    }
}

/// Opens the new directory and verifies that no other user could have replaced it.
fn verify_new(above: BorrowedFd, name: &OsStr, path: &Path) -> Result<Folder, Problem> {
    let (folder, about) = open_in(above, name, path)?;
    // A FUSE server may change its answers about owners and links at any time.
    let server = served_by(folder.as_fd());
    if let Some(user) = server.filter(|user| ![0, own_uid()].contains(user)) {
        return Err(Problem::ForeignOwner(user));
    }
    let problem = match about.st_uid {
        owner if ![0, own_uid()].contains(&owner) => Some(Problem::ForeignOwner(owner)),
        _ => (about.st_mode & 0o022 != 0).then_some(Problem::OthersWrite),
    };
    // File systems whose owners depend on the mount (FAT, network) often lack links.
    if let Some(problem) = problem.filter(|_| takes_links(folder.as_fd())) {
        return Err(problem);
    }
    if !is_empty(&folder).map_err(Problem::Read)? {
        return Err(Problem::Another);
    }
    Ok(Folder { path: path.to_owned(), folder, owner: about.st_uid })
}

/// Tests by creating one.
fn takes_links(folder: BorrowedFd) -> bool {
    match fs::symlinkat("nowhere", folder, "link") {
        Err(Errno::PERM | Errno::NOTSUP | Errno::NOSYS) => return false,
        // Assumed if it cannot be tested.
        Err(_) => {}
        // A remaining link is removed with the directory.
        Ok(()) => drop(fs::unlinkat(folder, "link", AtFlags::empty())),
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, chown, symlink};

    /// Opens a directory as if it had just been created.
    fn open_new(above: &Path, name: &str) -> Result<OwnFolder, Problem> {
        let opened = Folder::open(above).unwrap().folder;
        OwnFolder::open_new(opened, name.into(), above.join(name)).map_err(|error| error.problem)
    }

    #[test]
    fn replaced_folders_are_not_believed() {
        let place = OwnFolder::make(&std::env::temp_dir(), &mut |_, _| Ok(())).unwrap();
        let path = |name: &str| place.path().join(name);
        place.make_folder("full").unwrap();
        place.make_folder("new").unwrap();
        std::fs::write(path("full/file"), "").unwrap();
        symlink("new", path("link")).unwrap();
        assert_eq!(open_new(place.path(), "link").unwrap_err(), Problem::Link);
        assert_eq!(open_new(place.path(), "full").unwrap_err(), Problem::Another);
        let gone = Problem::Read(Errno::NOENT);
        assert_eq!(open_new(place.path(), "none").unwrap_err(), gone);
        drop(open_new(place.path(), "new").unwrap());
        assert!(!path("new").exists());
        place.make_folder("open").unwrap();
        std::fs::set_permissions(path("open"), PermissionsExt::from_mode(0o770)).unwrap();
        let refused = Problem::OthersWrite;
        assert_eq!(open_new(place.path(), "open").unwrap_err(), refused);
        // A rejected directory is removed again.
        assert!(!path("open").exists());
        if crate::is_root() {
            place.make_folder("foreign").unwrap();
            chown(path("foreign"), Some(65_534), None).unwrap();
            let refused = Problem::ForeignOwner(65_534);
            assert_eq!(open_new(place.path(), "foreign").unwrap_err(), refused);
        }
    }

    #[test]
    fn removal_follows_no_link_and_goes_deep_enough() {
        let precious = OwnFolder::make(&std::env::temp_dir(), &mut |_, _| Ok(())).unwrap();
        precious.write("file", b"x").unwrap();
        let place = OwnFolder::make(&std::env::temp_dir(), &mut |_, _| Ok(())).unwrap();
        let path = place.path().to_owned();
        std::fs::create_dir_all(path.join("a/b/c/d")).unwrap();
        symlink(precious.path(), path.join("a/b/link")).unwrap();
        symlink(precious.path(), path.join("link")).unwrap();
        place.remove("link").unwrap();
        place.remove("none").unwrap();
        assert_eq!(precious.length("file"), Some(1));
        drop(place);
        assert!(!path.exists());
        assert_eq!(precious.length("file"), Some(1));
        assert_eq!(precious.length("none"), None);
    }
}
