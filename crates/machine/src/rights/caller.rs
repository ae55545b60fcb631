//! The user who called sudo, pkexec or doas, with the ids, groups, home and names for programs that run as that user.
//!
//! Source: `sudo(8)` (`SUDO_UID`, `SUDO_GID`, `SUDO_USER`, `SUDO_HOME`), `pkexec(1)` (`PKEXEC_UID`), `doas(1)`
//! (`DOAS_USER`).

use super::accounts::{Accounts, User};
use crate::Root;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// User with the environment of the user's programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// User id.
    pub uid: u32,
    /// Primary group id.
    pub gid: u32,
    /// Group ids.
    pub groups: Vec<u32>,
    /// Login name.
    pub name: String,
    /// Home directory.
    pub home: PathBuf,
    /// Shell.
    pub shell: PathBuf,
}

/// Maximum number of ancestors to search, from a program to the shell that called sudo.
const ANCESTORS_MAX: usize = 32;

/// Variables that sudo and similar programs set.
const OF_SUDO: [&str; 8] =
    ["SUDO_COMMAND", "SUDO_GID", "SUDO_HOME", "SUDO_TTY", "SUDO_UID", "SUDO_USER", "PKEXEC_UID", "DOAS_USER"];

/// The calling user, if called by sudo or similar; `None` if root called.
///
/// # Errors
/// A sentence: a variable names an unknown user.
pub fn caller(root: &Root, variable: &dyn Fn(&str) -> Option<String>) -> Result<Option<Caller>, String> {
    let set = |name: &str| Some((name.to_owned(), variable(name).filter(|v| !v.is_empty())?));
    let Some((name, value)) = ["SUDO_UID", "PKEXEC_UID", "DOAS_USER"].into_iter().find_map(set) else {
        return Ok(None);
    };
    let nobody = || format!("{name}={value} is not a user of this machine; use --as-root to run commands as root.");
    let accounts = Accounts::read(root);
    let uid = match name.as_str() {
        "DOAS_USER" => accounts.by_name(&value).ok_or_else(nobody)?.uid,
        // The highest number is not a user (`setresuid(2)`).
        _ => value.parse().ok().filter(|uid| *uid != u32::MAX).ok_or_else(nobody)?,
    };
    if uid == 0 {
        return Ok(None);
    }
    Ok(Some(match accounts.by_uid(uid) {
        Some(user) => known(user, &accounts),
        None => unlisted(root, uid, variable),
    }))
}

/// Marks descriptors inherited from the parent as close-on-exec, because a program with fewer rights must not inherit
/// files opened by root. Standard streams are kept.
pub fn keep_descriptors(root: &Root) {
    let open = root.list("/proc/self/fd").unwrap_or_default();
    for descriptor in open.iter().filter_map(|name| name.parse().ok()) {
        if descriptor > 2 {
            // The descriptor of the listing itself is already closed.
            let _ = crate::syscall::close_on_exec(descriptor);
        }
    }
}

fn known(user: &User, accounts: &Accounts) -> Caller {
    Caller {
        uid: user.uid,
        gid: user.gid,
        groups: accounts.groups_of(user),
        name: user.name.clone(),
        home: user.home.clone(),
        shell: user.shell.clone(),
    }
}

/// A user without an entry in files: name and home come from sudo, groups from the calling shell.
fn unlisted(root: &Root, uid: u32, variable: &dyn Fn(&str) -> Option<String>) -> Caller {
    let gid = variable("SUDO_GID").and_then(|gid| gid.parse().ok());
    let gid = gid.unwrap_or(uid);
    let home = variable("SUDO_HOME").map(PathBuf::from);
    Caller {
        uid,
        gid,
        groups: groups_of_session(root, uid).unwrap_or_else(|| vec![gid]),
        name: variable("SUDO_USER").unwrap_or_else(|| uid.to_string()),
        home: home.unwrap_or_else(|| "/".into()),
        shell: "/bin/sh".into(),
    }
}

/// Groups of the nearest ancestor that runs as this user.
fn groups_of_session(root: &Root, uid: u32) -> Option<Vec<u32>> {
    let mut pid = "self".to_owned();
    for _ in 0..ANCESTORS_MAX {
        let status = root.read(&format!("/proc/{pid}/status")).ok()?;
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            Some(line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        };
        if field("Uid:")?.first()?.parse() == Ok(uid) {
            let numbers = field("Groups:")?.into_iter().chain(field("Gid:")?.into_iter().take(1));
            let mut groups: Vec<u32> = numbers.filter_map(|gid| gid.parse().ok()).collect();
            groups.sort_unstable();
            groups.dedup();
            return Some(groups);
        }
        pid = field("PPid:")?.first().filter(|pid| *pid != "0")?.clone();
    }
    None
}

impl Caller {
    /// Changes of this process's environment for a program of the user: values to set, and names to remove. Other
    /// variables that sudo kept are unchanged.
    pub fn environment(&self, ours: impl Iterator<Item = (String, String)>) -> Vec<(String, Option<String>)> {
        let text = |path: &Path| Some(path.to_string_lossy().into_owned());
        let mut changes = vec![
            ("HOME".to_owned(), text(&self.home)),
            ("USER".to_owned(), Some(self.name.clone())),
            ("LOGNAME".to_owned(), Some(self.name.clone())),
            ("SHELL".to_owned(), text(&self.shell)),
            // Path of root's mail; programs derive it from the name.
            ("MAIL".to_owned(), None),
        ];
        changes.extend(OF_SUDO.map(|name| (name.to_owned(), None)));
        for (name, value) in ours.filter(|(name, _)| name.starts_with("XDG_")) {
            let place = Path::new(&value);
            let is_of_root = place.starts_with("/root") && !self.home.starts_with("/root");
            if name == "XDG_RUNTIME_DIR" {
                changes.push((name, self.runtime_folder(place)));
            } else if is_of_root {
                changes.push((name, None));
            }
        }
        changes
    }

    /// Runtime directory of the user, because root's is not accessible to others.
    fn runtime_folder(&self, ours: &Path) -> Option<String> {
        let own = PathBuf::from(format!("/run/user/{}", self.uid));
        let is_own = |path: &&Path| std::fs::symlink_metadata(path).is_ok_and(|about| about.uid() == self.uid);
        let found = [ours, own.as_path()].into_iter().find(is_own)?;
        Some(found.to_string_lossy().into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// User id, group id, groups, name and home.
    type ExpectedCaller<'a> = (u32, u32, &'a [u32], &'a str, &'a str);

    const FILES: &str = "\
== /etc/passwd
root:x:0:0:root:/root:/bin/bash
alice:x:1000:1000:,,,:/home/alice:/bin/zsh
== /etc/group
video:x:44:alice
alice:x:1000:
== /proc/self/status
PPid:\t20
Uid:\t0\t0\t0\t0
Gid:\t0\t0\t0\t0
Groups:\t0
== /proc/20/status
PPid:\t10
Uid:\t5000\t5000\t5000\t5000
Gid:\t5000\t5000\t5000\t5000
Groups:\t4 5000 7000
";

    fn check(variables: &[(&str, &str)], expected: Result<Option<ExpectedCaller>, &str>) {
        let value = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        let root = Root::from_board(FILES).unwrap();
        match (caller(&root, &value), expected) {
            (Ok(found), Ok(expected)) => {
                let found = found.as_ref().map(|user| {
                    let home = user.home.to_str().unwrap();
                    (user.uid, user.gid, user.groups.as_slice(), user.name.as_str(), home)
                });
                assert_eq!(found, expected, "{variables:?}");
            }
            (Err(why), Err(words)) => assert!(why.contains(words), "{why}"),
            (found, expected) => panic!("{found:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn user_who_called_is_known() {
        let alice = || Ok(Some((1000, 1000, &[44, 1000][..], "alice", "/home/alice")));
        check(&[], Ok(None));
        check(&[("SUDO_UID", "")], Ok(None));
        check(&[("SUDO_UID", "0")], Ok(None));
        check(&[("SUDO_UID", "1000"), ("SUDO_USER", "mallory")], alice());
        check(&[("PKEXEC_UID", "1000")], alice());
        check(&[("DOAS_USER", "alice")], alice());
        check(&[("DOAS_USER", "carol")], Err("DOAS_USER=carol is not a user"));
        check(&[("SUDO_UID", "-1")], Err("SUDO_UID=-1 is not a user"));
        check(&[("SUDO_UID", "4294967295")], Err("is not a user"));
    }

    #[test]
    fn users_of_a_directory_have_the_groups_of_their_session() {
        check(
            &[("SUDO_UID", "5000"), ("SUDO_GID", "7000"), ("SUDO_USER", "dana"), ("SUDO_HOME", "/net/dana")],
            Ok(Some((5000, 7000, &[4, 5000, 7000], "dana", "/net/dana"))),
        );
        check(&[("SUDO_UID", "6000"), ("SUDO_GID", "7000")], Ok(Some((6000, 7000, &[7000], "6000", "/"))));
    }

    #[test]
    fn environment_is_that_of_the_user() {
        let root = Root::from_board(FILES).unwrap();
        let user = caller(&root, &|name| (name == "SUDO_UID").then(|| "1000".to_owned()));
        let user = user.unwrap().unwrap();
        let ours = [
            ("XDG_CONFIG_HOME", "/root/.config"),
            ("XDG_DATA_DIRS", "/usr/share"),
            ("XDG_RUNTIME_DIR", "/proc/1"),
            ("DISPLAY", ":0"),
        ];
        let ours = ours.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let changes = user.environment(ours.into_iter());
        let change = |name: &str| changes.iter().find(|(known, _)| known == name).map(|(_, v)| v.as_deref());
        assert_eq!(change("HOME"), Some(Some("/home/alice")));
        assert_eq!(change("SHELL"), Some(Some("/bin/zsh")));
        assert_eq!(change("SUDO_COMMAND"), Some(None));
        assert_eq!(change("XDG_CONFIG_HOME"), Some(None));
        assert_eq!((change("XDG_DATA_DIRS"), change("DISPLAY")), (None, None));
        assert_ne!(change("XDG_RUNTIME_DIR"), Some(Some("/proc/1")));
    }
}
