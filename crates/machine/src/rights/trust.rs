//! Determines users who could replace a file: its owner, users who may write it, and users who own or may write a
//! directory of its path, after following links. Root only executes files that no other user can replace.
//!
//! Files directly in a world-writable directory with the sticky bit (`/tmp`) are rejected, but root's directories in it
//! can neither be renamed nor removed by others, so they may be part of a path. (Source: `path_resolution(7)`,
//! `inode(7)`. Access lists are reflected in the group bits.)

use super::Accounts;
use crate::Root;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

/// Users who are trusted with files that root uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trust {
    accounts: Accounts,
    users: Vec<u32>,
}

/// Maximum number of links followed, as in the kernel (ELOOP at 40).
const LINKS_MAX: usize = 40;
const GROUP_WRITES: u32 = 0o020;
const OTHERS_WRITE: u32 = 0o002;
const OTHERS_ENTER: u32 = 0o011;
const STICKY: u32 = 0o1000;

impl Trust {
    /// Trusts root, and optionally the user that the program will run as.
    pub fn new(root: &Root, user: Option<u32>) -> Self {
        Self { accounts: Accounts::read(root), users: [0].into_iter().chain(user).collect() }
    }

    /// Reason why other users could replace this file or directory; `None` if they cannot, or if it does not exist.
    pub fn objection(&self, path: &Path) -> Option<String> {
        if !path.is_absolute() {
            return Some(format!("{} is not an absolute path", path.display()));
        }
        let mut at = PathBuf::from("/");
        let mut ahead: VecDeque<OsString> = parts(path);
        let mut links = 0;
        let mut about = std::fs::symlink_metadata(&at).ok()?;
        // Other users cannot enter this directory, so permissions below it are irrelevant, until a link leads out of
        // it.
        let mut closed: Option<PathBuf> = None;
        loop {
            let is_last = ahead.is_empty();
            let is_hidden = |at: &Path| {
                let closed = closed.as_ref();
                closed.is_some_and(|closed| at != closed && at.starts_with(closed))
            };
            if !is_hidden(&at) {
                if let Some(why) = self.of_one(&at, &about, is_last) {
                    return Some(why);
                }
                let is_closed = about.is_dir() && about.mode() & OTHERS_ENTER == 0;
                closed = is_closed.then(|| at.clone());
            }
            let part = ahead.pop_front()?;
            if part == ".." {
                at.pop();
                about = std::fs::symlink_metadata(&at).ok()?;
                continue;
            }
            let next = at.join(part);
            about = std::fs::symlink_metadata(&next).ok()?;
            if !about.is_symlink() {
                at = next;
                continue;
            }
            links += 1;
            if links > LINKS_MAX {
                return Some(format!("{} has too many symbolic links", path.display()));
            }
            let is_hidden = closed.as_ref().is_some_and(|closed| at.starts_with(closed));
            if let Some(why) = self.of_owner(&next, &about).filter(|_| !is_hidden) {
                return Some(why);
            }
            let target = std::fs::read_link(&next).ok()?;
            for part in parts(&target).into_iter().rev() {
                ahead.push_front(part);
            }
            if target.is_absolute() {
                at = PathBuf::from("/");
            }
            about = std::fs::symlink_metadata(&at).ok()?;
        }
    }

    /// Checks one file or directory of the path.
    fn of_one(&self, path: &Path, about: &Metadata, is_last: bool) -> Option<String> {
        if let Some(why) = self.of_owner(path, about) {
            return Some(why);
        }
        let path = path.display();
        let is_passage = about.is_dir() && about.mode() & STICKY != 0 && !is_last;
        if is_passage {
            return None;
        }
        if about.mode() & OTHERS_WRITE != 0 {
            return Some(format!("{path} is world-writable"));
        }
        if about.mode() & GROUP_WRITES != 0 && !self.is_alone(about.gid()) {
            let group = self.accounts.group_name(about.gid());
            return Some(format!("{path} is writable by group {group}"));
        }
        None
    }

    fn of_owner(&self, path: &Path, about: &Metadata) -> Option<String> {
        let owner = about.uid();
        (!self.users.contains(&owner)).then(|| {
            let owner = self.accounts.user_name(owner);
            format!("{} is owned by {owner}", path.display())
        })
    }

    /// True if the group has no other users: root's group, a user's private group, a group without members.
    fn is_alone(&self, gid: u32) -> bool {
        let users = self.accounts.users_of(gid);
        gid == 0 || users.is_some_and(|users| users.iter().all(|uid| self.users.contains(uid)))
    }
}

fn parts(path: &Path) -> VecDeque<OsString> {
    let part = |component| match component {
        Component::Normal(part) => Some(part.to_owned()),
        Component::ParentDir => Some("..".into()),
        _ => None,
    };
    path.components().filter_map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rights::accounts::example_accounts;
    use std::os::unix::fs::{PermissionsExt, chown, symlink};

    fn make(folder: &Path, name: &str, mode: u32) -> PathBuf {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "").unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
        path
    }

    fn trust(user: Option<u32>) -> Trust {
        Trust { accounts: example_accounts(), users: [0].into_iter().chain(user).collect() }
    }

    fn check(user: Option<u32>, path: &Path, expected: Option<&str>) {
        let found = trust(user).objection(path);
        match (&found, expected) {
            (None, None) => {}
            (Some(found), Some(expected)) => assert!(found.contains(expected), "{found}"),
            _ => panic!("{path:?} for {user:?}: {found:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn root_owned_paths_are_trusted() {
        check(None, Path::new("relative/bin"), Some("not an absolute path"));
        check(None, Path::new("bin"), Some("not an absolute path"));
        check(None, Path::new("/tmp"), Some("/tmp is world-writable"));
        check(None, Path::new("/usr/bin"), None);
        check(None, Path::new("/bin/sh"), None);
        check(None, Path::new("/nowhere/at/all"), None);
    }

    #[test]
    fn every_path_component_is_checked() {
        if !crate::is_root() {
            return testkit::skip("root, to give files away");
        }
        let folder = testkit::Scratch::new("steps");
        let whole = make(&folder, "a/b/program", 0o755);
        check(None, &whole, None);
        check(None, &make(&folder, "open", 0o666), Some("is world-writable"));
        // staff has no members, video has.
        let of_group = make(&folder, "grouped", 0o775);
        for (gid, expected) in [(0, None), (50, None), (44, Some("group video")), (71, Some("group 71"))] {
            chown(&of_group, None, Some(gid)).unwrap();
            check(None, &of_group, expected);
        }
        chown(&of_group, None, Some(1000)).unwrap();
        check(None, &of_group, Some("group alice"));
        check(Some(1000), &of_group, None);
        let middle = folder.join("a");
        chown(&middle, Some(1000), None).unwrap();
        check(None, &whole, Some("a is owned by alice"));
        check(Some(1000), &whole, None);
        check(Some(1001), &whole, Some("a is owned by alice"));
        chown(&middle, Some(4321), None).unwrap();
        check(None, &whole, Some("a is owned by user 4321"));
        chown(&middle, Some(0), None).unwrap();
        std::fs::set_permissions(&middle, PermissionsExt::from_mode(0o757)).unwrap();
        check(None, &whole, Some("is world-writable"));
        // In a directory that others cannot enter, permissions are irrelevant.
        chown(&whole, Some(1000), None).unwrap();
        std::fs::set_permissions(&middle, PermissionsExt::from_mode(0o700)).unwrap();
        check(None, &whole, None);
        std::fs::set_permissions(&middle, PermissionsExt::from_mode(0o755)).unwrap();
        check(None, &whole, Some("program is owned by alice"));
    }

    #[test]
    fn links_are_followed_through_every_folder() {
        if !crate::is_root() {
            return testkit::skip("root, to give files away");
        }
        let folder = testkit::Scratch::new("links");
        make(&folder, "usr/bin/program", 0o755);
        let path = |name: &str| folder.join(name);
        symlink("usr/bin", path("bin")).unwrap();
        check(None, &path("bin/program"), None);
        // Path through a directory of alice to one of root.
        std::fs::create_dir(path("home")).unwrap();
        symlink(path("usr/bin"), path("home/bin")).unwrap();
        chown(path("home"), Some(1000), None).unwrap();
        symlink("home/bin", path("sly")).unwrap();
        check(None, &path("sly/program"), Some("home is owned by alice"));
        // Links out of a directory that others cannot enter, and within it.
        let hidden = make(&folder, "root/own", 0o666);
        std::fs::set_permissions(path("root"), PermissionsExt::from_mode(0o700)).unwrap();
        check(None, &hidden, None);
        symlink(path("home/bin/program"), path("root/out")).unwrap();
        check(None, &path("root/out"), Some("home is owned by alice"));
        symlink("../home/bin/program", path("root/up")).unwrap();
        check(None, &path("root/up"), Some("home is owned by alice"));
        symlink("own", path("root/in")).unwrap();
        check(None, &path("root/in"), None);
        symlink("round", path("round")).unwrap();
        check(None, &path("round/program"), Some("too many symbolic links"));
        symlink("usr/../../up", path("upward")).unwrap();
        check(None, &path("upward"), None);
    }
}
