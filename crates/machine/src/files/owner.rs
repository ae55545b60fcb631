//! Ownership of files that root creates for the user who called it (with sudo or similar): in directories of that user
//! they belong to the user, who otherwise could not change or upload them. Elsewhere they stay root's.
//!
//! The owner is changed through the descriptor of the newly created file, so that it cannot be replaced in between.

use super::{Error, Problem};
use crate::faults::{self, Call};
use rustix::fs::{self, Mode, OFlags, fchown};
use rustix::io::Errno;
use rustix::process::{Gid, Uid};
use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::sync::OnceLock;

/// User id and primary group id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    /// User id.
    pub uid: u32,
    /// Group id.
    pub gid: u32,
}

/// User on whose behalf this process runs as root.
static MADE_FOR: OnceLock<Owner> = OnceLock::new();

/// Sets the owner of files created in that user's directories. Called once by a program with elevated rights; later
/// calls are ignored.
pub fn set_default_owner(owner: Owner) {
    // The highest number means no change (`chown(2)`).
    if owner.uid == u32::MAX || owner.gid == u32::MAX {
        return;
    }
    // The first call wins.
    let _ = MADE_FOR.set(owner);
}

/// User id of this process.
pub(super) fn own_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// True for the user who called.
pub(super) fn is_of_caller(uid: u32) -> bool {
    MADE_FOR.get().is_some_and(|owner| owner.uid == uid)
}

/// Gives a newly created file to the calling user, if the directory belongs to that user.
pub(super) fn give_to_caller(made: impl AsFd, owner_of_folder: u32) {
    let Some(owner) = MADE_FOR.get().filter(|owner| owner.uid == owner_of_folder) else { return };
    give(made, *owner);
}

fn give(made: impl AsFd, owner: Owner) {
    // File systems without owners (FAT) reject it: mount options set the owner.
    let _ = fchown(made, Some(Uid::from_raw(owner.uid)), Some(Gid::from_raw(owner.gid)));
}

/// Creates a directory named by the user and its missing parents, each owned by the owner of its parent.
///
/// # Errors
/// A directory cannot be created, or its name is taken by another file.
pub fn make_all(folder: &Path) -> Result<(), Error> {
    if folder.as_os_str().is_empty() || folder.is_dir() {
        return Ok(());
    }
    let above = match folder.parent() {
        Some(above) if !above.as_os_str().is_empty() => above,
        _ => Path::new("."),
    };
    make_all(above)?;
    // Opened once, so that a rename in between has no effect on the target.
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let open = || fs::open(above, flags, Mode::empty());
    let opened =
        faults::pass(Call::Open, above, open).map_err(|errno| Error::new(above, Problem::of_folder(above, errno)))?;
    match folder.file_name() {
        Some(name) => make_in(opened.as_fd(), name, folder),
        // `above/..`, which exists.
        None => Ok(()),
    }
}

/// Creates a directory in an open one. An existing file is unchanged.
fn make_in(above: BorrowedFd, name: &OsStr, path: &Path) -> Result<(), Error> {
    let all = Mode::RWXU | Mode::RWXG | Mode::RWXO;
    match faults::pass(Call::Folder, path, || fs::mkdirat(above, name, all)) {
        Ok(()) => {}
        // Another process created it first.
        Err(_) if path.is_dir() => return Ok(()),
        Err(errno) => {
            let problem = match Problem::of_folder(path, errno) {
                Problem::Read(errno) => Problem::Make(errno),
                other => other,
            };
            return Err(Error::new(path, problem));
        }
    }
    if let Some(owner) = MADE_FOR.get() {
        // On failure the directory stays root's, as without sudo.
        let _ = give_new(above, name, *owner);
    }
    Ok(())
}

/// Gives a newly created directory to this user, if its parent belongs to the user. The user may have replaced it in
/// between, so it must belong to this process, be empty and be on the same file system.
fn give_new(above: BorrowedFd, name: &OsStr, owner: Owner) -> Result<bool, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let around = fs::fstat(above)?;
    let made = fs::openat(above, name, flags, Mode::empty())?;
    let about = fs::fstat(&made)?;
    let is_new = about.st_uid == own_uid() && about.st_dev == around.st_dev && super::is_empty(&made)?;
    if around.st_uid != owner.uid || !is_new {
        return Ok(false);
    }
    give(&made, owner);
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, chown, symlink};

    const USER: Owner = Owner { uid: 65_534, gid: 65_534 };

    /// One directory of the user, and one of root.
    struct Places(testkit::Scratch);

    impl Places {
        fn new(name: &str) -> Self {
            let places = Self(testkit::Scratch::new(name));
            std::fs::create_dir_all(places.0.join("home")).unwrap();
            std::fs::create_dir_all(places.0.join("root/log")).unwrap();
            chown(places.0.join("home"), Some(USER.uid), Some(USER.gid)).unwrap();
            places
        }

        fn open(&self, name: &str) -> rustix::fd::OwnedFd {
            let flags = OFlags::PATH | OFlags::DIRECTORY;
            fs::open(self.0.join(name), flags, Mode::empty()).unwrap()
        }

        fn owner(&self, name: &str) -> u32 {
            std::fs::symlink_metadata(self.0.join(name)).unwrap().uid()
        }
    }

    #[test]
    fn exchanged_directory_is_not_given_away() {
        if !crate::is_root() {
            return testkit::skip("root, to give files away");
        }
        let places = Places::new("swapped");
        let (home, name) = (places.open("home"), OsStr::new("log"));
        // The path is redirected to root's directory in between: the new directory is created in the original parent.
        std::fs::rename(places.0.join("home"), places.0.join("away")).unwrap();
        symlink(places.0.join("root"), places.0.join("home")).unwrap();
        make_in(home.as_fd(), name, &places.0.join("home/log")).unwrap();
        assert!(places.0.join("away/log").is_dir());
        assert_eq!(give_new(home.as_fd(), name, USER), Ok(true));
        assert_eq!((places.owner("away/log"), places.owner("root/log")), (USER.uid, 0));
        // An existing directory, one that is not empty, a link, and one in root's directory.
        assert_eq!(give_new(places.open("root").as_fd(), name, USER), Ok(false));
        std::fs::create_dir_all(places.0.join("away/full/of")).unwrap();
        assert_eq!(give_new(home.as_fd(), OsStr::new("full"), USER), Ok(false));
        symlink(places.0.join("root/log"), places.0.join("away/link")).unwrap();
        assert!(give_new(home.as_fd(), OsStr::new("link"), USER).is_err());
        let owners = ["away/full", "root/log"].map(|name| places.owner(name));
        assert_eq!(owners, [0, 0]);
    }

    #[test]
    fn all_that_is_missing_is_made() {
        let place = testkit::Scratch::new("owner");
        make_all(&place.join("a/b/../c")).unwrap();
        assert!(place.join("a/b").is_dir() && place.join("a/c").is_dir());
        std::fs::write(place.join("file"), "").unwrap();
        let error = make_all(&place.join("file/x")).unwrap_err().to_string();
        assert!(error.ends_with("/file is not a directory"), "{error}");
    }
}
