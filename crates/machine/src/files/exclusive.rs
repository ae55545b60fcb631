//! Files and folders of which one process at a time has the lock (flock(2)).

use crate::faults::{self, Call};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use std::ops::Deref;
use std::os::fd::AsFd;

/// A file or folder of which this process may have the lock. The lock goes when this is dropped or the process dies.
///
/// Closing alone would not let go of it at once: a program that another thread starts at this moment has a copy of
/// every descriptor until it is executed, and the lock is held as long as one copy is open.
#[derive(Debug)]
pub struct Exclusive<F: AsFd>(F);

impl<F: AsFd> Exclusive<F> {
    /// Of something open, which is not locked by that.
    pub fn new(open: F) -> Self {
        Self(open)
    }

    /// Takes the lock, and does not wait for it.
    ///
    /// # Errors
    /// `WOULDBLOCK`: another process, or another opening of the same file, has it; `NOSYS`, `NOTSUP`, `NOLCK`: there
    /// are no locks.
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
        // Where there is no lock, nothing is to be let go of.
        let _ = flock(&self.0, FlockOperation::NonBlockingUnlock);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    #[test]
    fn lock_goes_although_a_program_being_started_has_a_copy() {
        let path = std::env::temp_dir().join(format!("sbc-bench-exclusive-{}", std::process::id()));
        let held = Exclusive::new(File::create(&path).unwrap());
        held.lock().unwrap();
        let copy = held.try_clone().unwrap();
        let other = Exclusive::new(File::open(&path).unwrap());
        assert_eq!(other.lock(), Err(Errno::WOULDBLOCK));
        drop(held);
        assert_eq!(other.lock(), Ok(()));
        drop(copy);
        std::fs::remove_file(&path).unwrap();
    }
}
