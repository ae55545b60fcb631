//! The one seam through which system calls pass that can fail, so that tests can make each of them fail,
//! or end the process at it.
//!
//! In a program that is handed out this is nothing: [`pass`] calls what it is given. Built for tests (the
//! feature `faults`, which only dev-dependencies may name), it asks a plan first, which the environment
//! gives ([`plan`] says in which words). What is done about a failure is never decided here.

#[cfg(any(test, feature = "faults"))]
pub mod plan;

use rustix::io::Errno;
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

/// What is asked of the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// A file is opened, to be read or written.
    Open,
    /// A file or device is read.
    Read,
    /// A folder is listed.
    List,
    /// The target of a link is asked for.
    Link,
    /// A file is written.
    Write,
    /// What was written is brought to the disk.
    Sync,
    /// A file is locked.
    Lock,
    /// A file gets another name.
    Rename,
    /// A file or folder is removed.
    Remove,
    /// A folder is made, also one that is a control group.
    Folder,
    /// A program is started.
    Spawn,
    /// A pipe or pseudo terminal is made.
    Pipe,
    /// A thread is started.
    Thread,
    /// The CPUs of a thread are chosen.
    Affinity,
    /// A counter is opened.
    Perf,
    /// A device is asked by a request of its own.
    Ioctl,
}

impl Call {
    /// All of them, for tests that go through them.
    pub const ALL: [Self; 16] = [
        Self::Open,
        Self::Read,
        Self::List,
        Self::Link,
        Self::Write,
        Self::Sync,
        Self::Lock,
        Self::Rename,
        Self::Remove,
        Self::Folder,
        Self::Spawn,
        Self::Pipe,
        Self::Thread,
        Self::Affinity,
        Self::Perf,
        Self::Ioctl,
    ];

    /// True if it changes what is on a disk, or a setting.
    pub fn changes(self) -> bool {
        matches!(self, Self::Write | Self::Sync | Self::Rename | Self::Remove | Self::Folder)
    }

    /// Its word in a plan and in a trace.
    pub fn word(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

/// Makes a system call on a path, or of something that has a name like one.
///
/// # Errors
/// Those of the call, and in tests those of the plan.
#[inline]
pub fn pass<T, E: From<Errno>>(
    call: Call,
    path: impl AsRef<Path>,
    make: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    #[cfg(any(test, feature = "faults"))]
    if let Some(plan) = plan::in_force() {
        return plan.around(call, &path.as_ref().display().to_string(), make);
    }
    let _ = (call, path);
    make()
}

/// Makes a system call on something that is open.
///
/// # Errors
/// Those of the call, and in tests those of the plan.
#[inline]
pub fn pass_open<T, E: From<Errno>>(call: Call, file: impl AsFd, make: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    #[cfg(any(test, feature = "faults"))]
    if let Some(plan) = plan::in_force() {
        return plan.around(call, &plan::path_of(file.as_fd()), make);
    }
    let _: (Call, BorrowedFd<'_>) = (call, file.as_fd());
    make()
}

/// Whether a system call may be made that tells its errors as numbers.
///
/// # Errors
/// The errno that a test's plan wants.
#[inline]
pub fn check(call: Call, name: &str) -> Result<(), i32> {
    pass(call, name, || Ok(())).map_err(|errno: Errno| errno.raw_os_error())
}

/// Writes all of it to an open file. A full disk can take a part: in tests a plan can ask for that.
///
/// # Errors
/// Those of the write, and in tests those of the plan.
#[inline]
pub fn write_all(mut file: &File, bytes: &[u8]) -> std::io::Result<()> {
    #[cfg(any(test, feature = "faults"))]
    if let Some(plan) = plan::in_force() {
        return plan.write_all(file, bytes);
    }
    file.write_all(bytes)
}

/// Brings what was written to the disk, without its times.
///
/// # Errors
/// Those of the call, and in tests those of the plan.
#[inline]
pub fn sync_data(file: &File) -> std::io::Result<()> {
    pass_open(Call::Sync, file, || file.sync_data())
}

/// By how much everything is shortened whose length is chosen: 1, but for tests that make hundreds of runs.
#[inline]
pub fn haste() -> u32 {
    #[cfg(any(test, feature = "faults"))]
    return plan::haste();
    #[cfg(not(any(test, feature = "faults")))]
    1
}

/// By how much clocks are ahead of the machine's own, in milliseconds: nothing, but for tests that suspend a
/// machine or set its time of day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClocksMoved {
    /// Sleep: CLOCK_BOOTTIME and the time of day went on, CLOCK_MONOTONIC did not.
    pub suspended_ms: i64,
    /// The time of day was set.
    pub utc_ms: i64,
}

/// How clocks were moved by a test.
#[inline]
pub fn clocks_moved() -> ClocksMoved {
    #[cfg(any(test, feature = "faults"))]
    return plan::clocks_moved();
    #[cfg(not(any(test, feature = "faults")))]
    ClocksMoved::default()
}

/// Says which process is the guard of this one, so that a plan can kill it.
#[inline]
pub fn guarded_by(process: u32) {
    #[cfg(any(test, feature = "faults"))]
    plan::guarded_by(process);
    let _ = process;
}
