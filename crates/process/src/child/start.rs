//! Starts a program with its CPUs, cgroup, user and environment.
//!
//! Affinity, group and rights are those of the starting thread. Rights belong to a thread rather than a process in
//! Linux (`credentials(7)`; the raw system calls, not the C library functions, which change all threads), so a thread
//! that gives up root can start a program and end, and no code runs between fork and exec.
//!
//! `no_new_privs` is not set: a user's command may call ping or sudo with that user's own rights.

use super::ChildSpec;
use crate::search_path::search_path;
use machine::Caller;
use machine::faults::{self, Call};
use machine::threads;
use rustix::process::{Gid, Uid};
use rustix::thread::{CpuSet, sched_setaffinity, set_thread_groups, set_thread_res_gid, set_thread_res_uid};
use std::process::{Child, Command};

/// Sets a locale with decimal points and English messages, regardless of the user's.
pub(super) fn plain_locale(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("LC_") || name == "LANG" || name == "LANGUAGE" {
            command.env_remove(&*name);
        }
    }
    command.env("LC_ALL", "C");
}

/// Sets the environment of the user whose program it is.
pub(super) fn of_user(user: &Caller, command: &mut Command) {
    let ours = std::env::vars_os();
    let ours = ours.filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    for (name, value) in user.environment(ours) {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
}

/// Restricts PATH to directories that only root can write.
pub(super) fn of_root(command: &mut Command) {
    if machine::is_root() && std::env::var_os("PATH").is_some() {
        command.env("PATH", search_path().variable());
    }
}

/// Starts the command in a separate thread that is first moved to the CPUs and into the group.
pub(super) fn start_on(spec: &ChildSpec, mut command: Command) -> Result<Child, String> {
    if spec.cpus.is_empty() && spec.group.is_none() && spec.user.is_none() {
        return spawn(&mut command);
    }
    in_thread(move || {
        if !spec.cpus.is_empty() {
            move_to(spec.cpus)?;
        }
        // Without the group it runs as well, but its descendants are accounted less exactly.
        let _inside = spec.group.and_then(|group| group.enter().ok());
        let Some(user) = spec.user else { return spawn(&mut command) };
        // Another thread, because this one needs its rights to leave the group.
        in_thread(move || {
            give_up_root(user)?;
            spawn(&mut command)
        })
    })
}

fn spawn(command: &mut Command) -> Result<Child, String> {
    let program = command.get_program().to_owned();
    faults::pass(Call::Spawn, program, || command.spawn()).map_err(|e| e.to_string())
}

fn in_thread<T: Send>(work: impl FnOnce() -> Result<T, String> + Send) -> Result<T, String> {
    threads::run("start", work).map_err(|missing| missing.to_string())?
}

/// Gives the calling thread the user's rights, permanently.
fn give_up_root(user: &Caller) -> Result<(), String> {
    let (uid, gid) = (Uid::from_raw(user.uid), Gid::from_raw(user.gid));
    let groups: Vec<Gid> = user.groups.iter().map(|gid| Gid::from_raw(*gid)).collect();
    // Groups first, because only root can change them.
    set_thread_groups(&groups)
        .and_then(|()| set_thread_res_gid(gid, gid, gid))
        .and_then(|()| set_thread_res_uid(uid, uid, uid))
        .map_err(|why| format!("cannot run it as user {}: {why}; use --as-root to run it as root", user.name))
}

/// Moves the calling thread to the CPUs.
pub fn move_to(cpus: &[u32]) -> Result<(), String> {
    let mut set = CpuSet::new();
    for &cpu in cpus {
        if cpu as usize >= CpuSet::MAX_CPU {
            return Err(format!("CPU {cpu} exceeds the maximum of {}", CpuSet::MAX_CPU - 1));
        }
        set.set(cpu as usize);
    }
    let choose = || sched_setaffinity(None, &set);
    faults::pass(Call::Affinity, "thread", choose).map_err(|error| {
        let list = cpus.iter().map(u32::to_string).collect::<Vec<_>>();
        let list = list.join(",");
        match error {
            // The kernel ignores offline CPUs and rejects an empty set.
            rustix::io::Errno::INVAL => format!("none of the CPUs {list} is online"),
            other => format!("CPUs {list} cannot be used: {other}"),
        }
    })
}
