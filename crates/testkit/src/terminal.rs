//! Pseudo-terminals, for tests of output to a terminal.

use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use std::os::fd::OwnedFd;

/// Controlling side and terminal side of a pseudo-terminal. `None` with a skip if the machine has none.
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
