//! To whom files belong that root makes for the user who called it (sudo and its like): in a folder of that user's
//! they are the user's, who could not change or send them otherwise. Elsewhere they stay root's.
//!
//! The owner is changed by the descriptor of what was made by this very call, so that nobody can put something
//! else in its place.

use super::{Error, Problem};
use crate::faults::{self, Call};
use rustix::fs::{self, Mode, OFlags, fchown};
use rustix::io::Errno;
use rustix::process::{Gid, Uid};
use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::sync::OnceLock;

/// A user and the group of the user's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    /// Number of the user.
    pub uid: u32,
    /// Number of the group.
    pub gid: u32,
}

/// The user for whom this process works as root.
static MADE_FOR: OnceLock<Owner> = OnceLock::new();

/// From now on, what is made in folders of this user's belongs to the user. To be called once, by a program that
/// root's rights were lent to; later calls change nothing.
pub fn set_default_owner(owner: Owner) {
    // The highest numbers mean nobody (`chown(2)`).
    if owner.uid == u32::MAX || owner.gid == u32::MAX {
        return;
    }
    // The first one stays.
    let _ = MADE_FOR.set(owner);
}

/// True for the user who called.
pub(super) fn is_of_caller(uid: u32) -> bool {
    MADE_FOR.get().is_some_and(|owner| owner.uid == uid)
}

/// Gives what was just made here to the user who called, if the folder is the user's.
pub(super) fn hand_over(made: impl AsFd, owner_of_folder: u32) {
    let Some(owner) = MADE_FOR.get().filter(|owner| owner.uid == owner_of_folder) else {
        return;
    };
    give(made, *owner);
}

fn give(made: impl AsFd, owner: Owner) {
    // A file system without owners (FAT) refuses: its owner is set by the mount options.
    let _ = fchown(made, Some(Uid::from_raw(owner.uid)), Some(Gid::from_raw(owner.gid)));
}

/// Makes a folder and those above it where they are missing, each for the owner of the one above.
pub(super) fn make_all(folder: &Path) -> Result<(), Error> {
    if folder.as_os_str().is_empty() || folder.is_dir() {
        return Ok(());
    }
    let above = match folder.parent() {
        Some(above) if !above.as_os_str().is_empty() => above,
        _ => Path::new("."),
    };
    make_all(above)?;
    // Opened once: the process that renames it meanwhile gets the new folder in the old one.
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let open = || fs::open(above, flags, Mode::empty());
    let opened =
        faults::pass(Call::Open, above, open).map_err(|errno| Error::new(above, Problem::of_folder(above, errno)))?;
    match folder.file_name() {
        Some(name) => make_in(opened.as_fd(), name, folder),
        // `above/..` was meant, and is there.
        None => Ok(()),
    }
}

/// Makes one folder in an open one. What has the name already is left as it is.
fn make_in(above: BorrowedFd, name: &OsStr, path: &Path) -> Result<(), Error> {
    let all = Mode::RWXU | Mode::RWXG | Mode::RWXO;
    match faults::pass(Call::Folder, path, || fs::mkdirat(above, name, all)) {
        Ok(()) => {}
        // Another process was quicker.
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
        // Without it the folder stays root's, as it is without sudo.
        let _ = give_new(above, name, *owner);
    }
    Ok(())
}

/// Gives a folder that was just made to this user, if the one above is the user's. Who may rename it may have put
/// another in its place: only one that is this process's, empty and of the same file system is given away.
fn give_new(above: BorrowedFd, name: &OsStr, owner: Owner) -> Result<bool, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let around = fs::fstat(above)?;
    let made = fs::openat(above, name, flags, Mode::empty())?;
    let about = fs::fstat(&made)?;
    let is_new = about.st_uid == super::own_uid() && about.st_dev == around.st_dev && super::is_empty(&made)?;
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
    use std::path::PathBuf;

    const USER: Owner = Owner { uid: 65_534, gid: 65_534 };

    /// A folder of the user's, and one of root's next to it.
    struct Places(PathBuf);

    impl Places {
        fn new(name: &str) -> Self {
            let name = format!("sbc-bench-owner-{name}-{}", std::process::id());
            let places = Self(std::env::temp_dir().join(name));
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

    impl Drop for Places {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn exchanged_directory_is_not_given_away() {
        if !crate::is_root() {
            return testkit::skip("root, to give files away");
        }
        let places = Places::new("swapped");
        let (home, name) = (places.open("home"), OsStr::new("log"));
        // The way to the folder leads to root's by the time it is made: it is made where the way led.
        std::fs::rename(places.0.join("home"), places.0.join("away")).unwrap();
        symlink(places.0.join("root"), places.0.join("home")).unwrap();
        make_in(home.as_fd(), name, &places.0.join("home/log")).unwrap();
        assert!(places.0.join("away/log").is_dir());
        assert_eq!(give_new(home.as_fd(), name, USER), Ok(true));
        assert_eq!((places.owner("away/log"), places.owner("root/log")), (USER.uid, 0));
        // One that was there before, one with something in it, a link, a folder that lies in root's.
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
        let name = format!("sbc-bench-owner-all-{}", std::process::id());
        let place = std::env::temp_dir().join(name);
        make_all(&place.join("a/b/../c")).unwrap();
        assert!(place.join("a/b").is_dir() && place.join("a/c").is_dir());
        std::fs::write(place.join("file"), "").unwrap();
        let error = make_all(&place.join("file/x")).unwrap_err().to_string();
        std::fs::remove_dir_all(&place).unwrap();
        assert!(error.ends_with("/file is not a directory"), "{error}");
    }
}
