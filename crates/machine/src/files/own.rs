//! A folder of our own in a folder of another user's, for files of a measurement: made under a name that nobody can
//! guess, held open from then on, and emptied and removed through what is held. The process that may rename it can put
//! anything in its place; nothing is ever written to, read from or removed by way of that place.
//!
//! Programs that are started get it as their current folder ([`OwnFolder::current`]) and names without a path.
//!
//! What a killed process leaves is known by its [`Identity`], which has to be kept somewhere before the folder is
//! filled: another folder of that name is another user's.

use super::identity::{Identity, PREFIX, identity};
use super::removal::{open_in, remove_held, remove_in};
use super::{Access, Error, Folder, Problem, is_empty, own_uid, unguessable};
use crate::faults::{self, Call};
use crate::volatile::served_by;
use rustix::fs::{self, AtFlags, Mode};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

/// Names that are tried: two of 64 random bits are not the same.
const NAMES_MAX: u32 = 4;
/// The folder; emptied and removed when it is dropped.
#[derive(Debug)]
pub struct OwnFolder {
    above: OwnedFd,
    name: OsString,
    folder: Folder,
}

/// Keeps a path and an identity where they survive this process.
pub type Note<'a> = &'a mut dyn FnMut(&Path, Option<Identity>) -> Result<(), Error>;

impl OwnFolder {
    /// Makes one in this folder. `note` is told its path before it is made, and which it is before anything is
    /// put into it.
    ///
    /// # Errors
    /// There is no such folder; it cannot be written; it could not be noted; or what is made there belongs to
    /// others or can be written by them, who could put links in the place of our files.
    pub fn make(parent: &Path, note: Note) -> Result<Self, Error> {
        let above = Folder::open(parent)?;
        // The process that removes it after a kill may be somewhere else by then.
        let place = std::fs::canonicalize(parent).unwrap_or_else(|_| parent.to_owned());
        let mut refused = Errno::EXIST;
        for _ in 0..NAMES_MAX {
            let name = OsString::from(format!("{PREFIX}{}", unguessable()));
            let path = place.join(&name);
            note(&path, None)?;
            let make = || fs::mkdirat(&above.folder, &name, Mode::RWXU);
            match faults::pass(Call::Folder, &path, make) {
                Ok(()) => {
                    let made = Self::held(above.folder, name, path)?;
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

    /// Holds what was just made. What is refused is removed again; it is empty, or another user's and stays.
    fn held(above: OwnedFd, name: OsString, path: PathBuf) -> Result<Self, Error> {
        match believed(above.as_fd(), &name, &path) {
            Ok(folder) => Ok(Self { above, name, folder }),
            Err(problem) => {
                let _ = fs::unlinkat(&above, &name, AtFlags::REMOVEDIR);
                Err(Error::new(&path, problem))
            }
        }
    }

    /// Where it was made: for sentences, never to be opened.
    pub fn path(&self) -> &Path {
        &self.folder.path
    }

    /// The files in it.
    pub fn files(&self) -> &Folder {
        &self.folder
    }

    /// What a process that is being started changes to. It has a meaning only between the start of that process
    /// and that of its program, while it still has open what this process has.
    pub fn current(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.folder.folder.as_raw_fd()))
    }

    /// The folder itself, for questions about its file system.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.folder.folder.as_fd()
    }

    /// Which folder it is.
    ///
    /// # Errors
    /// The file system does not answer.
    pub fn identity(&self) -> Result<Identity, Error> {
        let stat = fs::fstat(&self.folder.folder);
        let stat = stat.map_err(|errno| Error::new(self.path(), Problem::Read(errno)))?;
        Ok(identity(self.descriptor(), &stat))
    }

    /// Gives it to a user, whose program is to write in it.
    ///
    /// # Errors
    /// The file system refuses.
    pub fn give_to(&mut self, uid: u32, gid: u32) -> Result<(), Error> {
        let (user, group) = (fs::Uid::from_raw(uid), fs::Gid::from_raw(gid));
        fs::fchown(&self.folder.folder, Some(user), Some(group))
            .map_err(|errno| Error::new(self.path(), Problem::Write(errno)))?;
        self.folder.owner = uid;
        Ok(())
    }

    /// Makes a folder in it.
    ///
    /// # Errors
    /// Something has that name, or it cannot be made.
    pub fn make_folder(&self, name: &str) -> Result<(), Error> {
        let path = self.path().join(name);
        let make = || fs::mkdirat(&self.folder.folder, name, Mode::RWXU);
        let made = faults::pass(Call::Folder, &path, make);
        made.map_err(|errno| Error::new(&path, Problem::Make(errno)))
    }

    /// Length of a regular file in it, in bytes.
    pub fn length(&self, name: &str) -> Option<u64> {
        self.folder.length(OsStr::new(name))
    }

    /// Writes a small file that is there for the next program alone, anything in its place is replaced.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        self.folder.replace_unsynced(OsStr::new(name), bytes, Access::Owner)
    }

    /// Gives a file in it another name.
    ///
    /// # Errors
    /// It is not there, or cannot be renamed.
    pub fn rename(&self, from: &str, to: &str) -> Result<(), Error> {
        self.folder.rename(OsStr::new(from), OsStr::new(to))
    }

    /// Removes what has this name in it, a folder with all that it holds; nothing there counts as removed.
    ///
    /// # Errors
    /// Some of it is still there.
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
        // What stays is noted, and looked at again where that is.
        let _ = remove_held(self.above.as_fd(), &self.name, &self.folder);
    }
}

/// Opens what was just made, and believes that it is that only if nobody else can have put anything there.
fn believed(above: BorrowedFd, name: &OsStr, path: &Path) -> Result<Folder, Problem> {
    let (folder, about) = open_in(above, name, path)?;
    // What a user's program (FUSE) says of owners and links may be another thing the next time.
    let server = served_by(folder.as_fd());
    if let Some(user) = server.filter(|user| ![0, own_uid()].contains(user)) {
        return Err(Problem::ForeignOwner(user));
    }
    let problem = match about.st_uid {
        owner if ![0, own_uid()].contains(&owner) => Some(Problem::ForeignOwner(owner)),
        _ => (about.st_mode & 0o022 != 0).then_some(Problem::OthersWrite),
    };
    // File systems that know owners by their mount alone (FAT, of the network) often know no links.
    if let Some(problem) = problem.filter(|_| takes_links(folder.as_fd())) {
        return Err(problem);
    }
    if !is_empty(&folder).map_err(Problem::Read)? {
        return Err(Problem::Another);
    }
    Ok(Folder { path: path.to_owned(), folder, owner: about.st_uid })
}

/// Tries it.
fn takes_links(folder: BorrowedFd) -> bool {
    match fs::symlinkat("nowhere", folder, "link") {
        Err(Errno::PERM | Errno::NOTSUP | Errno::NOSYS) => return false,
        // What cannot be tried may be so.
        Err(_) => {}
        // What stays is removed with all that is in the folder.
        Ok(()) => drop(fs::unlinkat(folder, "link", AtFlags::empty())),
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, chown, symlink};

    /// What is found where a folder was made a moment before.
    fn held(above: &Path, name: &str) -> Result<OwnFolder, Problem> {
        let opened = Folder::open(above).unwrap().folder;
        OwnFolder::held(opened, name.into(), above.join(name)).map_err(|error| error.problem)
    }

    #[test]
    fn replaced_folders_are_not_believed() {
        let place = OwnFolder::make(&std::env::temp_dir(), &mut |_, _| Ok(())).unwrap();
        let path = |name: &str| place.path().join(name);
        place.make_folder("full").unwrap();
        place.make_folder("new").unwrap();
        std::fs::write(path("full/file"), "").unwrap();
        symlink("new", path("link")).unwrap();
        assert_eq!(held(place.path(), "link").unwrap_err(), Problem::Link);
        assert_eq!(held(place.path(), "full").unwrap_err(), Problem::Another);
        let gone = Problem::Read(Errno::NOENT);
        assert_eq!(held(place.path(), "none").unwrap_err(), gone);
        drop(held(place.path(), "new").unwrap());
        assert!(!path("new").exists());
        place.make_folder("open").unwrap();
        std::fs::set_permissions(path("open"), PermissionsExt::from_mode(0o770)).unwrap();
        let refused = Problem::OthersWrite;
        assert_eq!(held(place.path(), "open").unwrap_err(), refused);
        // What is refused is gone again.
        assert!(!path("open").exists());
        if crate::is_root() {
            place.make_folder("foreign").unwrap();
            chown(path("foreign"), Some(65_534), None).unwrap();
            let refused = Problem::ForeignOwner(65_534);
            assert_eq!(held(place.path(), "foreign").unwrap_err(), refused);
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
