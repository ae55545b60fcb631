//! Detects whether the owner of a cgroup is alive. Process ids are not reliable, because containers (PID namespaces)
//! with separate ids may share a mount of cgroups. So a run locks the directory of its cgroup (flock(2)), and the
//! kernel releases the lock when the run dies.

use crate::faults::{self, Call};
use crate::files::Exclusive;
use rustix::fs::{self, Mode, OFlags};
use rustix::io::Errno;
use std::os::fd::OwnedFd;

/// Maximum number of attempts, because a directory may be rejected temporarily.
const TRIES: usize = 3;

/// Lock of a cgroup until it is dropped or the process dies.
#[derive(Debug)]
pub(super) struct Lock {
    _folder: Exclusive<OwnedFd>,
}

/// Owner of a cgroup.
#[derive(Debug)]
pub(super) enum Owner {
    /// The owner is gone, or has not locked it yet; this process holds it now.
    Gone(Lock),
    /// Another process holds it, or is removing it.
    Lives,
    /// The kernel has no locks; other processes will not adopt it either.
    NoLocks,
    /// Unknown; the cgroup is left unchanged.
    Unknown(Errno),
}

/// Creates the directory of a cgroup. Other users may use its files but not open the directory, because opening it
/// permits locking it.
pub(super) fn make(folder: &str) -> Result<(), Errno> {
    fs::mkdir(folder, Mode::RWXU | Mode::XGRP | Mode::XOTH)
}

/// Determines the owner of a cgroup, and adopts it if the owner is gone.
pub(super) fn owner_of(folder: &str) -> Owner {
    let mut refused = Errno::AGAIN;
    for _ in 0..TRIES {
        match locked(folder) {
            Ok(lock) => return Owner::Gone(lock),
            Err(errno) => refused = errno,
        }
    }
    match refused {
        Errno::AGAIN | Errno::NOENT => Owner::Lives,
        Errno::NOSYS | Errno::NOTSUP => Owner::NoLocks,
        errno => Owner::Unknown(errno),
    }
}

pub(super) fn locked(folder: &str) -> Result<Lock, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let open = || fs::open(folder, flags, Mode::empty());
    let opened = Exclusive::new(faults::pass(Call::Open, folder, open)?);
    opened.lock()?;
    // The previous owner may have removed it, and another process may have created it again.
    let (held, named) = (fs::fstat(&*opened)?, fs::stat(folder)?);
    if (held.st_dev, held.st_ino) != (named.st_dev, named.st_ino) {
        return Err(Errno::NOENT);
    }
    Ok(Lock { _folder: opened })
}
