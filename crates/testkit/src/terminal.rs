//! Pseudo-terminals, for tests of what is written to a terminal.

use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use std::os::fd::OwnedFd;

/// What reads a pseudo-terminal, and what programs write to. None where there are none, which is said as a skip.
pub fn terminal() -> Option<(OwnedFd, OwnedFd)> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let opened = openpt(flags).and_then(|reader| {
        grantpt(&reader)?;
        unlockpt(&reader)?;
        let writer = ioctl_tiocgptpeer(&reader, flags)?;
        Ok((reader, writer))
    });
    if opened.is_err() {
        crate::skip("no pseudo-terminal can be opened here");
    }
    opened.ok()
}
