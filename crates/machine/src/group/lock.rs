//! Whether the owner of a group lives. Process ids do not tell: runs of several containers (PID namespaces) may see
//! one mount of the control groups, and each has its own numbers. So a run holds the folder of its group locked
//! (flock(2)), and the kernel lets go of it when the run dies.

use crate::faults::{self, Call};
use crate::files::Exclusive;
use rustix::fs::{self, Mode, OFlags};
use rustix::io::Errno;
use std::os::fd::OwnedFd;

/// A folder may be refused for a reason of the moment.
const TRIES: usize = 3;

/// Holds a group until this is dropped or the process dies.
#[derive(Debug)]
pub(super) struct Lock {
    _folder: Exclusive<OwnedFd>,
}

/// Who has a group.
#[derive(Debug)]
pub(super) enum Owner {
    /// Nobody any more, or nobody yet; it is held from now on.
    Gone(Lock),
    /// Another process holds it, or is removing it.
    Lives,
    /// This kernel has no locks, so that nobody can take it for left behind either.
    NoLocks,
    /// It cannot be asked, and is left alone.
    Unknown(Errno),
}

/// Makes the folder of a group. Others may use its files, but not open the folder itself: who can open it can lock it.
pub(super) fn make(folder: &str) -> Result<(), Errno> {
    fs::mkdir(folder, Mode::RWXU | Mode::XGRP | Mode::XOTH)
}

/// Asks who has a group, and takes it if nobody has.
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
    // The process that held it may have removed it in between, and another one may have made it again.
    let (held, named) = (fs::fstat(&*opened)?, fs::stat(folder)?);
    if (held.st_dev, held.st_ino) != (named.st_dev, named.st_ino) {
        return Err(Errno::NOENT);
    }
    Ok(Lock { _folder: opened })
}
