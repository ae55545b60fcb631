//! System calls without a safe wrapper: the only file of this crate with `unsafe`.
//!
//! All functions are safe to call with any arguments. Their callers document their use ([`crate::vcio`],
//! [`crate::perf`], `identify/hybrid.rs`).

#![allow(
    unsafe_code,
    reason = "the firmware mailbox, perf_event_open, priorities and signals have no safe wrapper in rustix"
)]

use crate::faults::{self, Call};
use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Words of a Raspberry Pi firmware message with a single number as answer.
pub(crate) const MAILBOX_WORDS: usize = 16;

/// `_IOWR(100, 0, char *)` of the driver `vcio`. Its size field is that of a pointer, although the argument points to
/// the message.
const IOCTL_MBOX_PROPERTY: u32 = 0xC000_6400 | ((size_of::<usize>() as u32) << 16);

/// Closes the counter's descriptor on exec (Linux 3.14).
const PERF_FLAG_FD_CLOEXEC: libc::c_ulong = 8;

/// Attributes of a counter: the first published layout of `struct perf_event_attr`, which every kernel since 2.6.32
/// accepts.
#[repr(C)]
#[derive(Debug, Clone, Default)]
pub(crate) struct PerfAttributes {
    /// Type of the PMU.
    pub(crate) kind: u32,
    /// Size of this structure.
    pub(crate) size: u32,
    /// The event.
    pub(crate) config: u64,
    pub(crate) sample_period: u64,
    pub(crate) sample_type: u64,
    /// Additional values of a read.
    pub(crate) read_format: u64,
    /// Bit field: see `perf.rs`.
    pub(crate) flags: u64,
    pub(crate) wakeup_events: u32,
    pub(crate) breakpoint_type: u32,
    pub(crate) config1: u64,
}

/// Sends a message to the firmware of a Raspberry Pi through `/dev/vcio` and replaces it by the answer.
///
/// # Errors
/// The errno.
pub(crate) fn mailbox_property(device: &File, message: &mut [u32]) -> Result<(), i32> {
    faults::check(Call::Ioctl, "/dev/vcio")?;
    // The driver copies the number of bytes in the first word, which must not exceed the message.
    match message.first() {
        Some(bytes) if *bytes as usize <= size_of_val(message) => {}
        _ => return Err(libc::EINVAL),
    }
    // SAFETY: the descriptor is open, and the driver reads and writes at most the number of bytes in the first word,
    // which was checked. Another device would reject the request number.
    let status = unsafe { libc::ioctl(device.as_raw_fd(), IOCTL_MBOX_PROPERTY as _, message.as_mut_ptr()) };
    if status < 0 { Err(errno()) } else { Ok(()) }
}

/// Gives the calling thread, but not its future children, priority over all normal threads.
///
/// # Errors
/// The errno: `EPERM` without permission (root, `CAP_SYS_NICE` or `RLIMIT_RTPRIO`).
pub(crate) fn run_first() -> Result<(), i32> {
    // SAFETY: all fields are numbers, for which zero is valid; some systems have additional fields.
    let mut lowest: libc::sched_param = unsafe { std::mem::zeroed() };
    lowest.sched_priority = 1;
    let policy = libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK;
    // A system call, because musl's function of that name always fails. SAFETY: the kernel reads only the first field
    // of the structure; the other arguments are numbers, 0 is the calling thread.
    let status = unsafe { libc::syscall(libc::SYS_sched_setscheduler, 0, policy, &raw const lowest) };
    if status < 0 { Err(errno()) } else { Ok(()) }
}

/// Replaces a real-time scheduling policy of the calling thread by the normal one, and returns the previous one.
///
/// # Errors
/// The errno.
pub(crate) fn leave_real_time() -> Result<Option<&'static str>, i32> {
    // System calls, because musl's functions of that name always fail. SAFETY: the call takes a number; 0 is the
    // calling thread.
    let policy = unsafe { libc::syscall(libc::SYS_sched_getscheduler, 0) };
    let name = match i32::try_from(policy).unwrap_or(-1) & !libc::SCHED_RESET_ON_FORK {
        libc::SCHED_FIFO => "SCHED_FIFO",
        libc::SCHED_RR => "SCHED_RR",
        libc::SCHED_DEADLINE => "SCHED_DEADLINE",
        _ if policy < 0 => return Err(errno()),
        _ => return Ok(None),
    };
    // SAFETY: all fields are numbers, for which zero is valid and means normal priority.
    let normal: libc::sched_param = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel reads the structure; the other arguments are numbers, 0 is the calling thread.
    let status = unsafe { libc::syscall(libc::SYS_sched_setscheduler, 0, libc::SCHED_OTHER, &raw const normal) };
    if status < 0 { Err(errno()) } else { Ok(Some(name)) }
}

/// Marks a descriptor of this process as close-on-exec.
///
/// # Errors
/// The errno: `EBADF` if it was closed.
pub(crate) fn close_on_exec(descriptor: i32) -> Result<(), i32> {
    // SAFETY: the call takes numbers. Changing the flag of another owner's descriptor does not affect memory safety,
    // and programs are only given descriptors explicitly.
    let status = unsafe { libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC) };
    if status < 0 { Err(errno()) } else { Ok(()) }
}

/// True if this signal is ignored.
pub(crate) fn is_ignored(signal: i32) -> bool {
    // SAFETY: all fields are numbers, pointers and bit sets, for which zero is valid.
    let mut now: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: without a new action the current one is only written into the structure. Invalid signal numbers are
    // rejected.
    let status = unsafe { libc::sigaction(signal, std::ptr::null(), &raw mut now) };
    status == 0 && now.sa_sigaction == libc::SIG_IGN
}

/// Blocks these signals for the calling thread.
pub(crate) fn block(signals: &[i32]) {
    // SAFETY: the set consists of bits, for which zero is valid.
    let mut set: libc::sigset_t = unsafe { std::mem::zeroed() };
    // SAFETY: the set is a local variable, and invalid signal numbers are rejected.
    unsafe {
        libc::sigemptyset(&raw mut set);
        for signal in signals {
            libc::sigaddset(&raw mut set, *signal);
        }
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut());
    }
}

/// Opens a counter for a task (0: the calling thread; -1: all tasks) on one CPU, or on any CPU.
///
/// # Errors
/// The errno.
pub(crate) fn perf_event_open(attributes: &PerfAttributes, task: i32, cpu: Option<u32>) -> Result<OwnedFd, i32> {
    faults::check(Call::Perf, "perf_event_open")?;
    let mut attributes = attributes.clone();
    attributes.size = size_of::<PerfAttributes>() as u32;
    let cpu = cpu.map_or(-1, |cpu| cpu as libc::c_int);
    let no_group: libc::c_int = -1;
    // SAFETY: the kernel reads `size` bytes of the attributes, which is their size; the other arguments are numbers.
    let status = unsafe {
        libc::syscall(libc::SYS_perf_event_open, &raw const attributes, task, cpu, no_group, PERF_FLAG_FD_CLOEXEC)
    };
    if status < 0 {
        return Err(errno());
    }
    // SAFETY: the kernel has just created this descriptor, and it has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(status as i32) })
}

/// True if this processor has several core types (CPUID leaf 07H, EDX bit 15).
#[cfg(target_arch = "x86_64")]
pub(crate) fn is_hybrid() -> bool {
    const LEAF: u32 = 0x7;
    let (highest, _) = cpuid(0);
    highest >= LEAF && cpuid(LEAF).1 >> 15 & 1 == 1
}

/// EAX of CPUID leaf 1AH of the current CPU; 0 without that leaf.
#[cfg(target_arch = "x86_64")]
pub(crate) fn core_type_leaf() -> u32 {
    const LEAF: u32 = 0x1a;
    if cpuid(0).0 >= LEAF { cpuid(LEAF).0 } else { 0 }
}

/// EAX and EDX of a CPUID leaf.
#[cfg(target_arch = "x86_64")]
#[allow(unused_unsafe, reason = "newer compilers know that every x86-64 CPU has CPUID")]
fn cpuid(leaf: u32) -> (u32, u32) {
    // SAFETY: every x86-64 CPU has the instruction, and it only reads.
    let words = unsafe { std::arch::x86_64::__cpuid_count(leaf, 0) };
    (words.eax, words.edx)
}

fn errno() -> i32 {
    let error = std::io::Error::last_os_error();
    error.raw_os_error().unwrap_or(libc::EIO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_is_that_of_the_kernel() {
        // PERF_ATTR_SIZE_VER0
        assert_eq!(size_of::<PerfAttributes>(), 64);
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn request_number_is_that_of_the_driver() {
        // _IOWR(100, 0, char *): direction 3, size 8, type 100, number 0.
        assert_eq!(IOCTL_MBOX_PROPERTY, 0xC008_6400);
    }

    #[test]
    fn non_mailbox_is_refused() {
        let device = File::open("/dev/null").unwrap();
        let mut message = [0; MAILBOX_WORDS];
        message[0] = 64;
        assert_eq!(mailbox_property(&device, &mut message), Err(libc::ENOTTY));
        message[0] = 65;
        assert_eq!(mailbox_property(&device, &mut message), Err(libc::EINVAL));
    }

    #[test]
    fn signals_are_ignored_or_not() {
        // The Rust runtime ignores this one in every program.
        assert!(is_ignored(libc::SIGPIPE));
        assert!(!is_ignored(libc::SIGTERM) && !is_ignored(9999));
    }

    #[test]
    fn thread_priority() {
        let outcome = std::thread::spawn(run_first).join().unwrap();
        assert!(matches!(outcome, Ok(()) | Err(libc::EPERM)), "{outcome:?}");
    }
}
