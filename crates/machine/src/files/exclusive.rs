//! Files and directories that one process at a time can lock (flock(2)).

use crate::faults::{self, Call};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use std::ops::Deref;
use std::os::fd::AsFd;

/// A file or directory that this process can lock. Dropping it or the death of the process releases the lock.
///
/// Closing alone may not release the lock at once: a child process that another thread is starting has copies of all
/// descriptors until `exec`, and the lock is held while a copy is open.
#[derive(Debug)]
pub struct Exclusive<F: AsFd>(F);

impl<F: AsFd> Exclusive<F> {
    /// Wraps an open file without locking it.
    pub fn new(open: F) -> Self {
        Self(open)
    }

    /// Acquires the lock without waiting.
    ///
    /// # Errors
    /// `WOULDBLOCK`: another process, or another opening of the same file, has it; `NOSYS`, `NOTSUP`, `NOLCK`: locks
    /// are not supported.
    pub fn lock(&self) -> Result<(), Errno> {
        faults::pass_open(Call::Lock, &self.0, || flock(&self.0, FlockOperation::NonBlockingLockExclusive))
    }
}

impl<F: AsFd> Deref for Exclusive<F> {
    type Target = F;

    fn deref(&self) -> &F {
        &self.0
    }
}

impl<F: AsFd> Drop for Exclusive<F> {
    fn drop(&mut self) {
        // Without a lock, unlocking has no effect.
        let _ = flock(&self.0, FlockOperation::NonBlockingUnlock);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    #[test]
    fn lock_goes_although_a_program_being_started_has_a_copy() {
        let folder = testkit::Scratch::new("exclusive");
        let path = folder.join("file");
        let held = Exclusive::new(File::create(&path).unwrap());
        held.lock().unwrap();
        let copy = held.try_clone().unwrap();
        let other = Exclusive::new(File::open(&path).unwrap());
        assert_eq!(other.lock(), Err(Errno::WOULDBLOCK));
        drop(held);
        assert_eq!(other.lock(), Ok(()));
        drop(copy);
    }
}
