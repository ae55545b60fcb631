//! `/etc/passwd` and `/etc/group`: names, homes and members. Accounts from other sources (LDAP, SSSD) are known by
//! number only. (Source: `passwd(5)`, `group(5)`.)

use crate::Root;
use std::path::PathBuf;

/// Accounts in files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Accounts {
    users: Vec<User>,
    groups: Vec<Members>,
}

/// Line of `/etc/passwd`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct User {
    pub(super) name: String,
    pub(super) uid: u32,
    pub(super) gid: u32,
    pub(super) home: PathBuf,
    pub(super) shell: PathBuf,
}

/// Line of `/etc/group`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Members {
    name: String,
    gid: u32,
    members: Vec<String>,
}

impl Accounts {
    /// Reads the accounts of a machine; empty if the files cannot be read.
    pub fn read(root: &Root) -> Self {
        let text = |path| root.read(path).unwrap_or_default();
        Self::parse(&text("/etc/passwd"), &text("/etc/group"))
    }

    fn parse(passwd: &str, group: &str) -> Self {
        let user = |line: &str| {
            let mut fields = line.split(':');
            let name = fields.next()?.to_owned();
            let uid = fields.nth(1)?.parse().ok()?;
            let gid = fields.next()?.parse().ok()?;
            let home = fields.nth(1)?.into();
            let shell = match fields.next()?.trim() {
                "" => "/bin/sh".into(),
                shell => shell.into(),
            };
            Some(User { name, uid, gid, home, shell })
        };
        let members = |line: &str| {
            let mut fields = line.split(':');
            let name = fields.next()?.to_owned();
            let gid = fields.nth(1)?.parse().ok()?;
            let members = fields.next()?.trim().split(',');
            let members = members.filter(|name| !name.is_empty());
            Some(Members { name, gid, members: members.map(str::to_owned).collect() })
        };
        Self { users: passwd.lines().filter_map(user).collect(), groups: group.lines().filter_map(members).collect() }
    }

    pub(super) fn by_uid(&self, uid: u32) -> Option<&User> {
        self.users.iter().find(|user| user.uid == uid)
    }

    pub(super) fn by_name(&self, name: &str) -> Option<&User> {
        self.users.iter().find(|user| user.name == name)
    }

    /// Primary group of the user and all groups with the user as a member.
    pub(super) fn groups_of(&self, user: &User) -> Vec<u32> {
        let has_user = |group: &&Members| group.members.contains(&user.name);
        let listed = self.groups.iter().filter(has_user).map(|group| group.gid);
        let mut all: Vec<u32> = listed.chain([user.gid]).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Ids of a group's users; `None` if the group is not in the file, so that its members are unknown.
    pub(super) fn users_of(&self, gid: u32) -> Option<Vec<u32>> {
        let mut listed = self.groups.iter().filter(|group| group.gid == gid).peekable();
        listed.peek()?;
        let mut uids: Vec<u32> = Vec::new();
        for name in listed.flat_map(|group| &group.members) {
            uids.push(self.by_name(name)?.uid);
        }
        let own = self.users.iter().filter(|user| user.gid == gid);
        uids.extend(own.map(|user| user.uid));
        Some(uids)
    }

    /// Name of a user, or its id in words.
    pub(super) fn user_name(&self, uid: u32) -> String {
        let known = self.by_uid(uid).map(|user| user.name.clone());
        known.unwrap_or_else(|| format!("user {uid}"))
    }

    /// Name of a group, or its id in words.
    pub(super) fn group_name(&self, gid: u32) -> String {
        let known = self.groups.iter().find(|group| group.gid == gid);
        known.map_or_else(|| gid.to_string(), |group| group.name.clone())
    }
}

/// Runs all queries on arbitrary files, for fuzzing.
pub(crate) fn foreign(passwd: &str, group: &str) {
    let accounts = Accounts::parse(passwd, group);
    for user in accounts.users.iter().take(10) {
        for gid in accounts.groups_of(user).into_iter().take(10) {
            accounts.users_of(gid);
            accounts.group_name(gid);
        }
        accounts.user_name(user.uid);
    }
}

#[cfg(test)]
pub(super) fn example_accounts() -> Accounts {
    Accounts::parse(
        "root:x:0:0:root:/root:/bin/bash\nalice:x:1000:1000:,,,:/srv/alice:/bin/zsh\n\
         bob:x:1001:100::/srv/bob:\nbroken:x:many\n\n",
        "root:x:0:\nstaff:x:50:\nvideo:x:44:alice,bob\nalice:x:1000:\nusers:x:100:\nldap:x:70:carol\n",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_and_groups_are_found() {
        let accounts = example_accounts();
        let alice = accounts.by_uid(1000).unwrap();
        assert_eq!(accounts.groups_of(alice), [44, 1000]);
        assert_eq!(accounts.by_name("bob").unwrap().shell, PathBuf::from("/bin/sh"));
        assert_eq!(accounts.by_name("broken"), None);
        assert_eq!(accounts.users_of(50), Some(vec![]));
        assert_eq!(accounts.users_of(100), Some(vec![1001]));
        assert_eq!(accounts.users_of(44), Some(vec![1000, 1001]));
        // A user and a group that are not in the files.
        assert_eq!((accounts.users_of(70), accounts.users_of(71)), (None, None));
        assert_eq!(accounts.user_name(7), "user 7");
    }
}
