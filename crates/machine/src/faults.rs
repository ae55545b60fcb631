//! Injection point for all system calls that can fail, so that tests can make each of them fail, or kill the process at
//! it.
//!
//! In release builds [`pass`] only makes the call. Test builds (feature `faults`, allowed in dev-dependencies only)
//! first consult a plan from the environment (see [`plan`]). Failures are handled by the callers.

#[cfg(any(test, feature = "faults"))]
pub mod plan;

use rustix::io::Errno;
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

/// Kind of system call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// Opens a file for reading or writing.
    Open,
    /// Reads a file or device.
    Read,
    /// Lists a directory.
    List,
    /// Reads a link.
    Link,
    /// Writes a file.
    Write,
    /// Syncs a file to disk.
    Sync,
    /// Locks a file.
    Lock,
    /// Renames a file.
    Rename,
    /// Removes a file or directory.
    Remove,
    /// Creates a directory or cgroup.
    Folder,
    /// Starts a program.
    Spawn,
    /// Creates a pipe or pseudo-terminal.
    Pipe,
    /// Starts a thread.
    Thread,
    /// Sets the affinity of a thread.
    Affinity,
    /// Opens a performance counter.
    Perf,
    /// Calls an ioctl of a device.
    Ioctl,
}

impl Call {
    /// All kinds, for tests that iterate over them.
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

    /// True if it changes data on disk or a setting.
    pub fn changes(self) -> bool {
        matches!(self, Self::Write | Self::Sync | Self::Rename | Self::Remove | Self::Folder)
    }

    /// Name in a plan and in a trace.
    pub fn word(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

/// Makes a system call on a path or a similar name.
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
    if let Some(plan) = plan::active() {
        return plan.around(call, &path.as_ref().display().to_string(), make);
    }
    let _ = (call, path);
    make()
}

/// Makes a system call on an open file.
///
/// # Errors
/// Those of the call, and in tests those of the plan.
#[inline]
pub fn pass_open<T, E: From<Errno>>(call: Call, file: impl AsFd, make: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    #[cfg(any(test, feature = "faults"))]
    if let Some(plan) = plan::active() {
        return plan.around(call, &plan::path_of(file.as_fd()), make);
    }
    let _: (Call, BorrowedFd<'_>) = (call, file.as_fd());
    make()
}

/// Checks whether a system call with numeric errors may be made.
///
/// # Errors
/// The errno of a test's plan.
#[inline]
pub fn check(call: Call, name: &str) -> Result<(), i32> {
    pass(call, name, || Ok(())).map_err(|errno: Errno| errno.raw_os_error())
}

/// Writes all bytes to an open file. A plan can simulate the partial write of a full disk.
///
/// # Errors
/// Those of the write, and in tests those of the plan.
#[inline]
pub fn write_all(mut file: &File, bytes: &[u8]) -> std::io::Result<()> {
    #[cfg(any(test, feature = "faults"))]
    if let Some(plan) = plan::active() {
        return plan.write_all(file, bytes);
    }
    file.write_all(bytes)
}

/// Syncs written data to disk, without timestamps.
///
/// # Errors
/// Those of the call, and in tests those of the plan.
#[inline]
pub fn sync_data(file: &File) -> std::io::Result<()> {
    pass_open(Call::Sync, file, || file.sync_data())
}

/// Divisor of all configurable durations: 1, except in tests with hundreds of runs.
#[inline]
pub fn haste() -> u32 {
    #[cfg(any(test, feature = "faults"))]
    return plan::haste();
    #[cfg(not(any(test, feature = "faults")))]
    1
}

/// Simulated offsets of clocks in milliseconds: zero, except in tests of suspend and clock steps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClockShift {
    /// Suspend time: CLOCK_BOOTTIME and the system time advanced, CLOCK_MONOTONIC did not.
    pub suspended_ms: i64,
    /// Step of the system time.
    pub utc_ms: i64,
}

/// Simulated clock offsets of a test.
#[inline]
pub fn clock_shift() -> ClockShift {
    #[cfg(any(test, feature = "faults"))]
    return plan::clock_shift();
    #[cfg(not(any(test, feature = "faults")))]
    ClockShift::default()
}

/// Sets the process id of this process's guard, so that a plan can kill it.
#[inline]
pub fn guarded_by(process: u32) {
    #[cfg(any(test, feature = "faults"))]
    plan::guarded_by(process);
    let _ = process;
}
