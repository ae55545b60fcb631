//! Writes to a pipe that may be full, or a terminal that may be stopped.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::os::fd::BorrowedFd;

/// Interval of checks for signals while a writer waits.
pub(crate) const LOOK_EVERY: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };

/// Writes all text, however long that takes, and ignores errors. For a thread without other work.
pub(crate) fn write_all(out: BorrowedFd<'_>, text: &[u8]) {
    let mut left = text;
    while !left.is_empty() {
        match rustix::io::write(out, left) {
            Ok(count) => left = &left[count..],
            Err(rustix::io::Errno::INTR) => {}
            Err(rustix::io::Errno::AGAIN) => {
                let mut room = [PollFd::from_borrowed_fd(out, PollFlags::OUT)];
                let _ = poll(&mut room, Some(&LOOK_EVERY));
            }
            Err(_) => return,
        }
    }
}
