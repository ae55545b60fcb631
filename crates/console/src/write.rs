//! Writing to what may not be read: a pipe that is full, a terminal that was stopped.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::os::fd::BorrowedFd;

/// While nobody reads, signals are looked at after so long.
pub(crate) const LOOK_EVERY: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };

/// Writes all of it, however long that takes; what cannot be written is left out. For a thread that has nothing
/// else to do.
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
